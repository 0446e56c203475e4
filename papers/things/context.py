"""Test whether the objects of a question change the weights of dimensions.

The similarity of a pair is a weighted sum over dimensions. A weight depends on the level or the
spread of the dimension, either among all three objects (context) or in the pair (no context).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array
from settings import Run, command_line
from sklearn.decomposition import PCA

import resemblance as rs

LEFT, RIGHT = np.array([0, 0, 1]), np.array([1, 2, 2])  # pairs of a row; the first is kept
SEEN = {  # rows are pairs, columns the objects that affect their weights
    "the pair": np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]) / 2,
    "the three": np.full((3, 3), 1 / 3),
}
LEAST = 0.05  # added to a level before its logarithm
RIDGE = 1e-3  # penalty of gains, per answer
FAR = 3.0  # bound of the log scale and of gains
CHUNK = 3000
SHARES = 0.3, 1.0  # shares of the rows to use
FITTED = 0.9  # share of these for fitting positions; the others are for scale and gains
GAINS = -0.3, 0.3, 1.0  # gains with which positions are fitted
STEPS = 80


@dataclass(frozen=True)
class Weights:
    r"""Weights of D dimensions, :math:`w_d = D e^{g_d z_d} / \sum_k e^{g_k z_k}`.

    z is the mean of a dimension ("level"), its logarithm ("power"), its variance ("spread"), or 1
    ("none"); the gains g are one number or one for each dimension.
    """

    statistic: str = "none"
    seen: str = "the three"
    own: bool = False
    dot: bool = True  # inner products; otherwise negative squared distances

    def of(self, T: np.ndarray, gain: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights, and what they follow, (m, pairs, D)."""
        mean = SEEN[self.seen] @ T
        z = {
            "none": lambda: np.ones_like(mean),
            "level": lambda: mean,
            "power": lambda: np.log(LEAST + mean),
            "spread": lambda: SEEN[self.seen] @ T**2 - mean**2,
        }[self.statistic]()
        w = np.exp(gain * z)
        return w * (T.shape[2] / w.sum(axis=2, keepdims=True)), z

    def back(self, T: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """Return slopes in the positions of a row, of those in z."""
        seen = SEEN[self.seen]
        if self.statistic == "none":
            return np.zeros_like(T)
        if self.statistic == "power":
            slope = slope / (LEAST + seen @ T)
        if self.statistic == "spread":
            return 2 * (T * (seen.T @ slope) - seen.T @ (slope * (seen @ T)))
        return seen.T @ slope

    def log_p(self, T: np.ndarray, gain: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return log P of each pair of a row, and what it is made of."""
        a, b = T[:, LEFT], T[:, RIGHT]
        parts = a * b if self.dot else -((a - b) ** 2)
        w, z = self.of(T, gain)
        s = (w * parts).sum(axis=2)
        return s - np.logaddexp.reduce(s, axis=1)[:, None], parts, w, z

    def loss(self, X: np.ndarray, gain: np.ndarray, rows: np.ndarray) -> tuple[float, ...]:
        """Return the sum of -log P of the pairs kept, and its slopes in positions and gains."""
        total, slopes, of_gain = 0.0, np.zeros_like(X), np.zeros(X.shape[1])
        for r in chunks(rows):
            T = X[r]
            log_p, parts, w, z = self.log_p(T, gain)
            total -= log_p[:, 0].sum()
            g = np.exp(log_p)
            g[:, 0] -= 1
            of_log = g[:, :, None] * parts * w
            of_log -= w * of_log.mean(axis=2, keepdims=True)
            of_gain += (of_log * z).sum(axis=(0, 1))
            each = self.back(T, of_log * gain)
            of_part = g[:, :, None] * w
            for pair, (i, j) in enumerate(zip(LEFT, RIGHT, strict=True)):
                gap = -2 * (T[:, i] - T[:, j])
                each[:, i] += of_part[:, pair] * (T[:, j] if self.dot else gap)
                each[:, j] += of_part[:, pair] * (T[:, i] if self.dot else -gap)
            where = (np.ones(r.size), r.ravel(), np.arange(r.size + 1))
            slopes += csr_array(where, shape=(r.size, len(X))).T @ each.reshape(r.size, -1)
        return total, slopes, of_gain if self.own else of_gain.sum(keepdims=True)

    def fit(self, X: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Find a scale of positions that stay as they are, and the gains; return both."""

        def objective(v: np.ndarray) -> tuple[float, np.ndarray]:
            scaled = X * np.exp(v[0])
            total, slopes, of_gain = self.loss(scaled, v[1:], rows)
            slope = np.append((slopes * scaled).sum(), of_gain) / len(rows)
            slope[1:] += RIDGE * v[1:]
            return total / len(rows) + RIDGE * v[1:] @ v[1:] / 2, slope

        n = X.shape[1] if self.own else 1
        bounds = [(-FAR, FAR)] * (1 + n)
        v = minimize(objective, np.zeros(1 + n), jac=True, bounds=bounds, method="L-BFGS-B").x
        return X * np.exp(v[0]), v[1:]

    def placed(self, X: np.ndarray, gain: float, rows: np.ndarray, penalty: float) -> np.ndarray:
        """Find positions at a gain that is given, in some steps from X."""

        def objective(v: np.ndarray) -> tuple[float, np.ndarray]:
            Y = v.reshape(X.shape)
            total, slopes, _ = self.loss(Y, np.array([gain]), rows)
            lasso = 0.25 if self.dot else 0.0  # as in SPoSE
            total += penalty * (lasso * Y.sum() + (1 - lasso) * (Y**2).sum())
            return total, (slopes + penalty * (lasso + 2 * (1 - lasso) * Y)).ravel()

        bounds = [(0 if self.dot else None, None)] * X.size
        settings = {"jac": True, "bounds": bounds, "options": {"maxiter": STEPS}}
        return minimize(objective, X.ravel(), method="L-BFGS-B", **settings).x.reshape(X.shape)


def chunks(rows: np.ndarray) -> list[np.ndarray]:
    """Cut rows into parts that fit into a processor's memory."""
    return np.array_split(rows, -(-len(rows) // CHUNK))


def positions(run: Run) -> Iterator[tuple[str, bool, np.ndarray, np.ndarray]]:
    """Give positions, whether inner products compare them, and rows they were not fitted to."""
    train, n = rows_of(run, "train"), 4 if run.quick else 50
    tenth = train[: len(train) // 10]
    clip = run.array("clip_vit_b32")
    axes = PCA(min(n, clip.shape[1]), svd_solver="full").fit_transform(clip)
    yield "CLIP, axes", True, 2 * axes / np.linalg.norm(axes, axis=1).mean(), tenth
    yield "SPoSE-49", True, run.array("spose49"), tenth  # may have been fitted to these rows too
    for share in SHARES[:1] if run.quick else SHARES:
        rows = train[: round(share * len(train))]
        cut = round(FITTED * len(rows))
        for name, model in fits(run.quick).items():
            yield name, name == "SPoSE", fitted(model, rows[:cut], run).embedding_, rows[cut:]


def fits(quick: bool) -> dict[str, rs.OrdinalEmbedding]:
    """Give the models whose positions are fitted."""
    d = 3 if quick else 20
    ste = rs.STE(d, penalty="auto", random_state=0)
    return {"SPoSE": rs.SPoSE(None if not quick else d, random_state=0), "STE": ste}


def fitted(model, rows: np.ndarray, run: Run):
    """Fit a model to rows of a pair that was kept and the odd one."""
    return model.fit(rs.OddOneOuts(rows, rows[:, 2], run.items()))


def rows_of(run: Run, part: str) -> np.ndarray:
    """Read rows: the pair that was kept, and the odd one."""
    return run.table(part)[["kept_a", "kept_b", "odd"]].to_numpy()


def variants(name: str, dot: bool) -> Iterator[Weights]:
    """Give what is compared with weights that are all 1."""
    yield Weights(own=True, dot=dot)
    for statistic in ("level", "power", "spread"):
        if statistic != "power" or "SPoSE" in name:  # only non-negative levels have logarithms
            for own in (False, True):
                yield from (Weights(statistic, seen, own, dot) for seen in SEEN)


class Board:
    """Scores of weights on the test rows, beside those of weights that are all 1, and of pairs."""

    def __init__(self, run: Run, name: str) -> None:
        self.run, self.name, self.found = run, name, []
        self.test = rows_of(run, "test")

    def add(self, about: dict[str, object], weights: Weights, X: np.ndarray, g: np.ndarray) -> None:
        """Write a row. Errors are those of differences, over rows of the test file."""
        log_p = np.concatenate([weights.log_p(X[r], g)[0] for r in chunks(self.test)])
        best, told = log_p >= log_p.max(axis=1, keepdims=True), log_p[:, 0]
        free, gains = weights.statistic == "none", X.shape[1] if weights.own else 1
        row = about | {"weights follow": weights.statistic, "of": "" if free else weights.seen}
        row |= {"gains": 0 if free and not weights.own else gains}
        row |= {"accuracy": (best[:, 0] / best.sum(axis=1)).mean(), "log loss": -told.mean()}
        if free and not weights.own:
            self.base = told
        else:
            row |= {"gain": (told - self.base).mean(), "its error": error(told - self.base)}
        if not free and weights.seen == "the pair":
            self.pair = told
        elif not free:
            row |= {"beyond the pair": (told - self.pair).mean(), "error": error(told - self.pair)}
        self.found.append(row)
        self.run.write(self.name, self.found)


def error(x: np.ndarray) -> float:
    """Return the standard error of a mean."""
    return x.std() / len(x) ** 0.5


def as_they_are(run: Run) -> None:
    """Positions stay; their scale and the gains are found on rows they were not fitted to."""
    board = Board(run, "context")
    for name, dot, X, rows in positions(run):
        for weights in (Weights(dot=dot), *variants(name, dot)):
            about = {"positions": name, "rows": len(rows)}
            board.add(about, weights, *weights.fit(X, rows))


def together(run: Run) -> None:
    """Positions are found under the weights; scale and gain on a tenth of the rows."""
    board, rows = Board(run, "context_together"), rows_of(run, "train")
    rows = rows[: round(SHARES[0] * len(rows))]
    cut = round(FITTED * len(rows))
    for name, model in fits(run.quick).items():
        start, dot = fitted(model, rows[:cut], run), name == "SPoSE"
        X = start.embedding_ / start.scale_**0.5 if dot else start.embedding_
        for weights, gain in tried(dot):
            Y = weights.placed(X, gain, rows[:cut], start.penalty_)
            about = {"model": name, "rows": len(rows), "gain at first": gain}
            board.add(about, weights, *weights.fit(Y, rows[cut:]))


def tried(dot: bool) -> Iterator[tuple[Weights, float]]:
    """Give the weights under which positions are found, with their gains."""
    yield Weights(dot=dot), 0.0
    for statistic in ("level", "spread"):
        for gain in GAINS:
            yield from ((Weights(statistic, seen, dot=dot), gain) for seen in SEEN)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the tables."""
    run = Run.of(command_line(__doc__ or "").parse_args(arguments))
    as_they_are(run)
    together(run)


if __name__ == "__main__":
    main()
