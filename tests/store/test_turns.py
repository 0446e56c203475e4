"""Turns taken at once are turns taken one after the other."""

import numpy as np
import pytest

from resemblance.store import AnswerIn, Store, Wanted
from resemblance.store.questions import Turn, take_turns

PEOPLE, TURNS = 4, 60


class Scene:
    """A study in which questions have names that do not depend on their random ids."""

    def __init__(self, folder, seed):
        self.rng = np.random.default_rng(seed)
        self.store = Store.open(f"sqlite:///{folder}/study.sqlite", clock=lambda: 100.0)
        self.study = self.store.studies.add("ties", "", {})
        self.people = [
            self.store.people.enter(self.study, "open", None, f"{i}") for i in range(PEOPLE)
        ]
        self.store.pool.put(self.study, [{"kind": "triplet", "pool": i} for i in range(20)], 1)
        for person in self.people:
            self.store.questions.serve(person, [Wanted({"kind": "triplet"})] * 12)
        self.store.database.clock = lambda: 200.0
        self.store.questions.abandon(self.study, 50)
        for person in self.people:
            self.store.questions.serve(person, [Wanted({"kind": "triplet"})] * 12)
        self.ids = {(q.participant, q.place): q.id for q in self.store.questions.all(self.study)}
        self.names = {id: name for name, id in self.ids.items()}

    def turn(self):
        """Answers to one's own questions, now and then to one of somebody else, or twice."""
        who = self.rng.integers(PEOPLE)
        answers = []
        for _ in range(self.rng.integers(0, 4)):
            owner = self.people[who if self.rng.random() < 0.95 else self.rng.integers(PEOPLE)]
            id = self.ids[owner.id, int(self.rng.integers(24))]
            skipped = bool(self.rng.random() < 0.2)
            answers.append(AnswerIn(id, {"chosen": int(self.rng.integers(3))}, skipped=skipped))
        wanted = [
            Wanted(
                {"kind": "triplet", "own": i}, pool=[None, self.study.id][self.rng.random() < 0.5]
            )
            for i in range(self.rng.integers(0, 3))
        ]
        ahead = [None, 12, 14][self.rng.integers(3)]
        return Turn(self.people[who], answers, wanted, ahead)

    def take(self, group):
        """Take groups of turns; give all that came of it, by names."""
        turns, outcomes = [self.turn() for _ in range(TURNS)], []
        for start in range(0, TURNS, group):
            some = turns[start : start + group]
            outcomes += self.store.database.writer.submit(
                lambda connection, requests: [take_turns(connection, 200.0, requests[0])], some
            ).result()
        return [self.named(outcome) for outcome in outcomes], self.stored()

    def named(self, outcome):
        if isinstance(outcome, Exception):
            id = str(outcome).split("'")[1]
            return str(outcome).replace(id, str(self.names[id]))
        acknowledged, served = outcome
        return (
            [(self.names[ack.question_id], ack.new) for ack in acknowledged],
            [(q.participant, q.place, q.spec, q.pool_id) for q in served],
        )

    def stored(self):
        log = self.store.answers.after(self.study)
        questions = self.store.questions.all(self.study)
        return (
            [(self.names[a.question], a.response, a.skipped) for a in log],
            [(q.participant, q.place, q.spec, q.pool_id, q.state) for q in questions],
            self.store.pool.size(self.study),
        )


@pytest.mark.parametrize("seed", range(2))
def test_at_once_as_one_by_one(tmp_path, seed):
    taken = []
    for group in (1, 7, TURNS):
        folder = tmp_path / f"{group}"
        folder.mkdir()
        scene = Scene(folder, seed)
        taken.append(scene.take(group))
        scene.store.close()
    assert taken[0] == taken[1] == taken[2]
    outcomes, (log, _, waiting) = taken[0]
    assert any(isinstance(outcome, str) for outcome in outcomes)  # some were refused
    assert any(not new for out in outcomes if isinstance(out, tuple) for _, new in out[0])
    assert any(place < 12 for (_, place), _, _ in log)  # some came late
    assert waiting < 20
