"""What every kind of question does: make a question, show it, check and read its answer."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar

from resemblance.errors import ResemblanceError
from resemblance.study.folder import StudyFolder

Spec = dict[str, Any]
Response = dict[str, Any]
Told = tuple[Spec, Response | None]  # a question answered before; None: skipped


class ResponseError(ResemblanceError, ValueError):
    """A response that the question cannot have."""


class Kind(ABC):
    """A kind of question.

    A *spec* is all that is known of one question, as plain JSON; items are told by their names::

        {"kind": "triplet", "head": "a", "options": ["c", "b"], "gold": None,
         "strategy": "random", "held_out": False, "session": None}

    ``options`` are in the order shown, ``gold`` is the place among them of the answer known to be
    right, ``session`` the number of the question in the worker's session. A *response* is what the
    browser sends: ``{"chosen": place}``, or ``{"label": 0 or 1}``.
    """

    name: ClassVar[str]
    answer: ClassVar[str] = "chosen"  # the one key of a response
    ahead: ClassVar[int] = 3  # how many questions a browser may hold beyond the one it shows

    @abstractmethod
    def spec(self, study: StudyFolder, rng: Random, history: Sequence[Told] = ()) -> Spec:
        """Make a random question; the history is what this person answered before."""

    def gold(self, study: StudyFolder, rng: Random) -> Spec | None:
        """Make a question whose answer is known; None where the study has none."""
        return None

    def again(self, spec: Spec, rng: Random) -> Spec:
        """Make the same question once more, with its sides at random."""
        options = shuffled(spec["options"], rng)
        right = None if spec["gold"] is None else options.index(spec["options"][spec["gold"]])
        return spec | {"options": options, "gold": right, "session": None, "strategy": "repeat"}

    def page(self, spec: Spec, study: StudyFolder, question: str) -> dict[str, Any]:
        """Give what the browser is told: nothing that names an item or its class."""
        head = spec["head"]
        return {
            "head": None if head is None else study.shown[head],
            "options": [study.shown[name] for name in spec["options"]],
            "timing": None,
        }

    def check(self, spec: Spec, response: Any) -> Response:
        """Give a response that the question can have; raise ResponseError for any other."""
        place = response.get(self.answer) if isinstance(response, dict) else None
        n = len(spec["options"])
        if type(place) is not int or not 0 <= place < n or len(response) > 1:
            raise ResponseError(
                f"the response is {response!r}: send {{{self.answer!r}: a place from 0 to {n - 1}}}"
            )
        return {self.answer: place}

    def right(self, spec: Spec, response: Response | None) -> bool | None:
        """Say whether a response is right; None where no answer is right or wrong."""
        if spec["gold"] is None:
            return None
        return response is not None and response[self.answer] == spec["gold"]

    @abstractmethod
    def row(self, spec: Spec, response: Response) -> dict[str, Any]:
        """Give the answer as columns of a file of judgments."""


def new_spec(
    kind: str, head: str | None, options: Sequence[str], gold: int | None = None, **more: Any
) -> Spec:
    """Write a question down.

    Examples
    --------
    >>> new_spec("triplet", "a", ["c", "b"], strategy="predictive", session=7)["session"]
    7
    """
    spec = {"kind": kind, "head": head, "options": list(options), "gold": gold}
    return spec | {"strategy": "random", "held_out": False, "session": None} | more


def shuffled(names: Sequence[str], rng: Random) -> list[str]:
    """Give names in a random order."""
    return rng.sample(list(names), len(names))


def known_spec(kind: str, head: str | None, right: str, wrong: Sequence[str], rng: Random) -> Spec:
    """Write a gold question down, its options in a random order."""
    order = rng.sample(range(1 + len(wrong)), 1 + len(wrong))
    options = [(right, *wrong)[at] for at in order]
    return new_spec(kind, head, options, order.index(0), strategy="gold")


def given_gold(kind: str, study: StudyFolder, rng: Random) -> Spec | None:
    """Take one of the researcher's gold questions."""
    if not study.gold:
        return None
    asked = rng.choice(study.gold)
    return known_spec(kind, asked["head"] or None, asked["right"], asked["wrong"], rng)
