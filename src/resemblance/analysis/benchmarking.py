"""Measure how like people several networks see, on several data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student_t
from sklearn.utils import check_random_state

from resemblance.analysis.distilling import fitted_heads, linear_head
from resemblance.arrays import Floats
from resemblance.catalog import MEASURES
from resemblance.errors import SettingError, first_few
from resemblance.fitting import ItemKFold
from resemblance.judgments import Items, Judgments, of_kind
from resemblance.notebook import Card, Shown
from resemblance.observers import ModelObserver
from resemblance.observers.explained_accuracy import (
    ceiling_of,
    hits_of,
    share_interval,
    utilities_of,
)
from resemblance.observers.model import Similarity, checked_table
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.ranges import LEVEL, check, integers
from resemblance.scores import weighted_mean
from resemblance.scores.intervals import CrossedErrors, student_interval

FOLDS = 3  # folds of items in which weights are learned and tested
SPLITS = 4  # number of random divisions into folds
POWER = 0.8  # share of studies that would tell a difference that is called detectable
DRAWS = 2000  # number of draws for the interval of a share of the ceiling
VERDICTS = "apart", "not apart", "unknown"
Verdict = Literal["all apart", "some apart", "not apart", "unknown"]


@dataclass(frozen=True)
class Benchmark(Shown):
    """The agreement of networks with people on several data sets: see :func:`benchmark`.

    Attributes
    ----------
    table : pandas.DataFrame
        A row for each data set and network: ``data, network, answers, people, items, chance,
        ceiling``; ``as_is``, the accuracy of the features as they are, and ``learned``, the
        accuracy with learned weights on ``learned_answers`` answers about new items; and
        ``as_is_share, learned_share``, the shares of what is possible. All have ``_low`` and
        ``_high``, their intervals. A number that the answers do not determine is NaN.
    differences : pandas.DataFrame
        A row for each data set, ``measure`` ("as_is", "learned") and two networks: ``data, measure,
        network_a, network_b, difference`` (a minus b), ``standard_error, low, high``, an interval
        that holds for all rows of a data set at once, ``detectable``, the difference that four of
        five such data sets would tell, and ``verdict``: "apart", "not apart", or "unknown" if there
        are too few people or items for an interval.
    left_out : dict of str to str
        The data sets and measures that were left out, with the reason.
    level : float
        The coverage of intervals.
    """

    table: pd.DataFrame
    differences: pd.DataFrame
    left_out: Mapping[str, str]
    level: float = 0.95

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """Whether each data set tells these networks apart, by the data set's name.

        "all apart", if each two networks are apart in a measure; "some apart"; "not apart", if no
        two are, which does not say that they are equal; "unknown", if there is a single network, or
        no difference has an interval.
        """
        return {str(name): self._verdict(str(name)) for name in self.table["data"].unique()}

    def _verdict(self, name: str) -> Verdict:
        rows = self.differences[self.differences["data"] == name]
        if not (rows["verdict"] != "unknown").any():
            return "unknown"
        apart = rows["verdict"] == "apart"
        told_apart = apart.groupby([rows["network_a"], rows["network_b"]]).any()
        return "all apart" if told_apart.all() else "some apart" if apart.any() else "not apart"

    def sentences(self, name: str) -> list[str]:
        """Return what a data set says of its networks, a sentence for each measure."""
        rows = self.differences[self.differences["data"] == name]
        said = [
            f"{MEASURES[str(measure)]}: {_sentence(each)}"
            for measure, each in rows.groupby("measure", sort=False)
        ]
        return said or ["there is one network: give another one to compare"]

    def _card(self) -> Card:
        return Card("Likeness of networks to people", dict(self.verdicts), self.table)


def _sentence(rows: pd.DataFrame) -> str:
    parts = []
    for verdict in VERDICTS:
        each = rows[rows["verdict"] == verdict]
        two = each[["network_a", "network_b"]].to_numpy().tolist()
        if verdict == "apart":
            ordered = zip(two, each["difference"], strict=True)
            two = [pair if gap > 0 else pair[::-1] for pair, gap in ordered]
        names = first_few((" > " if verdict == "apart" else " and ").join(pair) for pair in two)
        if two and verdict == "apart":
            parts.append(f"tells apart {names}")
        elif two and verdict == "not apart":
            gap = each["detectable"].max()
            parts.append(
                f"cannot tell apart {names} (a difference of {gap:.3f} would be told in "
                f"{POWER:.0%} of such studies)"
            )
        elif two:
            parts.append(f"too few people or items to compare {names}")
    return "; ".join(parts)


def benchmark(
    data: Mapping[str, Judgments],
    networks: Mapping[str, Mapping[str, ArrayLike | Items]],
    n_components: int = 10,
    *,
    similarity: Similarity = "cosine",
    level: float = 0.95,
    random_state: Any = 0,
    callback: Told | None = None,
) -> Benchmark:
    r"""Measure how like people networks see, and which data sets can tell the networks apart.

    .. math:: share = \frac{accuracy - chance}{ceiling - chance}, \qquad
       \hat\Delta_{ab} \pm t_{1 - \alpha / (2 C)} \, \hat\sigma_{ab}

    The accuracy is the share of people's answers that are the most probable answer of a network (1
    / t if t answers tie). It is measured twice: with the similarities of the features as they are,
    which needs no fit, and with learned weights, which are the linear head of :func:`distil`. The
    weights are learned in three folds of items, four times, and tested on answers about items that
    were all held out, so features that say nothing of people do not gain by being many.

    Networks of a data set are compared on the same answers. The standard error counts all pairs of
    answers that share a person or an item, so it holds for other people and other items of this
    kind. With few items a difference can be certain for these items and yet be due to chance.
    Degrees of freedom of Student's t are those of people or items, whichever are fewer. Intervals
    of differences hold for all C differences of a data set at once, both measures together; each
    data set stands for itself. If people are unknown, responses (or else rows) take their place.

    Parameters
    ----------
    data : dict of str to Triplets, Quadruplets, Choices or OddOneOuts
        People's answers by the name of the data set.
    networks : dict of str to dict of str to array (n_items, d) or Items
        For each network the features by the name of the data set: an array in the order of the data
        set's items, or named Items with features, in any order. A network may lack data sets.
    n_components : int
        The largest rank of the learned map of features.
    similarity : {"cosine", "dot", "euclidean"}
        The similarity of features as they are; see :class:`ModelObserver`.
    level : float
        The coverage of intervals.
    random_state : int, RandomState or None
        The seed of folds and fits.
    callback : callable, optional
        Called with (steps done, number of steps).

    Raises
    ------
    SettingError
        If features have other rows than the data set has items, lack an item, do not vary or are
        not finite; if no data set has features; or if a setting is out of range.

    See Also
    --------
    explained : The share of explainable accuracy of a model.
    model_recovery : Test whether answers can identify which of several models people follow.

    References
    ----------
    Aronow, Samii & Assenova 2015, Cluster-robust variance estimation for dyadic data, Political
    Analysis 23. Muttenthaler et al. 2023, Human alignment of neural network representations, ICLR.

    Examples
    --------
    >>> import resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> space = rng.normal(size=(60, 3))
    >>> asked = np.array([rng.choice(60, 3, replace=False) for _ in range(2000)])
    >>> people = rs.Triplets(asked, observer=np.arange(2000) % 20)
    >>> answers = rs.SpaceObserver(2 * space, random_state=0).answer(people)
    >>> networks = {"alike": space, "random": rng.normal(size=(60, 3))}
    >>> result = rs.analysis.benchmark(
    ...     {"shapes": answers}, {name: {"shapes": x} for name, x in networks.items()}
    ... )
    >>> result.verdicts
    {'shapes': 'all apart'}
    """
    check(n_components=(n_components, integers(1)), level=(level, LEVEL))
    jobs = {}
    for name, judgments in data.items():
        answers = of_kind(judgments, Judgments, "benchmark")
        given = {network: of[name] for network, of in networks.items() if name in of}
        jobs[name] = _Data(
            answers,
            {network: _described(answers, x, network, name) for network, x in given.items()},
        )
    left_out = {
        name: "no network has features of it" for name, job in jobs.items() if not job.described
    }
    jobs = {name: job for name, job in jobs.items() if job.described}
    if not jobs:
        raise SettingError(
            f"no network has features of {first_few(data) or 'any data set'}: give some.",
            setting="networks",
        )
    steps = Steps(callback, FOLDS * SPLITS * sum(len(job.described) for job in jobs.values()))
    rng = check_random_state(random_state)
    tables, differences = [], []
    for name, job in jobs.items():
        seed = rng.randint(2**31 - 1)
        hits = {"as_is": job.hits(similarity)}
        try:
            hits["learned"] = job.learned_hits(n_components, seed, steps)
        except SettingError as error:
            left_out[f"{name}, {MEASURES['learned']}"] = str(error)
        measured = {measure: job.errors(values) for measure, values in hits.items()}
        tables.append(job.table(name, hits, measured, level, rng))
        differences.append(job.differences(name, measured, level))
    return Benchmark(pd.concat(tables), pd.concat(differences), left_out, level)


def _described(answers: Judgments, given: ArrayLike | Items, network: str, name: str) -> Judgments:
    """Return the answers about items with a network's features."""
    names = answers.items.names
    features: Any = given
    if isinstance(given, Items):
        if lacking := [item for item in names if item not in set(given.names)]:
            raise SettingError(
                f"{network} has no features of {first_few(lacking)} ({len(lacking)} of the "
                f"{len(names)} items of {name}): add them.",
                setting="networks",
            )
        features = given.taken(given.positions(names)).features
    elif np.shape(given)[:1] != (len(names),):
        raise SettingError(
            f"the features of {network} have {len(np.atleast_1d(given))} rows, and {name} has "
            f"{len(names)} items: give a row for each, in the order of {first_few(names, 3)} "
            "(items.names).",
            setting="networks",
        )
    table = checked_table(features, "features", answers.items)
    if not np.ptp(table, axis=0).any():
        raise SettingError(f"the features of {network} are the same for all items of {name}.")
    return answers._with(items=Items(names, table))


