"""`resemblance plan`."""

import json
import signal
import sys

import pandas as pd
import pytest

from resemblance.cli.output import Work

SMALL = ("--worlds", 2, "--budget", 24)


@pytest.fixture(autouse=True)
def few_at_the_start(monkeypatch):
    monkeypatch.setattr(sys.modules["resemblance.cli.plan"], "START", 2)


def test_a_guess_gives_judgments_hours_and_cost(run, tmp_path):
    given = ("--items", 6, "--target", 0.45, "--model", "ckl")
    result = run("plan", *given, *SMALL, "--out", "plan")
    assert " USD " in result.stdout
    assert "no map in 2 dimensions" in result.stdout
    assert "an error of 0.45 needs" in result.stdout.replace("\n", " ")
    table = pd.read_csv(tmp_path / "plan" / "plan.csv")
    assert table["answers"].iloc[-1] == 24
    assert (table["low"] <= table["high"]).all()
    report = json.loads((tmp_path / "plan" / "plan.json").read_text())
    assert report["dimensions"] == [2]
    assert report["ceiling"] == pytest.approx(table["ceiling"][0])
    assert report["people"]["currency"] == "USD"
    assert report["needs_pilot"] is True
    assert report["assumed"] in result.stdout.replace("\n", " ")
    assert report["needed"]["low"] <= report["needed"]["median"]
    assert (tmp_path / "plan" / "plan.png").stat().st_size > 5000


def test_a_pilot_takes_the_place_of_guesses(run):
    run("simulate", "pilot.csv", "--items", 6, "--answers", 150, "--cheaters", 0)
    result = run("plan", "--pilot", "pilot.csv", "--dims", 2, "--questions", "random", *SMALL)
    assert "6 items in 2 dimensions" in result.stdout.replace("\n", " ")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "--items"),
        (["--items", 6, "--pilot", "pilot.csv"], "pilot replaces --items"),
        (["--items", 6, "--agreement", 0.3], "agreement is 0.3"),
        (["--items", 6, "--budget", 4], "before the random start"),
        (["--items", 6, "--target", 0.7], "target is 0.7"),
        (["--items", 6, "--pay", -3], "pay is -3"),
        (["--pilot", "none.csv"], "none.csv"),
    ],
)
def test_what_makes_no_plan_is_told(run, words, told):
    words = words or ["--dims", 2]
    result = run("plan", *words, code=1)
    assert told in result.stderr.replace("\n", " ")


def test_ctrl_c_keeps_the_studies_so_far(run, monkeypatch):
    folds = Work.folds

    def pressed_at_once(work, what, total):
        advance = folds(work, what, total)

        def told(done, n):
            signal.raise_signal(signal.SIGINT)
            return advance(done, n)

        return told

    monkeypatch.setattr(Work, "folds", pressed_at_once)
    result = run("plan", "--items", 6, *SMALL, code=130)
    assert "interrupted after 1 of 2 studies" in result.stderr
    assert "has a lower error than" in result.stdout
