"""Can data tell which of several models is true? What simulations of each of them say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from resemblance.arrays import Floats
from resemblance.judgments.checks import first_few
from resemblance.notebook import Card, Shown
from resemblance.optional import pd
from resemblance.progress import Steps
from resemblance.scores.intervals import wilson_interval

ROUNDING = 1e-9  # between models that say the same
WRONG = 0.05  # of the simulations of another model, in which the best may be found at most
FOUND = 0.95  # of the draws of people, in which it is to be found again
SENTENCES = {
    "told": "{best} is told apart from all others.",
    "not told": "{best} is ahead, and not told apart from {rivals}.",
    "unknown": "{best} is ahead; more simulations may tell it from {rivals}.",
}


@dataclass(frozen=True)
class Recovery(Shown):
    r"""Which of several models is found from data, and from data simulated by each of them.

    Attributes
    ----------
    names : tuple of str
        What the models are called, K of them.
    losses : array (K,)
        How badly each explains the data.
    confusion : array (K, K)
        Row i, column j: the share of simulations of model i from which model j was found; models
        that tie share.
    p_values : array (K,)
        The share of simulations of each model in which the best is ahead of it by as much as in
        the data, or more; 1 for the best itself.
    found_again : array (K,)
        The share of draws of people, with replacement, in which each model is the best.
    n_simulations : int

    Examples
    --------
    >>> losses, even = np.array([0.0, 1.0]), np.full((2, 2), 0.5)
    >>> Recovery(("a", "b"), losses, np.eye(2), np.array([1.0, 0.0]), 1 - losses, 100).verdict
    'told'
    >>> Recovery(("a", "b"), losses, even, np.array([1.0, 0.5]), 1 - losses, 100).verdict
    'not told'
    """

    names: tuple[str, ...]
    losses: Floats
    confusion: Floats
    p_values: Floats
    found_again: Floats
    n_simulations: int
    measure: ClassVar[str] = "loss"  # what is told of each model
    title: ClassVar[str] = "Model recovery"

    @classmethod
    def simulated(
        cls,
        names: Iterable[str],
        losses: Floats,
        draws: Iterable[Iterable[Floats]],
        again: Sequence[Floats],
        steps: Steps,
    ) -> Self:
        """Look who is found.

        Parameters
        ----------
        names : iterable of str
        losses : array (K,)
            Of the data.
        draws : iterable of K iterables of arrays (K,)
            The losses in each simulation of each model, as many of each.
        again : sequence of arrays (K,)
            The losses in each draw of people.
        steps : Steps
            Counts the simulations.

        Returns
        -------
        Recovery
        """
        ahead, best = losses - losses.min() - ROUNDING, int(losses.argmin())
        winning, as_far = [], []
        for k, simulations in enumerate(draws):
            drawn = np.array(list(steps.each(simulations)))
            winning.append([winners(draw_losses) for draw_losses in drawn])
            as_far.append(drawn[:, k] - drawn[:, best] >= ahead[k])
        return cls(
            tuple(names),
            losses,
            np.mean(winning, axis=1),
            np.mean(as_far, axis=1),
            np.mean([winners(draw_losses) for draw_losses in again], axis=0),
            len(winning[0]),
        )

    @property
    def measured(self) -> Floats:
        """What is told of each model: its loss, unless a class says otherwise."""
        return self.losses

    @property
    def best(self) -> str:
        """The model of the least loss."""
        return self.names[int(self.losses.argmin())]

    @property
    def rivals(self) -> tuple[str, ...]:
        """The models that might be true all the same: by simulations, or draws of people."""
        chances = zip(self.names, self.p_values, self.found_again, strict=True)
        return tuple(
            name
            for name, p, again in chances
            if name != self.best
            and (wilson_interval(p, self.n_simulations)[1] > WRONG or again > 1 - FOUND)
        )

    @property
    def verdict(self) -> str:
        """Whether the best is told apart from all others: "told", "not told" or "unknown".

        "told": of no other model's data is it as far ahead in more than 5 % (the upper end of
        each share's interval), and it is best in 95 % of draws of people. "unknown": more
        simulations may say so. The models are compared with one another: none may be true.
        """
        at = self.names.index(self.best)
        others = np.delete(self.p_values, at)
        low = max(wilson_interval(share, self.n_simulations)[0] for share in others)
        if low > WRONG or self.found_again[at] < FOUND:
            return "not told"
        return "unknown" if self.rivals else "told"

    @property
    def sentence(self) -> str:
        """What may be said of the models."""
        return SENTENCES[self.verdict].format(best=self.best, rivals=first_few(self.rivals))

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each model, best first."""
        rows = {
            self.measure: self.measured,
            "found_again": self.found_again,
            "recovered": self.confusion.diagonal(),
            "p_value": self.p_values,
        }
        table = pd.DataFrame(rows, index=pd.Index(self.names, name="model"))
        return table.iloc[np.argsort(self.losses, kind="stable")]

    def _card(self) -> Card:
        facts = {"verdict": self.verdict, "that is": self.sentence}
        return Card(self.title, facts, self.to_pandas())


def winners(losses: Floats) -> Floats:
    """Return 1 for the model of the least loss; models that tie share it.

    Examples
    --------
    >>> winners(np.array([0.2, 0.1, 0.1]))
    array([0. , 0.5, 0.5])
    """
    best = losses <= losses.min() + ROUNDING
    return np.asarray(best / best.sum())
