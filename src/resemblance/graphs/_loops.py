"""Compiled loops on the graph of comparisons.

A graph with n vertices and m edges is stored as linked lists ``first`` (2, n) and ``links`` (m, 4).
Direction s is 0 along edges and 1 against edges. ``first[s, x]`` is the first edge of vertex x in
direction s, or -1. ``links[e, 2 * s]`` is the next edge after e in the list of the same vertex, and
``links[e, 2 * s + 1]`` the vertex at the end of e. Each column of ``key`` (n, k) increases along
edges, so that a path from x to y only has vertices with keys between those of x and y.
"""

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy", fastmath=False)
def sift(start, others, gain, visited, luck, tolerance, key):
    """Move each vertex in turn to the place in the order that keeps the most weight of edges.

    ``visited`` is the sequence of vertices. Edges of x are ``start[x]`` to ``start[x + 1]``.
    ``gain`` is the weight that is kept if the vertex in ``others`` is after x, minus the weight
    that is kept if it is before x. Of places that are equally good up to ``tolerance``, random
    numbers ``luck`` (visits, 2) in [0, 1) choose a place, and the key in it.
    """
    most = 0
    for x in range(start.size - 1):
        most = max(most, start[x + 1] - start[x])
    keys, lost = np.empty(most), np.empty(most + 1)
    for t in range(visited.size):
        x = visited[t]
        d = 0
        for p in range(start[x], start[x + 1]):  # insertion sort of neighbours by key
            j = d
            while j > 0 and keys[j - 1] > key[others[p]]:
                keys[j], lost[j + 1] = keys[j - 1], lost[j]
                j -= 1
            keys[j], lost[j + 1] = key[others[p]], gain[p]
            d += 1
        if d == 0:
            continue
        lost[0] = 0.0
        least = 0.0
        for j in range(d):  # place j is before neighbour j; after a neighbour, its gain is lost
            lost[j + 1] += lost[j]
            least = min(least, lost[j + 1])
        ties = 0
        for j in range(d + 1):
            ties += lost[j] <= least + tolerance
        ties = int(luck[t, 0] * ties)
        place = 0
        for j in range(d + 1):
            if lost[j] <= least + tolerance:
                place = j
                ties -= 1
                if ties < 0:
                    break
        low = keys[place - 1] if place > 0 else keys[0] - 1.0
        high = keys[place] if place < d else keys[d - 1] + 1.0
        key[x] = low + luck[t, 1] * (high - low)


@njit(cache=True, error_model="numpy", fastmath=False)
def connected(first, links, key, step, ends, skipped, mark, queue):
    """Search for a path between two vertices without the edge ``skipped``, from both ends.

    Keys increase by at least ``step`` along each edge, where 0 is any increase. Return -1 if there
    is a path; otherwise the direction (0 or 1) in which the search ended, and the number of its
    visited vertices, which are in ``queue[direction]``. ``mark`` is zero before and after.
    """
    size = np.ones(2, np.int64)
    done = np.zeros(2, np.int64)
    steps = np.zeros(2, np.int64)
    for s in range(2):
        queue[s, 0] = ends[s]
        mark[ends[s]] = s + 1
    met = False
    while not met and done[0] < size[0] and done[1] < size[1]:
        s = 0 if steps[0] <= steps[1] else 1
        sign, goal = 1 - 2 * s, ends[1 - s]
        e = first[s, queue[s, done[s]]]
        done[s] += 1
        while e >= 0:
            y = links[e, 2 * s + 1]
            steps[s] += 1
            if mark[y] == 2 - s and e != skipped:
                met = True
                break
            if mark[y] == 0:
                between = True
                for c in range(key.shape[1]):
                    between &= (key[goal, c] - key[y, c]) * sign >= step
                if between:
                    mark[y] = s + 1
                    queue[s, size[s]] = y
                    size[s] += 1
            e = links[e, 2 * s]
    for s in range(2):
        for q in range(size[s]):
            mark[queue[s, q]] = 0
    s = 0 if done[0] == size[0] else 1
    return (-1 if met else s), size[s]


@njit(cache=True, error_model="numpy", fastmath=False)
def join(first, links, tail, head, e):
    links[e, 0], links[e, 1] = first[0, tail], head
    links[e, 2], links[e, 3] = first[1, head], tail
    first[0, tail] = first[1, head] = e


@njit(cache=True, error_model="numpy", fastmath=False)
def linked(n, tail, head):
    first = np.full((2, n), -1, np.int32)
    links = np.empty((tail.size, 4), np.int32)
    for e in range(tail.size - 1, -1, -1):
        join(first, links, tail[e], head[e], e)
    return first, links


