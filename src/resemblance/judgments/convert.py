"""Convert one kind of judgment into another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.errors import JudgmentError
from resemblance.judgments.base import Judgments
from resemblance.judgments.checks import refuse
from resemblance.judgments.choices import Choices, OddOneOuts
from resemblance.judgments.confusions import Confusions
from resemblance.judgments.distributed import Elsewhere
from resemblance.judgments.frames import is_table
from resemblance.judgments.items import ItemsLike, items_up_to
from resemblance.judgments.labelled import judgments_of
from resemblance.judgments.labels import KEPT
from resemblance.judgments.mixed import Joined, one_kind
from resemblance.judgments.pairs import SimilarPairs
from resemblance.judgments.quadruplets import Quadruplets
from resemblance.judgments.ratings import Ratings
from resemblance.judgments.rows import Rows
from resemblance.judgments.stored import StoredJudgments
from resemblance.judgments.tables import Table, names_of, read_table
from resemblance.judgments.triplets import Triplets
from resemblance.optional import pd

KINDS: tuple[type[Judgments], ...] = (Triplets, Quadruplets, Choices, OddOneOuts)
COUNTED: tuple[type[Rows], ...] = (Confusions, Ratings, SimilarPairs)


MOST_BEYOND = 3  # times that items of one column may outnumber those of all others


def as_judgments(x: Judgments | ArrayLike, y: ArrayLike | None = None) -> Judgments:
    """Return judgments as they are; read an array of positions as triplets or quadruplets.

    Parameters
    ----------
    x : Judgments, array of int of shape (m, 3) or (m, 4), or table
        An array of three columns holds triplets, one of four quadruplets. Of a table (pandas,
        polars, Arrow) the columns are read by their names, whatever their order: head, near, far
        (or anchor, positive, negative; head, winner, loser); a, b, c, d; head, chosen, options; or
        odd, options. If all of them hold whole numbers, these are positions; else they are names
        of items. Weight, response_id and observer are taken where they are there, and all further
        columns are extra ones.
    y : array of shape (m,) or (m, 2), optional
        The responses, where the rows of x are in no order: +1 or True where the first of the two
        compared pairs is the more similar, -1 or False where the second is; or one-hot rows.

    Returns
    -------
    Judgments

    Raises
    ------
    JudgmentError
        If x is neither, or holds what no choice model fits (catch trials, ranks of pairs); if y is
        of another length or has other values.

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
            f"these judgments are on {place}, and would be read whole here: fit and score take "
            "them so; else give a sample, judgments.sample(100_000)"
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
    """Read a table by its column names; columns of whole numbers alone are positions."""
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
    """Turn odd-one-out responses into triplets (i, j, odd) and (j, i, odd), for all others i, j.

    N items shown give (N - 1)(N - 2) triplets, which are one response. As their answers are not
    independent, the product of their likelihoods only approximates that of the response: fit
    :class:`OddOneOuts` themselves where a model can.

    Parameters
    ----------
    options : OddOneOuts, or array of shape (m, N)
        The responses, with all that goes with them; or item positions of the three or more items
        shown, -1 where a row has fewer than N.
    odd : array of shape (m,)
        Item positions: the odd one of each row.
    items, weight, response_id, observer
        As in :class:`Triplets`, one value per response; ids left out are the row numbers.

    Returns
    -------
    Triplets

    Raises
    ------
    JudgmentError
        If the odd item is not among those shown, or a row shows an item twice, or fewer than three.

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

    One of N gives N - 1 triplets, which are one response. As their answers are not independent, the
    product of their likelihoods only approximates the likelihood of the choice, s_chosen / sum of
    s over the options: fit the choices themselves where a model can.

    Parameters
    ----------
    choices : Choices
        Their weights, ids, observers and extra columns are carried over; ids left out are
        the row numbers.

    Returns
    -------
    Triplets

    Examples
    --------
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

    N items ranked give N (N - 1) / 2 triplets, which are one response.

    Parameters
    ----------
    head : array of shape (m,)
        Item positions: what the others were ranked by their similarity to.
    ranking : array of shape (m, N)
        Item positions from the most similar to the least, -1 at the end of shorter rows.
    adjacent : bool
        Keep only the N - 1 triplets of neighbouring ranks, which imply the others.
    items, weight, response_id, observer
        As in :class:`Triplets`, one value per ranking; ids left out are the row numbers.

    Returns
    -------
    Triplets

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
    # The most similar is a choice among all that were ranked: check the rows as such.
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
