"""Time to a held-out log loss beside the published SPoSE.

    OPENBLAS_NUM_THREADS=1 python published_spose.py --data FOLDER --python PEER --repository CODE

Both fit the odd ones out of FOLDER/things with one thread. The published code
(github.com/ViCCo-Group/SPoSE, in an environment of its own) trains pass by pass under a strength
that it is given, and is stopped once it is as good as ours on the test rows, or after --epochs.
Ours is fitted with its strength chosen, and again with that strength given. Seconds are of the
processor.
"""

import argparse
import re
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import psutil

import resemblance as rs

PASS = re.compile(r"====== Epoch: (\d+),.*Val acc: ([\d.]+), Val loss: ([\d.]+)")


def main() -> None:
    """Fit ours, then theirs until it is as good; tell the seconds of both."""
    told = arguments()
    rows = {part: table(told.data, part) for part in ("train", "test")}
    chosen = fitted(rows, told.dims)
    given = fitted(rows, told.dims, **chosen[3])
    for name, ours in (("chosen", chosen), ("given", given)):
        print(
            f"ours, strength {name}: {ours[0]:.1f} s, log loss {ours[1]:.4f}, {ours[2]:.4f} right"
        )
    for seconds, epoch, right, loss in published(told, rows):
        ratios = " and ".join(f"{seconds / ours[0]:.0f}" for ours in (chosen, given))
        print(f"pass {epoch}: {seconds:.0f} s, log loss {loss:.4f}, {right:.4f} right; x {ratios}")
        if loss <= chosen[1]:
            break


def arguments() -> argparse.Namespace:
    """Read what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--python", type=Path, required=True, help="of the peer's environment")
    parser.add_argument("--repository", type=Path, required=True, help="the peer's code")
    parser.add_argument("--dims", type=int, default=60)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--rate", type=float, default=0.001, help="the peer's learning rate")
    parser.add_argument("--batch", type=int, default=100, help="rows of the peer's steps")
    parser.add_argument("--strength", type=float, default=0.008, help="the peer's lambda")
    return parser.parse_args()


def table(data: Path, part: str) -> np.ndarray:
    """Read rows (kept, kept, odd)."""
    path = data / "things" / f"odd_one_out_{part}.csv.gz"
    return pd.read_csv(path)[["kept_a", "kept_b", "odd"]].to_numpy()


def fitted(rows: dict[str, np.ndarray], dims: int, **settings: float):
    """Fit ours; give seconds of the processor, log loss, share right, and what was chosen."""
    n = 1 + max(part.max() for part in rows.values())
    train, test = (rs.OddOneOuts(rows[part], rows[part][:, 2], items=n) for part in rows)
    rs.SPoSE(2, random_state=0, max_iter=2).fit(train[:2000])  # compiled code is loaded
    clock = time.process_time()
    model = rs.SPoSE(dims, random_state=0, **settings).fit(train)
    clock = time.process_time() - clock
    return clock, model.log_loss(test), model.score(test), model.chosen_


def published(told: argparse.Namespace, rows: dict[str, np.ndarray]):
    """Train the published code; yield seconds so far, pass, share right and log loss."""
    with TemporaryDirectory() as folder:
        for name, part in (("train_90", "train"), ("test_10", "test")):
            np.save(Path(folder) / f"{name}.npy", rows[part].astype(np.int64))
        settings = {
            "triplets_dir": folder, "results_dir": f"{folder}/results/", "plots_dir": folder,
            "embed_dim": told.dims, "epochs": told.epochs, "learning_rate": told.rate,
            "batch_size": told.batch, "lmbda": told.strength, "num_threads": 1,
        }  # fmt: skip
        words = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
        command = [str(told.python.absolute()), "-u", "train.py", *words]
        with subprocess.Popen(
            command, cwd=told.repository, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as peer:  # fmt: skip
            try:
                yield from passes(peer)
            finally:
                peer.kill()


def passes(peer: "subprocess.Popen[str]"):
    """Read the passes that the peer prints; start-up, before the first, counts."""
    process = psutil.Process(peer.pid)
    for line in peer.stdout:
        if found := PASS.search(line):
            used = process.cpu_times()
            yield used.user + used.system, int(found[1]), float(found[2]), float(found[3])


if __name__ == "__main__":
    main()
