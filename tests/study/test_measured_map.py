"""Ratings and arrangements have a map while their study runs, as comparisons have."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist

from resemblance.store import AnswerIn
from resemblance.study.questions import next_questions
from resemblance.web.desk.overview import Overview
from resemblance.web.search.study import StudySearch
from small_study import SMALL, Hands, People, open_study

N_ITEMS, OPTIONS = 12, {"pair_rating": 7, "arrangement": 6, "piles": 6}
SECTIONS = SMALL.replace("gold_share = 0.1\nrepeat_share = 0.1", "gold_share = 0.0")


class Measurers(People):
    """People who rate pairs by their distance, and lay items out where they are."""

    def __init__(self, live, n):
        super().__init__(live, n)
        far = pdist(np.array(list(self.points.values())))
        self.steps = np.quantile(far, np.arange(1, OPTIONS["pair_rating"]) / 7)

    def answer_one(self, number, rt_ms=900.0):
        store, person = self.live.store, self.persons[number]
        wanted = next_questions(self.live, person, self.asked[number], 1)
        question = store.questions.serve(person, wanted)[0]
        self.asked[number] += 1
        answer = AnswerIn(question.id, self.measured(question.spec), rt_ms)
        store.answers.take(person, [answer])
        return question

    def measured(self, spec):
        if "pair" in spec:
            a, b = (self.points[name] for name in spec["pair"])
            return {"chosen": int(np.sum(np.linalg.norm(a - b) < self.steps))}
        at = np.array([self.points[name] for name in spec["options"]])
        if spec["kind"] == "piles":
            return {"piles": (fcluster(linkage(at, "average"), 3, "maxclust") - 1).tolist()}
        at -= at.mean(axis=0)
        return {"places": np.round(0.95 * at / np.linalg.norm(at, axis=1).max(), 4).tolist()}


@pytest.fixture(params=OPTIONS)
def begin(request, tmp_path):
    """Begin a study of such answers."""
    begun = []

    def begin_(model="auto", more=""):
        kind = request.param
        sections = SECTIONS + f'model = "{model}"\n{more}'
        study = f"n_options = {OPTIONS[kind]}"
        url = f"sqlite:///{tmp_path}/study.sqlite"
        live = open_study(tmp_path / "dots", url, kind=kind, sections=sections, study=study)
        begun.append(Hands(live))
        begun[-1].begin()
        return live, begun[-1]

    yield begin_
    for hands in begun:
        hands.work.close()
        hands.work.live.store.close()


def answer_until(hands, people, n):
    """Let people answer until so many main answers are there, while the worker works."""
    while (lacking := n - counted(people.live)) > 0:
        people.answer(lacking)
        hands.settle()


def counted(live):
    log = live.store.answers.after(live.record, 0, 10**6)
    return sum(one.purpose == "main" for one in log)


def found(live):
    return live.store.spaces.scored(live.record)


def test_a_map_comes_with_enough_answers_shows_the_truth_and_grows(begin):
    live, hands = begin()
    people = Measurers(live, 3)
    first = Overview(live).first_fit
    assert first == {"pair_rating": 36, "arrangement": 3, "piles": 3}[live.settings.study.kind]
    answer_until(hands, people, first - 1)
    assert live.store.spaces.latest(live.record) is None
    answer_until(hands, people, first)
    assert Overview(live).failure is None
    assert live.store.spaces.latest(live.record).answers == first
    answer_until(hands, people, 4 * first)
    space = live.store.spaces.latest(live.record)
    assert space.answers == space.scores["fitted"] == 4 * first
    truth = pdist(np.array([people.points[name] for name in live.folder.names]))
    r = np.corrcoef(truth, pdist(np.array(space.positions)))[0, 1]
    assert r > (0.75 if live.settings.study.kind == "piles" else 0.85)  # same or not tells less
    width = 2 if live.settings.study.kind == "pair_rating" else 6
    # six at a time; the first question of an arrangement shows all items
    assert sum(space.scores["shown"]) >= width * space.answers
    events = live.store.events.audit(live.record, "fit")
    assert [one.details["number"] for one in events] == list(range(1, len(events) + 1))
    assert [one.answers for one in found(live)] == [one.details["answers"] for one in events]
    assert dict(Overview(live).uses)["in the map"] == space.answers


def test_questions_follow_the_fits_and_a_new_worker_and_exclusions_are_heard(begin):
    live, hands = begin(more="random_share = 0.3\n")
    people = Measurers(live, 3)
    first = Overview(live).first_fit
    answer_until(hands, people, first)
    waiting = live.store.pool.withdraw(live.record, 10**6)
    if live.settings.study.kind == "piles":
        assert not waiting
    else:
        assert len(waiting) > first / 10
        assert {spec["strategy"] for spec in waiting} == {"predictive", "random"}
        live.store.pool.put(live.record, waiting, 1)
    before = len(found(live))
    hands.work.close()
    hands.begin()
    assert len(found(live)) == before  # nothing is fitted twice
    answer_until(hands, people, 4 * first)
    assert len(found(live)) > before
    log = live.store.answers.after(live.record, 0, 10**6)
    main = [one for one in log if one.purpose == "main"]
    assert {one.spec["strategy"] for one in main[:first]} == {"random"}
    if waiting:
        assert "predictive" in {one.spec["strategy"] for one in main[first:]}
        assert live.store.pool.withdraw(live.record, 10**6) not in ([], waiting)
    live.store.people.exclude(people.persons[0], True, "test", "test")
    hands.watch()
    gone = sum(one.participant == people.persons[0].id for one in main)
    assert gone > 0
    assert live.store.spaces.latest(live.record).answers == counted(live) - gone
    searching = StudySearch(live)
    page = searching.page([], None, lambda: None)
    again = searching.page([2, 0], page.space, lambda: None)
    assert page.space == again.space == live.store.spaces.latest(live.record).id
    assert len(page.tiles) == len(again.tiles) == 9


def test_a_model_that_cannot_be_fitted_is_told_at_the_desk(begin):
    live, hands = begin(model="gnmds")
    people = Measurers(live, 3)
    answer_until(hands, people, Overview(live).first_fit)
    if live.settings.study.kind != "arrangement":  # needs probabilities
        assert live.store.spaces.latest(live.record) is None
        assert Overview(live).failure
    else:
        assert live.store.spaces.latest(live.record) is not None
        assert Overview(live).failure is None
