"""Count the fits that end within 0.1 % of the best known loss, by their starts.

    python benchmarks/starts.py --seeds 20 --settings native,Nehalem,Haswell,SkylakeX,generic

The minimum that a descent reaches should depend neither on chance nor on a processor's rounding.
Each problem is fitted with the default start, and with the former one ("spectral" for triplets;
"features" and "spectral" with random ones for confusions, to a looser tolerance). The best known
loss is the least of these, of many random starts and of a start from the truth. A setting is a kind
of processor for OpenBLAS (OPENBLAS_CORETYPE), or "generic" for Numba (NUMBA_CPU_NAME, with a
separate cache). Each setting runs in a separate process.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

SETTINGS = "native", "Nehalem", "Haswell", "SkylakeX", "generic"
WORLDS = Path(__file__).parents[1] / "papers" / "yada"
SIZES = (20, 600), (40, 1500), (100, 6000)  # items, triplets
BEFORE_YADA = {"init": ("features", "spectral"), "tol": 1e-5}
WITHIN = 1e-3


def environment(setting: str) -> dict[str, str]:
    if setting == "native":
        return dict(os.environ)
    if setting == "generic":
        cache = Path(tempfile.gettempdir()) / "numba-generic"
        return os.environ | {"NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_DIR": str(cache)}
    return os.environ | {"OPENBLAS_CORETYPE": setting}


def triplet_problems(seeds: int) -> Iterator[tuple[str, list[float]]]:
    """Fit softmax answers about normal items; yield losses: former start, default, others."""
    import resemblance as rs

    for method in (rs.STE, rs.TSTE, rs.CKL):
        for d in (1, 2):
            for n, m in SIZES:
                for seed in range(seeds):
                    rng = np.random.default_rng(seed)
                    X = 2.0 * rng.normal(size=(n, d))
                    asked = np.array([rng.choice(n, 3, replace=False) for _ in range(m)])
                    answers = rs.SpaceObserver(X, random_state=seed).answer(asked)
                    settings: list[dict[str, Any]] = [
                        {"init": "spectral"}, {}, {"init": "random", "n_init": 20}, {"init": X},
                    ]  # fmt: skip
                    losses = [
                        method(d, random_state=0, **given).fit(answers).loss_ for given in settings
                    ]
                    yield f"{method.__name__} {d}-D, {n} items, {m} triplets", losses


def confusion_problems(seeds: int) -> Iterator[tuple[str, list[float]]]:
    """Fit the synthetic worlds of Yada's paper by both of its choice models."""
    sys.path.insert(0, str(WORLDS))
    from worlds import synthetic

    import resemblance as rs

    for world in synthetic():
        for choice in ("exponential", "gaussian"):
            for seed in range(seeds):
                counts = world.draw(seed)
                fixed = {"choice": choice, "bandwidth": 0.5, "penalty": 1e-3, "random_state": 0}
                settings: list[dict[str, Any]] = [
                    BEFORE_YADA, {}, {"n_init": 40, "random_state": 1}, {"init": world.points},
                ]  # fmt: skip
                losses = [
                    rs.Yada(world.n_components, **fixed | given).fit(counts).loss_
                    for given in settings
                ]
                yield f"Yada {world.n_components}-D, {choice}", losses


def shares(seeds: int) -> dict[str, list[float]]:
    """Return for each problem the number of fits, and the shares of the old and new start."""
    warnings.simplefilter("ignore")
    hits: dict[str, list[list[bool]]] = {}
    for problems in (triplet_problems, confusion_problems):
        for name, losses in problems(seeds):
            best = (1.0 + WITHIN) * min(losses)
            hits.setdefault(name, []).append([loss <= best for loss in losses[:2]])
    return {name: [len(rows), *np.mean(rows, axis=0)] for name, rows in hits.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--settings", default=",".join(SETTINGS))
    parser.add_argument("--out", type=Path, default=Path("out/starts.json"))
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(shares(given.seeds)))
        return
    table = {}
    for setting in given.settings.split(","):
        command = [sys.executable, __file__, "--one", "--seeds", str(given.seeds)]
        done = subprocess.run(
            command, env=environment(setting), stdout=subprocess.PIPE, text=True, check=True
        )
        table[setting] = json.loads(done.stdout.splitlines()[-1])
        print(f"\n{setting}\n{'':44}{'fits':>6}{'before':>8}{'now':>8}")
        for name, (n, before, now) in table[setting].items():
            print(f"{name:44}{n:6.0f}{before:8.2f}{now:8.2f}", flush=True)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(table, indent=1))


if __name__ == "__main__":
    main()
