"""Gold from agreement: questions become gold when many people agree on the answer.

A person's gold places belong to the slots of a *panel*, one each, in an order of the person's own,
so that nobody is asked one question twice. A slot holds one question at a time, the same for all.
As long as too few have answered it, it is an ordinary question, asked at every other gold place;
where nearly all agree on it, it is gold; where they do not, the slot gets the next question. What
is gold is judged anew with every answer, so that a question that was gold by luck does not stay so.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random

from resemblance.store import Answer, Store, Study, Wanted
from resemblance.study.kinds import KINDS, Spec
from resemblance.study.live import LiveStudy
from resemblance.study.rules import Quality

AGREEMENT = "gold by agreement"  # event of the audit trail for a change of the panel
SLOT = "agreement"  # the strategy of its questions, and where a spec says which one it is


NEEDED = 8  # answers before agreement is judged


@dataclass(frozen=True)
class Slot:
    """A slot of the panel: the number of its earlier questions, and the agreed item, if any."""

    round: int = 0
    right: str | None = None


class Agreement:
    """People's answers to the questions of the panel."""

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
        """Skip the questions on which people disagree."""
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
    """Return the panel's question for one of a person's gold places; None without one."""
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
    if spec["gold"] not in (None, agreed):  # all confuse the same pair
        return None
    return Wanted(spec | {"gold": agreed}, "gold")


def _question(live: LiveStudy, slot: int, number: int) -> Spec:
    """Make a question of the panel, the same in every process."""
    rng = Random(f"{live.chance} {SLOT} {slot} {number}")
    return live.kind.spec(live.first.material, rng) | {SLOT: [slot, number]}
