"""Triplets and choices of one among N: which option is the most similar to the head?"""

from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar

from resemblance.study.folder import StudyFolder
from resemblance.study.kinds.base import (
    Kind,
    Response,
    Spec,
    Told,
    given_gold,
    known_spec,
    new_spec,
)


class OneOfN(Kind):
    """Which of N options is the most similar to the head?"""

    name = "one_of_n"

    def spec(self, study: StudyFolder, rng: Random, history: Sequence[Told] = ()) -> Spec:
        """Draw a head, and other items as options."""
        head, *options = rng.sample(study.names, 1 + study.settings.study.options)
        return new_spec(self.name, head, options)

    def gold(self, study: StudyFolder, rng: Random) -> Spec | None:
        """Take one of the researcher's, or show the head itself among the options."""
        if study.gold:
            return given_gold(self.name, study, rng)
        head, *wrong = rng.sample(study.names, study.settings.study.options)
        return known_spec(self.name, head, head, wrong, rng)

    def row(self, spec: Spec, response: Response) -> dict[str, Any]:
        """Give head, chosen and options (in the order shown)."""
        chosen = spec["options"][response["chosen"]]
        return {"head": spec["head"], "chosen": chosen, "options": spec["options"]}


class Triplet(OneOfN):
    """Which of two options is the more similar to the head?"""

    name: ClassVar[str] = "triplet"

    def row(self, spec: Spec, response: Response) -> dict[str, Any]:
        """Give head, near and far."""
        near, far = spec["options"][:: 1 if response["chosen"] == 0 else -1]
        return {"head": spec["head"], "near": near, "far": far}
