"""Odd one out: which of three or more differs from the others?"""

from collections.abc import Sequence
from random import Random
from typing import Any

from resemblance.study.folder import StudyFolder
from resemblance.study.kinds.base import Kind, Response, Spec, Told, given_gold, new_spec


class OddOneOut(Kind):
    """Which one is the odd one out?"""

    name = "odd_one_out"

    def spec(self, study: StudyFolder, rng: Random, history: Sequence[Told] = ()) -> Spec:
        """Draw the items shown."""
        return new_spec(self.name, None, rng.sample(study.names, study.settings.study.options))

    def gold(self, study: StudyFolder, rng: Random) -> Spec | None:
        """Take one of the researcher's, or show one item several times and another once."""
        if study.gold:
            return given_gold(self.name, study, rng)
        same, odd = rng.sample(study.names, 2)
        place = rng.randrange(study.settings.study.options)
        options = [same] * study.settings.study.options
        options[place] = odd
        return new_spec(self.name, None, options, place, strategy="gold")

    def row(self, spec: Spec, response: Response) -> dict[str, Any]:
        """Give the odd one, and all options (in the order shown)."""
        return {"odd": spec["options"][response["chosen"]], "options": spec["options"]}
