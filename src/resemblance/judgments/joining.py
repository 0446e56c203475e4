"""Join judgments of several files, people or kinds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, TypeAlias, TypeVar, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.arrays import below
from resemblance.errors import JudgmentError
from resemblance.judgments.base import Comparison, OneKind
from resemblance.judgments.checks import are_missing, first_few, floats_of, of_kind, refuse
from resemblance.judgments.choices import Choices
from resemblance.judgments.immutable import Frozen
from resemblance.judgments.items import Items
from resemblance.judgments.rows import Rows
from resemblance.judgments.stored import StoredJudgments
from resemblance.judgments.triplets import Triplets, WithCatches
from resemblance.ranges import check, one_of

Kind = TypeVar("Kind", bound=Rows)
MACHINE = "machine"  # A MachineParticipant's answers have this value in the extra column "kind".


class Joined(Frozen):
    r"""Judgments of several kinds, to which one space is fitted by maximum likelihood.

    .. math:: \ell = \sum_{\text{kinds}} \sum_r w_r \, \ell_r

    where w_r is the weight and l_r the loss of row r. :func:`join_judgments` returns such
    judgments, and ``fit`` joins a list of judgments. Kinds have no weights of their own. All kinds
    share the same items. Kinds have different scores, so score each of ``parts`` separately.

    Attributes
    ----------
    parts : tuple of judgments
        The judgments of each kind, on the same items.
    items : Items
        The items of all parts.

    Examples
    --------
    >>> import resemblance as rs
    >>> near = rs.Triplets([[0, 1, 2]], ["egg", "ball", "box"])
    >>> rated = rs.Ratings([[0, 1], [1, 2]], [6, 2], points=7, items=["egg", "ball", "box"])
    >>> rs.join_judgments([near, rated])
    Joined(1 Triplets, 2 Ratings; 3 items)
    """

    parts: tuple[OneKind, ...]
    items: Items

    def __init__(self, parts: Sequence[OneKind]) -> None:
        self._set(parts=tuple(parts), items=parts[0].items)

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __repr__(self) -> str:
        of = ", ".join(f"{len(part)} {type(part).__name__}" for part in self.parts)
        return f"Joined({of}; {self.n_items} items)"

    @property
    def n_items(self) -> int:
        """The number of items, including items that no row mentions."""
        return len(self.items)

    def comparisons(self) -> list[Comparison]:
        """Return the comparisons of all kinds; ``rows`` are numbered within a kind."""
        return [compared for part in self.parts for compared in part.comparisons()]


AnyJudgments: TypeAlias = OneKind | Joined


def one_kind(judgments: AnyJudgments) -> OneKind:
    if isinstance(judgments, Joined):
        raise JudgmentError(f"{judgments!r} are of several kinds: give one of its parts")
    return judgments


def each_kind(judgments: AnyJudgments) -> tuple[OneKind, ...]:
    return judgments.parts if isinstance(judgments, Joined) else (judgments,)


def are_answers(judgments: AnyJudgments) -> bool:
    """Return whether judgments are of one kind whose rows are choices among possible answers."""
    kinds = each_kind(judgments)
    return len(kinds) == 1 and kinds[0].scoring.of_answers


def choices_from_triplets(triplets: Triplets) -> Choices:
    """Convert triplets to choices between two options; likelihoods do not change.

    Items, further columns and catch trials are kept.

    >>> choices_from_triplets(Triplets([[0, 1, 2]])).index
    array([[0, 1, 2]], dtype=int32)
    """
    of_kind(triplets, Triplets, "choices_from_triplets")
    choices = Choices._filled(triplets.index, triplets.items, **triplets._notes())
    return choices._with(catches=triplets.catches)


@overload
def join_judgments(parts: Sequence[Kind]) -> Kind: ...
@overload
def join_judgments(parts: Sequence[Any]) -> Any: ...
def join_judgments(parts: Sequence[Any]) -> Any:
    """Join judgments into one, in the given order.

    Items are matched by name. Response ids of different parts are renumbered to stay distinct. If
    only some parts have weights, observers or an extra column, rows of the other parts get the
    weight 1, the observer "", and NaN (or "" in a column of texts). Triplets and Choices together
    become Choices; judgments of other kinds become parts of a
    :class:`~resemblance.judgments.Joined`.

    Parameters
    ----------
    parts : sequence of judgments
        Judgments to join. If any items have features, labels, images or titles, all parts with such
        items must have equal :class:`Items`, and these must contain all names.

    Raises
    ------
    JudgmentError
        If the list is empty; if a kind that has no likelihood is joined with another kind; if the
        features, labels, images or titles of parts differ, or lack an item.

    Examples
    --------
    >>> two, three = Items(["rock", "jazz", "soul"]), Items(["soul", "rock", "folk", "jazz"])
    >>> parts = [Triplets([[0, 1, 2]], two), Choices([0], [[1, 2, 3]], [2], three)]
    >>> both = join_judgments(parts)
    >>> both.items.names, both.index.tolist()
    (('soul', 'rock', 'folk', 'jazz'), [[1, 3, 0, -1], [0, 2, 1, 3]])
    """
    if isinstance(parts, Rows | Joined) or not parts:
        raise JudgmentError("there is nothing to join: give a list of judgments")
    parts = [own for part in parts for own in (part.parts if isinstance(part, Joined) else [part])]
    for part in parts:
        of_kind(part, Rows, "join_judgments")
    kinds = {type(part) for part in parts}
    if {Triplets, Choices} <= kinds:
        parts = [choices_from_triplets(p) if isinstance(p, Triplets) else p for p in parts]
    items = _items_of_all(parts)
    joined = [_one_kind(alike, items) for alike in _by_kind(parts)]
    return joined[0] if len(joined) == 1 else Joined(joined)


def _by_kind(parts: Sequence[Any]) -> Iterator[list[Any]]:
    kinds = list(dict.fromkeys(type(part) for part in parts))
    for kind in kinds:
        if len(kinds) > 1 and not issubclass(kind, OneKind):
            other = next(other for other in kinds if other is not kind)
            raise JudgmentError(
                f"{kind.__name__} and {other.__name__} cannot be joined, as {kind.__name__} have "
                "no likelihood of distances: fit each kind by itself"
            )
        yield [part for part in parts if type(part) is kind]


def _one_kind(parts: Sequence[Rows], items: Items) -> Any:
    joined = _stacked(parts, items)
    asides = [part.catches for part in parts if isinstance(part, WithCatches)]
    catches = [aside for aside in asides if aside is not None]
    return joined._with(catches=_stacked(catches, items)) if catches else joined


def _items_of_all(parts: Sequence[Rows]) -> Items:
    names = dict.fromkeys(name for part in parts for name in part.items.names)
    described = {id(part.items): part.items for part in parts if _is_described(part.items)}
    if len(described) > 1:
        raise JudgmentError(
            "parts have features, labels, images or titles of their own: give every part the same "
            "items"
        )
    for items in (*described.values(), *(part.items for part in parts)):
        missing = set(names).difference(items.names)
        if not missing:
            return items
        if described:
            raise JudgmentError(
                f"the item {min(missing)!r} of one part is not among the {len(items)} of another, "
                "which have features, labels, images or titles: give every part the items of all"
            )
    return Items(names)


def _is_described(items: Items) -> bool:
    parts = (items.features, items.labels, items.images, items.titles)
    return any(part is not None for part in parts)


def _stacked(parts: Sequence[Rows], items: Items) -> Rows:
    width = max(part.shape[1] for part in parts)
    index = [_moved(part, items, width) for part in parts]
    kind: Any = type(parts[0])
    measures = {m: below([getattr(part, m) for part in parts], np.nan) for m in kind.measures}
    notes = {
        name: note for name, note in _notes(parts).items() if name in (*kind.optional, "extra")
    }
    return cast(Rows, kind._filled(np.concatenate(index), items, **measures, **notes))


def _moved(part: Rows, items: Items, width: int) -> NDArray[np.int32]:
    place = np.append(items.positions(part.items.names), -1)
    moved = np.full((len(part), width), -1, np.int32)
    moved[:, : part.shape[1]] = place[part.index]
    if part.fixed is not None:
        rest = moved[:, part.fixed :]
        rest[rest < 0] = top = np.iinfo(np.int32).max
        rest.sort(axis=1)
        rest[rest == top] = -1
    return moved


def _notes(parts: Sequence[Rows]) -> dict[str, Any]:
    weights = [part.weights for part in parts]
    people = [_observers(part) for part in parts]
    return {
        "weight": np.concatenate(weights) if any(p.weight is not None for p in parts) else None,
        "response_id": _response_ids(parts)
        if any(p.response_id is not None for p in parts)
        else None,
        "observer": np.concatenate(people) if any(p.observer is not None for p in parts) else None,
        "extra": {name: _column(parts, name) for part in parts for name in part.extra},
    }


def _observers(part: Rows) -> NDArray[np.str_]:
    return np.full(len(part), "") if part.observer is None else part.observer


def _response_ids(parts: Sequence[Rows]) -> NDArray[np.int64]:
    numbers, first = [], 0
    for part in parts:
        own = np.arange(len(part)) if part.response_id is None else part.response_id
        _, number = np.unique(own, return_inverse=True)
        numbers.append(first + number)
        first += len(part)
    return np.concatenate(numbers)


def _column(parts: Sequence[Rows], name: str) -> NDArray[Any]:
    columns = [part.extra[name] for part in parts if name in part.extra]
    nothing = np.nan if all(column.dtype.kind in "iufb" for column in columns) else ""
    return np.concatenate(
        [part.extra.get(name, np.full(len(part), nothing, type(nothing))) for part in parts]
    )


def join_views(
    views: Mapping[str, tuple[Iterable[Any], ArrayLike]],
    names: Iterable[Any] | None = None,
    missing: str = "error",
    **parts: Any,
) -> Items:
    """Return items with several views of features, whose rows may be in different orders.

    Parameters
    ----------
    views : dict of (names, array)
        For each view, the names of its items and their features (n, d); a row of NaN means missing.
    names : iterable of str, optional
        The items of the result, in order; default: all items of all views.
    missing : {"error", "mean"}
        Raise an error for items that lack features in a view, or fill in the view's mean.
    **parts
        Labels, images and titles of the items, as in :class:`Items`.

    Raises
    ------
    JudgmentError
        If items lack features in a view; the message names both. If a view names an item twice.
    SettingError
        If ``missing`` has another value.

    Examples
    --------
    >>> shape = ["egg", "ball"], [[1.0], [2.0]]
    >>> sound = ["ball", "bell", "egg"], [[0.0], [9.0], [0.0]]
    >>> items = join_views({"shape": shape, "sound": sound}, missing="mean")
    >>> items.names, items.features["shape"].ravel()
    (('egg', 'ball', 'bell'), array([1. , 2. , 1.5]))
    """
    check(missing=(missing, one_of("error", "mean")))
    listed = {view: Items(own) for view, (own, _) in views.items()}
    everyone = (name for items in listed.values() for name in items.names)
    wanted = list(dict.fromkeys(map(str, everyone if names is None else names)))
    columns = {}
    for view, (_, features) in views.items():
        numbers = floats_of(features, f"features of {view!r}")
        columns[view] = _arranged(view, listed[view], numbers, wanted)
    gaps = {view: np.asarray(np.isnan(rows).all(axis=1)) for view, rows in columns.items()}
    if missing == "error" and any(gap.any() for gap in gaps.values()):
        lacking = {
            view: map(repr, compress(wanted, gap)) for view, gap in gaps.items() if gap.any()
        }
        of_views = [f"{view!r} of {first_few(names)}" for view, names in lacking.items()]
        raise JudgmentError(
            f"there are no features in view {', nor in view '.join(of_views)}: add them, leave out "
            'these items or the view, or take the mean of the view (missing="mean").',
            setting="missing",
        )
    for view, gap in gaps.items():
        columns[view][gap] = columns[view][~gap].mean(axis=0)
    return Items(wanted, columns, **parts)


def _arranged(
    view: str, named: Items, features: NDArray[np.float64], wanted: list[str]
) -> NDArray[np.float64]:
    if features.ndim != 2 or len(features) != len(named):
        raise JudgmentError(
            f"view {view!r} has features of shape {features.shape} for {len(named)} names: give "
            "one row for each."
        )
    place = {name: row for row, name in enumerate(named.names)}
    if not any(name in place for name in wanted):
        raise JudgmentError(
            f"view {view!r} has features of {first_few(named.names)}, but of none "
            f"of the items {first_few(wanted)}: give both the same names."
        )
    rows = np.array([place.get(name, -1) for name in wanted])
    return np.where(rows[:, None] < 0, np.nan, features[rows])


def _said(judgments: Rows, by: str) -> NDArray[np.str_]:
    if isinstance(judgments, Joined):
        one_kind(judgments)
    named = judgments.observer if by == "observer" else judgments.extra.get(by)
    if named is None and by == "observer":
        raise JudgmentError(
            "these judgments name no observers: give observer=, or name the column of the "
            "file that holds it"
        )
    if named is None:
        has = ", ".join(judgments.extra) or "none"
        raise JudgmentError(
            f"these judgments have no column {by!r} (further columns: {has}): give it as extra=, "
            "or in the file"
        )
    values = np.asarray(named)
    texts = values.astype(str)
    return texts if values.dtype.kind in "US" else np.where(are_missing(values), "", texts)


def people_of(judgments: Rows, by: str = "observer") -> tuple[NDArray[np.str_], NDArray[np.intp]]:
    """Return the sorted names of observers (or groups) and the index of each row's name, (m,)."""
    said = _said(judgments, by)
    refuse(said == "", lambda _: f"the {by} is missing: name one, or leave the row out")
    names, who = np.unique(said, return_inverse=True)
    return names, who


