"""The desk's map: small, and laid upon the one before."""

import json

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from resemblance.study.worker.report import laid_upon
from resemblance.web.desk import overview
from resemblance.web.desk.drawing import data
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


def test_a_page_of_ten_thousand_items_is_small(study, monkeypatch):
    address = "/desk/dots/thumbnails/0123456789abcdef0123456789abcdef.webp"
    monkeypatch.setattr(overview, "pictures", lambda folder: [address] * 10_000)
    assert len(data(Overview(study(10_000, fits=1)).map())) < 2_000_000


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
