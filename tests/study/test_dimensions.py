"""Sparse dimensions of a study that runs: fitted beside the map, and named by people."""

import threading

import numpy as np
import pytest

from dimension_fits import found
from resemblance import Triplets
from resemblance.errors import EmptyError
from resemblance.store import AnswerIn
from resemblance.store.studies import DIMENSIONS, DIMENSIONS_BEGUN
from resemblance.study.dimensions import FAILED, dimensions_of, failure, next_fit
from resemblance.study.refits import GROWTH_OF_DIMENSIONS
from resemblance.study.worker import dimensions
from small_study import SMALL, Hands, People, Sorters, open_study

PROPERTIES = np.repeat(4.0 * np.eye(3), 4, axis=0)
FEW, ENOUGH, MANY = 4 * len(PROPERTIES), 10 * len(PROPERTIES), 20 * len(PROPERTIES)
SECTIONS = SMALL.replace("task_size = 40", "task_size = 200") + "[dimensions]\n"


@pytest.fixture
def begin(tmp_path):
    """Begin a study: its settings of dimensions are given."""
    begun = []

    def begin_(settings="answers_per_item = 10", kind="odd_one_out", study=""):
        sections = SECTIONS + settings
        url = f"sqlite:///{tmp_path}/study.sqlite"
        live = open_study(tmp_path / "dots", url, kind=kind, sections=sections, study=study)
        begun.append(Hands(live))
        return live, begun[-1]

    yield begin_
    for hands in begun:
        hands.work.close()
        hands.work.live.store.close()


def counted(live):
    log = live.store.answers.after(live.record, 0, 10**6)
    return sum(one.purpose == "main" and not one.skipped for one in log)


def answer_until(hands, people, n):
    """Let people answer until so many answers count, while the worker works."""
    hands.begin()
    while (lacking := n - counted(people.live)) > 0:
        people.answer(lacking)
        hands.settle()


def fits(live):
    return [event.details["found"] for event in live.store.events.audit(live.record, DIMENSIONS)]


@pytest.fixture
def fitted_to(monkeypatch):
    """Give the judgments that each fit is of."""
    told, real = [], dimensions.found_in
    monkeypatch.setattr(dimensions, "found_in", lambda *of: told.append(of[0]) or real(*of))
    return told


def test_there_are_dimensions_from_enough_answers_on_and_new_ones_of_many_more(begin, fitted_to):
    live, hands = begin("answers_per_item = 20")
    people = Sorters(live, 4, PROPERTIES)
    answer_until(hands, people, MANY - 1)
    assert dimensions_of(live.store, live.record) is None
    assert next_fit(live.store, live.record, MANY) == MANY
    answer_until(hands, people, MANY)
    found = dimensions_of(live.store, live.record)
    assert (found.number, found.answers, found.matches) == (1, MANY, {})
    assert np.shape(found.loadings) == (12, len(found.shares))
    assert sum(found.shares) == pytest.approx(1, abs=1e-4)
    assert len(found.halves) == len(found.seeds) == len(found.shares)
    assert (found.starts, found.splits) == (2, 5)
    assert len(found.found_again) == len(found.shares)
    assert 0 <= min(found.found_again) <= max(found.found_again) <= 5
    most = np.argmax(found.loadings, axis=1)
    assert np.mean(most == np.repeat(most[[0, 4, 8]], 4)) > 0.8
    after = next_fit(live.store, live.record, MANY)
    assert after == MANY + int(GROWTH_OF_DIMENSIONS * MANY)
    answer_until(hands, people, after - 1)
    assert len(fits(live)) == 1
    answer_until(hands, people, after)
    again = dimensions_of(live.store, live.record)
    assert (again.number, again.answers) == (2, after)
    matches = dimensions.matched(found.loadings, again.loadings)
    assert [tuple(match) for match in again.matches["1"]] == matches
    assert list(map(len, fitted_to)) == [MANY, after]
    strategies = {one.spec["strategy"] for one in live.store.questions.all(live.record)}
    assert "predictive" in strategies  # the map goes on choosing


@pytest.mark.parametrize(
    ("kind", "settings", "fitted"),
    [
        ("odd_one_out", "", True),
        ("odd_one_out", "fit = false", False),
        ("triplet", "", False),
        ("triplet", "fit = true", True),
        ("one_of_n", "fit = true", True),
    ],
)
def test_the_settings_say_whether(begin, kind, settings, fitted):
    live, hands = begin(settings, kind, "n_options = 3" if kind == "one_of_n" else "")
    hands.begin()
    assert live.settings.fits_dimensions is fitted
    assert bool(hands.work._dimensions) is fitted


