"""Measure how like people several networks see, on several data sets."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student_t
from sklearn.utils import check_random_state

from resemblance.analysis.distilling import fitted_heads, linear_head
from resemblance.arrays import Floats
from resemblance.errors import (
    ConstantFeatureWarning,
    JudgmentError,
    ResemblanceError,
    SettingError,
    first_few,
)
from resemblance.fitting import ItemKFold
from resemblance.judgments import Items, Judgments, of_kind
from resemblance.notebook import Card, ShownTable
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
from resemblance.scores.intervals import CrossedErrors, pairwise

MEASURES = {"as_is": "features as they are", "learned": "learned weights"}
FOLDS = 3  # number of folds of items for learned weights
SPLITS = 4  # number of random divisions into folds
# The variance of learned weights is larger, because they depend on the training items and people.
VARIANCE_FACTORS = {"as_is": 1.0, "learned": 1 + FOLDS / (FOLDS - 1)}
POWER = 0.8  # probability that a difference of the size `detectable` is called "apart"
DRAWS = 2000  # number of draws for the interval of a share of the ceiling
Verdict = Literal["all apart", "some apart", "not apart", "unknown"]


@dataclass(frozen=True)
class Benchmark(ShownTable):
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
        A row for each data set, ``measure`` ("as_is", "learned") and pair of networks: ``data,
        measure, network_a, network_b``; ``difference``, the accuracy of a minus that of b, with
        ``standard_error, low, high``, an interval that holds for all rows of a data set at once;
        ``detectable``, a difference that four of five such data sets would call apart; and
        ``verdict``: "apart" if the interval excludes 0, "not apart", or "unknown" if there are too
        few people or items for an interval.
    left_out : dict of str to str
        The data sets and measures that were left out, with the reason.
    """

    table: pd.DataFrame
    differences: pd.DataFrame
    left_out: Mapping[str, str]

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """Whether each data set tells these networks apart.

        "all apart", if each pair of networks is apart in a measure; "some apart"; "not apart", if
        no pair is, which does not mean that they are equal; "unknown", if there is a single
        network, or no difference has an interval.
        """
        verdicts: dict[str, Verdict] = dict.fromkeys(self.table["data"], "unknown")
        # "apart" is before "not apart" and "unknown", so the minimum is that of the clearer measure
        pairs = self.differences.groupby(["data", "network_a", "network_b"])["verdict"].min()
        for name, verdict in pairs.groupby("data"):
            apart = verdict == "apart"
            if apart.any():
                verdicts[str(name)] = "all apart" if apart.all() else "some apart"
            elif (verdict == "not apart").any():
                verdicts[str(name)] = "not apart"
        return verdicts

    def _card(self) -> Card:
        return Card("Likeness of networks to people", dict(self.verdicts), self.table)


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
    / t if t answers tie). There are two measures: the features as they are, which need no fit, and
    learned weights, which are the linear head of :func:`distil`. Items are divided into three folds
    at random, four times. Weights are learned without the items of a fold and tested on answers
    that are only about these items, so useless features do not raise the accuracy.

    All networks are compared on the same answers. Intervals hold for other people and other items
    of the same kind, because the covariance of answers that share a person or an item is part of
    the standard error. So a difference that is certain for a few items can still be due to chance.
    Learned weights also depend on the training items and people; therefore their variance is
    multiplied by 1 + J / (J - 1), where J is the number of folds. Alpha is 1 - level, and C is the
    number of differences of a data set in both measures, so that all of their intervals hold at
    once; other data sets are not counted. If there is no or one observer, responses (or else rows)
    take the place of people.

    Parameters
    ----------
    data : dict of str to Triplets, Quadruplets, Choices or OddOneOuts
        People's answers by the name of the data set.
    networks : dict of str to dict of str to array (n_items, d) or Items
        For each network the features by the name of the data set: an array in the order of the data
        set's items, or named Items with features, in any order. A network may lack some data sets.
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
        not finite; if a network has features for no data set; or if a setting is out of range.

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
    if not data:
        raise SettingError("there is no data set: give one at least.", setting="data")
    prepared = {
        name: {
            network: _prepared(answers, features[name], similarity, f"{network}, {name}")
            for network, features in networks.items()
            if name in features
        }
        for name, answers in data.items()
    }
    left_out = {name: "no network has features of it" for name in data if not prepared[name]}
    lacking = [name for name in networks if not any(name in each for each in prepared.values())]
    if lacking or not networks:
        raise SettingError(
            f"no features of {first_few(data)} are given for "
            f"{first_few(lacking) or 'any network'}: add some, or leave it out.",
            setting="networks",
        )
    steps = Steps(callback, FOLDS * SPLITS * sum(map(len, prepared.values())))
    rng = check_random_state(random_state)
    tables, differences = {}, {}
    for name, by_network in prepared.items():
        if not by_network:
            continue
        described, as_is = zip(*by_network.values(), strict=True)
        errors = {"as_is": _errors(data[name], np.column_stack(as_is), "as_is")}
        counts = {}
        try:
            learned = _learned_hits(described, n_components, rng, steps)
            errors["learned"] = _errors(data[name], learned, "learned")
            counts["learned_answers"] = np.isfinite(learned[:, 0]).sum()
        except (JudgmentError, SettingError) as error:
            reason = str(error).partition(":")[0]
            left_out[f"{name}, {MEASURES['learned']}"] = f"{reason}: give more items or answers"
        tables[name] = _table(data[name], list(by_network), errors, level, rng).assign(**counts)
        differences[name] = _differences(list(by_network), errors, level)
    table, differing = (pd.concat(parts, names=["data"]) for parts in (tables, differences))
    return Benchmark(table.reset_index(), differing.reset_index(), left_out)


