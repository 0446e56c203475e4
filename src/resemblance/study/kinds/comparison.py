"""Comparisons: one of N options, triplets, the odd one out, and match to sample."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import comb, dist, exp, inf
from random import Random
from types import MappingProxyType
from typing import Any, ClassVar

from resemblance.study.kinds.base import (
    HEAD,
    OPTIONS,
    JudgmentTable,
    Kind,
    Material,
    Options,
    Point,
    Response,
    Row,
    Spec,
    Told,
    drawn_of,
)
from resemblance.study.sections import Count, Section, Some, setting

# Largest number of options: with more than 66 pairs, fits would be slower than answers arrive.
MOST_FITTED = 12


class OneOfN(Kind):
    """One of N: people choose the option most similar to the head."""

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
        """Return a gold question of the researcher, or a question whose head is also an option."""
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
    """Triplets: people choose which of two options is more similar to the head."""

    name = "triplet"
    about = "which of two is the more similar to a head"
    judgment = "Triplets"
    command = "resemblance fit triplets.{0} --items items.{0}"
    options = Options(2, 2, 2)
    asks_reason = True
    seconds = Kind.seconds
    columns: ClassVar[Mapping[str, str]] = {
        "head": HEAD,
        "near": "Option judged more similar to the head.",
        "far": "The other option.",
    }

    def row(self, spec: Spec, response: Response) -> Row:
        near, far = spec["options"][:: 1 if response["chosen"] == 0 else -1]
        return {"head": spec["head"], "near": near, "far": far}


def is_no_catch(spec: Spec) -> bool:
    """Return whether the head is not among the options, as it is in catch trials."""
    return spec["head"] not in spec["options"]


class OddOneOut(Kind):
    name = "odd_one_out"
    about = "which one of three or more differs from the others"
    plugin = "odd-one-out"
    judgment = "OddOneOuts"
    command = "resemblance fit odd_one_outs.{0} --kind odd_one_outs --items items.{0}"
    adaptive = True
    asks_reason = True
    options = Options(3, 3, 24)

    def spec(self, material: Material, rng: Random, history: Sequence[Told] = ()) -> Spec:
        return self.new(None, rng.sample(material.names, material.options))

    def gold(self, material: Material, rng: Random) -> Spec | None:
        """Return a gold question of the researcher, or copies of one item and an odd item."""
        if material.gold:
            return super().gold(material, rng)
        same, odd = rng.sample(material.names, 2)
        place = rng.randrange(material.options)
        options = [same] * material.options
        options[place] = odd
        return self.new(None, options, place, strategy="gold")

    def row(self, spec: Spec, response: Response) -> Row:
        return {"odd": self.answered(spec, response), "options": spec["options"]}

    def imagined(
        self, question: Mapping[str, Any], seen: Sequence[Point], rng: Random, noise: float
    ) -> Response:
        r"""Choose k with :math:`P(k) \propto e^{-s_k / T}`; s_k: mean d^2 of pairs without k."""
        squares = [[dist(a, b) ** 2 for b in seen] for a in seen]
        single = [place for place, row in enumerate(squares) if row.count(0.0) == 1]
        if noise < inf and len(single) == 1:  # All other options are copies of one item.
            return {"chosen": single[0]}
        total, pairs = sum(map(sum, squares)) / 2, comb(len(seen) - 1, 2)
        left = [(total - sum(row)) / pairs for row in squares]
        return {"chosen": drawn_of([-square / noise for square in left], rng)}

    def fits(self, options: int) -> bool:
        return options <= MOST_FITTED

    def session(self, options: int, own: Section | None = None) -> dict[str, Any]:
        return {"n_options": options, "odd_one_out": True}

    @property
    def tables(self) -> tuple[JudgmentTable, ...]:
        columns = {
            "odd": "The item chosen as the odd one.",
            "options": "All items shown, in their order.",
        }
        return (JudgmentTable("odd_one_outs", "An odd one out.", columns, _differ),)


def _differ(spec: Spec) -> bool:
    return len(set(spec["options"])) == len(spec["options"])


class Timing(Section):
    """Durations of the phases of a match-to-sample trial, in milliseconds."""

    fixation_ms: Count = setting(500, "Fixation cross before the sample.")
    sample_ms: Some = setting(200, "Sample.")
    gap_ms: Count = setting(500, "Blank, or mask, after the sample.")
    mask: bool = setting(False, "A mask instead of a blank.")
    options_ms: Count = setting(0, "The two options; 0: until the answer.")


class MatchToSample(Kind):
    """Match to sample: people say which of two items they just saw; errors measure similarity."""

    name = "match_to_sample"
    about = "which of two items was shown a moment before"
    plugin = "match-to-sample"
    judgment = "Confusions"
    command = "resemblance fit confusions.{0} --model yada --items items.{0}"
    has_right = True
    adaptive = True
    of_pairs = True
    model = "yada"
    validated = True
    asking = MappingProxyType({"strategy": "random"})
    asking_with_features = MappingProxyType({"random_share": 0.2})
    section = ("timing", Timing)

    def of_items(self, items: Sequence[str], material: Material, rng: Random) -> Spec:
        sample, other = rng.sample(items, 2)
        return self.with_answer(sample, sample, [other], rng)

    def spec(self, material: Material, rng: Random, history: Sequence[Told] = ()) -> Spec:
        pair, strategy = material.pair(rng)
        return self.of_items(pair, material, rng) | {"strategy": strategy}

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

    def imagined(
        self, question: Mapping[str, Any], seen: Sequence[Point], rng: Random, noise: float
    ) -> Response:
        r"""Choose the wrong item with probability :math:`e^{-d^2 / T} / 2`, at distance d."""
        head, *options = seen
        sample = min(range(2), key=lambda place: dist(head, options[place]))
        other = rng.random() < 0.5 * exp(-(dist(*options) ** 2) / noise)
        return {"chosen": sample ^ other}

    def row(self, spec: Spec, response: Response) -> Row:
        a, b = sorted(spec["options"])
        sample, chosen = spec["head"], self.answered(spec, response)
        return {"a": a, "b": b, "sample": sample, "chosen": chosen, "correct": chosen == sample}

    @property
    def tables(self) -> tuple[JudgmentTable, ...]:
        pair = {
            "a": "One item.",
            "b": "The other item.",
            "errors": "Trials in which the wrong item was chosen.",
            "trials": "Trials of this pair.",
            "strategy": "How these trials were chosen: a strategy, random, listed, gold or repeat.",
        }
        trial = {
            "a": "One item of the pair, the first by name.",
            "b": "The other item.",
            "sample": "The item that was shown first.",
            "chosen": "The item that was chosen.",
            "correct": "Whether the sample was chosen.",
        }
        return (
            JudgmentTable("confusions", "A pair of items.", pair, pool=_confusions),
            JudgmentTable("trials", "A trial.", trial),
        )

    def distances(self, options: int) -> int:
        return 1

    def measures(
        self, answers: Sequence[tuple[Spec, Response]], position: Mapping[str, int]
    ) -> dict[str, Any]:
        trials = (self.row(*answer) | {"strategy": answer[0]["strategy"]} for answer in answers)
        rows = list(_confusions(trials))
        return {
            "pairs": [[position[row["a"]], position[row["b"]]] for row in rows],
            "errors": [row["errors"] for row in rows],
            "trials": [row["trials"] for row in rows],
            "extra": {"strategy": [row["strategy"] for row in rows]},
        }

    def gold_problem(self, head: str, right: str) -> str | None:
        same = head == right
        return None if same else "the right answer is the sample: write it as head and as right"

    def notes(self, material: Material) -> Iterator[str]:
        if not material.gold:
            yield "no pair is gold: set tasks.gold to a file of pairs that are easy to tell apart"


def _confusions(trials: Iterable[Row]) -> Iterator[Row]:
    n: Counter[tuple[str, str, str]] = Counter()
    errors: Counter[tuple[str, str, str]] = Counter()
    for row in trials:
        key = row["a"], row["b"], row["strategy"]
        n[key] += 1
        errors[key] += not row["correct"]
    for a, b, strategy in sorted(n):
        key = a, b, strategy
        yield {"a": a, "b": b, "errors": errors[key], "trials": n[key], "strategy": strategy}
