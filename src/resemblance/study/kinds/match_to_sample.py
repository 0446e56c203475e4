"""Match to sample: a sample is shown and gone; which of two alternatives was it?"""

from collections.abc import Sequence
from random import Random
from typing import Any

from resemblance.study.folder import StudyFolder
from resemblance.study.kinds.base import Kind, Response, Spec, Told, given_gold, known_spec


class MatchToSample(Kind):
    """Which of the two was the sample? Errors count how alike two items look."""

    name = "match_to_sample"

    def spec(self, study: StudyFolder, rng: Random, history: Sequence[Told] = ()) -> Spec:
        """Draw a pair, one of them as the sample; the sides are random."""
        sample, other = rng.sample(study.names, 2)
        return known_spec(self.name, sample, sample, [other], rng) | {"strategy": "random"}

    def gold(self, study: StudyFolder, rng: Random) -> Spec | None:
        """Take one of the researcher's; only they know which pairs nobody confuses."""
        return given_gold(self.name, study, rng)

    def page(self, spec: Spec, study: StudyFolder, question: str) -> dict[str, Any]:
        """Add the course of the trial."""
        timing = study.settings.timing
        course = {
            "fixation_ms": timing.fixation_ms,
            "head_ms": timing.sample_ms,
            "gap_ms": timing.gap_ms,
            "gap": "mask" if timing.mask else "blank",
            "options_ms": timing.options_ms or None,
        }
        return super().page(spec, study, question) | {"timing": course}

    def row(self, spec: Spec, response: Response) -> dict[str, Any]:
        """Give the pair, the sample, the alternative chosen, and whether it was the sample."""
        a, b = sorted(spec["options"])
        chosen = spec["options"][response["chosen"]]
        return {
            "a": a,
            "b": b,
            "sample": spec["head"],
            "chosen": chosen,
            "correct": chosen == spec["head"],
        }
