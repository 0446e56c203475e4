"""The desk's map through time: small, laid upon one another, read once for each fit."""

import json
import random

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sqlalchemy import event

from resemblance.study.worker.report import laid_upon
from resemblance.web.desk import overview
from resemblance.web.desk.drawing import data
from resemblance.web.desk.map_history import MOST, map_history, thinned
from resemblance.web.desk.overview import Overview
from small_study import open_study

SCORES = {"shown": [], "seconds": 1.0}


@pytest.fixture
def study(tmp_path):
    made = []

    def make(n_items, dims=2, fits=50, came_later=0):
        live = open_study(tmp_path / "dots", f"sqlite:///{tmp_path}/s.sqlite", n_items=n_items)
        made.append(live)
        rng = np.random.default_rng(0)
        X = 3 * rng.normal(size=(n_items, dims))
        for fit in range(fits):
            n = n_items - came_later if fit < fits // 2 else n_items
            add(live, 100 * (fit + 1), X[:n] + rng.normal(size=(n, dims)) / (fit + 1))
        return live

    yield make
    for live in made:
        live.store.close()


def add(live, answers, positions, uncertainty=None):
    deviation = [0.123456] * len(positions) if uncertainty is None else uncertainty
    live.store.spaces.add(live.record, answers, b"", positions.tolist(), deviation, SCORES)


def test_a_few_maps_are_kept_the_first_among_them(study):
    live = study(12)
    spaces = live.store.spaces.all(live.record)[::-1]
    shown = Overview(live).map()
    answers = [int(frame["name"].split()[0].replace(",", "")) for frame in shown["frames"]]
    assert answers == sorted(set(answers))
    assert answers[0] == spaces[0].answers
    assert len(answers) <= MOST
    assert max(np.diff(np.log(answers))) < 0.8
    assert shown["name"] == "now: 5,000 answers"
    np.testing.assert_allclose(shown["points"], spaces[-1].positions, atol=1e-3)


def test_thinning_loses_nothing_where_there_is_little():
    assert thinned([], 3) == []


def test_a_page_of_ten_thousand_items_is_small(study, monkeypatch):
    address = "/desk/dots/thumbnails/0123456789abcdef0123456789abcdef.webp"
    monkeypatch.setattr(overview, "pictures", lambda folder: [address] * 10_000)
    live = study(10_000, fits=12)
    shown = Overview(live).map()
    assert len(shown["frames"]) == 4
    assert len(data(shown)) < 2_000_000


@pytest.mark.parametrize("dims", [5, 20])
def test_many_dimensions_leave_room_for_fewer_maps(study, dims):
    live = study(2000, dims, fits=30)
    numbers = sum(len(frame["points"]) * dims for frame in Overview(live).map()["frames"])
    assert numbers + 2000 * dims <= 100_000


def test_items_that_came_later_are_not_in_earlier_maps(study):
    frames = Overview(study(12, came_later=3)).map()["frames"]
    assert {len(frame["points"]) for frame in frames} == {9, 12}
    assert [len(frame["points"]) for frame in frames] == sorted(len(f["points"]) for f in frames)


def test_spaces_of_another_number_of_dimensions_are_no_frames(study):
    live = study(12, dims=3, fits=4)
    add(live, 1000, np.eye(12)[:, :2])
    assert Overview(live).map()["frames"] == []


def test_earlier_maps_are_read_once_after_each_fit(study):
    live = study(12, fits=5)
    read = []
    event.listen(
        live.store.database.readers, "before_cursor_execute", lambda *about: read.append(about[2])
    )
    first = Overview(live).map()
    once = len(read)
    assert Overview(live).map() == first
    assert len(read) == once + 1  # the last space alone
    add(live, 600, np.ones((12, 2)))
    assert [frame["name"] for frame in Overview(live).map()["frames"]][-1] == "500 answers"
    assert map_history(live, live.store.spaces.latest(live.record)) is map_history(
        live, live.store.spaces.latest(live.record)
    )


def test_what_is_drawn_is_json(study):
    live = study(12, fits=2)
    add(live, 900, np.zeros((12, 2)), uncertainty=None)
    assert json.loads(str(data(Overview(live).map())))["uncertainty"] == [0.123] * 12


class TestLaidUpon:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3))
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]

    def test_a_turned_mirrored_and_moved_map_is_found_again(self):
        moved = (self.X @ self.turn + [1.0, 2.0, 3.0]).tolist()
        np.testing.assert_allclose(laid_upon(self.X.tolist(), moved), self.X, atol=1e-5)

    def test_no_distance_changes_and_new_items_go_along(self):
        now = 2.0 * self.X @ self.turn
        laid = laid_upon(self.X[:15].tolist(), now.tolist())
        np.testing.assert_allclose(pdist(laid), pdist(now), rtol=1e-4)
        far = np.linalg.norm(now[:15] - self.X[:15])
        assert np.linalg.norm(np.array(laid)[:15] - self.X[:15]) < far

    @pytest.mark.parametrize("before", [np.eye(3)[:, :2], np.zeros((30, 3))])
    def test_where_nothing_can_be_compared_it_stays(self, before):
        assert laid_upon(before.tolist(), self.X.tolist()) == self.X.tolist()


def test_numbers_of_answers_grow_by_about_equal_factors():
    chance = random.Random(0)
    answers = sorted(chance.sample(range(10, 100_000), 50))
    spaces = [type("Space", (), {"answers": n}) for n in answers]
    kept = [space.answers for space in thinned(spaces, 8)]
    assert kept[0] == answers[0]
    assert len(kept) <= 8
