"""Items that come to a session later: each is placed by questions of its own, then joins."""

from collections import Counter
from collections.abc import Iterable
from copy import copy

import numpy as np

from resemblance.asking.question import Answer, Pending
from resemblance.errors import SettingError
from resemblance.fitting import OrdinalEmbedding
from resemblance.judgments import Items

AT_ONCE = 3  # questions about one new item that may be out together
PATIENCE = 2  # so many times its share are told of an item, skips included, and it joins


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
        out = Counter(item for one in pending.values() for item in one.about if item in self)
        lacking = {}
        for item in self:
            useful, heard = self._counts(item, left_out)
            if out[item] < AT_ONCE and not self._suffices(useful + out[item], heard + out[item]):
                lacking[item] = useful + out[item]
        return min(lacking, key=lambda item: lacking[item], default=None)

    def ready(self, left_out: frozenset[str]) -> bool:
        """Say whether there are some, and all have their share."""
        return bool(self) and all(self._suffices(*self._counts(one, left_out)) for one in self)

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
        useful = [one for one in heard if one.chosen is not None and one.observer not in left_out]
        return len(useful), len(heard)

    def _suffices(self, useful: int, heard: int) -> bool:
        return useful >= self.share or heard >= PATIENCE * self.share


def with_names(items: Items, names: Iterable[str]) -> Items:
    """Return items with further ones at their end.

    Raises
    ------
    SettingError
        If more is known of the items than their names: of new ones it is not.
    """
    described = [
        part
        for part in ("features", "labels", "images", "titles")
        if getattr(items, part) is not None
    ]
    if described:
        raise SettingError(
            f"the session's items have {described[0]}, and new ones would lack them: begin a "
            "session about all items"
        )
    return Items([*items.names, *names])


def first_items(items: Items, n: int) -> Items:
    """Return the first n items: those there were before others came."""
    return items if n == len(items) else Items(items.names[:n])


def padded(model: OrdinalEmbedding, items: Items) -> OrdinalEmbedding:
    """Return a fitted model with later items at the centre of those that it has."""
    lacking = len(items) - len(model.embedding_)
    if not lacking:
        return model
    centre = np.tile(model.embedding_.mean(axis=0), (lacking, 1))
    return copy(model).set_positions(np.vstack([model.embedding_, centre]), items)
