"""Spaces and tallies: kept, thinned, listed page by page."""

from itertools import pairwise

import pytest

from postgres import emptied
from resemblance.store import Store


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request, file_url):
    server = request.param == "postgresql"
    with Store.open(emptied(request.getfixturevalue("one_database")) if server else file_url) as it:
        yield it


@pytest.fixture
def study(store):
    return store.studies.add("ties", "", {})


def add(store, study, answers):
    return store.spaces.add(study, answers, b"model %d" % answers, [[0.5]], [0.1], {"error": 0.25})


def test_a_space_comes_back_as_it_went_in(store, study):
    assert store.spaces.latest(study) is None
    number = add(store, study, 40)
    found = store.spaces.latest(study)
    assert (found.id, found.answers, found.model) == (number, 40, b"model 40")
    assert (found.positions, found.uncertainty, found.scores) == ([[0.5]], [0.1], {"error": 0.25})
    assert store.spaces.get(study, number) == found
    other = store.studies.add("shoes", "", {})
    assert store.spaces.latest(other) is store.spaces.get(other, number) is None


def test_the_newest_stay_and_the_past_is_thinned_evenly_by_factors(store, study):
    for answers in range(100, 13100, 100):
        add(store, study, answers)
    kept = [space.answers for space in store.spaces.scored(study)]
    assert len(kept) == 50
    assert kept[0] == 100
    assert kept[-20:] == list(range(11100, 13100, 100))
    factors = [after / before for before, after in pairwise(kept[3:-20])]
    assert max(factors) < 1.6
    assert [space.answers for space in store.spaces.all(study, 2)] == [13000, 12900]


def enter(store, study, n):
    return [store.people.enter(study, "open", None, f"token {i}") for i in range(n)]


def test_the_trail_leaves_the_fits_out(store, study):
    for number in range(5):
        store.events.record(study, "worker", "fit", {"number": number})
        store.events.record(study, "me", "wrote", {"number": number})
    lines = store.events.trail(study, 3)
    assert [line.details["number"] for line in lines] == [4, 3, 2]
    assert [line.details for line in store.events.trail(study, 1, before=lines[-1].id)] == [
        {"number": 1}
    ]


# What the desk reads at each refresh, and the tables that must not be read for it.
