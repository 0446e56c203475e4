"""Rankings, and several choices from a grid, of the options most similar to the head."""

from collections.abc import Iterator, Mapping, Sequence
from math import dist, inf, log
from random import Random
from types import MappingProxyType
from typing import Any, ClassVar

from resemblance.picks import choices
from resemblance.study.kinds.base import (
    JudgmentTable,
    Material,
    Options,
    Point,
    Response,
    ResponseError,
    Row,
    Spec,
)
from resemblance.study.kinds.comparison import OneOfN, is_no_catch
from resemblance.study.sections import Section, Some, setting

RESPONSE = {"response_id": "Number of the answer, the same in all its choices."}


class Several(OneOfN):
    """Base of questions with several picks, ``{"picked": [place, ...]}``. Each pick is a choice."""

    plugin = "picking"
    can_agree = False  # A gold question has only one right answer.
    ordered: ClassVar[bool]
    columns: ClassVar[Mapping[str, str]] = {**OneOfN.columns, **RESPONSE}

    def wanted(self, spec: Spec) -> int:
        return len(spec["options"])

    def page(self, spec: Spec, material: Material, question: str) -> dict[str, Any]:
        extra = {"picks": self.wanted(spec), "ordered": self.ordered}
        return super().page(spec, material, question) | {"extra": extra}

    def check(self, spec: Spec, response: Any) -> Response:
        places = response.get("picked") if isinstance(response, dict) else None
        n, wanted = len(spec["options"]), self.wanted(spec)
        if not (isinstance(places, list) and are_different(places, n)) or len(response) > 1:
            places = []
        if len(places) != wanted:
            raise ResponseError(
                f"the response is {str(response)[:80]!r}: send {{'picked': {wanted} different "
                f"places from 0 to {n - 1}}}"
            )
        return {"picked": places if self.ordered else sorted(places)}

    def imagined(
        self, question: Mapping[str, Any], seen: Sequence[Point], rng: Random, noise: float
    ) -> Response:
        """Pick the options with the largest -d^2 / T plus Gumbel noise."""
        head, *options = seen
        heard = [-log(-log(rng.uniform(1e-12, 1.0 - 1e-12))) for _ in options]
        if noise < inf:
            apart = (dist(head, option) for option in options)
            heard = [g - d**2 / noise if d else inf for g, d in zip(heard, apart, strict=True)]
        order = sorted(range(len(options)), key=lambda place: -heard[place])
        return {"picked": order[: question["extra"]["picks"]]}

    def giving(self, question: Mapping[str, Any], place: int) -> Response:
        others = [n for n in range(len(question["options"])) if n != place]
        return {"picked": [place, *others][: question["extra"]["picks"]]}

    def at_first_places(self, question: Mapping[str, Any], response: Response) -> Response:
        return {"picked": [*range(question["extra"]["picks"])]}

    def picked(self, spec: Spec, response: Response) -> tuple[str, ...]:
        """Return the picked options, except the last one of a complete ranking."""
        last = len(spec["options"]) - 1
        return tuple(spec["options"][place] for place in response["picked"][:last])

    def answered(self, spec: Spec, response: Response) -> str:
        return "|".join(spec["options"][place] for place in response["picked"])

    def row(self, spec: Spec, response: Response) -> Row:
        return self.exported(spec, response, 0)[0]

    def exported(self, spec: Spec, response: Response, number: int) -> list[Row]:
        listed, rows = spec["options"], []
        for chosen, *others in choices(self.picked(spec, response), listed, self.ordered):
            options = [name for name in listed if name == chosen or name in others]
            row = {"head": spec["head"], "chosen": chosen, "options": options}
            rows.append(row | {"response_id": number})
        return rows

    @property
    def tables(self) -> tuple[JudgmentTable, ...]:
        """The choices, without catch trials, in which the head is also an option."""
        columns = {**self.columns, "options": "Options for this choice (in CSV separated by |)."}
        return (JudgmentTable("choices", "A choice of one.", columns, is_no_catch),)


class Ranking(Several):
    """Rankings: people order the options by similarity to the head."""

    name = "ranking"
    about = "in which order N options are similar to a head"
    options = Options(3, 4, 8)
    ordered = True
    seconds = 12.0
    tasks = MappingProxyType({"per_participant": 4, "task_size": 15})

    def session(self, options: int, own: Section | None = None) -> dict[str, Any]:
        return {"n_options": options, "picks": options - 1, "ordered": True}

    def alike(self, first: str, again: str) -> bool:
        return first.split("|")[0] == again.split("|")[0]

    def side(self, response: Response) -> int | None:
        return int(response["picked"][0])

    def named(self, response: Response) -> Sequence[int]:
        return tuple(response["picked"][:1])


class Picking(Section):
    picks: Some = setting(3, "How many options are picked; fewer than study.n_options.")


class PickK(Several):
    """Pick k: people choose the k options most similar to the head (Wilber et al. 2014, HCOMP)."""

    name = "pick_k"
    about = "which k of a grid of N options are the most similar to a head"
    options = Options(3, 9, 24)
    ordered = False
    sides_drawn = False  # An answer has several places, so it has no side.
    seconds = 12.0
    tasks = MappingProxyType({"per_participant": 4, "task_size": 15})
    section = ("picking", Picking)

    def wanted(self, spec: Spec) -> int:
        return min(int(spec["picks"]), len(spec["options"]) - 1)

    def besides(self, material: Material, options: int) -> Spec:
        assert isinstance(material.own, Picking)
        return {"picks": material.own.picks}

    def gold(self, material: Material, rng: Random) -> Spec | None:
        spec = super().gold(material, rng)
        return spec and spec | self.besides(material, len(spec["options"]))

    def session(self, options: int, own: Section | None = None) -> dict[str, Any]:
        assert isinstance(own, Picking)
        return {"n_options": options, "picks": own.picks, "ordered": False}

    def alike(self, first: str, again: str) -> bool:
        before, after = (set(names.split("|")) for names in (first, again))
        return 2 * len(before & after) > len(before)

    def side(self, response: Response) -> int | None:
        return None

    def named(self, response: Response) -> Sequence[int]:
        return tuple(response["picked"])

    def problems(self, material: Material) -> Iterator[tuple[str, str]]:
        picks = self.besides(material, material.options)["picks"]
        if picks >= material.options:
            problem = f"{picks} picks of {material.options} options leave none: give fewer"
            yield "picking.picks", f"{problem}, or raise study.n_options"


def are_different(places: list[Any], n: int) -> bool:
    whole = all(type(place) is int and 0 <= place < n for place in places)
    return whole and len(set(places)) == len(places)