def refuse_machines_among_people(judgments: AnyJudgments) -> None:
    """Refuse answers of both machines and people: a fit would treat them alike."""
    of_machines = np.concatenate([_of_machines(part) for part in each_kind(judgments)])
    if of_machines.any() and not of_machines.all():
        raise JudgmentError(
            f"rows {first_few(np.flatnonzero(of_machines))} are answers of a machine (kind "
            f'"{MACHINE}"), others are of people: fit each separately, or leave out the column '
            '"kind" to take them together'
        )


def refuse_machines_of_a_scan(rows: StoredJudgments) -> None:
    """Refuse a scan in which the observers' names show answers of both machines and people."""
    of_machines = _named_as_machines(rows.people)
    if "kind" in rows.left_out and of_machines.any() and not of_machines.all():
        raise JudgmentError(
            f"{rows.people[of_machines.argmax()]!r} is a machine, and others answered too: write "
            'each to a file of its own, or leave out the column "kind" to take them together'
        )


def _of_machines(judgments: Rows) -> NDArray[np.bool_]:
    kind, observer = judgments.extra.get("kind"), judgments.observer
    if kind is None or observer is None:
        return np.zeros(len(judgments), dtype=bool)
    return np.asarray((np.asarray(kind).astype(str) == MACHINE) & _named_as_machines(observer))


def _named_as_machines(observer: NDArray[np.str_]) -> NDArray[np.bool_]:
    return np.char.startswith(np.asarray(observer).astype(str), f"{MACHINE}: ")


def raters_of(judgments: Rows) -> tuple[NDArray[np.str_], NDArray[np.int64]]:
    """Return the sorted names of observers, and the number of each row's observer, (m,).

    Observers are numbered from 1; 0 means that a row has no observer.
    """
    if judgments.observer is None:
        return np.empty(0, dtype=np.str_), np.zeros(len(judgments), dtype=np.int64)
    names, who = np.unique(_said(judgments, "observer"), return_inverse=True)
    named = names != ""
    return names[named], np.where(named, np.cumsum(named), 0)[who]