def _prepared(
    answers: Judgments, given: Any, similarity: Similarity, about: str
) -> tuple[Judgments, Floats]:
    """Return the answers about items with these features, and hits (m,) of features as they are."""
    remedy = "give triplets, quadruplets, choices or odd ones out"
    items = of_kind(answers, Judgments, "benchmark", remedy).items
    try:
        if isinstance(given, Items):
            given = given.taken(given.positions(items.names)).features
        table = checked_table(given, "features", items)
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConstantFeatureWarning)
            model = ModelObserver(table, similarity, items=items)
    except (ResemblanceError, ConstantFeatureWarning) as error:
        raise SettingError(f"features of {about}: {error}", setting="networks") from None
    described = answers._with(items=Items(items.names, table))
    return described, hits_of(model.utilities(answers))


def _learned_hits(
    described: Sequence[Judgments], n_components: int, rng: Any, steps: Steps
) -> Floats:
    """Return the mean hits (m, n_networks) in all folds that test a row; NaN if none does."""
    seed = rng.randint(2**31 - SPLITS)
    splits = (ItemKFold(FOLDS, whole=True, random_state=seed + at) for at in range(SPLITS))
    folds = [fold for split in splits for fold in split.split(described[0])]
    hits = np.zeros((len(described[0]), len(described)))
    for column, answers in enumerate(described):
        rank = min(n_components, np.asarray(answers.items.features).shape[1])
        heads = fitted_heads((answers[train] for train, _ in folds), linear_head(), rank, seed)
        for head, (_, test) in zip(heads, folds, strict=True):
            hits[test, column] += hits_of(utilities_of(head, answers[test]))
            steps.take()
    times = np.bincount(np.concatenate([test for _, test in folds]), minlength=len(hits))
    hits[times == 0] = np.nan
    return np.asarray(hits / np.maximum(times, 1)[:, None])


def _errors(answers: Judgments, hits: Floats, measure: str) -> CrossedErrors:
    tested = np.flatnonzero(np.isfinite(hits[:, 0]))
    answers, hits = answers[tested], hits[tested]
    people: ArrayLike | None = answers.observer
    if people is None or len(np.unique(people)) < 2:
        people = answers.response_id
    errors = CrossedErrors.of(hits, answers.weights, people, answers.index)
    return replace(errors, covariances=VARIANCE_FACTORS[measure] * errors.covariances)


def _table(
    answers: Judgments,
    networks: list[str],
    errors: Mapping[str, CrossedErrors],
    level: float,
    rng: Any,
) -> pd.DataFrame:
    chance = weighted_mean(1.0 / answers.answers_possible(), answers.weights)
    estimated, ends = ceiling_of(answers, None, level)
    ceiling = np.nan if estimated is None else estimated
    columns: dict[str, Any] = {
        "answers": len(answers),
        "people": None if answers.observer is None else len(np.unique(answers.observer)),
        "items": len(answers.items),
        "chance": chance,
        **_with_interval("ceiling", ceiling, *(ends or (np.nan, np.nan))),
    }
    for measure, own in errors.items():
        accuracy, error, low, high = own.estimates(np.eye(len(networks)), level).values()
        columns |= _with_interval(measure, accuracy, *np.clip((low, high), 0.0, 1.0))
        if ceiling > chance:
            error[np.isnan(low)] = np.nan
            drawn = rng.standard_t(max(own.freedom, 1.0), (len(networks), DRAWS))
            gains = accuracy[:, None] + error[:, None] * drawn - chance
            shares = [share_interval(gain, ceiling - chance, ends, level, rng) for gain in gains]
            share = (accuracy - chance) / (ceiling - chance)
            columns |= _with_interval(f"{measure}_share", share, *np.transpose(shares))
    return pd.DataFrame(columns, index=pd.Index(networks, name="network"))


def _with_interval(name: str, value: Any, low: Any, high: Any) -> dict[str, Any]:
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def _differences(
    networks: list[str], errors: Mapping[str, CrossedErrors], level: float
) -> pd.DataFrame:
    first, second, contrasts = pairwise(len(networks))
    pairs = [np.array(networks)[first], np.array(networks)[second]]
    # Bonferroni's level, for all differences at once
    adjusted = 1 - (1 - level) / max(len(contrasts) * len(errors), 1)
    tables = {}
    for measure, own in errors.items():
        table = pd.DataFrame(own.estimates(contrasts, adjusted), index=pairs)
        low, high = table["low"], table["high"]
        power_quantile = student_t.ppf(POWER, max(own.freedom, 1.0))
        table["detectable"] = (high - low) / 2 + power_quantile * table["standard_error"]
        conditions = [low.isna(), (low > 0) | (high < 0)]
        table["verdict"] = np.select(conditions, ["unknown", "apart"], "not apart")
        tables[measure] = table.rename(columns={"value": "difference"})
    return pd.concat(tables, names=["measure", "network_a", "network_b"])
