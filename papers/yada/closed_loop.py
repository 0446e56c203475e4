"""Count the trials until an even grid of stimuli is found, beside random pairs.

Simulated people see lines, blobs and screws. Each world draws how: along each feature, positions
rise unevenly, and the two coordinates of screws are mixed. A study begins with nine lines or blobs,
or 5 x 5 screws, and goes on as the server does (``resemblance.study.worker``): whatever
:func:`resemblance.asking.spacing.next_grid` designs is added, each new pair of neighbours is tested
ten times, and otherwise four of five trials are chosen by ``next_pairs`` and one at random; a fit
follows after a quarter more trials. It ends when all distances of neighbours on a grid of 6, or
4 x 4, are even, and known, to within ``--within`` of their mean, in two fits in a row. Random pairs
get as many trials, two and four times as many, and a grid from one fit to them. The spacing error
is the standard deviation of the true distances of neighbours, relative to their mean.
"""

import math
import warnings
from collections import Counter

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from settings import command_line, results_folder
from worlds import GAUSSIAN, Map

import resemblance as rs
from resemblance.asking.spacing import Spacing, neighbours, next_grid

# values of each feature at first, and nodes along each axis of the grid
KINDS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "lines": ((9,), (6,)),
    "blobs": ((9,), (6,)),
    "screws": ((5, 5), (4, 4)),
}
PER_ITEM, DIRECT, GROWTH, CHOSEN, CANDIDATES = 10, 10, 0.25, 0.8, 1500
MOST = 20_000  # trials after which a study is given up
TIMES = (1, 2, 4)


def world(kind: type[rs.stimuli.StimulusSet], rng: np.random.Generator) -> Map:
    r"""Draw how people see the stimuli of a kind.

    A feature x, from 0 to 1, is at :math:`s (x + a \sin(2 \pi x + b) / (2 \pi))`, with s from 3.5
    to 5 and a up to 0.75 to either side. With two features, each coordinate gets up to a fifth of
    the other.
    """
    low, high = np.array(list(zip(*map(np.sort, kind().features.T), strict=True)))[[0, -1]]
    n = len(low)
    size, bend, phase = rng.uniform(3.5, 5.0, n), rng.uniform(-0.75, 0.75, n), rng.uniform(0, 6, n)
    mixing = np.eye(n) + rng.uniform(-0.2, 0.2, (n, n)) * (1 - np.eye(n))

    def seen(features: np.ndarray) -> np.ndarray:
        x = (features - low) / (high - low)
        return size * (x + bend * np.sin(2 * np.pi * x + phase) / (2 * np.pi)) @ mixing

    return seen


class Study:
    """Trials with stimuli that are added while it runs."""

    def __init__(self, features: np.ndarray, seen: Map, rng: np.random.Generator) -> None:
        self.features, self.seen, self.rng = features, seen, rng
        self.errors: Counter[tuple[int, ...]] = Counter()
        self.trials: Counter[tuple[int, ...]] = Counter()

    @property
    def every(self) -> np.ndarray:
        """All pairs of stimuli."""
        return np.column_stack(np.triu_indices(len(self.features), 1)).astype(np.int32)

    @property
    def counts(self) -> rs.Confusions:
        """The confusions so far."""
        pairs = list(self.trials)
        errors, trials = ([count[pair] for pair in pairs] for count in (self.errors, self.trials))
        return rs.Confusions(pairs, errors, trials, rs.Items(features=self.features))

    def test(self, pairs: np.ndarray, times: int = 1) -> None:
        """Test pairs of stimuli."""
        gap = np.diff(self.seen(self.features)[pairs], axis=1)[:, 0]
        errors = self.rng.binomial(times, GAUSSIAN.error_probability((gap**2).sum(axis=1)))
        for pair, n in zip(np.sort(pairs, axis=1).tolist(), errors.tolist(), strict=True):
            self.errors[tuple(pair)] += n
            self.trials[tuple(pair)] += times

    def draw(self, n: int, pairs: np.ndarray) -> np.ndarray:
        """Draw pairs at random."""
        return pairs[self.rng.integers(len(pairs), size=n)]


