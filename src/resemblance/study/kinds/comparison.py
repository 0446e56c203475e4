"""Triplets and choices of N: people pick the option most similar to the head."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from resemblance.study.kinds.base import (
    HEAD,
    OPTIONS,
    JudgmentTable,
    Kind,
    Material,
    Options,
    Response,
    Row,
    Spec,
    Told,
)


class OneOfN(Kind):
    """Which of N options is most similar to the head?"""

    name: ClassVar[str] = "one_of_n"
    about: ClassVar[str] = "which of N options is the most similar to a head"
    plugin = "most-similar"
    judgment: ClassVar[str] = "Choices"
    command: ClassVar[str] = "resemblance fit choices.{0} --items items.{0} --kind choices"
    options: ClassVar[Options] = Options(2, 8, 24)
    head_apart = True
    adaptive = True
    seconds: ClassVar[float] = 8.0
    columns: ClassVar[Mapping[str, str]] = {
        "head": HEAD,
        "chosen": "Option judged most similar to the head.",
        "options": OPTIONS,
    }

    def spec(self, material: Material, rng: Random, history: Sequence[Told] = ()) -> Spec:
        head, *options = rng.sample(material.names, 1 + material.options)
        return self.new(head, options) | self.besides(material, material.options)

    def gold(self, material: Material, rng: Random) -> Spec | None:
        """Return one of the researcher's questions, or show the head among the options."""
        if material.gold:
            return super().gold(material, rng)
        head, *wrong = rng.sample(material.names, material.options)
        return self.with_answer(head, head, wrong, rng)

    def row(self, spec: Spec, response: Response) -> Row:
        chosen = self.answered(spec, response)
        return {"head": spec["head"], "chosen": chosen, "options": spec["options"]}

    @property
    def tables(self) -> tuple[JudgmentTable, ...]:
        files, columns = self.judgment.lower(), self.columns
        judgment = f"A {files[:-1]}"
        with_catches = f'{judgment}, or a catch trial: read it with on_error="skip".'
        return (
            JudgmentTable(files, f"{judgment}.", columns, is_no_catch),
            JudgmentTable(f"{files}_with_catches", with_catches, columns),
        )


class Triplet(OneOfN):
    """Which of two options is more similar to the head?"""

    name = "triplet"
    about = "which of two is the more similar to a head"
    judgment = "Triplets"
    command = "resemblance fit triplets.{0} --items items.{0}"
    options = Options(2, 2, 2)
    seconds = 5.0
    columns: ClassVar[Mapping[str, str]] = {
        "head": HEAD,
        "near": "Option judged more similar to the head.",
        "far": "The other option.",
    }

    def row(self, spec: Spec, response: Response) -> Row:
        near, far = spec["options"][:: 1 if response["chosen"] == 0 else -1]
        return {"head": spec["head"], "near": near, "far": far}


def is_no_catch(spec: Spec) -> bool:
    """Return whether the head is no option, so that the answer is a judgment."""
    return spec["head"] not in spec["options"]
