"""Measure how like people several networks see, on several data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student_t
from sklearn.utils import check_random_state

from resemblance.analysis.distilling import fitted_heads, linear_head
from resemblance.arrays import Floats
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
from resemblance.scores.intervals import CrossedErrors

MEASURES = {"as_is": "features as they are", "learned": "learned weights"}
FOLDS = 3  # folds of items in which weights are learned and tested
SPLITS = 4  # number of random divisions into folds
# Variance over fits to other items and people, relative to that over test answers alone.
REFITTED = 1 + FOLDS / (FOLDS - 1)
POWER = 0.8  # share of such data sets that would tell a difference that is called detectable
DRAWS = 2000  # number of draws for the interval of a share of the ceiling
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
        ``as_is_share, learned_share``, the shares of what is possible. The ceiling, accuracies and
        shares have intervals, ``_low`` and ``_high``. A number that the answers do not determine is
        missing.
    differences : pandas.DataFrame
        A row for each data set, ``measure`` ("as_is", "learned") and two networks: ``data, measure,
        network_a, network_b, difference`` (a minus b), ``standard_error, low, high``, an interval
        that holds for all rows of a data set at once, ``detectable``, the difference that four of
        five such data sets would tell, and ``verdict``: "apart", "not apart", or "unknown" if there
        are too few people or items for an interval.
    left_out : dict of str to str
        The data sets and measures that were left out, with the reason.
    """

    table: pd.DataFrame
    differences: pd.DataFrame
    left_out: Mapping[str, str]

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """Whether each data set tells these networks apart.

        "all apart", if each two networks are apart in a measure; "some apart"; "not apart", if no
        two are, which does not say that they are equal; "unknown", if there is a single network, or
        no difference has an interval.
        """
        return {str(name): self._verdict(name) for name in self.table["data"].unique()}

    def _verdict(self, name: Any) -> Verdict:
        rows = self.differences[self.differences["data"] == name]
        if (rows["verdict"] == "unknown").all():
            return "unknown"
        apart = rows["verdict"].eq("apart").groupby([rows["network_a"], rows["network_b"]]).any()
        return "all apart" if apart.all() else "some apart" if apart.any() else "not apart"

    def sentences(self, name: str) -> list[str]:
        """Return what a data set says about differences of networks, for each measure."""
        said = []
        rows = self.differences[self.differences["data"] == name]
        for measure, each in rows.groupby("measure", sort=False):
            apart, open_, unknown = (
                each[each["verdict"] == verdict] for verdict in ("apart", "not apart", "unknown")
            )
            parts = []
            if len(apart):
                parts.append(f"tells apart {first_few(map(_ordered, apart.itertuples()))}")
            if len(open_):
                pairs = first_few(
                    f"{row.network_a} and {row.network_b}" for row in open_.itertuples()
                )
                parts.append(
                    f"cannot tell apart {pairs}; {POWER:.0%} of such data sets would tell a "
                    f"difference of {open_['detectable'].max():.3f}"
                )
            if len(unknown):
                parts.append("too few people or items for an interval")
            said.append(f"{MEASURES[str(measure)]}: {'; '.join(parts)}")
        return said or ["a single network cannot be compared"]

    def _card(self) -> Card:
        return Card("Likeness of networks to people", dict(self.verdicts), self.table)


def _ordered(row: Any) -> str:
    two = (row.network_a, row.network_b)
    return " > ".join(two if row.difference > 0 else two[::-1])


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
    answers that share a person or an item, so intervals hold for other people and other items of
    this kind: with few items, a difference can be certain for these items and be due to chance all
    the same. For learned weights, which depend on the training items and people, the variance is
    multiplied by 1 + J / (J - 1) for J folds. Intervals of differences hold for all C differences
    of a data set at once, in both measures; each data set stands for itself. If people are unknown,
    responses (or else rows) take their place.

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
    Analysis 23. Nadeau & Bengio 2003, Inference for the generalization error, Machine Learning 52.
    Muttenthaler et al. 2023, Human alignment of neural network representations, ICLR.

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
    described = {
        name: {
            network: _described(of_kind(answers, Judgments, "benchmark"), of[name], network, name)
            for network, of in networks.items()
            if name in of
        }
        for name, answers in data.items()
    }
    left_out = {name: "no network has features of it" for name in data if not described[name]}
    steps = Steps(callback, FOLDS * SPLITS * sum(map(len, described.values())))
    rng = check_random_state(random_state)
    tables, differences = [], []
    for name, of_networks in described.items():
        if name in left_out:
            continue
        hits = {"as_is": _hits(of_networks, similarity)}
        try:
            hits["learned"] = _learned_hits(of_networks, n_components, rng, steps)
        except SettingError as error:
            left_out[f"{name}, {MEASURES['learned']}"] = str(error)
        measured = {
            measure: _errors(data[name], values, measure) for measure, values in hits.items()
        }
        tables.append(_table(data[name], measured, level, rng))
        tables[-1].insert(0, "network", list(of_networks))
        differences.append(_differences(list(of_networks), measured, level))
        if "learned" in hits:
            tables[-1]["learned_answers"] = np.isfinite(hits["learned"][:, 0]).sum()
        for rows in (tables[-1], differences[-1]):
            rows.insert(0, "data", name)
    if not tables:
        raise SettingError(
            f"no network has features of {first_few(data) or 'any data set'}: give some.",
            setting="networks",
        )
    table, differing = (pd.concat(parts, ignore_index=True) for parts in (tables, differences))
    return Benchmark(table, differing, left_out)