def true_distances(seen: Map, features: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Give the true distances of neighbours on a grid."""
    return np.linalg.norm(np.diff(seen(features)[neighbours(shape)], axis=1)[:, 0], axis=1)


def spacing_error(true: np.ndarray) -> float:
    """Give the standard deviation of distances, relative to their mean."""
    return float(true.std() / true.mean())


def checked(seen: Map, spacing: Spacing, shape: tuple[int, ...]) -> dict[str, float]:
    """Give the true spacing error, and the share of intervals that hold."""
    true = true_distances(seen, spacing.features, shape)
    return {
        "spacing_error": spacing_error(true),
        "largest_deviation": float(np.abs(true / true.mean() - 1).max()),
        "covered": float((np.abs(true - spacing.distance) <= spacing.half_width).mean()),
    }


def fitted(counts: rs.Confusions) -> rs.Yada:
    """Fit Yada as a study does, with the settings chosen on held-out pairs."""
    return rs.analyse(counts, "yada", dims=counts.items.features.shape[1]).model


def closed_loop(name: str, seed: int, within: float) -> dict[str, object]:
    """Run a study until its grid is even, and compare random pairs with as many trials."""
    warnings.simplefilter("ignore")
    rng, (first, shape) = np.random.default_rng([seed, 8, *name.encode()]), KINDS[name]
    kind: type[rs.stimuli.StimulusSet] = getattr(rs.stimuli, name.capitalize())
    seen, features = world(kind, rng), kind.on_grid(first).features
    study, current, spacing = Study(features, seen, rng), None, None
    rounds, was_even = 0, False
    study.test(study.draw(PER_ITEM * len(features), study.every))
    while (n := study.trials.total()) < MOST:
        counts = study.counts
        model = fitted(counts)
        before = None if current is None else study.features[current]
        spacing, is_new = next_grid(model, counts, shape, within, before)
        if is_new:
            current = len(study.features) + np.arange(math.prod(shape))
            study.features = np.vstack([study.features, spacing.features])
            study.test(current[neighbours(shape)], DIRECT)
            rounds, was_even = rounds + 1, False
            continue
        is_even = spacing is not None and spacing.accuracy <= within
        if is_even and was_even:
            break
        was_even = is_even
        ask(study, model, counts, None if current is None else current[neighbours(shape)])
    result: dict[str, object] = {"kind": name, "seed": seed, "trials": n, "rounds": rounds}
    result |= checked(seen, spacing, shape) if spacing is not None else {}
    for times in TIMES:
        at_random = Study(features, seen, np.random.default_rng([seed, int(10 * times)]))
        at_random.test(at_random.draw(int(times * n), at_random.every))
        grid = fitted(at_random.counts).perceptual_grid(shape)
        result[f"random_{times}"] = spacing_error(true_distances(seen, grid.features, shape))
    print(result, flush=True)
    return result


def ask(study: Study, model: rs.Yada, counts: rs.Confusions, near: np.ndarray | None) -> None:
    """Test a quarter more pairs, chosen for the distances of neighbours, or of any pairs."""
    wanted, every = math.ceil(GROWTH * counts.trials.sum()), study.every
    targets = study.draw(256, every) if near is None else near
    targets = np.unique(np.sort(targets, axis=1), axis=0)
    candidates = every[study.rng.permutation(len(every))[:CANDIDATES]]
    times = math.ceil(wanted / max(1, len(candidates) // 4))
    n_pairs = math.ceil(CHOSEN * wanted / times)
    pairs = rs.asking.next_pairs(
        model, counts, n_pairs, times, candidates=candidates, targets=targets
    )
    study.test(pairs, times)
    study.test(study.draw(wanted - int(CHOSEN * wanted), every))


def main(arguments: list[str] | None = None) -> None:
    """Run all studies; write a row for each, and the means of each set."""
    parser = command_line((__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--within", type=float, default=0.25)
    chosen = parser.parse_args(arguments)
    folder = results_folder(chosen)
    seeds, names = (1, ["lines"]) if chosen.quick else (chosen.seeds, list(KINDS))
    within = 0.5 if chosen.quick else chosen.within
    tasks = [
        (name, seed, within) for seed in range(chosen.first, chosen.first + seeds) for name in names
    ]
    runs = Parallel(n_jobs=chosen.jobs, verbose=5)(delayed(closed_loop)(*task) for task in tasks)
    table = pd.DataFrame(runs)
    table.to_csv(folder / "closed_loop.csv", index=False)
    print(table.round(3).to_string(index=False))
    print(table.groupby("kind", sort=False).mean(numeric_only=True).drop(columns="seed").round(3))


if __name__ == "__main__":
    main()
