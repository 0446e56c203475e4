"""Schedule a person's questions, choose the next questions, and find gold by agreement.

Gold by agreement uses a *panel* of slots, one for each gold question in a person's plan. Each
person gets the slots in another random order. A slot has one question at a time, the same for
everybody. Until enough people have answered it, the question is asked as an ordinary question. If
nearly all people agree, the question becomes gold; otherwise the slot gets its next question. Each
further answer is checked for agreement, so a question that became gold by chance loses this status.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from random import Random
from typing import Any

from resemblance.store import Answer, Participant, Served, Store, Study, Wanted
from resemblance.study.kinds import KINDS
from resemblance.study.kinds.base import Material, Spec, Told
from resemblance.study.live import LiveStudy
from resemblance.study.pages import Page
from resemblance.study.sections import Quality
from resemblance.study.settings import SEED, Settings, Tasks

AGREEMENT = "gold by agreement"  # event of the audit trail: the panel has changed
# name of the strategy of the panel's questions; also the key of their [slot, number] in the #
# specification
SLOT = "agreement"
NEEDED = 8  # number of answers after which agreement is judged
SHARED = "shared"  # purpose of a random question that several people are asked
TOGETHER = 4  # number of people who get the same shared questions
# smallest number of questions between a question and its repeat, if the plan is long enough
REPEAT_LAG = 5


@dataclass(frozen=True)
class Slot:
    """The state of a slot: number of discarded questions, and the item on which people agreed."""

    round: int = 0
    right: str | None = None


class Agreement:
    def __init__(self, quality: Quality) -> None:
        self.share = quality.gold_from_agreement
        self._said: defaultdict[tuple[int, int], dict[int, str]] = defaultdict(dict)

    def add(self, answer: Answer) -> None:
        if SLOT in answer.spec and not answer.skipped and answer.purpose in ("main", "gold"):
            slot, number = answer.spec[SLOT]
            chosen = KINDS[answer.kind].answered(answer.spec, answer.response)
            self._said[slot, number].setdefault(answer.participant, chosen)

    def slots(self, left_out: Collection[int] = ()) -> dict[int, Slot]:
        return {slot: self._at(slot, left_out) for slot in sorted({slot for slot, _ in self._said})}

    def _at(self, slot: int, left_out: Collection[int]) -> Slot:
        for number in count():
            said = self._said.get((slot, number), {})
            votes = Counter(item for person, item in said.items() if person not in left_out)
            if votes.total() < NEEDED:
                return Slot(number)
            ((item, most),) = votes.most_common(1)
            if most >= self.share * votes.total():
                return Slot(number, item)
        raise AssertionError


def recorded_slots(store: Store, study: Study) -> dict[int, Slot]:
    events = [event.details for event in store.events.audit(study, AGREEMENT)]
    return {line["slot"]: Slot(line["question"], line["right"]) for line in events}


def agreement_question(
    live: LiveStudy, code: str, plan: Sequence[str], place: int, rng: Random
) -> Wanted | None:
    """Return the panel's question at a person's gold place, or None."""
    if not live.settings.quality.gold_from_agreement:
        return None
    size, nth = plan.count("gold"), plan[:place].count("gold")
    slot = Random(f"{live.chance} {code} {SLOT}").sample(range(size), size)[nth]
    at = recorded_slots(live.store, live.record).get(slot, Slot())
    if at.right is None and nth % 2:
        return None
    spec = live.kind.again(_question(live, slot, at.round), rng) | {"strategy": SLOT}
    if at.right is None:
        return Wanted(spec, "main")
    agreed = spec["options"].index(at.right)
    if spec["gold"] not in (None, agreed):  # People agree on an answer that is known to be wrong.
        return None
    return Wanted(spec | {"gold": agreed}, "gold")


def _question(live: LiveStudy, slot: int, number: int) -> Spec:
    rng = Random(f"{live.chance} {SLOT} {slot} {number}")
    return live.kind.spec(live.first.material, rng) | {SLOT: [slot, number]}


def schedule(settings: Settings, code: str, chance: str = "") -> tuple[str, ...]:
    """Plan the purposes of a person's questions: practice, then tasks with gold and repeats.

    The seed is the pseudonym and the secret ``chance``, so all processes make the same plan, and no
    participant can predict the plan.

    >>> from resemblance.study.settings import About, Tasks
    >>> tasks = Tasks(per_participant=2, task_size=5, gold_share=0.2, practice=1)
    >>> plan = schedule(Settings(study=About(name="ties"), tasks=tasks), "P0001")
    >>> len(plan), plan[0], plan[1:6].count("gold"), plan[6:].count("gold")
    (11, 'practice', 1, 1)
    """
    return _schedule(chance or str(SEED), code, settings.tasks)


@lru_cache(4096)
def _schedule(chance: str, code: str, tasks: Tasks) -> tuple[str, ...]:
    rng = Random(f"{chance} {code} course")
    planned = ["practice"] * tasks.practice
    for number in range(tasks.per_participant):
        planned += _plan_task(tasks, number == 0, rng)
    return tuple(planned)


def _plan_task(tasks: Tasks, first: bool, rng: Random) -> list[str]:
    size = tasks.task_size
    planned = ["main"] * size
    start = min(3 * REPEAT_LAG, size // 2) if first else 0
    n_repeats = min(round(tasks.repeat_share * size), size - start)
    for place in rng.sample(range(start, size), n_repeats):
        planned[place] = "repeat"
    left = [place for place in range(size) if planned[place] == "main"]
    for place in rng.sample(left, min(round(tasks.gold_share * size), len(left))):
        planned[place] = "gold"
    left = [place for place in left if planned[place] == "main"]
    for place in rng.sample(left, min(n_repeats, len(left))):
        planned[place] = SHARED
    return planned


def break_before(settings: Settings, place: int) -> bool:
    tasks = settings.tasks
    done = place - tasks.practice
    return done > 0 and done % tasks.task_size == 0


def page_before(live: LiveStudy, arm: str | None, place: int) -> Page | None:
    """Return the instructions before the first question of the study or a condition."""
    pages, of = live.folder.pages, live.settings
    condition = of.condition(arm, place)
    before = of.condition(arm, place - 1) if place else None
    if condition == before:
        return None
    if own := of.conditions.page(condition):
        return pages[own]
    return None if place else pages.get("instructions")


def next_questions(live: LiveStudy, participant: Participant, asked: int, n: int) -> list[Wanted]:
    """Return the next ``n`` questions of a person who was asked ``asked`` questions.

    In adaptive studies, main questions come from the worker's pool. In other studies, or if the
    pool is empty, main questions are random. Gold questions come in a random order, and all come
    once before any comes twice; the same applies to repeats.
    """
    plan = schedule(live.settings, participant.code, live.chance)
    places = range(asked, asked + n)
    purposes = [plan[place] if place < len(plan) else "main" for place in places]
    needed = not live.ahead or "repeat" in purposes
    history = live.store.answers.main(participant) if needed else {}
    made = []
    for place, purpose in zip(places, purposes, strict=True):
        rng = Random(f"{live.chance} {participant.code} {place}")
        gold = (
            agreement_question(live, participant.code, plan, place, rng)
            if purpose == "gold"
            else None
        )
        made.append(gold or _Course(live, participant, plan, place).question(purpose, rng, history))
    return made


@dataclass(frozen=True)
class _Course:
    live: LiveStudy
    participant: Participant
    plan: Sequence[str]
    place: int

    def question(self, purpose: str, rng: Random, history: Mapping[int, Told]) -> Wanted:
        """Return a question for a purpose; if no gold or repeat is possible, a main question."""
        condition = self._condition(self.place)
        folder = self.live.in_condition(condition)
        kind, material = folder.kind, folder.material
        earlier = [answer for at, answer in history.items() if self._condition(at) == condition]
        if purpose == "practice":
            return Wanted(kind.practice(material, rng, earlier), "practice")
        spec: Spec | None = None
        if purpose == "gold":
            spec = kind.gold(self._with_one_gold(material), rng)
        elif purpose == "repeat" and earlier:
            usual = rng.choice(earlier[:-REPEAT_LAG] or earlier[:1])
            spec = kind.again(history.get(self._repeated(), usual)[0], rng)
        if spec is not None:
            return Wanted(spec, "gold" if purpose == "gold" else "repeat")
        if purpose == SHARED and kind.can_agree:
            same = kind.spec(material, self._of_several_people(condition))
            return Wanted(kind.again(same, rng) | {"strategy": same["strategy"]}, "main")
        noise = self.live.chosen_noise(self.participant.code)
        chosen = self.live.settings.adaptive and kind.may_be_chosen(material, earlier)
        pool = self.live.record.id if chosen else None
        material = replace(self._with_one_pair(material), noise=noise)
        return Wanted(kind.spec(material, rng, earlier), "main", pool)

    def _of_several_people(self, condition: str) -> Random:
        """Return a generator with the same seed for each TOGETHER people who entered in a row."""
        nth = len(self._before(SHARED))
        people = self.participant.id // TOGETHER
        return Random(f"{self.live.chance} {SHARED} {condition} {people} {nth}")

    def _condition(self, place: int) -> str:
        return self.live.settings.condition(self.participant.arm, place)

    def _before(self, purpose: str) -> list[int]:
        here = self._condition(self.place)
        earlier = enumerate(self.plan[: self.place])
        return [at for at, planned in earlier if planned == purpose and self._condition(at) == here]

    def _chance(self, what: str) -> Random:
        return Random(f"{self.live.chance} {self.participant.code} {what}")

    def _with_one_gold(self, material: Material) -> Material:
        if not (n := len(material.gold)):
            return material
        nth = len(self._before("gold"))
        if self.live.settings.quality.gold_from_agreement:
            nth //= 2  # Every other gold place belongs to the panel.
        order = self._chance("gold").sample(range(n), n)
        return replace(material, gold=(material.gold[order[nth % n]],))

    def _with_one_pair(self, material: Material) -> Material:
        if not (n := len(material.pairs)):
            return material
        order = self._chance("pairs").sample(range(n), n)
        return replace(material, pairs=(material.pairs[order[len(self._before("main")) % n]],))

    def _repeated(self) -> int:
        mains = sorted(self._before("main") + self._before(SHARED))
        times, chosen = Counter[int](), -1
        for place in (*self._before("repeat"), self.place):
            if old := [at for at in mains if at < place - REPEAT_LAG] or mains[:1]:
                least = min(times[at] for at in old)
                fresh = [at for at in old if times[at] == least]
                chosen = self._chance(f"repeat {place}").choice(fresh)
                times[chosen] += 1
        return chosen


def question_page(
    live: LiveStudy, question: Served, arm: str | None = None, language: str = ""
) -> dict[str, Any]:
    """Return a question for the page, where gold and repeats look like other questions."""
    condition = live.settings.condition(arm, question.place)
    return _page(live, question, condition, language) | {
        "id": question.id,
        "kind": question.kind,
        "plugin": KINDS[question.kind].plugin,
        "purpose": "practice" if question.purpose == "practice" else "main",
        "place": question.place,
        "prompt": live.in_condition(condition, language).settings.study.prompt,
        "reason": asks_reason(live, question),
        "feedback": has_feedback(live, question),
        "break_before": break_before(live.settings, question.place)
        and page_before(live, arm, question.place) is None,
    }


def _page(live: LiveStudy, question: Served, condition: str, language: str) -> dict[str, Any]:
    kind, spec = KINDS[question.kind], question.spec
    try:
        return kind.page(spec, live.in_condition(condition, language).material, question.id)
    except KeyError:  # The item was added just now.
        live.reread()
    return kind.page(spec, live.in_condition(condition, language).material, question.id)


def asks_reason(live: LiveStudy, question: Served) -> bool:
    """Return whether words are asked after a question, by chance that no answer changes.

    Catch trials, repeats and practice have no words.
    """
    if question.purpose != "main" or not KINDS[question.kind].asks_reason:
        return False
    rng = Random(f"{live.chance} reason {question.participant} {question.place}")
    return rng.random() < live.settings.tasks.reason_share


def has_feedback(live: LiveStudy, question: Served) -> bool:
    kind = KINDS[question.kind]
    if not kind.has_right:
        return False  # Feedback would show which questions are gold.
    return question.purpose == "practice" or live.settings.tasks.feedback
