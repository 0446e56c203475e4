"""Compare models by their similarity to people's RDMs, with a bootstrap of items and people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from resemblance.arrays import Floats
from resemblance.errors import RDMError, SettingError
from resemblance.notebook import ShownTable
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.ranges import LEVEL, check, integers
from resemblance.rdms.ceiling import RDMCeiling, apart, left_out, rdm_noise_ceiling
from resemblance.rdms.rdms import RDMs, pair_numbers, same_items
from resemblance.rdms.similarity import (
    BY_WEIGHT,
    FEWEST_PAIRS,
    Ends,
    Shared,
    check_comparable,
    check_method,
    coded,
    sampled_similarities,
    samples_at_once,
    shared_cells,
    similarities,
)
from resemblance.scores.intervals import estimates, pairwise

FEWEST_ITEMS = 4  # smallest number of items for a bootstrap of items
FEWEST_DRAWN = 3  # smallest number of distinct items in a sample
TRIES = 100  # largest number of tries for a sample in which all matrices share enough pairs


def drawn_items(
    rdms: RDMs, models: RDMs, shared: list[Shared], n: int, rng: np.random.RandomState
) -> Iterator[NDArray[np.intp]]:
    n_items = len(rdms.items)
    lacking = [part.cells for part in shared if not part.cells.all()]
    ends = np.triu_indices(n_items, 1)
    for _ in range(n):
        for _ in range(TRIES):
            drawn = rng.randint(n_items, size=n_items)
            if len(np.unique(drawn)) >= FEWEST_DRAWN and _has_pairs(drawn, lacking, ends):
                break
        else:
            scarce = min(shared, key=lambda part: int(part.cells.sum()))
            raise RDMError(
                f"{both_names(rdms, models, scarce)} have {scarce.cells.sum()} pairs in common, "
                "too few for samples of items: leave one out, or give over=['people']"
            )
        yield drawn


def _has_pairs(drawn: NDArray[np.intp], lacking: list[NDArray[np.bool_]], ends: Ends) -> bool:
    if not lacking:
        return True
    here = np.isin(np.arange(ends[1].max() + 1), drawn)
    pairs = here[ends[0]] & here[ends[1]]
    return all((pairs & cells).sum() >= FEWEST_PAIRS for cells in lacking)


def in_all(
    samples: Iterable[NDArray[np.intp]],
    rdms: RDMs,
    models: RDMs,
    shared: list[Shared],
    method: str,
) -> Floats:
    """Return the similarities in each sample of items, (n_samples, n_rdms, n_models)."""
    if method not in BY_WEIGHT:  # Other methods need the cells of each sample.
        everything = np.ones(rdms.dissimilarities.shape[1], dtype=bool)
        shared = [Shared(np.arange(len(rdms)), np.arange(len(models)), everything)]
    parts = [_Part.of(rdms, models, part, method) for part in shared]
    at_once = samples_at_once(len(models), rdms.dissimilarities.shape[1])
    samples, blocks = iter(samples), []
    while block := list(islice(samples, at_once)):
        each = np.empty((len(block), len(rdms), len(models)))
        for part in parts:
            values = in_samples(part.own, part.of_models, method, block, part.ends)
            each[:, part.shared.first[:, None], part.shared.second] = values
        blocks.append(each)
    return np.concatenate(blocks)


class _Part(NamedTuple):
    shared: Shared
    own: NDArray[Any]
    of_models: NDArray[Any]
    ends: Ends

    @classmethod
    def of(cls, rdms: RDMs, models: RDMs, shared: Shared, method: str) -> _Part:
        own, of_models = (
            coded(matrices.dissimilarities[rows][:, shared.cells], method)
            for matrices, rows in ((rdms, shared.first), (models, shared.second))
        )
        a, b = (end[shared.cells] for end in np.triu_indices(len(rdms.items), 1))
        # Columns are sorted by the first model, because memory access is then faster.
        if method in BY_WEIGHT:
            order = np.argsort(of_models[0], kind="stable")
            own, of_models, a, b = own[:, order], of_models[:, order], a[order], b[order]
        return cls(shared, own, of_models, (a, b))


def in_samples(
    own: NDArray[Any], of: NDArray[Any], method: str, drawn: list[NDArray[np.intp]], ends: Ends
) -> Floats:
    n_items = len(drawn[0])
    if method in BY_WEIGHT:
        times = np.array([np.bincount(sample, minlength=n_items) for sample in drawn])
        return sampled_similarities(own, of, method, times, ends)
    by_sample = []
    for sample in drawn:
        a, b = np.sort([sample[end] for end in ends], axis=0)
        a, b, *kept = (x[a != b] for x in (a, b, *ends))
        cells = pair_numbers(a, b, n_items)
        by_sample.append(similarities(own[:, cells], of[:, cells], method, (kept[0], kept[1])))
    return np.array(by_sample)


def both_names(rdms: RDMs, models: RDMs, part: Shared) -> str:
    return f"{rdms.names[part.first[0]]!r} and {models.names[part.second[0]]!r}"


UNITS = "items", "people"


@dataclass(frozen=True)
class RDMComparison(ShownTable):
    """The similarity of models' RDMs to people's: the result of :func:`compare_rdms`.

    Attributes
    ----------
    method : str
        The similarity.
    over : tuple of str
        The resampled units: "items", "people".
    table : DataFrame
        A row for each model: ``model, estimate, standard_error, low, high``, and ``pairs``, the
        smallest number of pairs that the model has in common with a person.
    differences : DataFrame
        A row for each two models: ``model_a, model_b``, their ``difference`` (a minus b), its
        ``standard_error, low, high``, and ``pairs``.
    ceiling : RDMCeiling or None
        The noise ceiling; None for a single matrix, or if a person has fewer than three pairs in
        common with the other people.
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
    r"""Compare models' RDMs with people's RDMs, and models with each other.

    .. math:: \hat s_m = \frac1G \sum_g s(d^g, d^m), \qquad
       \hat\sigma^2 = \frac{G}{G - 1} V_G + \frac{n}{n - 1} V_n
       - \frac{G n}{(G - 1)(n - 1)} (V_{Gn} - V_G - V_n)

    with s the similarity of the upper triangles of person g and model m. The variances V are over
    bootstrap samples of the G people, of the n items, and of both. The last term subtracts the
    variance that samples of both people and items count twice. The variance is not less than the
    variance over people only, or over items only. Pairs of two copies of an item are left out, as
    well as pairs that are missing in either matrix. A sample of items is drawn again if two
    matrices have fewer than three pairs in it. Intervals are Student's t intervals; the degrees of
    freedom are the smaller of the numbers of people and items, minus one. They do not include the
    uncertainty of the models.

    Source: Nili et al. 2014, A toolbox for representational similarity analysis, PLoS Computational
    Biology 10; Schütt et al. 2023, Statistical inference on representational geometries, eLife 12.

    Parameters
    ----------
    rdms : RDMs
        One matrix per person, or a single matrix.
    models : RDMs
        One matrix per model, on the same items in any order.
    method : str
        "spearman", "pearson" or "cosine". For models with many ties: "rho-a" (the expectation of
        Spearman's rho with ties broken at random) or "kendall tau-a" (slow). "kendall tau-b"
        ignores ties. For squared distances: "whitened pearson" or "whitened cosine".
    over : sequence of str, optional
        "items", "people" or both: the units that are resampled; intervals generalise to other units
        of this kind. Default: both, or items if there is only one matrix.
    n_resamples : int
        The number of resamples, 100 or more.
    level : float
        The coverage of intervals, between 0 and 1. ``papers/calibration`` measures it.
    random_state : int, RandomState or None
        The seed of the resamples.
    callback : callable, optional
        Called with (steps done, steps in all) after each resample, and after each person and item
        that the ceiling leaves out.

    Raises
    ------
    SettingError
        If a setting is out of range, or people are resampled and there is one matrix.
    RDMError
        If the items differ or are fewer than four, a matrix is constant, or two matrices have too
        few pairs in common.

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
    shared = _shared(rdms, models, method)
    rng = check_random_state(random_state)
    similarity = similarities(rdms.dissimilarities, models.dissimilarities, method)
    has_ceiling = len(rdms) > 1 and not apart(rdms.dissimilarities).any()
    left = left_out(rdms.dissimilarities, len(rdms.items), over) if has_ceiling else []
    n_draws = n_resamples if "items" in over else 0
    steps = Steps(callback, sum(map(len, left)) + n_draws)
    people = rng.multinomial(len(rdms), np.full(len(rdms), 1 / len(rdms)), size=n_resamples)
    each = None
    if "items" in over:
        samples = drawn_items(rdms, models, shared, n_resamples, rng)
        each = in_all(steps.each(samples), rdms, models, shared, method)
    drawn = _Draws.of(similarity, people / len(rdms), each, len(rdms.items), over)
    first, second, contrasts = pairwise(len(models))
    parts = [
        estimates(similarity.mean(axis=0) @ c.T, drawn.errors(c), drawn.freedom, level)
        for c in (np.eye(len(models)), contrasts)
    ]
    names = np.array(models.names, dtype=object)
    for end in ("low", "high"):  # Similarities are at most 1.
        parts[0][end] = np.clip(parts[0][end], -1.0, 1.0)
    return RDMComparison(
        method,
        over,
        _of_models(models, parts[0], shared),
        pd.DataFrame(
            {
                "model_a": names[first],
                "model_b": names[second],
                "difference": parts[1].pop("value"),
                **parts[1],
            }
        ),
        rdm_noise_ceiling(rdms, method, over=over, level=level, callback=lambda *_: steps.take())
        if has_ceiling
        else None,
    )


@dataclass(frozen=True)
class _Draws:
    """Mean similarities in samples, each (n_resamples, n_models); None if not computed."""

    n_people: int
    n_items: int
    people: Floats | None
    items: Floats | None
    both: Floats | None

    @classmethod
    def of(
        cls,
        similarity: Floats,
        people: Floats,
        each: Floats | None,
        n_items: int,
        over: Sequence[str],
    ) -> _Draws:
        return cls(
            len(similarity),
            n_items,
            people @ similarity if "people" in over else None,
            None if each is None else each.mean(axis=1),
            None if each is None or len(over) < 2 else np.einsum("bg,bgm->bm", people, each),
        )

    @property
    def freedom(self) -> int:
        sizes = [self.n_people] * (self.people is not None) + [self.n_items] * (
            self.items is not None
        )
        return min(sizes) - 1

    def errors(self, contrasts: Floats) -> Floats:
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
    default = UNITS if len(rdms) > 1 else UNITS[:1]
    asked = default if over is None else (over,) if isinstance(over, str) else tuple(over)
    if not asked or set(asked) - set(UNITS):
        raise SettingError(f"over is {over!r}: name {', '.join(UNITS)} or both", setting="over")
    if "people" in asked and len(rdms) < 2:
        raise SettingError(
            "people cannot be resampled with a single matrix: give one for each person, or "
            "over=['items']",
            setting="over",
        )
    if "items" in asked and len(rdms.items) < FEWEST_ITEMS:
        raise RDMError(
            f"there are {len(rdms.items)} items, and samples need {FEWEST_ITEMS} at least: give "
            "more, or over=['people']"
        )
    return tuple(unit for unit in UNITS if unit in asked)


def _of_models(models: RDMs, columns: dict[str, Floats], shared: list[Shared]) -> pd.DataFrame:
    pairs = [min(s.cells.sum() for s in shared if m in s.second) for m in range(len(models))]
    table = pd.DataFrame({"model": list(models.names), **columns, "pairs": pairs})
    return table.rename(columns={"value": "estimate"})


def _shared(rdms: RDMs, models: RDMs, method: str) -> list[Shared]:
    for matrices in (rdms, models):
        check_comparable(matrices.dissimilarities, matrices.names, method)
    shared = shared_cells(rdms.dissimilarities, models.dissimilarities)
    for part in shared:
        if part.cells.sum() < FEWEST_PAIRS:
            raise RDMError(
                f"{both_names(rdms, models, part)} have {part.cells.sum()} pairs in common, and "
                f"need {FEWEST_PAIRS}: leave one out"
            )
        for matrices, rows in ((rdms, part.first), (models, part.second)):
            names = [matrices.names[row] for row in rows]
            check_comparable(matrices.dissimilarities[rows][:, part.cells], names, method)
    return shared
