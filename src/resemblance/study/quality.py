"""Attention checks: counts of each person's answers, and rules based on the counts."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from statistics import median
from typing import Any, Self

from resemblance.store import Answer, ErasedError, Participant, Store, Study
from resemblance.study.kinds import KINDS
from resemblance.study.kinds.base import Kind, Material
from resemblance.study.live import LiveStudy
from resemblance.study.questions import (
    AGREEMENT,
    SHARED,
    SLOT,
    Agreement,
    Slot,
    recorded_slots,
    schedule,
)
from resemblance.study.sections import RULE, Rule
from resemblance.study.settings import Settings

MAP = "map"  # Event of the audit trail: a fit, with positions and people's likelihoods.
# Event of the audit trail: half of the people answered a gold question wrong.
DOUBTED = "gold in doubt"
LEAST_PEOPLE = 5  # A gold question is doubted only if at least this many people have answered it.
Question = tuple[str, ...]
# A pointer jumps if it moves at least LEAP_PX pixels in at most FEW_MOVES events; a hand does not.
LEAP_PX, FEW_MOVES = 50, 2


@dataclass(frozen=True)
class Gold:
    question: Question
    right: bool
    agreed: bool

    @classmethod
    def of(cls, answer: Answer) -> Self:
        kind = KINDS[answer.kind]
        question = tuple(map(str, kind.identity(answer.spec)))
        return cls(question, bool(kind.right(answer.spec, answer.response)), SLOT in answer.spec)


@dataclass
class Counts:
    questions: int = 0
    skipped: int = 0
    # number of answers that show effort: slow enough, and accepted by Kind.worked_on
    worked: int = 0
    began: float = inf  # time of the first question
    ended: float = -inf  # time of the last answer
    gold: "list[Gold]" = field(default_factory=list)
    repeats: int = 0  # number of repeated questions that were answered both times
    same: int = 0  # number of repeated questions with the same answer both times
    fast: int = 0  # number of answers faster than quality.fast_ms
    sides: Counter[int] = field(default_factory=Counter)  # number of choices of each place
    # response times in milliseconds
    times: "array[float]" = field(default_factory=lambda: array("f"))
    watched: int = 0  # number of answers whose mouse, touch or key events were recorded
    by_program: int = 0  # number of answers that a script seems to have given
    answered: dict[tuple[Any, ...], str] = field(default_factory=dict)

    def measures(self, fast_ms: float = 0.0) -> dict[str, tuple[float | None, int]]:
        chosen = sum(self.sides.values())
        most = max(self.sides.values(), default=0)
        return {
            "gold": _right(self.gold),
            "repeats": (_share(self.same, self.repeats), self.repeats),
            "fast": (_share(self.fast, len(self.times)), len(self.times)),
            "side": (_share(most, chosen), chosen),
            "skipped": (_share(self.skipped, self.questions), self.questions),
            "answered": (_share(self.worked_on(fast_ms), self.questions), self.questions),
            "by_program": (_share(self.by_program, self.watched), self.watched),
        }

    def worked_on(self, fast_ms: float) -> float:
        """Count answers that show effort, at most one per ``fast_ms`` milliseconds."""
        passed = 1000.0 * max(0.0, self.ended - self.began)
        return min(self.worked, passed / fast_ms) if fast_ms else self.worked


@dataclass(frozen=True)
class Verdict:
    code: str
    rule: Rule
    value: float
    answers: int

    @property
    def reason(self) -> str:
        measured = f"{self.rule.measure} {self.value:.2f} in {self.answers} answers"
        return f"{measured} (rule: {rule_words(self.rule)})"


class Quality:
    def __init__(self, store: Store, study: Study, settings: Settings) -> None:
        self.store, self.study, self.settings = store, study, settings
        self.counts: dict[str, Counts] = {}
        # pairs (gold question, pseudonym) that are already counted
        self._asked_gold: set[tuple[Question, str]] = set()
        # number of people who were asked each gold question
        self._gold: Counter[Question] = Counter()
        self._wrong: Counter[Question] = Counter()
        self._doubted: set[Question] = set()
        self.figures: dict[str, dict[str, tuple[float, int]]] = {"likelihood": {}}
        self.agreement = Agreement(settings.quality)
        self.last = 0
        self._rules = settings.quality.judged_by(settings.total - settings.tasks.practice)

    @classmethod
    def of(cls, live: LiveStudy) -> Self:
        quality = cls(live.store, live.record, live.settings)
        for _ in quality.read():
            pass
        quality.recall_last(live)
        return quality

    @classmethod
    def held(cls, live: LiveStudy, person: Participant) -> list[Verdict]:
        """Return the verdicts that withhold the completion code until a researcher decides."""
        quality = cls(live.store, live.record, live.settings)
        for answer in live.store.answers.of(person):
            quality.add(answer)
        events = live.store.events.audit(live.record, DOUBTED)
        quality._doubted = {tuple(event.details["question"]) for event in events}
        return [verdict for verdict in quality.verdicts() if verdict.rule.action == "hold"]

    def recall_last(self, live: LiveStudy) -> None:
        for event in self.store.events.audit(live.record, MAP)[-1:]:
            self.recall(event.details)

    def read(self) -> Iterator[Answer]:
        for answer in self.store.answers.log(self.study, self.last):
            self.add(answer)
            self.last = answer.id
            yield answer

    def add(self, answer: Answer) -> None:
        if answer.purpose == "practice":
            return
        counts = self.counts.setdefault(answer.code, Counts())
        counts.questions += 1
        counts.began = min(counts.began, answer.served)
        counts.ended = max(counts.ended, answer.received)
        self.agreement.add(answer)
        if hand := answer.client.get("hand"):
            counts.watched += 1
            counts.by_program += no_hand(hand)
        if answer.purpose == "gold":
            gold = Gold.of(answer)
            counts.gold.append(gold)
            self._doubt(answer.code, gold)
        if answer.skipped:
            counts.skipped += 1
            return
        kind, fast = KINDS[answer.kind], False
        if answer.rt_ms is not None:
            counts.times.append(answer.rt_ms)
            fast = answer.rt_ms < self.settings.quality.fast_ms
            counts.fast += fast
        counts.worked += not fast and kind.worked_on(answer.response)
        if (side := kind.side(answer.response)) is not None:
            counts.sides[side] += 1
        if self.settings.tasks.repeat_share:
            _count_repeat(counts, answer)

    def uncounted(self) -> set[int]:
        """Return the ids of excluded people, and of simulated people unless settings count them."""
        people, asked_for = self.store.people, self.settings.recruitment.counts_simulated
        simulated = set() if asked_for else people.simulated(self.study)
        return people.excluded(self.study) | simulated

    def _doubt(self, code: str, gold: Gold) -> None:
        """Count a person's first answer to gold; doubt a question that half of the people miss."""
        question = gold.question
        if (question, code) in self._asked_gold:
            return
        self._asked_gold.add((question, code))
        self._gold[question] += 1
        self._wrong[question] += not gold.right
        many = self._gold[question] >= LEAST_PEOPLE
        if many and 2 * self._wrong[question] >= self._gold[question]:
            self._doubted.add(question)
        else:
            self._doubted.discard(question)

    def doubted(self) -> dict[Question, tuple[int, int]]:
        """Return the doubted gold questions, with (wrong answers, people asked)."""
        return {
            question: (self._wrong[question], self._gold[question]) for question in self._doubted
        }

    def measures(self, code: str, *, sure: bool = False) -> dict[str, tuple[float | None, int]]:
        """Return the measures of a person: (value, number of answers used) by name.

        Doubted gold questions are left out. ``sure`` also leaves out gold by agreement and the
        likelihood: attentive people with uncommon judgments get low values of these measures.
        """
        fast_ms, counts = self.settings.quality.fast_ms, self.counts.get(code, Counts())
        gold = [
            g for g in counts.gold if g.question not in self._doubted and not (sure and g.agreed)
        ]
        measured = counts.measures(fast_ms) | {"gold": _right(gold)}
        if sure:
            return self._with_figures(code, measured) | {"likelihood": (None, 0)}
        return self._with_figures(code, measured)

    def _with_figures(
        self, code: str, measured: dict[str, tuple[float | None, int]]
    ) -> dict[str, tuple[float | None, int]]:
        return {**measured, **{name: of.get(code, (None, 0)) for name, of in self.figures.items()}}

    def row(self, code: str) -> dict[str, Any]:
        counts, values = self.counts.get(code, Counts()), self.measures(code)
        return {
            "answers": counts.questions - counts.skipped,
            "skipped": counts.skipped,
            "gold_answers": len(counts.gold),
            "gold_right": sum(gold.right for gold in counts.gold),
            "repeat_answers": counts.repeats,
            "repeat_agreement": values["repeats"][0],
            "median_rt_ms": round(median(counts.times), 1) if counts.times else None,
            "fast_share": values["fast"][0],
            "side_share": values["side"][0],
            "likelihood": values["likelihood"][0],
            **({"by_program": values["by_program"][0]} if self.settings.quality.hand else {}),
            "flags": "; ".join(verdict.reason for verdict in self.verdicts([code])),
        }

    def verdicts(self, codes: Iterable[str] | None = None, *, sure: bool = False) -> list[Verdict]:
        """Return the rules that people broke, with the measured values.

        Rules that stop or exclude people use ``measures(sure=True)``; if ``sure``, all rules use
        these measures.
        """
        verdicts = []
        for code in self.counts if codes is None else codes:
            all_measured, surely = self.measures(code), self.measures(code, sure=True)
            for rule in self._rules:
                measured = surely if sure or rule.action != "flag" else all_measured
                value, answers = measured[rule.measure]
                if value is not None and answers >= rule.needed and _applies(rule, value):
                    verdicts.append(Verdict(code, rule, value, answers))
        return verdicts

    def recall(self, report: Mapping[str, Any]) -> None:
        likelihood = report.get("likelihood", {})
        self.figures["likelihood"] = {code: (p, int(n)) for code, (p, n) in likelihood.items()}


