"""Match to sample: people see a sample, then pick it out of two alternatives."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

from resemblance.study.kinds.base import JudgmentTable, Kind, Material, Response, Row, Spec, Told
from resemblance.study.sections import Count, Section, Some, setting


class Timing(Section):
    """The course of a match-to-sample trial, in milliseconds."""

    fixation_ms: Count = setting(500, "Fixation cross before the sample.")
    sample_ms: Some = setting(200, "Sample.")
    gap_ms: Count = setting(500, "Blank, or mask, after the sample.")
    mask: bool = setting(False, "A mask instead of a blank.")
    options_ms: Count = setting(0, "Alternatives; 0: until the answer.")


class MatchToSample(Kind):
    """Which of the two was the sample? Errors count how similar two items look."""

    name = "match_to_sample"
    about = "which of two was the sample that one saw a moment before"
    plugin = "match-to-sample"
    judgment = "Confusions"
    command = "resemblance fit confusions.{} --model yada --features features.csv"
    has_right = True
    section = ("timing", Timing)

    def spec(self, material: Material, rng: Random, history: Sequence[Told] = ()) -> Spec:
        sample, other = rng.sample(material.names, 2)
        return self.with_answer(sample, sample, [other], rng) | {"strategy": "random"}

    def page(self, spec: Spec, material: Material, question: str) -> dict[str, Any]:
        timing = material.own
        assert isinstance(timing, Timing)
        course = {
            "fixation_ms": timing.fixation_ms,
            "head_ms": timing.sample_ms,
            "gap_ms": timing.gap_ms,
            "gap": "mask" if timing.mask else "blank",
            "options_ms": timing.options_ms or None,
        }
        return super().page(spec, material, question) | {"timing": course}

    def row(self, spec: Spec, response: Response) -> Row:
        a, b = sorted(spec["options"])
        sample, chosen = spec["head"], self.answered(spec, response)
        return {"a": a, "b": b, "sample": sample, "chosen": chosen, "correct": chosen == sample}

    @property
    def tables(self) -> tuple[JudgmentTable, ...]:
        pair = {
            "a": "One item.",
            "b": "The other item.",
            "errors": "Trials in which the other item was taken for the sample.",
            "trials": "Trials of this pair.",
        }
        trial = {
            "a": "One item of the pair, the first by name.",
            "b": "The other item.",
            "sample": "The one that was shown first.",
            "chosen": "The one that was chosen.",
            "correct": "Whether the sample was chosen.",
        }
        return (
            JudgmentTable("confusions", "A pair of items.", pair, pool=_confusions),
            JudgmentTable("trials", "A trial.", trial),
        )

    def gold_problem(self, head: str, right: str) -> str | None:
        """Refuse another right answer than the sample."""
        same = head == right
        return None if same else "the sample itself is right: write it as head and as right"

    def notes(self, material: Material) -> Iterator[str]:
        if not material.gold:
            yield "no pair is gold: name tasks.gold, a file of pairs that nobody confuses"


def _confusions(trials: Iterable[Row]) -> Iterator[Row]:
    n: Counter[tuple[str, str]] = Counter()
    errors: Counter[tuple[str, str]] = Counter()
    for row in trials:
        n[row["a"], row["b"]] += 1
        errors[row["a"], row["b"]] += not row["correct"]
    for a, b in sorted(n):
        yield {"a": a, "b": b, "errors": errors[a, b], "trials": n[a, b]}
