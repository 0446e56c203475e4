"""Judgments of several kinds about the same items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from resemblance.errors import JudgmentError
from resemblance.judgments.base import Comparison, OneKind
from resemblance.judgments.immutable import Frozen
from resemblance.judgments.items import Items


class Joined(Frozen):
    r"""Judgments of several kinds for one space, fitted by their likelihoods.

    .. math:: \ell = \sum_{\text{kinds}} \sum_r w_r \, \ell_r

    :func:`join_judgments` makes them; so does ``fit`` of a list. No kind has a weight of its own:
    what an answer says of the space is what its likelihood says. All kinds are about the items of
    all, and rows are told apart by the kind that they are of: score each of ``parts`` by itself.

    Attributes
    ----------
    parts : tuple of judgments
        One of each kind, on the same items.
    items : Items
        The items of all.

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
        """How many items there are, mentioned or not."""
        return len(self.items)

    def comparisons(self) -> list[Comparison]:
        """Return the pairs of items of each kind's rows; rows are numbered within a kind."""
        return [compared for part in self.parts for compared in part.comparisons()]


AnyJudgments: TypeAlias = OneKind | Joined


def one_kind(judgments: AnyJudgments) -> OneKind:
    if isinstance(judgments, Joined):
        raise JudgmentError(f"{judgments!r} are of several kinds: give one of its parts")
    return judgments


def each_kind(judgments: AnyJudgments) -> tuple[OneKind, ...]:
    return judgments.parts if isinstance(judgments, Joined) else (judgments,)


def are_answers(judgments: AnyJudgments) -> bool:
    """Return whether rows are of one kind, each with one of several possible answers."""
    kinds = each_kind(judgments)
    return len(kinds) == 1 and kinds[0].scoring.of_answers