class Rules:
    """Apply the rules of a study, each once per person; a researcher may reverse an action."""

    def __init__(self, quality: Quality) -> None:
        self.quality = quality
        events = quality.store.events.audit(quality.study, RULE)
        self._done = {(event.details["participant"], event.details["rule"]) for event in events}
        self._slots = recorded_slots(quality.store, quality.study)
        doubted = quality.store.events.audit(quality.study, DOUBTED)
        self._doubted = {tuple(event.details["question"]) for event in doubted}

    def act(self) -> list[Verdict]:
        """Flag, stop or exclude people who newly broke a rule, and record the action."""
        self._tell_agreement()
        self._tell_doubted()
        new = [v for v in self.quality.verdicts() if (v.code, rule_words(v.rule)) not in self._done]
        for verdict in new:
            self._act(verdict)
            self._done.add((verdict.code, rule_words(verdict.rule)))
        return new

    def _tell_agreement(self) -> None:
        store, study = self.quality.store, self.quality.study
        if not self.quality.settings.quality.gold_from_agreement:
            return
        for slot, at in self.quality.agreement.slots(self.quality.uncounted()).items():
            if at != self._slots.get(slot, Slot()):
                line = {"slot": slot, "question": at.round, "right": at.right}
                store.events.record(study, "worker", AGREEMENT, line)
                self._slots[slot] = at

    def _tell_doubted(self) -> None:
        for question, (wrong, answers) in self.quality.doubted().items():
            if question not in self._doubted:
                line = {"question": list(question), "wrong": wrong, "answers": answers}
                self.quality.store.events.record(self.quality.study, "worker", DOUBTED, line)
                self._doubted.add(question)

    def _act(self, verdict: Verdict) -> None:
        store, study, rule = self.quality.store, self.quality.study, verdict.rule
        person = store.people.named(study, verdict.code)
        assert person is not None
        line = {"rule": rule_words(rule), "action": rule.action, "value": verdict.value}
        line["reason"] = verdict.reason
        try:
            if rule.action == "stop" and person.state not in ("finished", "withdrawn"):
                store.people.set_state(person, "stopped")
            if rule.action == "exclude":
                store.people.exclude(person, True, verdict.reason, RULE)
            store.people.note(person, RULE, RULE, line)
        except ErasedError:  # The person was erased, so the worker restarts.
            return


