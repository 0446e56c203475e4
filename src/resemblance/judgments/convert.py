"""Convert judgments of one kind into another, and arguments of a fit into judgments.

Conversions of confusions first pool all rows of a pair and then use its ratio of errors to trials.
Each conversion loses information, which is why the baselines of the Yada paper fit worse (section
4.5). Split confusions into folds before converting them, because many judgments use the same count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln
from sklearn.utils.random import sample_without_replacement

from resemblance.errors import JudgmentError, SettingError
from resemblance.judgments.base import Judgments, OneKind
from resemblance.judgments.checks import is_table, of_kind, refuse
from resemblance.judgments.choices import Choices, OddOneOuts
from resemblance.judgments.confusions import Confusions
from resemblance.judgments.distributed import Elsewhere, distribute, is_frame
from resemblance.judgments.file_io import judgments_of
from resemblance.judgments.items import ItemsLike, items_up_to
from resemblance.judgments.joining import (
    AnyJudgments,
    Joined,
    join_judgments,
    one_kind,
    refuse_machines_among_people,
    refuse_machines_of_a_scan,
)
from resemblance.judgments.labels import KEPT
from resemblance.judgments.pairs import PairRanks, Ratings, SimilarPairs
from resemblance.judgments.rows import Rows
from resemblance.judgments.stored import StoredJudgments
from resemblance.judgments.tables import Table, names_of, read_table
from resemblance.judgments.triplets import Quadruplets, Triplets
from resemblance.optional import pd
from resemblance.ranges import SHARE, Range, check, integers

KINDS: tuple[type[Judgments], ...] = (Triplets, Quadruplets, Choices, OddOneOuts)
COUNTED: tuple[type[Rows], ...] = (Confusions, Ratings, SimilarPairs)

# A column with over three times as many distinct values as the other columns holds no items.
MOST_BEYOND = 3
# The p-value sums tables that are at most as likely as the observed table. The factor allows for
# rounding.
AS_LIKELY = 1 + 1e-7
CELLS = 1 << 20
Integers = NDArray[np.int64]
RowNumbers = NDArray[np.intp]
MOST_COUPLES = 20_000_000  # this many pairs of pairs take about 1 GB of memory


def as_judgments(x: Judgments | ArrayLike, y: ArrayLike | None = None) -> Judgments:
    """Return judgments as they are; read an array of positions as triplets or quadruplets.

    Parameters
    ----------
    x : Judgments, array of int of shape (m, 3) or (m, 4), or table
        An array with three columns has triplets, an array with four columns quadruplets. The
        columns of a table (pandas, polars, Arrow) are read by name, in any order: head, near, far
        (or anchor, positive, negative; head, winner, loser); a, b, c, d; head, chosen, options; or
        odd, options. If all these columns hold whole numbers, the numbers are positions; otherwise
        the cells are names of items. The columns weight, response_id and observer are optional; all
        other columns become ``extra``.
    y : array of shape (m,) or (m, 2), optional
        The responses, if the columns of x are not ordered by the answer: +1 or True where the first
        of the two compared pairs is more similar, -1 or False where the second is; or one-hot rows.

    Raises
    ------
    JudgmentError
        If x is of another type or a kind that no choice model fits (catch trials, ranks of pairs);
        if y has another length or other values.

    Examples
    --------
    >>> as_judgments([[0, 1, 2], [2, 1, 0]])
    Triplets(2 rows, 3 items)
    >>> as_judgments([[0, 1, 2], [2, 1, 0]], [1, -1]).index
    array([[0, 1, 2],
           [2, 0, 1]], dtype=int32)
    """
    judgments = _as_judgments(x)
    if y is None:
        return judgments
    if isinstance(x, Rows) or not isinstance(judgments, Triplets | Quadruplets):
        raise JudgmentError(
            f"y is given, but {type(judgments).__name__} hold their answers themselves: leave y out"
        )
    return judgments.answered(y)


def _as_judgments(x: Any) -> Judgments:
    if isinstance(x, Judgments):
        return x
    if isinstance(x, Elsewhere):
        place = "the disk" if isinstance(x, StoredJudgments) else "a cluster"
        raise JudgmentError(
            f"these judgments are on {place}, and this would load all of them: fit and score take "
            "them as they are; otherwise give a sample, judgments.sample(100_000)"
        )
    if isinstance(x, Joined):
        one_kind(x)
    if isinstance(x, Rows):
        raise JudgmentError(
            f"{type(x).__name__} are not comparisons: give Triplets, Quadruplets, Choices or "
            "OddOneOuts"
        )
    if is_table(x):
        return _of_table(x)
    shape = np.shape(x)
    kinds: dict[Any, type[Triplets] | type[Quadruplets]] = {3: Triplets, 4: Quadruplets}
    if len(shape) != 2 or shape[1] not in kinds:
        raise JudgmentError(
            f"an array of shape {shape} holds no judgments: give three columns (head, near, far), "
            "four (a, b, c, d), or Choices or OddOneOuts"
        )
    if shape[1] == 4 and len(np.asarray(x)):
        others, last = np.asarray(x)[:, :3].max(), np.asarray(x)[:, 3].max()
        if last > MOST_BEYOND * (others + 1):
            raise JudgmentError(
                f"the fourth column goes up to {last} and the others to {others}, so it seems to "
                "hold no items: give the first three as triplets; if these are quadruplets, "
                "Quadruplets(array)"
            )
    return kinds[shape[1]](x)


def _of_table(given: Any) -> Judgments:
    table = read_table(given)
    kind = _kind_of(table)
    table = kind._as_listed(table)
    column_of = table.find(kind.columns, kind.optional, None)
    cells = [table.frame[column_of[role]].explode().infer_objects() for role in kind.columns]
    numbers = all(pd.api.types.is_integer_dtype(column.dtype) for column in cells)
    least = min(column.min() for column in cells) if numbers else 0
    if least < 0:
        raise JudgmentError(f"the table has the position {least}: positions are 0 or more")
    if not numbers:
        return judgments_of(kind, table)
    top, n_ids = int(max(column.max() for column in cells)), sum(map(len, cells))
    return judgments_of(kind, table, items_up_to(top, n_ids))


def _kind_of(table: Table) -> type[Judgments]:
    there = set(table.frame.columns)
    has = {
        kind: all(there.intersection(names_of(role)) for role in (*kind.columns, *kind.measures))
        for kind in (*KINDS, *COUNTED)
    }
    if {"odd", *KEPT} <= there:
        has[OddOneOuts] = True
    matching = [kind for kind, is_there in has.items() if is_there]
    if len(matching) == 1 and matching[0] in KINDS:
        return matching[0]
    present = ", ".join(map(repr, table.frame.columns))
    if not matching:
        wanted = "; ".join(", ".join(kind.columns) for kind in KINDS)
        raise JudgmentError(
            f"the table has the columns {present}; those of judgments are called {wanted}: rename "
            "them, name them with read_triplets(table, columns=...), or give an array in that order"
        )
    kinds = " and ".join(kind.__name__ for kind in matching)
    raise JudgmentError(
        f"the table has the columns {present}, which are those of {kinds}: say what is meant with "
        "read_triplets(table), read_confusions(table) or another of these"
    )


def triplets_from_odd_one_out(
    options: OddOneOuts | ArrayLike,
    odd: ArrayLike | None = None,
    items: ItemsLike = None,
    *,
    weight: ArrayLike | None = None,
    response_id: ArrayLike | None = None,
    observer: ArrayLike | None = None,
) -> Triplets:
    """Turn odd-one-out responses into triplets (i, j, odd) and (j, i, odd).

    Here i and j are any two of the other items: a response to N items gives (N - 1)(N - 2) triplets
    with one response id. They are not independent, so the product of their likelihoods only
    approximates the likelihood of the response: fit :class:`OddOneOuts` directly if the model can.

    Parameters
    ----------
    options : OddOneOuts, or array of shape (m, N)
        The responses; or positions of the three or more items shown, where -1 fills rows with fewer
        than N items.
    odd : array of shape (m,)
        Position of the odd one of each row.
    items, weight, response_id, observer
        As in :class:`Triplets`, one value per response; response ids default to row numbers.

    Raises
    ------
    JudgmentError
        If the odd item is not among the items shown, or a row shows an item twice or fewer than
        three items.

    Examples
    --------
    >>> triplets_from_odd_one_out([[0, 1, 2]], odd=[1]).index
    array([[0, 2, 1],
           [2, 0, 1]], dtype=int32)
    """
    if not isinstance(options, OddOneOuts):
        if odd is None:
            raise JudgmentError("the odd ones are missing: give odd, one of each row's options")
        options = OddOneOuts(options, odd, items, weight, response_id, observer)
    elif any(given is not None for given in (odd, items, weight, response_id, observer)):
        raise JudgmentError("OddOneOuts have their own items and notes: give nothing beside them")
    others = range(1, options.shape[1])
    columns = [(i, j, 0) for i in others for j in others if i != j]
    return _unfold(options, columns)


def triplets_from_choices(choices: Choices) -> Triplets:
    """Turn choices into triplets (head, chosen, other), one for every other option.

    A choice among N options gives N - 1 triplets with one response id. They are not independent, so
    the product of their likelihoods only approximates the likelihood of the choice. The likelihood
    of a choice is the similarity of the chosen option divided by the sum of the similarities of all
    options: fit the choices directly if the model can. Weights, response ids, observers and extra
    columns of ``choices`` are kept; response ids default to row numbers.

    >>> triplets_from_choices(Choices([0], [[1, 2, 3]], chosen=[2])).index
    array([[0, 2, 1],
           [0, 2, 3]], dtype=int32)
    """
    others = range(2, choices.shape[1])
    return _unfold(choices, [(0, 1, other) for other in others])


def triplets_from_ranks(
    head: ArrayLike,
    ranking: ArrayLike,
    items: ItemsLike = None,
    *,
    adjacent: bool = False,
    weight: ArrayLike | None = None,
    response_id: ArrayLike | None = None,
    observer: ArrayLike | None = None,
) -> Triplets:
    """Turn rankings into triplets (head, r_i, r_j) for all ranks i < j.

    A ranking of N items gives N (N - 1) / 2 triplets with one response id.

    Parameters
    ----------
    head : array of shape (m,)
        Position of the item to which the ranked items were compared.
    ranking : array of shape (m, N)
        Item positions from the most similar to the least; -1 fills shorter rows.
    adjacent : bool
        Return only the N - 1 triplets of neighbouring ranks, which imply all other triplets.
    items, weight, response_id, observer
        As in :class:`Triplets`, one value per ranking; response ids default to row numbers.

    Raises
    ------
    JudgmentError
        If a row ranks its head, ranks an item twice or fewer than two items, or has a gap.

    Examples
    --------
    >>> triplets_from_ranks([0], [[2, 1, 3]]).index
    array([[0, 2, 1],
           [0, 2, 3],
           [0, 1, 3]], dtype=int32)
    """
    order = np.asarray(ranking)
    # Rows are checked like choices in which the most similar item was chosen.
    first = order[:, 0] if order.ndim == 2 else order
    responses = Choices(head, order, first, items, weight, response_id, observer)
    refuse(
        ((order[:, :-1] < 0) & (order[:, 1:] >= 0)).any(axis=1),
        lambda r: "the ranking has a gap (-1) before its end: move it to the end",
    )
    ranked = np.column_stack([responses.index[:, 0], order.astype(np.int32)])
    ranks = range(1, order.shape[1] + 1)
    pairs = [(i, j) for i in ranks for j in ranks if i < j and not (adjacent and i + 1 < j)]
    return _unfold(responses, [(0, i, j) for i, j in pairs], ranked)


def _unfold(
    responses: Rows, columns: list[tuple[int, int, int]], index: NDArray[np.int32] | None = None
) -> Triplets:
    triplets = (responses.index if index is None else index)[:, columns].reshape(-1, 3)
    whole = (triplets >= 0).all(axis=1)
    source = np.repeat(np.arange(len(responses)), len(columns))[whole]
    notes = responses._notes(source)
    if notes["response_id"] is None:
        notes["response_id"] = source
    return Triplets(triplets[whole], responses.items, **notes)


def fisher_exact(a: Integers, m: Integers, b: Integers, n: Integers) -> NDArray[np.float64]:
    r"""Return two-sided p-values of Fisher's exact test that a of m and b of n have equal rates.

    .. math:: p = \sum_{x : P(x) \le P(a)} P(x), \quad P(x) = \binom{m}{x} \binom{n}{a + b - x} /
       \binom{m + n}{a + b}

    All arguments are arrays of one shape, with one test per entry.
    """
    step = max(1, CELLS // (1 + int(m.max(initial=0))))
    chunks = [slice(first, first + step) for first in range(0, len(a), step)]
    parts = [_tails(a[chunk], m[chunk], b[chunk], n[chunk]) for chunk in chunks]
    return np.concatenate([np.empty(0), *parts])


def _tails(a: Integers, m: Integers, b: Integers, n: Integers) -> NDArray[np.float64]:
    total = a + b
    least = np.maximum(0, total - n)
    size = np.minimum(total, m) - least + 1
    # all possible counts x of each table, concatenated
    start = np.cumsum(size) - size
    table = np.repeat(np.arange(len(a)), size)
    x = np.arange(len(table)) + (least - start)[table]
    ways = _log_binomial(m[table], x) + _log_binomial(n[table], total[table] - x)
    likelihood = np.exp(ways - _log_binomial(m + n, total)[table])
    observed = likelihood[start + a - least]
    counted = likelihood <= observed[table] * AS_LIKELY
    return np.minimum(np.add.reduceat(likelihood * counted, start), 1)


def _log_binomial(n: Integers, k: Integers) -> NDArray[np.float64]:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


def pair_ranks_from_confusions(confusions: Confusions) -> PairRanks:
    r"""Rank pairs by their ratios of errors: rank 1 is the most confused, most similar pair.

    .. math:: r_{ij} = \tfrac{1}{2} + \tfrac{1}{2} \#\{p = q\} + \#\{p > q\},
        \quad q = a_{ij} / n_{ij}

    where p runs over the ratios of all pairs, including the pair (i, j) itself. Pairs with equal
    ratios get the mean of their ranks. ``confusions`` are pooled first (:meth:`Confusions.pool`);
    the result has one row per pair.

    Notes
    -----
    The Yada paper, section 4.4.1, gives rank 1 to the pair with the smallest ratio. Nonmetric MDS
    takes ranks as dissimilarities, so it would place pairs that nobody confuses nearest. Here, as
    in :class:`PairRanks`, rank 1 is the most similar pair.

    Examples
    --------
    >>> confusions = Confusions([[0, 1], [0, 2], [1, 2]], errors=[20, 3, 3], trials=50)
    >>> pair_ranks_from_confusions(confusions).ranks
    array([1. , 2.5, 2.5])
    """
    pooled = of_kind(confusions, Confusions, "this conversion").pool()
    _, tied, sizes = np.unique(-pooled.ratio, return_inverse=True, return_counts=True)
    ranks = np.cumsum(sizes) - (sizes - 1) / 2
    return PairRanks(pooled.index, ranks[tied], pooled.items)


def triplets_from_confusions(confusions: Confusions, level: float | None = None) -> Triplets:
    r"""Compare the errors of pairs that share an item: the more confused pair is nearer.

    .. math:: a_{ij} / n_{ij} > a_{ik} / n_{ik} \;\Rightarrow\; (i, j, k)

    Equal ratios give no triplet. An item that was tested against q other items is the head of up to
    q (q - 1) / 2 triplets. Triplets are sorted by head. They have no response ids, because almost
    all triplets depend on each other. The Yada paper, section 4.4.2, uses these triplets for
    Schultz and Joachims' method.

    Parameters
    ----------
    confusions : Confusions
        The counts; pooled first, see :meth:`Confusions.pool`.
    level : float, optional
        Keep only triplets whose two ratios differ with a p-value of at most ``level``, such as
        0.05, in Fisher's two-sided exact test (0 < level <= 1).

    Raises
    ------
    JudgmentError
        If no triplet is left.

    Examples
    --------
    >>> confusions = Confusions([[0, 1], [0, 2], [1, 2]], errors=[20, 3, 3], trials=50)
    >>> triplets_from_confusions(confusions, level=0.05).index
    array([[0, 1, 2],
           [1, 0, 2]], dtype=int32)
    """
    pooled = of_kind(confusions, Confusions, "this conversion").pool()
    head, early, late = _sharing(pooled.index)
    kept, near, far = _decided(pooled, early, late, level, "two pairs that share an item")
    # The other item of a pair is the sum of the pair's items minus the head.
    others = pooled.index.sum(axis=1)
    index = np.stack([head[kept], others[near] - head[kept], others[far] - head[kept]], axis=1)
    return Triplets(index, pooled.items)


def quadruplets_from_confusions(
    confusions: Confusions,
    level: float | None = None,
    *,
    n_compared: int | None = None,
    random_state: int | None = None,
) -> Quadruplets:
    r"""Compare the errors of any two pairs: the more confused pair is more similar.

    .. math:: a_{ij} / n_{ij} > a_{kl} / n_{kl} \;\Rightarrow\; (i, j, k, l)

    Equal ratios give no quadruplet; m pairs give up to m (m - 1) / 2 quadruplets.

    Parameters
    ----------
    confusions, level
        As in :func:`~resemblance.judgments.triplets_from_confusions`.
    n_compared : int, optional
        Compare only this many of the m (m - 1) / 2 pairs of pairs, drawn at random. Default:
        compare all; if there are more than 20 million, a SettingError is raised.
    random_state : int, optional
        Seed for ``n_compared``.

    Raises
    ------
    JudgmentError
        If no quadruplet is left.

    Examples
    --------
    >>> confusions = Confusions([[0, 1], [2, 3]], errors=[3, 20], trials=50)
    >>> quadruplets_from_confusions(confusions).index
    array([[2, 3, 0, 1]], dtype=int32)
    """
    pooled = of_kind(confusions, Confusions, "this conversion").pool()
    couples = _couples(len(pooled), n_compared, random_state)
    _, near, far = _decided(pooled, *couples, level, "two pairs")
    return Quadruplets(np.hstack([pooled.index[near], pooled.index[far]]), pooled.items)


def _couples(m: int, wanted: int | None, random_state: int | None) -> tuple[RowNumbers, RowNumbers]:
    most = m * (m - 1) // 2
    if wanted is None and most > MOST_COUPLES:
        raise SettingError(
            f"{m} pairs make {most} couples to compare: say how many to draw, as in "
            "n_compared=1_000_000."
        )
    if wanted is None or not most:
        return np.triu_indices(m, 1)
    if wanted not in integers(1, most):
        raise SettingError(f"n_compared is {wanted!r}, of {most} couples: give 1 to {most}.")
    t = np.sort(sample_without_replacement(most, wanted, random_state=random_state))
    later = np.floor((1.0 + np.sqrt(1.0 + 8.0 * t)) / 2.0).astype(np.intp)
    return t - later * (later - 1) // 2, later


def similar_from_confusions(confusions: Confusions, threshold: float) -> SimilarPairs:
    r"""Mark pairs as similar if their share of errors is above a threshold, else as dissimilar.

    .. math:: \text{similar}_{ij} = [a_{ij} / n_{ij} > t]

    ``confusions`` are pooled first (:meth:`Confusions.pool`); the result has one row per pair. The
    ``threshold`` t is from 0 to 1. It has no default, because the fit depends strongly on t: the
    Yada paper, section 4.4.3, chooses t from 0.05, 0.1, ..., 0.5 by cross-validation.

    >>> confusions = Confusions([[0, 1], [0, 2], [1, 2]], errors=[20, 3, 5], trials=50)
    >>> similar_from_confusions(confusions, threshold=0.1).similar
    array([ True, False, False])
    """
    check(threshold=(threshold, SHARE))
    pooled = of_kind(confusions, Confusions, "this conversion").pool()
    return SimilarPairs(pooled.index, pooled.ratio > threshold, pooled.items)


def _sharing(pairs: NDArray[np.int32]) -> tuple[NDArray[np.int32], RowNumbers, RowNumbers]:
    head = pairs.ravel()
    order = np.argsort(head, kind="stable")
    head, row = head[order], order // 2
    # Each row is combined with all later rows of the same head.
    after = np.searchsorted(head, head, side="right") - np.arange(len(head)) - 1
    early = np.repeat(np.arange(len(head)), after)
    late = early + 1 + np.arange(len(early)) - np.repeat(np.cumsum(after) - after, after)
    return head[early], row[early], row[late]


def _decided(
    pooled: Confusions, early: RowNumbers, late: RowNumbers, level: float | None, what: str
) -> tuple[RowNumbers, RowNumbers, RowNumbers]:
    check(level=(level, Range(0, 1, above=True).besides(None)))
    ratio = pooled.ratio
    kept = np.flatnonzero(ratio[early] != ratio[late])
    if level is not None:
        kept = kept[_p_values(pooled, early[kept], late[kept]) <= level]
    if not len(kept):
        significant = "" if level is None else f" at level {level}"
        raise JudgmentError(f"no {what} have different ratios{significant}: add pairs or trials")
    swap = ratio[early[kept]] < ratio[late[kept]]
    return kept, np.where(swap, late[kept], early[kept]), np.where(swap, early[kept], late[kept])


def _p_values(pooled: Confusions, early: RowNumbers, late: RowNumbers) -> NDArray[np.float64]:
    """Return the p-value of each comparison; equal counts are tested only once."""
    counts, kind = np.unique([pooled.errors, pooled.trials], axis=1, return_inverse=True)
    kind = kind.ravel()  # NumPy 2.0 returns an array of shape (1, m).
    table, same = np.unique(kind[early] * counts.shape[1] + kind[late], return_inverse=True)
    first, second = (counts[:, half] for half in np.divmod(table, counts.shape[1]))
    return fisher_exact(*first, *second)[same]


JudgmentsLike: TypeAlias = OneKind | ArrayLike
Fitted: TypeAlias = JudgmentsLike | Joined | Sequence[OneKind] | Elsewhere


def checked_judgments(
    X: Fitted, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> AnyJudgments | Elsewhere:
    """Return judgments with the given responses and weights; a list of judgments is joined."""
    X = distribute(X) if is_frame(X) else X
    if isinstance(X, list | tuple) and any(isinstance(part, OneKind) for part in X):
        X = join_judgments(X)
    if isinstance(X, Joined):
        refuse_machines_among_people(X)
    if isinstance(X, StoredJudgments):
        refuse_machines_of_a_scan(X)
    if isinstance(X, OneKind | Joined | Elsewhere) and not isinstance(X, Judgments):
        refuse_y(y, X)
        if sample_weight is not None:
            raise JudgmentError(
                f"sample_weight applies to comparisons, and these are {type(X).__name__}: give "
                "them weights of their own"
            )
        return X
    judgments = as_judgments(X, y)
    refuse_machines_among_people(judgments)
    return judgments if sample_weight is None else judgments.weighted(sample_weight)


def of_one_kind(X: JudgmentsLike) -> OneKind:
    return X if isinstance(X, OneKind) else as_judgments(X)


def refuse_y(y: Any, judgments: object) -> None:
    if y is not None:
        raise JudgmentError(
            f"y is given, but {type(judgments).__name__} hold their answers themselves: leave y out"
        )
