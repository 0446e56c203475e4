"""papers/multimodal/levels.py, on answers about ten points."""

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from scripts import scripts


@pytest.fixture(scope="module")
def levels():
    with scripts("papers/multimodal", "levels") as modules:
        yield modules.levels


@pytest.fixture
def small(levels, monkeypatch):
    """The scripts with answers of ten noisy people in place of the data."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(10, 2))
    asked = np.array([rng.choice(10, 3, replace=False) for _ in range(500)])
    answers = rs.SpaceObserver(points, random_state=0).answer(rs.Triplets(asked, 10))
    answers = rs.Triplets(answers.index, 10, observer=np.resize(list("abcdefghij"), 500))
    monkeypatch.setattr(levels, "answers", lambda name, data: answers)
    monkeypatch.setattr(levels, "FOLDS", {"eggs": ("observer", 2)})
    monkeypatch.setitem(levels.MODELS, "GNMDS", lambda: rs.GNMDS(2, max_iter=20, random_state=0))
    return levels


def test_each_level_keeps_part_of_the_one_before(small, tmp_path):
    rows = {level: int(rows) for level, rows, _ in list(small.whole("eggs", tmp_path, 3))[1:]}
    for one, other in (
        ("all answers", "majorities"),
        ("majorities", "contradictions removed"),
        ("contradictions removed", "acyclic, greedy"),
        ("acyclic, greedy", "reduced, greedy"),
        ("majorities", "acyclic, sifting"),
        ("acyclic, sifting", "reduced, sifting"),
    ):
        assert rows[one] > rows[other]
    assert rows["acyclic, sifting"] > rows["acyclic, greedy"]


@pytest.mark.filterwarnings("ignore::resemblance.errors.NotConvergedWarning")
def test_the_tables_are_written_and_no_cell_is_filled_twice(small, tmp_path, monkeypatch):
    words = ["--data", str(tmp_path), "--out", str(tmp_path)]
    small.main(words)
    cells = pd.read_csv(tmp_path / "levels.csv")
    assert len(cells) == len(small.LEVELS) * len(small.MODELS) * 2
    assert cells["accuracy"].between(0.4, 1).all()
    text = (tmp_path / "levels.md").read_text()
    assert all(text.count(f"| {level} |") == 2 for level in small.LEVELS)
    monkeypatch.setattr(small, "cell", None)
    small.main(words)
