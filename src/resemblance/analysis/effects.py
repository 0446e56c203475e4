"""Estimate effects with intervals that hold for people, whatever a machine answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone

from resemblance.analysis.analysis import Analysis
from resemblance.arrays import Floats
from resemblance.errors import SettingError, quiet
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.groups import groups_of_people
from resemblance.fitting.penalty import settled
from resemblance.judgments import Judgments, of_kind
from resemblance.judgments.joining import people_of
from resemblance.notebook import ShownTable
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.ranges import LEVEL, check
from resemblance.scores.intervals import student_interval

PARTS = 20  # number of parts of people, or of responses, that are left out in turn
LEAST_UNITS = 10  # smallest number of people, or of responses
PER_COORDINATE = 7  # smallest number of answers per coordinate for intervals of correlations
WEAK = 0.2  # penalty relative to the analysis's
LARGEST_R = 1 - 1e-12
COLUMNS = "effect", "item_1", "item_2", "model", "group", "estimate", "low", "high"


@dataclass(frozen=True)
class Effects(ShownTable):
    """Effects and their intervals.

    Attributes
    ----------
    table : DataFrame
        A row for each effect: ``effect`` ("distance" or "correlation"), ``item_1``, ``item_2``,
        ``model``, ``group`` (a group, or "A - B" for a difference), ``estimate``, ``low`` and
        ``high``.
    over : {"observer", "response"}
        The units for which intervals hold: other people, or other answers of the same people.
    """

    table: pd.DataFrame
    over: str


def estimate_effects(
    analysis: Analysis,
    *,
    distances: Sequence[tuple[str, str]] = (),
    rdms: Mapping[str, ArrayLike] | None = None,
    groups: str | Mapping[Any, Any] | None = None,
    level: float = 0.95,
    random_state: int = 0,
    callback: Told | None = None,
) -> Effects:
    r"""Estimate distances, correlations with models, and differences of groups, with intervals.

    .. math:: \hat\theta = \theta(X) - b / 2, \qquad b = (G - 1) (\bar\theta - \theta(X)), \qquad
       s^2 = \frac{G - 1}{G} \sum_g (\theta(X_{-g}) - \bar\theta)^2 + \frac{b^2}{4}

    X is a fit to people's answers alone, with a fifth of the analysis's penalty, that begins at the
    analysis's map. So the machine's answers, if any, give a start and nothing else. If the model is
    right, the rectifier of prediction-powered inference gains nothing over this: given the
    questions, people's answers have noise that no machine predicts.

    Each of G = 20 parts of whole people (of responses, if fewer than 10 people are known) is left
    out in turn, which gives the bias b and the standard error s (jackknife). If answers are few, b
    is too large: half of it is subtracted, and half counts as uncertainty. The interval is
    :math:`\hat\theta \pm t s`. Distances are relative to the root mean square of all distances, and
    are computed as squares. Correlations are Pearson's, between the map's distances and a model's,
    and are computed as Fisher's z. Differences of groups are differences of squared distances, and
    of z.

    Parameters
    ----------
    analysis : Analysis
        The analysis of comparisons, with a machine's answers or without.
    distances : sequence of (item, item)
        Names of items whose distance is estimated.
    rdms : mapping of str to array (n_items, n_items), optional
        Models' dissimilarities between the items, in the order of ``analysis.model.items_``.
    groups : str or mapping, optional
        The column with each person's group, or people and their groups. Effects are then estimated
        for each group, and for the difference of each two groups.
    level : float
        The coverage of each interval.
    random_state : int
        The seed of the parts.
    callback : callable, optional
        Called with (fits done, number of fits).

    Raises
    ------
    SettingError
        If no effect is asked for, an RDM has another shape or is not finite, or there are too few
        answers: 10 responses, and for a correlation 7 answers per coordinate of the map.
    JudgmentError
        If an item is unknown, or a person has no group or several.

    References
    ----------
    Angelopoulos, Bates, Fannjiang, Jordan, Zrnic 2023, Prediction-powered inference, Science 382.

    Examples
    --------
    >>> import resemblance as rs
    >>> person = rs.SpaceObserver([[0.0], [1.0], [3.0], [4.0], [6.0]], random_state=0)
    >>> rng = np.random.default_rng(0)
    >>> asked = np.array([rng.choice(5, 3, replace=False) for _ in range(400)])
    >>> analysis = rs.analyse(person.answer(rs.Triplets(asked, list("abcde"))), "ste", dims=1)
    >>> table = rs.analysis.estimate_effects(analysis, distances=[("a", "b"), ("a", "e")]).table
    >>> bool(table["high"][0] < table["low"][1])
    True
    """
    check(level=(level, LEVEL))
    theta = _Theta.of(analysis, distances, rdms or {})
    people = of_kind(analysis.judgments, Judgments, "estimate_effects", error=SettingError)
    parts = _by_group(people, groups)
    over = _over([*parts.values()])
    if rdms:
        _refuse_few_answers(min(map(len, parts.values())), analysis.model.embedding_.size)
    left_out = {group: _numbers(part, over, random_state) for group, part in parts.items()}
    steps = Steps(callback, sum(int(numbers.max()) + 2 for numbers in left_out.values()))
    model, samples = _weakly_penalised(analysis), {}
    for group, numbers in left_out.items():
        each = steps.each(range(-1, int(numbers.max()) + 1))  # -1 leaves out nobody
        with quiet():
            fits = [clone(model).fit(parts[group][numbers != number]) for number in each]
        whole, *others = (theta(fit.embedding_) for fit in fits)
        samples[group] = _Sample.of(whole, np.array(others))
    return Effects(_table(theta, samples, level), over)


@dataclass(frozen=True)
class _Theta:
    """The effects of positions: squared relative distances, then Fisher's z."""

    pairs: NDArray[np.intp]  # places of pairs in a condensed matrix
    models: Floats  # (n_models, n_pairs)
    names: list[tuple[str, str, str, str]]  # effect, items, model

    @classmethod
    def of(
        cls, analysis: Analysis, distances: Sequence[tuple[str, str]], rdms: Mapping[str, ArrayLike]
    ) -> _Theta:
        items = analysis.model.items_
        if not len(distances) and not rdms:
            raise SettingError("no effect is asked for: give distances= or rdms=.")
        n = len(items)
        ends = items.positions(list(distances)) if len(distances) else np.empty((0, 2), np.intp)
        if ends.shape[1:] != (2,) or (ends[:, 0] == ends[:, 1]).any():
            raise SettingError("distances are between two different items: give pairs of names.")
        number = squareform(np.arange(n * (n - 1) // 2))
        models = [_condensed(name, rdm, n) for name, rdm in rdms.items()]
        names = [("distance", str(a), str(b), "") for a, b in distances]
        names += [("correlation", "", "", str(name)) for name in rdms]
        return cls(
            number[ends[:, 0], ends[:, 1]],
            np.reshape(models, (len(models), n * (n - 1) // 2)),
            names,
        )

    def __call__(self, X: Floats) -> Floats:
        squared = pdist(X, "sqeuclidean")
        distance = np.sqrt(squared)
        r = [np.corrcoef(distance, model)[0, 1] for model in self.models]
        z = np.arctanh(np.clip(r, -LARGEST_R, LARGEST_R))
        return np.concatenate([squared[self.pairs] / squared.mean(), z])

    def read(self, values: Floats, differ: bool) -> Floats:
        """Return distances and correlations; differences are of squared distances and of z."""
        if differ:
            return values
        n = len(self.pairs)
        return np.concatenate([np.sqrt(np.maximum(values[:n], 0.0)), np.tanh(values[n:])])


def _condensed(name: str, rdm: ArrayLike, n: int) -> Floats:
    square = np.asarray(rdm, dtype=float)
    if square.shape != (n, n) or not np.isfinite(square).all():
        raise SettingError(
            f"the RDM {name!r} has shape {square.shape}, or is not finite: give a finite number "
            f"for each two of the {n} items.",
            setting="rdms",
        )
    values = squareform((square + square.T) / 2, checks=False)
    if not np.ptp(values):
        raise SettingError(f"the RDM {name!r} has equal dissimilarities only.", setting="rdms")
    return np.asarray(values)


def _by_group(people: Judgments, groups: str | Mapping[Any, Any] | None) -> dict[str, Judgments]:
    if groups is None:
        return {"": people}
    names, who = people_of(people)
    of_row = groups_of_people(people, groups, names, who)[who]
    return {str(group): people[of_row == group] for group in np.unique(of_row)}


def _over(parts: Sequence[Judgments]) -> str:
    """Return the largest unit of which each part has enough."""
    for over in ("observer", "response"):
        if all(_units(part, over).max(initial=-1) + 1 >= LEAST_UNITS for part in parts):
            return over
    fewest = min(parts, key=len)
    raise SettingError(
        f"intervals need {LEAST_UNITS} responses (in each group), and there are {len(fewest)}: "
        "collect more."
    )


def _refuse_few_answers(n_answers: int, n_coordinates: int) -> None:
    lacking = PER_COORDINATE * n_coordinates - n_answers
    if lacking > 0:
        raise SettingError(
            f"an interval of a correlation needs {PER_COORDINATE} answers for each of the map's "
            f"{n_coordinates} coordinates (in each group): collect {lacking:,} more.",
            setting="rdms",
        )


def _units(people: Judgments, over: str) -> NDArray[np.intp]:
    labels = people.observer if over == "observer" else people.response_id
    if labels is None:
        return np.arange(len(people) if over == "response" else 1)
    return np.unique(labels, return_inverse=True)[1]


def _numbers(people: Judgments, over: str, random_state: int) -> NDArray[np.intp]:
    """Return the number of the part with which each row is left out, (m,)."""
    units = _units(people, over)
    order = np.random.default_rng(random_state).permutation(units.max() + 1)
    return np.asarray(order[units] % PARTS)


def _weakly_penalised(analysis: Analysis) -> OrdinalEmbedding:
    """Return the model to fit to people's answers alone, from the analysis's map."""
    model = settled(analysis.model, analysis.judgments)
    penalty = WEAK * float(getattr(model, "penalty", 0.0))
    settings = {"penalty": penalty, "init": analysis.model.embedding_, "n_init": 1}
    return clone(model).set_params(**settings, callback=None)


@dataclass(frozen=True)
class _Sample:
    value: Floats
    error: Floats
    freedom: int

    @classmethod
    def of(cls, value: Floats, left_out: Floats) -> _Sample:
        n = len(left_out)
        bias = (n - 1) * (left_out.mean(axis=0) - value)
        error = (n - 1) * left_out.std(axis=0, ddof=1) / np.sqrt(n)
        return cls(value - bias / 2, np.hypot(error, bias / 2), n - 1)

    def minus(self, other: _Sample) -> _Sample:
        error = np.hypot(self.error, other.error)
        return _Sample(self.value - other.value, error, self.freedom + other.freedom)


def _table(theta: _Theta, samples: dict[str, _Sample], level: float) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for group, sample, differ in _all_samples(samples):
        ends = student_interval(sample.value, sample.error, sample.freedom, level)
        numbers = (theta.read(values, differ) for values in (sample.value, *ends))
        for name, *three in zip(theta.names, *numbers, strict=True):
            rows.append(dict(zip(COLUMNS, (*name, group, *three), strict=True)))
    return pd.DataFrame(rows)


def _all_samples(samples: dict[str, _Sample]) -> Iterator[tuple[str, _Sample, bool]]:
    for group, sample in samples.items():
        yield group, sample, False
    for first, second in combinations(samples, 2):
        yield f"{first} - {second}", samples[first].minus(samples[second]), True
