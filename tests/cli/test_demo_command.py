"""`resemblance demo`, with fewer people, digits and questions than it has."""

import json
import shlex
import sys

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from typer.testing import CliRunner

import resemblance as rs
from map_page import pictures
from resemblance.cli import app, demo, digits
from resemblance.study.live import open_stored
from resemblance.web.desk.overview import Overview
from small_study import Hands


@pytest.fixture
def small(monkeypatch):
    sizes = {"N_ITEMS": 30, "N_PEOPLE": 5, "QUESTIONS_EACH": 100, "SHARED": 20, "NEIGHBOURS": 10}
    for name, size in sizes.items():
        monkeypatch.setattr(digits, name, size)


@pytest.mark.usefixtures("small")
def test_the_demo_leaves_files_and_the_command_that_does_the_same(
    run, report, tmp_path, monkeypatch
):
    printed = run("demo", "--offline", "--seed", 4).stdout
    assert "demo-out/map/map.html" in printed
    written = (tmp_path / "demo-out" / "map" / "embedding.csv").read_bytes()
    found = report("demo-out/map")
    assert found["noise_ceiling"]["repeated_questions"] >= 20
    assert found["data"]["observers"] == 5
    assert found["labels"]["neighbour_error"] < found["labels"]["majority_error"]
    page = (tmp_path / "demo-out" / "map" / "map.html").read_text(encoding="utf-8")
    assert pictures(page) == 30
    command = next(line for line in printed.splitlines() if "resemblance fit" in line)
    monkeypatch.setattr("resemblance.plotting.save_map", lambda X, path, *_, **__: path.touch())
    run(*shlex.split(command)[1:])
    assert (tmp_path / "demo-out" / "map" / "embedding.csv").read_bytes() == written


@pytest.mark.usefixtures("small")
def test_items_are_digits_with_their_pictures(tmp_path):
    answers, path = digits.write_digits(tmp_path, 0)
    items = rs.read_items(path)
    assert set(items.labels) == set("0123456789")
    picture = Image.open(items.images[0]).convert("L")
    assert picture.getpixel((0, 0)) > picture.getpixel((20, 24))  # ink on white
    triplets = rs.read_triplets(answers, items=items)
    shared = pd.DataFrame(triplets.index).apply(lambda row: (row[0], *sorted(row[1:])), axis=1)
    assert (shared.groupby(shared).size() >= 5).sum() == 20


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Run the demo with fewer people; return its folder and what it printed."""
    home = tmp_path_factory.mktemp("served")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        patch.setattr(sys.modules["resemblance.cli.demo"], "THOUGHT_S", 0.0)
        patch.setattr(demo, "N_PEOPLE", 6)
        patch.setitem(demo.SETTINGS["tasks"], "task_size", 25)
        printed = CliRunner().invoke(app, ["demo", "--once"])
    assert printed.exit_code == 0, printed.output
    return home / "demo-out", printed.output


@pytest.mark.server
def test_the_demo_serves_a_study_until_its_crowd_is_through(served):
    out, printed = served
    assert "/s/study" in printed
    assert "one-time secret" in printed
    assert any(verdict in printed for verdict in demo.VERDICTS.values())
    assert "recruitment.simulated" in printed  # whose answers these are
    assert (
        json.loads((out / "map" / "report.json").read_text())["data"]["observers"] == 5
    )  # not who clicks
    assert pictures((out / "map" / "map.html").read_text(encoding="utf-8")) == 36
    answers = pd.read_csv(out / "answers" / "triplets.csv")
    assert 180 <= len(answers) <= 250  # without gold questions
    people = pd.read_csv(out / "answers" / "participants.csv")
    assert people["excluded"].tolist().count(True) == 1
    held_out = json.loads((out / "map" / "report.json").read_text())["held_out"]
    assert held_out["interval"][0] < 0.5  # a few hundred answers may look like guesses
    assert answers["simulated"].all()


@pytest.mark.server
def test_demo_fit_score_desk_and_analyse_tell_one_error_and_one_verdict(served, tmp_path):
    out, _ = served
    file = str(out / "answers" / "triplets.csv")
    first = json.loads((out / "map" / "report.json").read_text())
    again = ["--model", demo.MODEL, "--out", str(tmp_path / "again")]
    fit = CliRunner().invoke(app, ["fit", file, *again])
    assert fit.exit_code == 0, fit.output
    again = json.loads((tmp_path / "again" / "report.json").read_text())
    score = json.loads(CliRunner().invoke(app, ["score", str(out / "map"), file, "--json"]).output)
    with open_stored(out / "study") as live:
        hands = Hands(live)
        assert hands.work._begin()
        hands.asker._overdue = True  # all answers are fitted and told, as while the server runs on
        hands.settle()
        hands.work.close()
        desk = Overview(live)
        shown, verdict, judged_by = desk.tested, desk.verdict, desk.last.scores["judged_by"]
    analysis = rs.analyse(rs.read_triplets(file), demo.MODEL).as_dict()
    assert first["held_out"] == again["held_out"] == score["held_out"]
    assert first["held_out"]["error"] == analysis["held_out"]["error"]
    assert first["next"] == again["next"] == score["next"]
    others = verdict, analysis["next"]  # in words of their own
    assert {first["next"]["code"]} == {step["code"] for step in others}
    assert {first["next"]["n"]} == {step["n"] for step in others}
    names = {one["model"]["name"] for one in (first, again, score, analysis)}
    assert names == {judged_by}
    held = first["held_out"]
    told = [shown["error"], shown["low"], shown["high"]]
    np.testing.assert_allclose(told, [held["error"], *held["interval"]], atol=1e-5)
    assert shown["answers"] == held["answers"]


@pytest.mark.parametrize(
    ("paper", "picture", "named"),
    [
        ("yada", "map.html", "16 of 16"),
        ("templates", "people.png", "prototype"),
        ("multimodal", "kernels.png", "noise"),
        ("crowd-kernel", "map.html", "900"),
        ("ste", "map.html", "GNMDS"),
    ],
)
@pytest.mark.long
def test_the_experiment_of_a_paper_ends_with_its_picture(run, paper, picture, named, tmp_path):
    said = run("demo", "--paper", paper, "--out", "shown").stdout
    assert (tmp_path / "shown" / paper / picture).stat().st_size > 10_000
    assert named in said