@njit(cache=True, error_model="numpy", fastmath=False)
def rank(key):
    """Replace keys by their ranks, so that there is room between keys."""
    # `move` sorts an array with the same memory layout as this copy, so argsort is compiled once.
    order = np.argsort(key[:, 0].copy())
    for i in range(order.size):
        key[order[i], 0] = i


@njit(cache=True, error_model="numpy", fastmath=False)
def room(first, links, key, vertices, goal, s):
    sign = 1 - 2 * s
    gap = 1.0
    for x in vertices:
        e = first[s, x]
        while e >= 0:
            beyond = (key[links[e, 2 * s + 1], 0] - key[goal, 0]) * sign
            if beyond > 0.0:
                gap = min(gap, beyond)
            e = links[e, 2 * s]
    return gap


@njit(cache=True, error_model="numpy", fastmath=False)
def move(first, links, key, vertices, goal, s):
    sign = 1 - 2 * s
    gap = room(first, links, key, vertices, goal, s)
    if gap < 1e-6 * vertices.size:
        rank(key)
        gap = room(first, links, key, vertices, goal, s)
    order = np.argsort(key[vertices, 0] * sign)
    near = key[goal, 0]
    for i in range(order.size):
        key[vertices[order[i]], 0] = near + sign * gap * (i + 1) / (vertices.size + 1)


@njit(cache=True, error_model="numpy", fastmath=False)
def insert(tail, head, first, links, key, sequence, kept):
    """Add the edges that do not close a cycle, in sequence, and mark them in ``kept``.

    ``key`` (n, 1) stays a topological order. The method is that of Pearce and Kelly (2006), but it
    searches from both ends and moves only the vertices of one of the searches.
    """
    mark = np.zeros(len(key), np.int8)
    queue = np.empty((2, len(key)), np.int32)
    for e in sequence:
        a, b = tail[e], head[e]
        if key[a, 0] >= key[b, 0]:
            s, size = connected(first, links, key, 0.0, (b, a), -1, mark, queue)
            if s < 0:
                continue
            move(first, links, key, queue[s, :size], b if s == 1 else a, s)
        kept[e] = True
        join(first, links, a, b, e)


@njit(cache=True, error_model="numpy", fastmath=False)
def sorted_vertices(first, links):
    """Return vertices in topological order, except vertices on cycles or after cycles."""
    n = first.shape[1]
    waiting, order = np.zeros(n, np.int64), np.empty(n, np.int64)
    for x in range(n):
        e = first[0, x]
        while e >= 0:
            waiting[links[e, 1]] += 1
            e = links[e, 0]
    size = 0
    for x in range(n):
        if waiting[x] == 0:
            order[size] = x
            size += 1
    done = 0
    while done < size:
        e = first[0, order[done]]
        done += 1
        while e >= 0:
            y = links[e, 1]
            waiting[y] -= 1
            if waiting[y] == 0:
                order[size] = y
                size += 1
            e = links[e, 0]
    return order[:size]


@njit(cache=True, error_model="numpy", fastmath=False)
def levels(first, links, order, s):
    """Return the length of the longest path in direction s from each vertex, (n,).

    ``order`` is a topological order of vertices.
    """
    n = order.size
    level = np.zeros(n, np.int64)
    for i in range(n):
        x = order[i if s == 1 else n - 1 - i]
        e = first[s, x]
        while e >= 0:
            level[x] = max(level[x], level[links[e, 2 * s + 1]] + 1)
            e = links[e, 2 * s]
    return level


@njit(cache=True, error_model="numpy", fastmath=False)
def reached(first, links, order, s, own):
    """Return for each vertex the union of the bits ``own`` of the vertices that it reaches."""
    n = order.size
    bits = np.zeros(n, np.uint64)
    for i in range(n):
        x = order[i if s == 1 else n - 1 - i]
        e = first[s, x]
        while e >= 0:
            y = links[e, 2 * s + 1]
            bits[x] |= bits[y] | own[y]
            e = links[e, 2 * s]
    return bits


@njit(cache=True, nogil=True, error_model="numpy", fastmath=False)
def redundant(tail, head, first, links, key, edges, out):
    """Mark edges in ``out`` whose ends are also joined by a path of other edges."""
    mark = np.zeros(len(key), np.int8)
    queue = np.empty((2, len(key)), np.int32)
    for e in edges:
        s, _ = connected(first, links, key, 1, (tail[e], head[e]), e, mark, queue)
        out[e] = s < 0