def test_choices_have_dimensions_too(begin, fitted_to):
    live, hands = begin("fit = true\nanswers_per_item = 4", "triplet")
    answer_until(hands, People(live, 3, sharp=4), FEW)
    (found,) = fits(live)
    assert min(map(min, found["loadings"])) >= 0
    assert [(type(told), len(told)) for told in fitted_to] == [(Triplets, FEW)]


def test_questions_go_on_while_dimensions_are_fitted(begin, monkeypatch):
    live, hands = begin()
    held, real = threading.Event(), dimensions.found_in

    def wait(*given):
        assert held.wait(60)
        return real(*given)

    monkeypatch.setattr(dimensions, "found_in", wait)
    people = Sorters(live, 4, PROPERTIES)
    answer_until(hands, people, ENOUGH - 1)
    before = hands.session.n_fits
    for _ in range(2):
        people.answer(15)
        while hands.work.step(hands.threads) or hands.asker.is_busy:
            pass
    assert hands.work._dimensions[0].is_busy
    assert hands.session.n_fits > before
    assert fits(live) == []
    held.set()
    hands.settle()
    assert len(fits(live)) == 1


def test_a_worker_that_ends_gives_a_fit_up_and_the_next_one_makes_it(begin, monkeypatch):
    live, hands = begin("answers_per_item = 4")
    begun, real = threading.Event(), dimensions.found_in

    def wait(told, seed, ended):
        begun.set()
        assert ended.wait(60)
        return real(told, seed, ended)

    monkeypatch.setattr(dimensions, "found_in", wait)
    people = Sorters(live, 4, PROPERTIES)
    answer_until(hands, people, FEW - 1)
    people.answer(3)
    while not begun.is_set():
        hands.work.step(hands.threads)
    (left,) = hands.work._dimensions
    hands.work.close()
    left._threads.shutdown(wait=True)
    with pytest.raises(dimensions.Stopped):
        left._fit.ended().result()
    assert fits(live) == []
    assert live.store.events.last(live.record, DIMENSIONS_BEGUN).details["tries"] == 0
    monkeypatch.undo()
    second = Hands(live)
    second.begin()
    second.work.close()
    assert len(fits(live)) == 1


@pytest.mark.parametrize("error", [EmptyError("none is left"), ValueError("a mistake of ours")])
def test_a_failure_is_told_and_the_map_goes_on(begin, monkeypatch, error):
    live, hands = begin("answers_per_item = 4")

    def fail(*_):
        raise error

    monkeypatch.setattr(dimensions, "found_in", fail)
    people = Sorters(live, 4, PROPERTIES)
    answer_until(hands, people, FEW)
    answer_until(hands, people, FEW + 2)  # too few more to try again
    assert failure(live.store, live.record) == str(error)
    (event,) = live.store.events.audit(live.record, FAILED)
    assert event.details["answers"] == FEW
    if type(error) is ValueError:  # what follows is the same
        return
    fitted = hands.session.n_fits
    monkeypatch.undo()
    answer_until(hands, people, FEW + int(GROWTH_OF_DIMENSIONS * FEW))
    assert hands.session.n_fits > fitted
    assert len(fits(live)) == 1
    assert failure(live.store, live.record) is None


def test_skips_and_people_who_are_left_out_do_not_count(begin):
    live, hands = begin()
    people = Sorters(live, 4, PROPERTIES)
    answer_until(hands, people, ENOUGH - 8)
    live.store.people.exclude(people.persons[0], True, "did not look", "researcher")
    hands.watch()
    lost = sum(one.observer == people.persons[0].code for one in hands.session.answers.values())
    assert lost > 8
    person = live.store.people.enter(live.record, "simulated", "skips", "hash of skips")
    skipper = live.store.people.set_state(person, "consented")
    for _ in range(10):
        skip(live, skipper)
    hands.settle()
    people.answer(8)
    hands.settle()
    assert fits(live) == []
    live.store.people.exclude(people.persons[0], False, "after all", "researcher")
    hands.watch()
    answer_until(hands, people, ENOUGH)
    assert fits(live)[0]["answers"] >= ENOUGH


def skip(live, person):
    from resemblance.study.questions import next_questions

    (question,) = live.store.questions.serve(person, next_questions(live, person, 0, 1))
    live.store.answers.take(person, [AnswerIn(question.id, None, 900.0, skipped=True)])


def test_fits_that_were_kept_with_one_split_are_read(begin):
    live, _ = begin()
    earlier = found(np.eye(12)[:, :3]) | {"halves": [0.9, 0.7, 0.2], "fits": [2, 2]}
    for name in ("found_again", "starts", "splits"):
        del earlier[name]
    dimensions.keep(live, 300, earlier)
    now = dimensions_of(live.store, live.record)
    assert (now.found_again, now.starts, now.splits) == ([1, 1, 0], 2, 1)