def _described(answers: Judgments, given: Any, network: str, name: str) -> Judgments:
    """Return the answers about items with a network's features."""
    names = answers.items.names
    if isinstance(given, Items):
        described = set(given.names)
        if lacking := [item for item in names if item not in described]:
            raise SettingError(
                f"{network} has no features of {first_few(lacking)} ({len(lacking)} of the "
                f"{len(names)} items of {name}): add them.",
                setting="networks",
            )
        given = given.taken(given.positions(names)).features
    elif (n_rows := len(np.atleast_1d(given))) != len(names):
        raise SettingError(
            f"the features of {network} have {n_rows} rows, and {name} has {len(names)} items: "
            f"give a row for each, in the order of its items ({first_few(names, 3)}).",
            setting="networks",
        )
    table = checked_table(given, "features", answers.items)
    if not np.ptp(table, axis=0).any():
        raise SettingError(f"the features of {network} are the same for all items of {name}.")
    return answers._with(items=Items(names, table))


def _hits(described: Mapping[str, Judgments], similarity: Similarity) -> Floats:
    models = (
        (ModelObserver(np.asarray(each.items.features), similarity, items=each.items), each)
        for each in described.values()
    )
    return np.column_stack([hits_of(utilities_of(model, each)) for model, each in models])


def _learned_hits(
    described: Mapping[str, Judgments], n_components: int, rng: Any, steps: Steps
) -> Floats:
    """Return the mean hits (m, n_networks) in all folds that test a row; NaN if none does."""
    seed = rng.randint(2**31 - SPLITS)
    answers = next(iter(described.values()))
    splits = (ItemKFold(FOLDS, whole=True, random_state=seed + at) for at in range(SPLITS))
    folds = [fold for split in splits for fold in split.split(answers)]
    sums = np.zeros((len(answers), len(described)))
    for at, each in enumerate(described.values()):
        rank = min(n_components, np.asarray(each.items.features).shape[1])
        heads = fitted_heads((each[train] for train, _ in folds), linear_head(), rank, seed)
        for head, (_, test) in zip(heads, folds, strict=True):
            sums[test, at] += hits_of(utilities_of(head, each[test]))
            steps.take()
    times = np.bincount(np.concatenate([test for _, test in folds]), minlength=len(answers))
    return np.asarray(np.where(times, sums.T / np.maximum(times, 1), np.nan).T)


def _errors(answers: Judgments, hits: Floats, measure: str) -> CrossedErrors:
    tested = answers[np.flatnonzero(np.isfinite(hits[:, 0]))]
    people = tested.observer
    if people is None or len(np.unique(people)) < 2:
        people = tested.response_id
    hits = hits[np.isfinite(hits[:, 0])]
    errors = CrossedErrors.of(hits, tested.weights, people, tested.index)
    times = REFITTED if measure == "learned" else 1.0
    return replace(errors, covariances=times * errors.covariances)


def _table(
    answers: Judgments, measured: Mapping[str, CrossedErrors], level: float, rng: Any
) -> pd.DataFrame:
    chance = weighted_mean(1.0 / answers.answers_possible(), answers.weights)
    top, ends = ceiling_of(answers, None, level)
    columns: dict[str, Any] = {
        "answers": len(answers),
        "people": None if answers.observer is None else len(np.unique(answers.observer)),
        "items": len(answers.items),
        "chance": chance,
        "ceiling": top,
    }
    columns["ceiling_low"], columns["ceiling_high"] = ends or (None, None)
    for measure, errors in measured.items():
        values, each, *interval = errors.intervals(np.eye(len(errors.means)), level)
        columns[measure] = values
        columns[f"{measure}_low"], columns[f"{measure}_high"] = np.clip(interval, 0.0, 1.0)
        if top is not None and top > chance:
            drawn = each[:, None] * rng.standard_t(max(errors.freedom, 1.0), (len(each), DRAWS))
            gains = values[:, None] + drawn - chance
            shares = [share_interval(gain, top - chance, ends, level, rng) for gain in gains]
            columns[f"{measure}_share"] = (values - chance) / (top - chance)
            columns[f"{measure}_share_low"], columns[f"{measure}_share_high"] = np.transpose(shares)
    return pd.DataFrame(columns)


def _differences(
    networks: list[str], measured: Mapping[str, CrossedErrors], level: float
) -> pd.DataFrame:
    a, b = np.array([*combinations(range(len(networks)), 2)], dtype=int).reshape(-1, 2).T
    contrasts = np.eye(len(networks))[a] - np.eye(len(networks))[b]
    # Bonferroni's level, for all differences at once
    adjusted = 1 - (1 - level) / max(len(a) * len(measured), 1)
    tables = []
    for measure, errors in measured.items():
        difference, each, low, high = errors.intervals(contrasts, adjusted)
        columns = {
            "measure": measure,
            "network_a": np.array(networks)[a],
            "network_b": np.array(networks)[b],
            "difference": difference,
            "standard_error": each,
            "low": low,
            "high": high,
            "detectable": (high - low) / 2 + student_t.ppf(POWER, max(errors.freedom, 1.0)) * each,
            "verdict": np.where((low > 0) | (high < 0), "apart", "not apart"),
        }
        tables.append(pd.DataFrame(columns))
    table = pd.concat(tables)
    return table.assign(verdict=table["verdict"].where(table["low"].notna(), "unknown"))
