"""Held-out log loss, seconds and dimensions found again beside the published VICE.

    OPENBLAS_NUM_THREADS=1 python published_vice.py --data FOLDER --python PEER --repository CODE

All fit the odd ones out of FOLDER/things that are about --objects of its objects, with one thread,
from two seeds: of all 1,854, a pass of the published code takes minutes. That code
(github.com/LukasMut/VICE, once ViCCo-Group/VICE) runs in an environment of its own:
pip install torch torchtyping numpy pandas scipy matplotlib seaborn scikit-image statsmodels.
It has the settings of its README's example; --epochs says after how many passes it ends at the
latest (there, 2000; it may end after 500, where the number of dimensions stood still for 200).
Seconds are of the processor.
"""

import argparse
import re
import resource
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from published_spose import table
from scipy.special import softmax
from tables import Row, show

import resemblance as rs

PASS = re.compile(r"====== (Epoch: \d+,.*\d) ======")
SETTINGS = {
    "task": "odd-one-out", "burnin": 500, "eta": 0.001, "init_dim": 100, "batch_size": 128, "k": 5,
    "ws": 200, "optim": "adam", "mixture": "gaussian", "mc_samples": 10, "spike": 0.25, "slab": 1.0,
    "pi": 0.6, "device": "cpu", "num_threads": 1, "num_workers": 0,
}  # fmt: skip
WATCHED = 1280  # test rows, at most, on which the peer follows its own loss
ALIKE = 0.8  # correlation from which a dimension is found again
SURE = 0.05  # of a loading sampled: it is above 0 where 0 is less probable


def main() -> None:
    """Fit each from two seeds; tell what they are worth, and which dimensions came back."""
    told = arguments()
    if not (told.repository / "main_optimization.py").exists():
        raise SystemExit(f"{told.repository}: no main_optimization.py, so not a copy of VICE")
    if not told.python.exists():
        raise SystemExit(f"{told.python}: no such interpreter; make it an environment with PyTorch")
    train, test = among(told.objects, table(told.data, "train"), table(told.data, "test"))
    found = [ours(told, train, test, seed) + vice(told, train, test, seed) for seed in (0, 1)]
    rows = []
    for (first, A), (second, B) in zip(*found, strict=True):
        rows += [first | {"found again": again(A, B)}, second | {"found again": again(B, A)}]
    show(f"{told.objects} objects, {len(train):,} rows to fit, {len(test):,} held out", rows)


