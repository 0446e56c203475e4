"""How well models explain people's RDMs, with the bootstrap over items and people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from resemblance.arrays import Floats
from resemblance.errors import RDMError, SettingError
from resemblance.notebook import ShownTable
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.ranges import LEVEL, check, integers
from resemblance.rdms.ceiling import RDMCeiling, left_out, rdm_noise_ceiling
from resemblance.rdms.rdms import RDMs, pair_numbers, same_items
from resemblance.rdms.similarity import (
    BY_WEIGHT,
    Ends,
    check_comparable,
    check_method,
    coded,
    sampled_similarities,
    samples_at_once,
    similarities,
)
from resemblance.scores.intervals import student_interval

UNITS = "items", "people"
FEWEST_ITEMS = 4  # that a sample of items is drawn from
FEWEST_DRAWN = 3  # different items of a sample


@dataclass(frozen=True)
class RDMComparison(ShownTable):
    """How like people's RDMs those of models are; :func:`compare_rdms` makes it.

    Attributes
    ----------
    method : str
        The similarity.
    over : tuple of str
        What was drawn anew: "items", "people".
    table : DataFrame
        A row for each model: ``model, estimate, standard_error, low, high``.
    differences : DataFrame
        A row for each two models: ``model_a, model_b``, the ``difference`` a less b, and as above.
    ceiling : RDMCeiling or None
        Of several people's matrices: between which values the true model would come, with intervals
        over the same.

    Examples
    --------
    >>> table = pd.DataFrame({"model": ["pixels"], "estimate": [0.2]})
    >>> RDMComparison("spearman", ("items",), table, pd.DataFrame(), None).table["estimate"][0]
    np.float64(0.2)
    """

    method: str
    over: tuple[str, ...]
    table: pd.DataFrame
    differences: pd.DataFrame
    ceiling: RDMCeiling | None


def compare_rdms(
    rdms: RDMs,
    models: RDMs,
    method: str = "spearman",
    *,
    over: Sequence[str] | None = None,
    n_resamples: int = 1000,
    level: float = 0.95,
    random_state: int | np.random.RandomState | None = None,
    callback: Told | None = None,
) -> RDMComparison:
    r"""Compare people's RDMs with those of models, and models with each other.

    .. math:: \hat s_m = \frac1G \sum_g s(d^g, d^m), \qquad
       \hat\sigma^2 = \frac{G}{G - 1} V_G + \frac{n}{n - 1} V_n
       - \frac{G n}{(G - 1)(n - 1)} (V_{Gn} - V_G - V_n)

    with s the similarity of two upper triangles, and the variances V over bootstrap samples of the
    G people, of the n items, and of both; the last term takes off what the sample of both counts
    twice. The variance is no less than those of people or items alone. An item drawn twice gives no
    pair with itself. Intervals are of Student's t, with one less than the smaller number of people
    or items as degrees of freedom. Models are taken as they are: what is not known of *them* is
    not counted.

    Source: Nili et al. 2014, A toolbox for representational similarity analysis, PLoS Computational
    Biology 10; Schütt et al. 2023, Statistical inference on representational geometries, eLife 12.

    Parameters
    ----------
    rdms : RDMs
        One of each person, or one alone.
    models : RDMs
        One of each model, or of whatever else people are compared with; on the same items, in any
        order.
    method : str
        "spearman", "pearson", "cosine"; "rho-a", Spearman's with ties broken at random, or "kendall
        tau-a" (slow), where a model has many ties, "kendall tau-b" (of pairs that are no ties);
        "whitened pearson", "whitened cosine", and "bures", of squared distances.
    over : sequence of str, optional
        What is drawn anew: "items", "people" or both, so that intervals speak of others of these.
        Default: both, and of one matrix the items.
    n_resamples : int
        Draws, 100 or more.
    level : float
        The coverage of intervals, between 0 and 1. ``papers/calibration`` has what they cover.
    random_state : int, RandomState or None
        Of the draws.
    callback : callable, optional
        Called with (steps done, steps in all) after each draw of items, and after each person and
        item that the ceiling leaves out.

    Returns
    -------
    RDMComparison

    Raises
    ------
    SettingError
        If a setting is out of range, or people are drawn and there is one matrix.
    RDMError
        If the items differ or are fewer than four, or a matrix is constant.

    Examples
    --------
    >>> from resemblance import rdm
    >>> rng = np.random.default_rng(0)
    >>> model = rdm(rng.normal(size=(12, 2)))
    >>> people = RDMs(model.dissimilarities + rng.normal(0, 0.3, (8, 66)))
    >>> result = compare_rdms(people, model, random_state=0)
    >>> row = result.table.iloc[0]
    >>> bool(row.low < row.estimate < row.high), bool(result.ceiling.lower < result.ceiling.upper)
    (True, True)
    """
    check_method(method)
    models = same_items(rdms, models)
    over = _units(over, rdms)
    check(n_resamples=(n_resamples, integers(100)), level=(level, LEVEL))
    for one in (rdms, models):
        check_comparable(one, method)
    rng = check_random_state(random_state)
    similarity = similarities(rdms.dissimilarities, models.dissimilarities, method)
    n_ceiling = (
        sum(map(len, left_out(rdms.dissimilarities, len(rdms.items), over))) if len(rdms) > 1 else 0
    )
    steps = Steps(callback, n_ceiling + (n_resamples if "items" in over else 0))
    drawn = _Draws.of(rdms, models, similarity, method, over, n_resamples, rng, steps)
    contrasts = np.array(
        [np.eye(len(models))[a] - np.eye(len(models))[b] for a, b in _pairs(models)]
    ).reshape(-1, len(models))
    parts = [
        _estimates(similarity.mean(axis=0) @ c.T, drawn.errors(c), drawn.freedom, level)
        for c in (np.eye(len(models)), contrasts)
    ]
    two = [[models.names[i] for i in side] for side in zip(*_pairs(models), strict=True)]
    return RDMComparison(
        method,
        over,
        pd.DataFrame({"model": list(models.names), "estimate": parts[0].pop("value"), **parts[0]}),
        pd.DataFrame(
            {
                "model_a": two[0] if two else [],
                "model_b": two[1] if two else [],
                "difference": parts[1].pop("value"),
                **parts[1],
            }
        ),
        rdm_noise_ceiling(rdms, method, over=over, level=level, callback=lambda *_: steps.take())
        if len(rdms) > 1
        else None,
    )


@dataclass(frozen=True)
class _Draws:
    """Mean similarities of bootstrap samples, (n_resamples, n_models) each; None if not drawn."""

    n_people: int
    n_items: int
    people: Floats | None
    items: Floats | None
    both: Floats | None

    @classmethod
    def of(
        cls,
        rdms: RDMs,
        models: RDMs,
        similarity: Floats,
        method: str,
        over: tuple[str, ...],
        n: int,
        rng: np.random.RandomState,
        steps: Steps,
    ) -> _Draws:
        """Draw people, items and both; the samples of both are those of items, of drawn people."""
        n_people, n_items = len(rdms), len(rdms.items)
        people = rng.multinomial(n_people, np.full(n_people, 1 / n_people), size=n) / n_people
        of_items: list[Floats] = []
        if "items" in over:
            own, of = (coded(x.dissimilarities, method) for x in (rdms, models))
            ends = np.triu_indices(n_items, 1)
            if method in BY_WEIGHT:  # near in a model is near in memory, which is faster
                order = np.argsort(of[0], kind="stable")
                own, of, ends = own[:, order], of[:, order], (ends[0][order], ends[1][order])
            samples = steps.each(_samples(n_items, n, rng))
            while block := list(islice(samples, samples_at_once(len(models), len(ends[0])))):
                of_items.extend(in_samples(own, of, method, block, ends))
        each = np.array(of_items)
        return cls(
            n_people,
            n_items,
            people @ similarity if "people" in over else None,
            each.mean(axis=1) if of_items else None,
            np.einsum("bg,bgm->bm", people, each) if len(over) == 2 else None,
        )

    @property
    def freedom(self) -> int:
        """The degrees of freedom: of whatever was drawn, the fewest less one."""
        sizes = [self.n_people] * (self.people is not None) + [self.n_items] * (
            self.items is not None
        )
        return min(sizes) - 1

    def errors(self, contrasts: Floats) -> Floats:
        """Return the standard errors of contrasts of models."""
        up = [n / max(n - 1, 1) for n in (self.n_people, self.n_items)]
        people, items = (
            None if x is None else u * (x @ contrasts.T).var(axis=0, ddof=1)
            for u, x in zip(up, (self.people, self.items), strict=True)
        )
        if self.both is None:
            alone = items if people is None else people
            assert alone is not None
            return np.sqrt(alone)
        assert people is not None
        assert items is not None
        both = (self.both @ contrasts.T).var(axis=0, ddof=1)
        twice = up[0] * up[1] * (both - people / up[0] - items / up[1])
        return np.asarray(np.sqrt(np.maximum(people + items - twice, np.maximum(people, items))))


def _units(over: Sequence[str] | None, rdms: RDMs) -> tuple[str, ...]:
    """Say what is drawn; refuse what cannot be."""
    default = UNITS if len(rdms) > 1 else UNITS[:1]
    asked = default if over is None else (over,) if isinstance(over, str) else tuple(over)
    if not asked or set(asked) - set(UNITS):
        raise SettingError(f"over is {over!r}: name {', '.join(UNITS)} or both", setting="over")
    if "people" in asked and len(rdms) < 2:
        raise SettingError(
            "one matrix is of one person, and others cannot be drawn: give one for each person, or "
            "over=['items']",
            setting="over",
        )
    if "items" in asked and len(rdms.items) < FEWEST_ITEMS:
        raise RDMError(
            f"there are {len(rdms.items)} items, and samples need {FEWEST_ITEMS} at least: give "
            "more, or over=['people']"
        )
    return tuple(unit for unit in UNITS if unit in asked)


def _pairs(models: RDMs) -> list[tuple[int, int]]:
    return list(combinations(range(len(models)), 2))


def _samples(n_items: int, n: int, rng: np.random.RandomState) -> Iterator[NDArray[np.intp]]:
    """Draw items with replacement, n times; each sample has some different ones."""
    for _ in range(n):
        drawn = rng.randint(n_items, size=n_items)
        while len(np.unique(drawn)) < FEWEST_DRAWN:
            drawn = rng.randint(n_items, size=n_items)
        yield drawn


def in_samples(
    own: NDArray[Any], of: NDArray[Any], method: str, drawn: list[NDArray[np.intp]], ends: Ends
) -> Floats:
    """Return the similarities in samples of items, of which none gives a pair with itself.

    Examples
    --------
    >>> rows, ends = np.array([[1.0, 2.0, 4.0]]), np.triu_indices(3, 1)
    >>> in_samples(rows, rows**2, "pearson", [np.array([0, 1, 2])], ends).round(3)
    array([[[0.99]]])
    """
    n_items = len(drawn[0])
    if method in BY_WEIGHT:
        times = np.array([np.bincount(sample, minlength=n_items) for sample in drawn])
        return sampled_similarities(own, of, method, times, ends)
    found = []
    for sample in drawn:
        a, b = np.sort([sample[end] for end in ends], axis=0)
        a, b, *kept = (x[a != b] for x in (a, b, *ends))
        cells = pair_numbers(a, b, n_items)
        found.append(similarities(own[:, cells], of[:, cells], method, (kept[0], kept[1])))
    return np.array(found)


def _estimates(values: Floats, errors: Floats, freedom: int, level: float) -> dict[str, Floats]:
    """Return values, their standard errors and intervals."""
    low, high = student_interval(values, errors, freedom, level)
    return {"value": values, "standard_error": errors, "low": low, "high": high}
