"""The scripts of papers/ste, on data small enough for a test."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from scripts import scripts


@pytest.fixture(scope="module")
def ste():
    """The scripts as modules; nothing of them stays importable afterwards."""
    with scripts("papers/ste") as modules:
        yield modules


@pytest.fixture(scope="module")
def digits():
    """Triplets of thirty digits, three from each response."""
    drawn = rs.datasets.digits_triplets(1500, n_items=30, n_neighbours=8, random_state=0)
    return rs.Triplets(drawn.index, items=drawn.items, response_id=np.arange(1500) // 3)


@pytest.fixture
def study(ste, digits):
    return ste.studies.Study("tiny", digits, (2, 3), ("random", "grouped"), 2, 1, 1)


@pytest.mark.parametrize("name", ["GNMDS", "CKL", "STE", "t-STE"])
def test_forces_are_the_slopes_of_the_loss(ste, name):
    model, step = ste.gradient_fields.MODELS[name], 1e-6
    distances = np.array([0.5, 1.7, 3.1, 4.4])
    near, far = np.meshgrid(distances, distances)
    pull, push = ste.gradient_fields.field(model, distances, "loss")
    by_near = model.loss((near + step) ** 2, far**2) - model.loss((near - step) ** 2, far**2)
    by_far = model.loss(near**2, (far + step) ** 2) - model.loss(near**2, (far - step) ** 2)
    largest = max(np.abs(by_near).max(), np.abs(by_far).max())
    assert pull == pytest.approx(by_near / largest, abs=1e-6)
    assert push == pytest.approx(by_far / largest, abs=1e-6)


def test_tuning_never_sees_rows_of_the_first_test_fold(ste, study):
    for split in study.splits:
        train, test = ste.generalisation.folds(split, study.judgments, 10)[0]
        tasks = list(ste.generalisation.tuning_tasks(study, split, ["STE-X", "STE-K", "t-STE"]))
        assert {task.technique for task in tasks} == {"STE-X", "STE-K"}
        for task in tasks:
            seen = np.concatenate([task.train, task.test])
            assert set(seen) <= set(train)
            assert not set(seen) & set(test)
            groups = [set(study.judgments.response_id[rows]) for rows in (task.train, task.test)]
            assert split == "random" or not groups[0] & groups[1]


def test_a_study_is_finished_once_and_comparable(ste, study, tmp_path, monkeypatch):
    small = replace(study, splits=("random",))
    table = ste.generalisation.run_study(small, tmp_path, ["t-STE", "STE-K"])
    assert (tmp_path / "tiny_errors.png").stat().st_size > 0
    assert (table["error_mean"] < 0.3).all()
    assert table.loc[("random", "t-STE", 2), "folds"] == 2
    assert table.loc[("random", "STE-K", 2), "folds"] == 1
    monkeypatch.setattr(ste.generalisation, "fit_and_score", None)
    again = ste.generalisation.run_study(small, tmp_path, ["t-STE", "STE-K"])
    pd.testing.assert_frame_equal(table, again, check_exact=False)


def test_numbers_are_set_beside_the_published_ones(ste, tmp_path):
    index = pd.MultiIndex.from_tuples(
        [("random", "t-STE", 2), ("random", "STE-X", 2)], names=["split", "technique", "dims"]
    )
    columns = [f"{e}_{s}" for e in ste.comparison.WORDS for s in ("mean", "sem")]
    table = pd.DataFrame(0.5, index=index, columns=columns).assign(folds=10, error_sem=0.01)
    table["error_mean"] = [0.240, 0.420]
    table["code"] = ste.settings.code_state(ste.settings.HERE)
    table.to_csv(tmp_path / "music_errors.csv")
    lines = ste.comparison.report(tmp_path).splitlines()
    assert "| music | t-STE | 2 | held-out triplets | 0.223 | 0.240 ± 0.010 | **worse** |" in lines
    assert "| music | STE-X | 2 | held-out triplets | 0.414 | 0.420 ± 0.010 | no worse |" in lines
    table.assign(code="another").to_csv(tmp_path / "music_errors.csv")
    assert "music" not in ste.comparison.report(tmp_path)


def test_the_music_map_is_drawn(ste, digits, tmp_path):
    errors = ste.music_map.draw_map(digits, tmp_path)
    assert errors["triplets violated"] < 0.25
    assert len(pd.read_csv(tmp_path / "music_map.csv")) == len(digits.items)
    for suffix in ("png", "html"):
        assert (tmp_path / f"music_map.{suffix}").stat().st_size > 1000


def test_digit_maps_are_fitted_once(ste, digits, tmp_path, monkeypatch):
    errors = ste.digit_maps.draw_maps(digits, tmp_path / "maps")
    assert errors.index.tolist() == ["GNMDS-X", "CKL-X", "STE-X", "t-STE"]
    assert (errors["triplets violated"] < 0.25).all()
    monkeypatch.setattr(ste.digit_maps, "TECHNIQUES", {})
    again = ste.digit_maps.draw_maps(digits, tmp_path / "maps")
    pd.testing.assert_frame_equal(errors, again)


def test_people_with_two_places_agree_as_often_as_asked(ste):
    world = ste.second_map.draw_world(3, "two places")
    answers = ste.second_map.answers_in(world, 20, 3, differ=False)
    assert len(answers) == 20 * len(world.places)
    assert len(world.two) == len(world.places) // 10
    assert (world.places[world.two, 0] != world.places[world.two, 1]).any(axis=1).all()
    scale = ste.second_map.scale_of(world, answers.index)
    p = world.shares(answers.index, scale, np.ones(world.places.shape[2]))
    assert (p**2 + (1 - p) ** 2).mean() == pytest.approx(world.agreement, abs=1e-3)
