"""Define the five techniques of section 4.4, and one proposed in section 6."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from scipy.special import xlog1py, xlogy
from sklearn.kernel_ridge import KernelRidge
from worlds import errors_at

import resemblance as rs

Settings = tuple[tuple[str, float], ...]  # names and values, hashable for the cache of fits
Grid = Mapping[str, Sequence[float]]
Fit = Callable[..., np.ndarray]

BANDWIDTH = {"bandwidth": 2.0 ** np.arange(-2, 3.5, 0.5)}
PENALTY = {"penalty": 10.0 ** np.arange(-7, 3)}
THRESHOLD = {"threshold": np.arange(1, 11) / 20}
TRADE_OFFS = {"penalty": 10.0 ** np.arange(-4, 5, 2), "beta": 10.0 ** np.arange(-4, 5, 2)}
SMALLEST = np.finfo(float).tiny


@dataclass(frozen=True)
class Technique:
    """A way from counts to positions.

    Attributes
    ----------
    name : str
        As in the tables.
    fit : callable
        Gives positions from counts, the number of dimensions, and settings by name.
    stages : tuple of grids
        What is tuned, one stage after the other.
    reads_choice : bool
        Whether the fit takes the choice model; if not, its positions have no unit, and are scaled.
    search : callable, optional
        Tunes the one stage at once: gives settings from counts, splits of their rows, the number
        of dimensions, the choice model and the stage's grid.
    """

    name: str
    fit: Fit
    stages: tuple[Grid, ...] = ()
    reads_choice: bool = False
    search: Callable[..., Settings] | None = None

    def candidates(self, stage: Grid, chosen: Settings) -> Iterator[Settings]:
        """Give the settings of a stage, beside those that earlier stages chose."""
        for values in product(*stage.values()):
            yield tuple(
                {**dict(chosen), **dict(zip(stage, map(float, values), strict=True))}.items()
            )


class Fitter:
    """A technique in a space of so many dimensions, which remembers its fits."""

    def __init__(self, technique: Technique, n_components: int) -> None:
        self.technique, self.n_components = technique, n_components
        self._unscaled = lru_cache(maxsize=None)(self._fit)

    def positions(
        self, train: rs.Confusions, choice: rs.choice.Decay, settings: Settings
    ) -> np.ndarray:
        """Give positions in the unit of the choice model."""
        if self.technique.reads_choice:
            return self._unscaled(train, settings, choice)
        X = self._unscaled(train, settings)
        collapsed = not np.ptp(X, axis=0).any()
        return X if collapsed else rs.fitting.calibrate_scale(X, train, choice) * X

    def _fit(
        self, train: rs.Confusions, settings: Settings, *choice: rs.choice.Decay
    ) -> np.ndarray:
        return self.technique.fit(train, self.n_components, *choice, **dict(settings))


def log_likelihood(positions: np.ndarray, counts: rs.Confusions, choice: rs.choice.Decay) -> float:
    """Give the mean log-likelihood of a trial: equation 41, divided by n_ij."""
    p = np.maximum(errors_at(positions, counts.index, choice), SMALLEST)
    found = xlogy(counts.errors, p) + xlog1py(counts.trials - counts.errors, -p)
    return float(found.sum() / counts.trials.sum())


def yada(
    train: rs.Confusions, p: int, choice: rs.choice.Decay, *, bandwidth: float, penalty: float
) -> np.ndarray:
    """Fit the map of features whose distances make the counts likeliest."""
    model = rs.Yada(p, bandwidth=bandwidth, penalty=penalty, choice=choice, random_state=0)
    return model.fit(train).embedding_


def yada_search(
    counts: rs.Confusions,
    splits: Sequence[tuple[np.ndarray, np.ndarray]],
    p: int,
    choice: rs.choice.Decay,
    grid: Grid,
) -> Settings:
    """Tune Yada along its path of penalties: each fit starts from the one before."""
    model = rs.Yada(p, choice=choice, random_state=0)
    search = rs.YadaCV(model, penalties=grid["penalty"], bandwidths=grid["bandwidth"], cv=splits)
    search.fit(counts)
    return (("penalty", search.best_penalty_), ("bandwidth", search.best_bandwidth_))


@lru_cache(maxsize=64)
def nonmetric(train: rs.Confusions, p: int) -> np.ndarray:
    """Place items so that the more confused pairs are the nearer ones."""
    ranks = rs.judgments.pair_ranks_from_confusions(train)
    return rs.NonmetricMDS(p, random_state=0).fit(ranks).embedding_


def two_stages(train: rs.Confusions, p: int, *, bandwidth: float, alpha: float) -> np.ndarray:
    """Learn the positions of nonmetric scaling from features, by kernel ridge regression."""
    seen, X = np.unique(train.index), train.items.features
    regression = KernelRidge(kernel="rbf", gamma=0.5 / bandwidth**2, alpha=alpha)
    return regression.fit(X[seen], nonmetric(train, p)[seen]).predict(X)


def schultz_joachims(train: rs.Confusions, p: int, *, bandwidth: float) -> np.ndarray:
    """Learn a metric from triplets, and scale its distances to p dimensions."""
    triplets = rs.judgments.triplets_from_confusions(train)
    return rs.SchultzJoachims(p, bandwidth=bandwidth, C=1.0).fit(triplets).embedding_


def xing(train: rs.Confusions, p: int, *, bandwidth: float, threshold: float) -> np.ndarray:
    """Learn a metric of kernel columns from similar and dissimilar pairs."""
    similar = rs.judgments.similar_from_confusions(train, threshold)
    return rs.MMC(p, bandwidth=bandwidth).fit(similar).embedding_


def globerson_roweis(
    train: rs.Confusions, p: int, *, bandwidth: float, threshold: float,
    penalty: float = 1.0, beta: float = 1.0,
) -> np.ndarray:  # fmt: skip
    """Learn a kernel map from similar and dissimilar pairs."""
    model = rs.KPSDE(p, bandwidth=bandwidth, penalty=penalty, beta=beta)
    return model.fit(rs.judgments.similar_from_confusions(train, threshold)).embedding_


PAIRED = {**THRESHOLD, **BANDWIDTH}
TECHNIQUES = {
    technique.name: technique
    for technique in (
        Technique("Yada", yada, ({**PENALTY, **BANDWIDTH},), reads_choice=True, search=yada_search),
        Technique("NMMDS", nonmetric),
        Technique("S&J", schultz_joachims, (BANDWIDTH,)),
        Technique("XNJR", xing, (PAIRED,)),
        Technique("G&R", globerson_roweis, (PAIRED, TRADE_OFFS)),
        Technique("two stages", two_stages, ({"alpha": 10.0 ** np.arange(-5, 2), **BANDWIDTH},)),
    )
}
