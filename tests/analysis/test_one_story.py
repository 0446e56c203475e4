"""One study, one verdict: the worker's report, the desk, a fit of the export, and its score."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import resemblance as rs
from resemblance.catalog import AUTO_MODEL
from resemblance.cli import app
from scripts import scripts


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Return the desk of a study, the report of a fit of its export, its score, its analysis."""
    folder = tmp_path_factory.mktemp("story")
    with scripts("papers/calibration", "one_story", "worlds") as modules:
        story, world = modules.one_story, modules.worlds.world(0)
        live = story.opened(folder, world.n_items)
        story.collect(live, world, 500)
        desk, report = story.Overview(live), story.fitted(live, folder)
    files = [str(folder / "map"), str(folder / "answers" / "triplets.csv")]
    score = CliRunner().invoke(app, ["score", *files, "--json"])
    answers = rs.read_triplets(files[1])
    return desk, report, json.loads(score.output), rs.analyse(answers, AUTO_MODEL)


def test_all_tell_one_error_with_one_interval(study):
    desk, report, score, analysis = study
    held = report["held_out"]
    assert held["error"] == analysis.held_out.error == score["held_out"]["error"]
    assert tuple(held["interval"]) == analysis.held_out.interval
    assert score["held_out"] == held
    shown = desk.tested
    told = [shown["error"], shown["low"], shown["high"]]
    np.testing.assert_allclose(told, [held["error"], *held["interval"]], atol=1e-5)
    assert shown["answers"] == held["answers"]


def test_all_give_one_verdict(study):
    desk, report, score, analysis = study
    assert report["next"] == score["next"] == analysis.as_dict()["next"] == desk.verdict


def test_all_are_of_one_model(study):
    desk, report, score, analysis = study
    names = {report["model"]["name"], score["model"]["name"], analysis.as_dict()["model"]["name"]}
    assert names == {desk.last.scores["judged_by"]}