def rule_words(rule: Rule) -> str:
    side, level = ("below", rule.below) if rule.below is not None else ("above", rule.above)
    return f"{rule.measure} {side} {level:g}"


def most_answers(settings: Settings, material: Material) -> dict[str, int]:
    """Return the largest possible number of a person's answers for each measure of the rules."""
    kind, plan = KINDS[settings.study.kind], Counter(schedule(settings, ""))
    asked = plan.total() - plan["practice"]
    agreed = settings.quality.gold_from_agreement > 0
    can_agree = agreed and kind.can_agree
    has_gold = can_agree or type(kind).gold is not Kind.gold or bool(material.gold)
    return {
        "gold": plan["gold"] if has_gold else 0,
        "repeats": plan["repeat"],
        "fast": asked,
        "side": asked,
        "skipped": asked,
        "answered": asked,
        "likelihood": plan["main"] + plan[SHARED] if settings.fits else 0,
        "by_program": asked if settings.quality.hand else 0,
    }


def idle_rules(settings: Settings, material: Material) -> list[tuple[Rule, int]]:
    """Return the rules that need more answers than a person can give, with this number."""
    most = most_answers(settings, material)
    rules = settings.quality.judged_by(settings.total - settings.tasks.practice)
    return [(rule, most[rule.measure]) for rule in rules if rule.needed > most[rule.measure]]


def _applies(rule: Rule, value: float) -> bool:
    if rule.below is not None:
        return value < rule.below
    return rule.above is not None and value > rule.above


def _count_repeat(counts: Counts, answer: Answer) -> None:
    kind = KINDS[answer.kind]
    key = kind.identity(answer.spec)
    chosen = kind.answered(answer.spec, answer.response)
    if answer.purpose == "main":
        counts.answered[key] = chosen
    if answer.purpose == "repeat" and key in counts.answered:
        counts.repeats += 1
        counts.same += kind.alike(counts.answered[key], chosen)


def no_hand(hand: Mapping[str, Any]) -> bool:
    """Return whether a script gave the answer, or the pointer jumped."""
    leapt = (hand["way"] or 0) >= LEAP_PX and hand["moves"] <= FEW_MOVES
    return bool(hand["driven"] or hand["synthetic"] or leapt)


def _right(gold: Sequence[Gold]) -> tuple[float | None, int]:
    return _share(sum(g.right for g in gold), len(gold)), len(gold)


def _share(part: float, whole: int) -> float | None:
    return part / whole if whole else None
