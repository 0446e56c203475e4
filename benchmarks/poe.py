"""MK-POE against a conic solver on a small problem, and on one of the size of the paper's.

    python benchmarks/poe.py

Small: 25 items, 2 kernels, 800 triplets; cvxpy with Clarabel solves algorithm 4 as it is printed.
Large: 400 items, 5 kernels of which 2 are noise, 4,400 triplets with a tenth of them wrong.
Wall-clock and processor seconds; the former depend on what else the machine does.
"""

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

import cvxpy as cp
import numpy as np

import resemblance as rs


def problem(n_items: int, n_views: int, n_noise: int, rows: int, seed: int = 0) -> rs.Triplets:
    """Give triplets that follow a space, two coordinates of which are in each view."""
    rng = np.random.default_rng(seed)
    space = rng.normal(size=(n_items, 2 * n_views))
    views = {f"view {k}": space[:, 2 * k : 2 * k + 2] for k in range(n_views)}
    noise = {f"noise {k}": rng.normal(size=(n_items, 5)) for k in range(n_noise)}
    seen = {name: np.column_stack([X, rng.normal(size=n_items)]) for name, X in views.items()}
    index = np.array([rng.choice(n_items, 3, replace=False) for _ in range(rows)])
    near, far = (((space[index[:, 0]] - space[index[:, k]]) ** 2).sum(axis=1) for k in (1, 2))
    turned = (near > far) ^ (rng.random(rows) < 0.1)
    index[turned] = index[turned][:, [0, 2, 1]]
    return rs.Triplets(index, items=rs.Items(features=seen | noise))


def conic(triplets: rs.Triplets, beta: float) -> float:
    """Solve algorithm 4 with cvxpy; give the objective."""
    head, near, far = triplets.index.T
    size, z = 0.0, 1.0
    for view in triplets.items.features.values():
        K = rs.geometry.kernel_matrix(view, bandwidth="median")
        W = cp.Variable(K.shape, PSD=True)
        u, v = K[head] - K[near], K[head] - K[far]
        outer = (u[:, :, None] * u[:, None] - v[:, :, None] * v[:, None]).reshape(len(u), -1)
        z = z + outer @ cp.vec(W, order="C")
        size = size + cp.trace(W @ K)
    hinge = beta / len(triplets) * cp.sum(cp.pos(z))
    return float(cp.Problem(cp.Minimize(size + hinge)).solve(solver="CLARABEL"))


def timed(work: Callable[[], object], repeats: int = 1) -> tuple[object, float, float]:
    """Give what work gives, and the median wall-clock and processor seconds."""
    walls, processors, found = [], [], None
    for _ in range(repeats):
        wall, processor = perf_counter(), process_time()
        found = work()
        walls.append(perf_counter() - wall)
        processors.append(process_time() - processor)
    return found, float(np.median(walls)), float(np.median(processors))


def small(beta: float) -> None:
    """Print both objectives, and the ratio of the times."""
    triplets = problem(25, 2, 0, 800)
    rs.MKPOE(beta=beta).fit(triplets)  # compiles
    model, ours, ours_cpu = timed(lambda: rs.MKPOE(beta=beta).fit(triplets), 9)
    best, theirs, theirs_cpu = timed(lambda: conic(triplets, beta))
    least = min(np.linalg.eigvalsh(W)[0] for W in model.metrics_.values())
    print(
        f"25 items, 2 kernels, beta {beta:g}: {model.loss_:.5g} against {best:.5g}, ratio - 1 = "
        f"{model.loss_ / best - 1:.1e}, least eigenvalue of W {least:.0e}; {1000 * ours:.0f} ms "
        f"against {theirs:.1f} s, {theirs / ours:.0f} times as fast "
        f"({theirs_cpu / ours_cpu:.0f} by processor time)",
        flush=True,
    )


def large(beta: float, diagonal: bool, tol: float) -> None:
    """Print the time of a fit from nothing."""
    triplets = problem(400, 3, 2, 4400)
    model, wall, processor = timed(
        lambda: rs.MKPOE(beta=beta, diagonal=diagonal, tol=tol).fit(triplets)
    )
    shares = ", ".join(f"{share:.3f}" for share in model.kernel_weights_.values())
    print(
        f"400 items, 5 kernels, {'diagonal' if diagonal else 'full'}, beta {beta:g}: {wall:.1f} s "
        f"({processor:.1f} s of processor), {model.n_iter_} steps, gap "
        f"{model.gap_ / model.loss_:.0e} of the loss, shares {shares}",
        flush=True,
    )


def main(arguments: list[str] | None = None) -> None:
    """Print all timings."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help="not used: the problems are generated")
    parser.add_argument("--betas", type=float, nargs="+", default=[10.0, 100.0, 1000.0])
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--quick", action="store_true", help="the small problem only")
    chosen = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    for beta in chosen.betas:
        small(beta)
    for diagonal in () if chosen.quick else (False, True):
        for beta in (*chosen.betas, 1e5):
            large(beta, diagonal, chosen.tol)


if __name__ == "__main__":
    main()