def _table(described: Judgments) -> Floats:
    return np.asarray(described.items.features)


@dataclass(frozen=True)
class _Data:
    answers: Judgments
    # the answers about items with the features of each network
    described: Mapping[str, Judgments]

    @property
    def people(self) -> Any:
        observer = self.answers.observer
        is_several = observer is not None and len(np.unique(observer)) > 1
        return observer if is_several else self.answers.response_id

    def hits(self, similarity: Similarity) -> Floats:
        models = (
            ModelObserver(_table(each), similarity, items=each.items)
            for each in self.described.values()
        )
        return np.column_stack([hits_of(utilities_of(model, self.answers)) for model in models])

    def learned_hits(self, n_components: int, seed: int, steps: Steps) -> Floats:
        """Return the mean hits (m, n_networks) in all folds that test a row; NaN if none does."""
        splits = (ItemKFold(FOLDS, whole=True, random_state=seed + at) for at in range(SPLITS))
        folds = [fold for split in splits for fold in split.split(self.answers)]
        sums, times = (
            np.zeros((len(self.answers), len(self.described))),
            np.zeros(len(self.answers)),
        )
        for _, test in folds:
            times[test] += 1
        for at, each in enumerate(self.described.values()):
            rank = min(n_components, _table(each).shape[1])
            heads = fitted_heads((each[train] for train, _ in folds), linear_head(), rank, seed)
            for head, (_, test) in zip(heads, folds, strict=True):
                sums[test, at] += hits_of(utilities_of(head, each[test]))
                steps.take()
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / times[:, None])

    def errors(self, hits: Floats) -> CrossedErrors:
        rows = np.flatnonzero(~np.isnan(hits[:, 0]))
        people = None if self.people is None else np.asarray(self.people)[rows]
        weights = self.answers.weights[rows]
        return CrossedErrors.of(hits[rows], weights, people, self.answers.index[rows])

    def table(
        self,
        name: str,
        hits: Mapping[str, Floats],
        measured: Mapping[str, CrossedErrors],
        level: float,
        rng: Any,
    ) -> pd.DataFrame:
        answers = self.answers
        chance = weighted_mean(1.0 / answers.answers_possible(), answers.weights)
        top, ends = ceiling_of(answers, None, level)
        observer = answers.observer
        columns: dict[str, Any] = {
            "data": name,
            "network": list(self.described),
            "answers": len(answers),
            "people": np.nan if observer is None else len(np.unique(observer)),
            "items": len(answers.items),
            "chance": chance,
            "ceiling": top,
            "ceiling_low": None if ends is None else ends[0],
            "ceiling_high": None if ends is None else ends[1],
        }
        for measure, errors in measured.items():
            each = errors.errors(np.eye(len(errors.means)))
            low, high = _interval(errors.means, each, errors.freedom, level)
            columns |= {measure: errors.means, f"{measure}_low": low, f"{measure}_high": high}
            if top is not None and top > chance:
                deviations = rng.standard_t(max(errors.freedom, 1.0), size=(DRAWS, 1))
                drawn = (errors.means + each * deviations - chance).T
                shares = [share_interval(row, top - chance, ends, level, rng) for row in drawn]
                columns[f"{measure}_share"] = (errors.means - chance) / (top - chance)
                columns[f"{measure}_share_low"], columns[f"{measure}_share_high"] = np.transpose(
                    shares
                )
        if "learned" in hits:
            columns["learned_answers"] = int((~np.isnan(hits["learned"][:, 0])).sum())
        return pd.DataFrame(columns)

    def differences(
        self, name: str, measured: Mapping[str, CrossedErrors], level: float
    ) -> pd.DataFrame:
        networks = list(self.described)
        pairs = np.array(list(combinations(range(len(networks)), 2)), dtype=int).reshape(-1, 2)
        contrasts = np.eye(len(networks))[pairs[:, 0]] - np.eye(len(networks))[pairs[:, 1]]
        adjusted = 1 - (1 - level) / max(len(pairs) * len(measured), 1)
        tables = []
        for measure, errors in measured.items():
            difference, each = contrasts @ errors.means, errors.errors(contrasts)
            low, high = _interval(difference, each, errors.freedom, adjusted)
            is_apart = np.where(np.isnan(low), 2, np.where((low > 0) | (high < 0), 0, 1))
            columns = {
                "data": name,
                "measure": measure,
                "network_a": [networks[a] for a in pairs[:, 0]],
                "network_b": [networks[b] for b in pairs[:, 1]],
                "difference": difference,
                "standard_error": each,
                "low": low,
                "high": high,
                "detectable": (high - low) / 2 + student_t.ppf(POWER, errors.freedom) * each,
                "verdict": np.array(VERDICTS)[is_apart],
            }
            tables.append(pd.DataFrame(columns))
        return pd.concat(tables)


def _interval(
    values: Floats, errors: Floats, freedom: float, level: float
) -> tuple[Floats, Floats]:
    """Return Student's intervals; NaN if there are too few people or items, or no spread."""
    if freedom <= 0:
        return np.full_like(values, np.nan), np.full_like(values, np.nan)
    low, high = student_interval(values, errors, freedom, level)
    unclear = (errors == 0) & (values != 0)
    return np.where(unclear, np.nan, low), np.where(unclear, np.nan, high)
