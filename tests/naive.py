"""Compute the formulas of the papers in plain loops, to test the compiled code."""

import math

import numpy as np


def loss(name, near, far, p=None):
    """Return the loss of one comparison."""
    if name == "Hinge":
        return max(0.0, p + near - far)
    if name == "Relative":
        return -math.log((p + far) / (2 * p + near + far))
    if name == "Logistic":
        return -math.log(math.exp(near) / (math.exp(near) + math.exp(far)))
    if name == "Softmax":
        return -math.log(math.exp(-near) / (math.exp(-near) + math.exp(-far)))
    if name == "StudentT":
        s = [(1 + d / p) ** (-(p + 1) / 2) for d in (near, far)]
        return -math.log(s[0] / (s[0] + s[1]))
    if name == "SquaredHinge":
        return max(0.0, p + near - far) ** 2
    if name == "Probit":
        return -math.log(0.5 * math.erfc((near - far) / math.sqrt(2)))
    raise KeyError(name)


def similarity(name, d, p=None):
    """Return s(d); an option is chosen with probability s / (sum of s)."""
    return {
        "Relative": lambda: 1 / (p + d),
        "Logistic": lambda: math.exp(d),
        "Softmax": lambda: math.exp(-d),
        "StudentT": lambda: (1 + d / p) ** (-(p + 1) / 2),
    }[name]()


def distance(X, i, j, reads):
    if reads == "inner":
        return sum(float(a) * float(b) for a, b in zip(X[i], X[j], strict=True))
    squared = sum((float(a) - float(b)) ** 2 for a, b in zip(X[i], X[j], strict=True))
    return math.sqrt(squared) if reads == "plain" else squared


def total_loss(name, p, X, rows, reads, weights=None):
    weights = np.ones(len(rows)) if weights is None else weights
    total = 0.0
    for row, w in zip(rows, weights, strict=True):
        a, b, c, d = (row[0], row[1], row[0], row[2]) if len(row) == 3 else row
        total += w * loss(name, distance(X, a, b, reads), distance(X, c, d, reads), p)
    return total


def choice_loss(name, p, X, heads, options, chosen, reads):
    """Return the summed loss of choices of one among N; -1 pads the options."""
    total = 0.0
    for head, row, item in zip(heads, options, chosen, strict=True):
        s = {o: similarity(name, distance(X, head, o, reads), p) for o in row if o >= 0}
        total -= math.log(s[item] / sum(s.values()))
    return total


def odd_loss(name, p, X, odd, others, reads):
    """Return the summed loss of odd ones out; -1 pads the others."""
    total = 0.0
    for out, rest in zip(odd, others, strict=True):
        shown = [out, *(o for o in rest if o >= 0)]
        s = {}
        for k in shown:
            left = [i for i in shown if i != k]
            logs = [
                math.log(similarity(name, distance(X, i, j, reads), p))
                for i in left
                for j in left
                if i < j
            ]
            s[k] = math.exp(sum(logs) / len(logs))
        total -= math.log(s[out] / sum(s.values()))
    return total


def derivative(f, x, step=1e-6):
    out = np.empty(x.shape)
    for at in np.ndindex(*x.shape):
        up, down = x.copy(), x.copy()
        up[at] += step
        down[at] -= step
        out[at] = (f(up) - f(down)) / (2 * step)
    return out


def arrangement_loss(X, items, places, noise, df):
    pairs = [(i, j) for i in range(len(items)) for j in range(i)]
    screen = [math.dist(places[i], places[j]) for i, j in pairs]
    space = [math.dist(X[items[i]], X[items[j]]) for i, j in pairs]
    scale = sum(a * b for a, b in zip(screen, space, strict=True)) / sum(b * b for b in space)
    left = sum((a - scale * b) ** 2 for a, b in zip(screen, space, strict=True))
    variance = left / (len(pairs) - 1) / (sum(a * a for a in screen) / len(pairs))
    free = 2 * len(items) - 4
    return 0.5 * (df + free) * math.log(1 + free * variance / (df * noise**2))


def sigmoid(x):
    return 1.0 / (1.0 + math.exp(-x))


def rating_probability(s, step, thresholds):
    """Return the probability that a pair of log similarity s gets the rating ``step``."""
    above = [1.0, *(sigmoid(s - t) for t in thresholds), 0.0]
    return above[step] - above[step + 1]


def ratings_loss(s, steps, who, weights, thresholds, shift, stretch, crowd=5.0, unseen=1.0):
    """Return the loss of ratings and thresholds; thresholds[0] are those of the crowd."""
    size = len(thresholds[0])
    total = sum(
        -w * math.log(rating_probability(x, c, thresholds[u]))
        for x, c, u, w in zip(s, steps, who, weights, strict=True)
    )
    for own in thresholds:
        total -= sum(
            unseen / (size + 1) * math.log(1 - math.exp(own[j] - own[j + 1]))
            for j in range(size - 1)
        )
    for own in thresholds[1:]:
        d = [a - b for a, b in zip(own, thresholds[0], strict=True)]
        total += sum(x * x for x in d) / (2 * shift**2 * size)
        total += sum((d[j + 1] - d[j]) ** 2 for j in range(size - 1)) * (size - 1) / stretch**2 / 2
    return total + sum(t * t for t in thresholds[0]) / (2 * crowd**2 * size)


def log_of_answer(X, pairs, lapse):
    """Return the log probability of the first pair by inner products, with lapses."""
    s = [math.exp(sum(x * y for x, y in zip(X[a], X[b], strict=True))) for a, b in pairs]
    return math.log((1.0 - lapse) * s[0] / sum(s) + lapse / len(s))


def swept(X, rows, weights, odds, mean, variance, lapse, steps, backs, uniform):
    """Return loadings after a Metropolis step of each, and then a jump to 0 or back."""
    X = [list(x) for x in X]

    def density(i, k, x):
        X[i][k] = x
        asked = zip(rows, weights, strict=True)
        answers = sum(w * log_of_answer(X, pairs, lapse) for pairs, w in asked)
        if x == 0.0:
            return answers
        return answers + odds[k] - (x - mean[k]) ** 2 / (2 * variance[k])

    for i in range(len(X)):
        for k in range(len(X[0])):
            for jump in range(2):
                x = X[i][k]
                if not jump and x == 0.0:
                    continue
                y = (backs[i][k] if x == 0.0 else 0.0) if jump else abs(x + steps[i][k])
                gain = density(i, k, y) - density(i, k, x)
                if jump:  # a returning loading is drawn from its density
                    there = max(x, y)
                    drawn = -((there - mean[k]) ** 2) / (2 * variance[k])
                    gain += drawn if y == 0.0 else -drawn
                X[i][k] = y if math.log(uniform[jump][i][k]) < gain else x
    return X


def distance_in_maps(name, p, maps, logs, i, j):
    """The squared distance whose similarity is the sum over maps, by bisection."""
    weights = [[math.exp(w) / sum(map(math.exp, row)) for w in row] for row in logs]
    total = sum(
        weights[i][m] * weights[j][m] * similarity(name, distance(X, i, j, "squared"), p)
        for m, X in enumerate(maps)
    )
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if similarity(name, middle, p) > total else (low, middle)
    return middle
