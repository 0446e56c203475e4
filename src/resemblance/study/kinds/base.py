"""Base class of the kinds of questions."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import dist, exp, inf
from random import Random
from typing import Any, ClassVar, NamedTuple

from resemblance.catalog import LISTED, MEASURED_MODEL, RANDOM, SECONDS
from resemblance.errors import ResemblanceError
from resemblance.study.sections import Section
from resemblance.study.stimuli import Stimulus, sides_of

Point = Sequence[float]
Spec = dict[str, Any]
Response = dict[str, Any]
Row = dict[str, Any]
# an earlier question and the response; the response is None if the question was skipped
Told = tuple[Spec, Response | None]

HEAD = "Item that the options were compared with."
OPTIONS = "All options in the order shown (in CSV separated by |)."


class ResponseError(ResemblanceError, ValueError):
    """The response does not fit its question."""


class Options(NamedTuple):
    """The smallest, default and largest number of options of a question."""

    least: int
    default: int
    most: int


@dataclass(frozen=True)
class Material:
    study: str  # name of the study in addresses
    stimuli: tuple[Stimulus, ...]
    options: int  # number of options
    # Questions of the file that the setting tasks.gold names. Each question has names of items
    # under "head" and "right", and a list of names under "wrong".
    gold: tuple[dict[str, Any], ...] = ()
    own: Section | None = None  # the kind's own section of study.toml
    salt: str = ""  # secret for computing addresses on the web
    exact: bool = False  # whether pictures are sent in full size
    # pairs of names, from the file that tasks.pairs names; if there are none, all pairs are asked
    pairs: tuple[tuple[str, str], ...] = ()
    # item and seed of noise chosen for one person, to be used in this order
    noise: tuple[tuple[str, int], ...] = ()

    @cached_property
    def by_name(self) -> dict[str, Stimulus]:
        return {stimulus.name: stimulus for stimulus in self.stimuli}

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(self.by_name)

    def pair(self, rng: Random) -> tuple[list[str], str]:
        """Return a random pair in random order, and the strategy that chose it."""
        pair = rng.choice(self.pairs) if self.pairs else self.names
        return rng.sample(pair, 2), LISTED if self.pairs else RANDOM

    def for_page(self, name: str, place: int) -> dict[str, Any]:
        item = self.by_name[name]
        sides = [] if self.exact else sides_of(item)
        return item.for_page(self.study, self.salt, place) | {"sides": sides}


@dataclass(frozen=True)
class JudgmentTable:
    """A file of judgments in an export; its rows come from :meth:`Kind.exported`."""

    name: str
    about: str  # description of a row in the file
    columns: Mapping[str, str]  # columns besides the columns of all kinds
    # function that selects the questions whose answers are in this file
    counts: Callable[[Spec], bool] = lambda spec: True
    # Function that turns all answers' rows, with their strategies, into the rows of the file.
    pool: Callable[[Iterable[Row]], Iterable[Row]] | None = None


class Kind(ABC):
    """A kind of question.

    A *spec* describes a question completely. It is plain JSON with names of items::

        {"kind": "...", "head": "a", "options": ["c", "b"], "gold": None,
         "strategy": "random", "held_out": False, "session": None}

    ``options`` are in the order shown. ``gold`` is the index of the right option, or None if it is
    unknown. ``session`` is the key of the question in the worker's session. A *response* is the
    JSON that the browser sends: ``{"chosen": index}``, unless the kind defines another form.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    plugin: ClassVar[str]
    judgment: ClassVar[str]
    command: ClassVar[str]
    options: ClassVar[Options] = Options(2, 2, 2)
    head_apart: ClassVar[bool] = False
    has_right: ClassVar[bool] = False
    adaptive: ClassVar[bool] = False
    can_agree: ClassVar[bool] = True
    sides_drawn: ClassVar[bool] = True
    draws: ClassVar[bool] = False
    has_templates: ClassVar[bool] = False  # whether templates are fitted during the study
    no_gold: ClassVar[str | None] = None
    seconds: ClassVar[float] = SECONDS
    tasks: ClassVar[Mapping[str, Any]] = {}
    asking: ClassVar[Mapping[str, Any]] = {}
    asking_with_features: ClassVar[
        Mapping[str, Any]
    ] = {}  # replaces `asking` in studies with features of items
    ahead: ClassVar[int] = 3
    section: ClassVar[tuple[str, type[Section]] | None] = None
    of_pairs: ClassVar[bool] = False
    model: ClassVar[str] = MEASURED_MODEL  # default model, for kinds that measure distances
    asks_reason: ClassVar[bool] = False  # whether people may be asked in which way items differ
    validated: ClassVar[bool] = False  # whether the model is tested on held-out answers

    @property
    def label(self) -> str:
        return self.name.replace("_", " ")

    def chooses_noise(self, material: Material) -> bool:
        """Return whether the worker chooses noise for each person."""
        return False

    def until_decided(self, material: Material) -> bool:
        """Return whether a person's questions end when two fits in a row give one strategy."""
        return False

    @abstractmethod
    def spec(self, material: Material, rng: Random, history: Sequence[Told] = ()) -> Spec:
        """Return a random question. ``history`` has the person's earlier questions and answers."""

    def practice(self, material: Material, rng: Random, history: Sequence[Told] = ()) -> Spec:
        return self.spec(material, rng, history)

    def gold(self, material: Material, rng: Random) -> Spec | None:
        """Return a gold question of the researcher, or None."""
        if not material.gold:
            return None
        given = rng.choice(material.gold)
        return self.with_answer(given["head"] or None, given["right"], given["wrong"], rng)

    def with_answer(self, head: str | None, right: str, wrong: Sequence[str], rng: Random) -> Spec:
        order = rng.sample(range(1 + len(wrong)), 1 + len(wrong))
        options = [(right, *wrong)[at] for at in order]
        return self.new(head, options, order.index(0), strategy="gold")

    def new(
        self, head: str | None, options: Sequence[str], gold: int | None = None, **more: Any
    ) -> Spec:
        spec = {"kind": self.name, "head": head, "options": list(options), "gold": gold}
        return spec | {"strategy": "random", "held_out": False, "session": None} | more

    def of_items(self, items: Sequence[str], material: Material, rng: Random) -> Spec:
        return self.new(None, rng.sample(items, len(items)))

    def may_be_chosen(self, material: Material, history: Sequence[Told]) -> bool:
        return True

    def again(self, spec: Spec, rng: Random) -> Spec:
        options = rng.sample(spec["options"], len(spec["options"]))
        right = None if spec["gold"] is None else options.index(spec["options"][spec["gold"]])
        return spec | {"options": options, "gold": right, "session": None, "strategy": "repeat"}

    def identity(self, spec: Spec) -> tuple[Any, ...]:
        """Return a key that is equal for questions about the same items."""
        return (spec["head"], *sorted(spec["options"]))

    def page(self, spec: Spec, material: Material, question: str) -> dict[str, Any]:
        """Return the question as sent to the browser, without names or classes of items."""
        head = spec["head"]
        return {
            "head": None if head is None else material.for_page(head, 0),
            "options": [
                material.for_page(name, 1 if head is not None else place)
                for place, name in enumerate(spec["options"])
            ],
            "timing": None,
            "extra": {},
        }

    def check(self, spec: Spec, response: Any) -> Response:
        place = response.get("chosen") if isinstance(response, dict) else None
        n = len(spec["options"])
        if type(place) is not int or not 0 <= place < n or len(response) > 1:
            raise ResponseError(
                f"the response is {response!r}: send {{'chosen': a place from 0 to {n - 1}}}"
            )
        return {"chosen": place}

    def imagined(
        self, question: Mapping[str, Any], seen: Sequence[Point], rng: Random, noise: float
    ) -> Response:
        """Simulate an answer, given positions in a space: P(k) is proportional to exp(-d_k^2 / T).

        d_k is the distance of option k from the head; an option equal to the head is always chosen.
        ``seen`` has the positions of the head (if the kind has a head) and of the options.
        ``noise`` is T; if T is infinite, the answer is random.
        """
        head, *options = seen
        distances = [dist(head, option) for option in options]
        if 0.0 in distances and noise < inf:
            return {"chosen": distances.index(0.0)}
        return {"chosen": drawn_of([-(d**2) / noise for d in distances], rng)}

    def giving(self, question: Mapping[str, Any], place: int) -> Response:
        return {"chosen": place}

    def answered(self, spec: Spec, response: Response) -> str:
        return str(spec["options"][response["chosen"]])

    def alike(self, first: str, again: str) -> bool:
        return first == again

    def worked_on(self, response: Response) -> bool:
        """Return whether a response shows effort; every choice does."""
        return True

    def side(self, response: Response) -> int | None:
        return int(response["chosen"])

    def right(self, spec: Spec, response: Response | None) -> bool | None:
        if spec["gold"] is None:
            return None
        return response is not None and spec["gold"] in self.named(response)

    def named(self, response: Response) -> Sequence[int]:
        """Return the indices of the chosen options; if one is right, a catch trial is passed."""
        return (response["chosen"],)

    @abstractmethod
    def row(self, spec: Spec, response: Response) -> Row: ...

    def exported(self, spec: Spec, response: Response, number: int) -> list[Row]:
        drawn = {"image": drawn_file(number)} if self.draws else {}
        return [self.row(spec, response) | drawn]

    @property
    @abstractmethod
    def tables(self) -> tuple[JudgmentTable, ...]:
        """The files of judgments in an export; ``command`` reads the first file."""

    def draw(self, spec: Spec, material: Material) -> bytes:
        raise NotImplementedError

    def fits(self, options: int) -> bool:
        """Return whether a session can fit the answers, which must be comparisons."""
        return not self.has_right

    def distances(self, options: int) -> int:
        """Return the number of distances that an answer measures; 0 if answers are comparisons."""
        return 0

    def measures(
        self, answers: Sequence[tuple[Spec, Response]], position: Mapping[str, int]
    ) -> dict[str, Any]:
        """Return arguments of the class ``judgment`` for answers that measure distances.

        ``position`` maps names of items to their positions. Rows from one answer share a
        ``response_id``. Rows that sum the answers of several people have ``trials``.
        """
        raise NotImplementedError

    def maps(self, options: int) -> bool:
        return self.fits(options) or self.distances(options) > 0

    def items_shown(self, spec: Spec) -> list[str]:
        return [*([spec["head"]] if spec["head"] is not None else []), *spec["options"]]

    def session(self, options: int, own: Section | None = None) -> dict[str, Any]:
        return {"n_options": options}

    def besides(self, material: Material, options: int) -> Spec:
        return {}

    def picked(self, spec: Spec, response: Response) -> str | tuple[str, ...]:
        return self.answered(spec, response)

    def at_first_places(self, question: Mapping[str, Any], response: Response) -> Response:
        """Return the response of a simulated person who always picks the first places."""
        return {"chosen": 0} if "chosen" in response else response

    def n_places(self, options: int) -> int:
        """Return the number of places at which an item has different addresses on the web."""
        return 2 if self.head_apart or self.has_right else options

    def n_items(self, options: int) -> int:
        return options + self.head_apart

    def gold_problem(self, head: str, right: str) -> str | None:
        return self.no_gold

    def problems(self, material: Material) -> Iterator[tuple[str, str]]:
        yield from ()

    def notes(self, material: Material) -> Iterator[str]:
        """Yield warnings about material that is allowed, but may be a mistake."""
        yield from ()


def drawn_file(number: int) -> str:
    return f"images/{number:06d}.png"


def drawn_of(logs: Sequence[float], rng: Random) -> int:
    most = max(logs)
    return rng.choices(range(len(logs)), [exp(log - most) for log in logs])[0]
