"""Compiled loops for the smoothed hinge of partial order embedding."""

from numba import njit

FLAGS = {"reassoc", "contract"}


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FLAGS)
def violations(X, pairs, margin, out):
    """Set out[r] = margin + near_r - far_r, with squared distances between rows of X."""
    for r in range(pairs.shape[1]):
        total = margin
        a, b, c, d = pairs[0, r], pairs[1, r], pairs[2, r], pairs[3, r]
        for k in range(X.shape[1]):
            near, far = X[a, k] - X[b, k], X[c, k] - X[d, k]
            total += near * near - far * far
        out[r] = total


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FLAGS)
def rounded_hinge(X, pairs, weight, level, margin, width, out):
    """Return sum_r w_r h(z_r + level_r * width), and add its gradient in X to ``out``.

    z_r is the violation margin + near_r - far_r. h(z) is 0 for z below 0, a parabola from 0 to
    ``width``, and a line of slope 1 above ``width``.
    """
    n = X.shape[1]
    loss = 0.0
    for r in range(pairs.shape[1]):
        a, b, c, d = pairs[0, r], pairs[1, r], pairs[2, r], pairs[3, r]
        z = margin + width * level[r]
        for k in range(n):
            near, far = X[a, k] - X[b, k], X[c, k] - X[d, k]
            z += near * near - far * far
        if z <= 0.0:
            continue
        slope = min(z / width, 1.0)
        loss += weight[r] * slope * (z - 0.5 * width * slope)
        pull = 2.0 * weight[r] * slope
        for k in range(n):
            near, far = pull * (X[a, k] - X[b, k]), pull * (X[c, k] - X[d, k])
            out[a, k] += near
            out[b, k] -= near
            out[c, k] -= far
            out[d, k] += far
    return loss


@njit(cache=True, nogil=True)
def laplacian(pairs, slope, out):
    """Add L to ``out``, where <L, Gram matrix> is sum_r slope_r (near_r - far_r)."""
    for r in range(pairs.shape[1]):
        for i, j, s in (
            (pairs[0, r], pairs[1, r], slope[r]),
            (pairs[2, r], pairs[3, r], -slope[r]),
        ):
            out[i, i] += s
            out[j, j] += s
            out[i, j] -= s
            out[j, i] -= s
