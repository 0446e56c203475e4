"""Studies whose questions are random have a map, an error and a ceiling on the desk, too."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import resemblance as rs
from resemblance.analysis.advice import STEPS
from resemblance.scores.ceiling import LEAST_REPEATED, WIDEST
from resemblance.study.settings import Settings
from resemblance.study.worker.session import is_test
from small_study import Hands, People, open_study

SECTIONS = """
[tasks]
per_participant = 9
task_size = 60
practice = 1
gold_share = 0.1
[asking]
strategy = "random"
model = "tste"
start_per_head = 4
held_out = 0.2
"""
N = 8  # few, so that questions come more than once


class Crowd(People):
    """People who find the odd one, too."""

    def choose(self, number, spec):
        if spec["head"] is not None or spec["gold"] is not None:
            return super().choose(number, spec)
        x = np.array([self.points[name] for name in spec["options"]])
        apart = ((x[:, None] - x) ** 2).sum(axis=(1, 2))
        return self.random.choices(range(len(x)), apart ** (2 * self.sharp))[0]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A study that a worker has worked on while people answered."""
    folder = tmp_path_factory.mktemp("told")
    words = {"kind": "odd_one_out", "sections": SECTIONS, "n_items": N}
    live = open_study(folder / "dots", f"sqlite:///{folder}/dots.sqlite", **words)
    hands, people = Hands(live), Crowd(live, 4, sharp=4)
    hands.begin()
    for left in range(2, -1, -1):
        people.answer(130)
        if not left:  # what takes long is told of the last fit
            hands.asker._costly.at = 0.0
        hands.settle()
    yield live, hands, people
    hands.work.close()
    live.store.close()


def main_answers(live):
    return [one for one in live.store.answers.after(live.record) if one.purpose == "main"]


def test_nothing_is_asked_and_all_is_fitted(told):
    live, _, _ = told
    asked = live.store.questions.all(live.record)
    assert all(one.spec["session"] is None for one in asked)
    assert live.store.pool.size(live.record) == 0
    fits = live.store.events.audit(live.record, "fit")
    assert len(fits) >= 3
    last = live.store.spaces.latest(live.record)
    assert last.answers == fits[-1].details["answers"] <= len(main_answers(live))
    assert len(last.positions) == len(last.uncertainty) == N


def asked(session, which):
    """The questions, whatever the order of their options."""
    index = session.judgments(which).index
    whole = index[(index >= 0).all(axis=1)]  # of a ranking, the first choice
    return set(map(session.asks.key, whole.tolist()))


def test_the_map_is_that_of_the_people(told, tmp_path):
    live, _, people = told
    space = live.store.spaces.latest(live.record)
    truth = np.array([people.points[name] for name in live.folder.names])
    assert np.corrcoef(pdist(truth), pdist(space.positions))[0, 1] > 0.8
    (tmp_path / "model.npz").write_bytes(space.model)
    assert len(rs.load(tmp_path / "model.npz").embedding_) == N


def test_test_answers_are_never_fitted_and_stay_the_same(told):
    live, hands, _ = told
    session, settings = hands.session, live.settings
    answers = main_answers(live)
    test = [one for one in answers if is_test(one.spec, settings, N)]
    assert 0.05 < len(test) / len(answers) < 0.4
    held_out, fitted = session.judgments("held out"), session.judgments("fitted")
    assert (len(held_out), len(fitted)) == (len(test), len(answers) - len(test))
    tests, taught = (asked(session, which) for which in ("held out", "fitted"))
    assert tests
    assert not tests & taught
    scores = live.store.spaces.latest(live.record).scores
    assert scores["held_out"] <= len(test)
    assert scores["low"] <= scores["error"] <= scores["high"]
    chance = 1 - 1 / session.n_options
    assert scores["error"] < 0.75 * chance  # of some fifty answers


def test_ceiling_counts_and_advice_are_told(told):
    live, hands, _ = told
    space = live.store.spaces.latest(live.record)
    scores = space.scores
    assert sum(scores["shown"]) == live.settings.study.options * space.answers
    assert scores["fitted"] + scores["held_out"] == space.answers
    ceiling = scores["ceiling"]  # by few repeats it is not told
    assert ceiling is None or ceiling["high"] - ceiling["low"] <= 2 * WIDEST  # and its bounds
    assert ceiling is None or ceiling["questions"] >= LEAST_REPEATED
    assert scores["random"]["answers"] == space.answers
    assert scores["next"]["code"] in {step.code for step in STEPS}
    assert all(part["gain"] > 0 for part in scores["advice"])
    likelihood, n = hands.work.quality.figures["likelihood"]["P0001"]
    assert 0 < likelihood < 1
    assert n <= sum(one.code == "P0001" for one in main_answers(live))


def test_a_new_worker_goes_on_without_who_is_left_out(told):
    live, hands, people = told
    before, session = live.store.spaces.scored(live.record)[-1].id, hands.session
    hands.work.close()
    again = Hands(live)
    again.begin()
    assert again.session.n_fits == session.n_fits
    assert len(again.session.answers) == len(session.answers)
    X = session.model_.embedding_
    kept = 2 * np.sqrt(2) * 5e-6 * np.abs(X).max()  # by the six digits of places
    found = pdist(again.session.model_.embedding_)
    np.testing.assert_allclose(found, pdist(X), rtol=1e-3, atol=kept)
    assert live.store.spaces.scored(live.record)[-1].id == before
    live.store.people.exclude(people.persons[1], True, "asleep", "researcher")
    again.watch()
    assert live.store.events.audit(live.record, "fit")[-1].details["left_out"] == ["P0002"]
    assert "P0002" not in set(again.session.judgments().observer)
    assert live.store.spaces.scored(live.record)[-1].id > before
    live.store.people.exclude(people.persons[1], False, "awake", "researcher")
    again.work.close()


def test_what_tests_is_a_share_of_the_questions_whoever_answers():
    settings = Settings(study={"name": "ties"}, asking={"held_out": 0.1})
    pairs = [(a, b) for a in range(60) for b in range(a)]
    specs = [{"head": "x", "options": [str(a), str(b)]} for a, b in pairs]
    chosen = [is_test(spec, settings, 60) for spec in specs]
    assert np.mean(chosen) == pytest.approx(0.1, abs=0.025)
    mirrored = [spec | {"options": spec["options"][::-1]} for spec in specs]
    assert [is_test(spec, settings, 60) for spec in mirrored] == chosen