def arguments() -> argparse.Namespace:
    """Read what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--python", type=Path, required=True, help="of the peer's environment")
    parser.add_argument("--repository", type=Path, required=True, help="the peer's code")
    parser.add_argument("--objects", type=int, default=500, help="drawn of all")
    parser.add_argument("--dims", type=int, default=60, help="of ours at first")
    parser.add_argument("--epochs", type=int, default=2000)
    parser.add_argument("--steps", type=int, default=10, help="passes between looks at test rows")
    parser.add_argument("--sweeps", type=int, default=200, help="of the loadings sampled")
    return parser.parse_args()


def among(n: int, *parts: np.ndarray) -> list[np.ndarray]:
    """Keep the rows about n objects drawn at random, which are numbered anew."""
    n_all = 1 + max(part.max() for part in parts)
    number = np.full(n_all, -1)
    number[np.random.default_rng(0).permutation(n_all)[:n]] = np.arange(n)
    rows = [number[part] for part in parts]
    return [part[(part >= 0).all(axis=1)] for part in rows]


def ours(
    told: argparse.Namespace, train: np.ndarray, test: np.ndarray, seed: int
) -> list[tuple[Row, np.ndarray]]:
    """Fit SPoSE, its penalty chosen, and sample its loadings."""
    n = 1 + max(train.max(), test.max())
    answers = rs.OddOneOuts(train, train[:, 2], items=n)
    small = rs.SPoSE(2, random_state=0).fit(answers[:2000])
    rs.loading_intervals(small, answers[:2000], n_sweeps=100, n_jobs=1)  # compiled code is loaded
    clock = time.process_time()
    model = rs.SPoSE(told.dims, init="random", random_state=seed).fit(answers)
    X, fitted = model.embedding_, time.process_time() - clock
    sure = rs.loading_intervals(model, answers, n_sweeps=told.sweeps, random_state=seed, n_jobs=1)
    sampled = time.process_time() - clock
    kept = sure.loadings[:, (sure.zero < SURE).sum(axis=0) > SETTINGS["k"]]
    lapse = sure.lapse
    return [
        row("SPoSE", seed, fitted, [X], test, X),
        row("loadings sampled", seed, sampled, [sure.loadings], test, kept, lapse),
    ]


def vice(
    told: argparse.Namespace, train: np.ndarray, test: np.ndarray, seed: int
) -> list[tuple[Row, np.ndarray]]:
    """Train the published code; predict from its samples, and from the means that it keeps."""
    with TemporaryDirectory() as folder:
        np.save(Path(folder) / "train_90.npy", train.astype(np.int64))
        np.save(Path(folder) / "test_10.npy", test[:WATCHED].astype(np.int64))
        seconds = trained(told, folder, seed)
        (kept,), (whole,) = (
            [dict(np.load(path)) for path in Path(folder).rglob(name)]
            for name in ("pruned_params.npz", "parameters.npz")
        )
    rng = np.random.default_rng(seed)
    loc, scale = whole["loc"], whole["scale"]
    draws = [rng.normal(loc, scale).clip(0) for _ in range(SETTINGS["mc_samples"])]
    means = kept["pruned_loc"].clip(0)
    return [
        row("VICE, samples", seed, seconds, draws, test, means),
        row("VICE, means kept", seed, seconds, [means], test, means),
    ]


def trained(told: argparse.Namespace, folder: str, seed: int) -> float:
    """Run the peer to its end, passing its loss on; give its seconds, start-up included."""
    settings = SETTINGS | {"epochs": told.epochs, "steps": told.steps, "rnd_seed": seed}
    settings |= {"triplets_dir": folder, "results_dir": folder, "plots_dir": folder}
    words = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    command = [str(told.python.absolute()), "-u", "main_optimization.py", *words, "--verbose"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen(
        command, cwd=told.repository, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as peer:
        said = []
        for line in peer.stdout:
            said.append(line)
            if (now := PASS.search(line)) or "converged" in line:
                print(f"seed {seed}: {now[1] if now else line.strip()}", flush=True)
    if peer.returncode:
        raise SystemExit(f"VICE broke off; is all that it imports installed?\n{''.join(said[-9:])}")
    for path in sorted(Path(folder).rglob("results_*.json")):
        print(f"seed {seed}, on test rows: {path.read_text()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def row(
    what: str, seed: int, seconds: float, draws: list[np.ndarray], test: np.ndarray,
    kept: np.ndarray, lapse: float = 0.0,
) -> tuple[Row, np.ndarray]:  # fmt: skip
    """Say how good loadings are on rows held out, of which the first two objects were kept."""
    p = np.mean([softmax(products(X, test), axis=1) for X in draws], axis=0)
    best = p >= p.max(axis=1, keepdims=True) - 1e-12
    figures = {
        "right": float((best[:, 0] / best.sum(axis=1)).mean()),
        "log loss": float(-np.log((1 - lapse) * p[:, 0] + lapse / 3).mean()),
        "dimensions": kept.shape[1],
        "seconds": round(seconds, 1),
    }
    print(what, seed, figures, flush=True)
    return {"fit": what, "seed": seed} | figures, kept


def products(X: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the three dot products of each row, that of the kept first."""
    parts = [X[column] for column in rows.T]
    return np.stack([(parts[i] * parts[j]).sum(axis=1) for i, j in ((0, 1), (0, 2), (1, 2))], 1)


def again(A: np.ndarray, B: np.ndarray) -> int:
    """Count the dimensions of A that correlate with one of B."""
    k = A.shape[1]
    return int((np.corrcoef(A.T, B.T)[:k, k:].max(axis=1, initial=0.0) >= ALIKE).sum())


if __name__ == "__main__":
    main()
