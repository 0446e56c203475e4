"""What reports claim, in worlds with known truth: a quick look at papers/calibration."""

import pandas as pd
import pytest

from scripts import scripts


@pytest.fixture(scope="module")
def programs():
    """The scripts as modules; nothing of them stays importable afterwards."""
    with scripts("papers/calibration") as modules:
        yield modules


def test_worlds_are_what_they_say(programs):
    worlds = [programs.worlds.world(seed) for seed in range(6)]
    assert [w.kind for w in worlds] == ["softmax", "student", "relative"] * 2
    for w in worlds:
        n = w.n_items
        assert len(w.questions) == n * (n - 1) * (n - 2) / 2
        assert 0 < w.best < 0.5
        model = w.model(penalty=0.0).set_positions(w.person.points)
        assert w.error(model) == pytest.approx(w.best, abs=0.02)  # it knows no lapses


@pytest.mark.parametrize("adaptive", [False, True], ids=["random", "adaptive"])
def test_errors_slopes_and_ceilings(programs, adaptive):
    found = pd.DataFrame([programs.errors.look(seed, 700, adaptive) for seed in range(6)])
    assert abs(found["bias"].mean()) < 0.04
    assert found["covered"].sum() >= 3  # 5.7 are meant to
    assert 0.03 < found["width"].mean() < 0.25
    assert 0.6 < found["slope"].median() < 1.6
    if "ceiling bias" in found:
        assert abs(found["ceiling bias"].mean()) < 0.12


def test_ellipses(programs):
    name = "Student-t, STE fitted"
    found = pd.DataFrame([programs.ellipses.look(name, seed, 1500) for seed in range(4)])
    assert 0.85 < found["averaged"].mean() <= 1.0
    assert found["wider"].mean() > 1.0


def test_model_and_dimensions(programs):
    found = [programs.dimensions.look("plane", seed, 1200) for seed in range(3)]
    assert sum(one["dimensions right"] for one in found) >= 1  # 2.7 are meant to
    assert {row["what"] for row in programs.dimensions.counted("", pd.DataFrame(found))}


def test_a_map_that_is_enough(programs):
    found = pd.DataFrame([programs.dimensions.enough("space", seed, 1500) for seed in range(2)])
    assert (found["left"] >= 0).all()
    assert (found["next"] <= found["left"]).all()
    assert len(programs.dimensions.closed("", found)) >= 3


def test_a_table_has_a_row_for_each_claim(programs, monkeypatch):
    monkeypatch.setattr(programs.ellipses, "SIZES", (300,))
    table = programs.ellipses.table(n_worlds=2, n_jobs=1)
    named = [*programs.ellipses.WORLDS, "adaptive"]
    assert table["condition"].tolist() == [f"{name}, 300 answers" for name in named for _ in "123"]
    text = programs.table.markdown(table)
    assert text.splitlines()[0].startswith("| condition | what | claimed | found |")
