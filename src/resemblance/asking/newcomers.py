"""Place items that join a session later, with questions of their own."""

from collections import Counter
from collections.abc import Iterable
from copy import copy
from typing import Any

import numpy as np

from resemblance.arrays import ONE_VIEW, by_view
from resemblance.asking.question import Answer, Pending
from resemblance.errors import SettingError
from resemblance.fitting import OrdinalEmbedding
from resemblance.forms import FeaturePrior
from resemblance.judgments import Items

AT_ONCE = 3  # questions about one new item that may be out together
PARTS = "labels", "images", "titles"  # parts of items that new ones cannot have
PATIENCE = 2  # an item joins after twice its share of answers, skips included


class Newcomers(dict[int, list[tuple[int, Answer]]]):
    """The items that are being placed: each with the answers about it, and when they were told.

    Parameters
    ----------
    share : int
        The answers that each gets before it joins the others.
    """

    def __init__(self, share: int) -> None:
        super().__init__()
        self.share = share

    def take(self, number: int, answer: Answer) -> None:
        """Take the answer of this number, if it is about one of them."""
        for item in answer.question.about if not answer.question.held_out else ():
            if item in self:
                self[item].append((number, answer))

    def next(self, pending: Pending, left_out: frozenset[str]) -> int | None:
        """Name the item to be asked about: the one with the fewest answers, told or expected."""
        if not self:
            return None
        out = Counter(item for q in pending.values() for item in q.about if item in self)
        lacking = {}
        for item in self:
            useful, heard = self._counts(item, left_out)
            if out[item] < AT_ONCE and not self._suffices(useful + out[item], heard + out[item]):
                lacking[item] = useful + out[item]
        return min(lacking, key=lambda item: lacking[item], default=None)

    def ready(self, left_out: frozenset[str]) -> bool:
        """Say whether there are some, and all have their share."""
        return bool(self) and all(self._suffices(*self._counts(item, left_out)) for item in self)

    def settle(self, n_answers: int, left_out: frozenset[str]) -> None:
        """Let those go that had their share among the answers which a fit has seen."""
        for item in list(self):
            if self._suffices(*self._counts(item, left_out, n_answers)):
                del self[item]

    def _counts(
        self, item: int, left_out: frozenset[str], n_answers: int | None = None
    ) -> tuple[int, int]:
        """Count the answers that count, and all with the skips."""
        heard = [answer for at, answer in self[item] if n_answers is None or at < n_answers]
        useful = [a for a in heard if a.chosen is not None and a.observer not in left_out]
        return len(useful), len(heard)

    def _suffices(self, useful: int, heard: int) -> bool:
        return useful >= self.share or heard >= PATIENCE * self.share


def with_names(items: Items, names: Iterable[str], features: Any = None) -> Items:
    """Return items with further ones at their end.

    Raises
    ------
    SettingError
        If more is known of the items than of new ones, or less.
    """
    if lacking := [part for part in PARTS if getattr(items, part) is not None]:
        raise SettingError(
            f"the session's items have {lacking[0]}, which new ones would lack: begin a "
            "session about all items"
        )
    new = Items(list(names), features)
    earlier, given = by_view(items.features), by_view(new.features)
    columns, others = ({view: X.shape[1] for view, X in of.items()} for of in (earlier, given))
    if columns != others:
        raise SettingError(
            f"new items have {others or 'no'} features, and the others {columns or 'none'}: give "
            "the same, in the same order"
        )
    joined = {view: np.vstack([X, given[view]]) for view, X in earlier.items()}
    several = isinstance(items.features, dict)
    return Items(
        [*items.names, *new.names],
        joined if several else joined.get(ONE_VIEW),
        feature_names=items.feature_names,
    )


def first_items(items: Items, n: int) -> Items:
    """Return the first n items: those there were before others came."""
    return items if n == len(items) else items.taken(np.arange(n))


def padded(model: OrdinalEmbedding, items: Items) -> OrdinalEmbedding:
    """Return a fitted model with later items where their features suggest, else in the centre."""
    n = len(model.embedding_)
    if n == len(items):
        return model
    X, form = model.embedding_, getattr(model, "form_", None)
    if isinstance(form, FeaturePrior) and items.features is not None:
        earlier, new = first_items(items, n), items.taken(np.arange(n, len(items)))
        placed = form.expected(earlier.features, X, new.features)
    else:
        placed = np.tile(X.mean(axis=0), (len(items) - n, 1))
    return copy(model).set_positions(np.vstack([X, placed]), items)
