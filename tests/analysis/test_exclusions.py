"""Reports say who answers like guesses, and what the error is without them."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import resemblance as rs
from resemblance.cli import app

N = 16
MODEL = rs.STE(2, penalty=0.5)
POINTS = 1.5 * np.random.default_rng(2).normal(size=(N, 2))


def answers(n_guessers=2, n=120, n_people=8):
    people = [rs.SpaceObserver(POINTS, random_state=i) for i in range(n_people)]
    people += [rs.observers.InattentiveObserver(i) for i in range(n_guessers)]
    names = [f"p{i:02d}" for i in range(len(people))]
    rng = np.random.default_rng(5)
    index = np.vstack([rng.permuted(np.arange(N))[:3] for _ in range(n * len(people))])
    asked = rs.Triplets(index, N, observer=np.repeat(names, n))
    return rs.Crowd(people, names, random_state=0).answer(asked)


def test_the_error_without_them_is_that_of_the_fit_that_leaves_them_out():
    told = answers()
    every = rs.analyse(told, MODEL, folds=3)
    without = rs.analyse(told, MODEL, folds=3, screen=True)
    assert every.people.guesses == ("p08", "p09")
    assert every.people.error == pytest.approx(without.held_out.error)
    assert every.people.error < every.held_out.error - 0.02
    assert (every.people.left_out, without.people.left_out) == (False, True)
    assert len(without.judgments) == 8 * 120
    assert dict(every.lines())["people"].startswith("2 of 10")
    assert every.as_dict()["people"]["do"] == "screen=True"


def test_where_all_look_nothing_is_said_and_nobody_left_out():
    analysis = rs.analyse(answers(0), MODEL, folds=3, screen=True)
    assert (analysis.people.guesses, analysis.people.why) == ((), None)
    assert len(analysis.judgments) == 8 * 120
    assert "people" not in dict(analysis.lines())


@pytest.mark.parametrize(("told", "n"), [(answers(1, n=10), 9), (answers(0, n_people=2), 2)])
def test_too_few_answers_are_not_screened_which_is_said(told, n):
    people = rs.analyse(told, MODEL, folds=3).people
    assert (people.people, people.guesses) == (n, ())
    assert people.why is not None


def test_answers_of_nobody_say_nothing_of_people():
    told = answers(0)
    assert rs.analyse(rs.Triplets(told.index, N), MODEL, folds=3).people is None
    assert rs.evaluate(MODEL, told, cv=3).people.guesses == ()


def test_the_command_leaves_out_who_guesses_and_who_was_excluded(tmp_path):
    told = answers()
    lines = ["observer,head,near,far,excluded"]
    for who, row in zip(told.observer, told.index.tolist(), strict=True):
        lines.append(f"{who},{row[0]},{row[1]},{row[2]},{who == 'p09'}")
    file = tmp_path / "triplets.csv"
    file.write_text("\n".join(lines))
    table = [f"p{i:02d},{i == 9}" for i in range(10)]
    (tmp_path / "participants.csv").write_text("\n".join(["observer,excluded", *table]))

    def report(*more):
        settings = ["--model", "ste", "--penalty", "0.5", "--folds", "3", "--out"]
        done = CliRunner().invoke(app, ["fit", str(file), *settings, str(tmp_path / "map"), *more])
        assert done.exit_code == 0, done.output
        return json.loads((tmp_path / "map" / "report.json").read_text())

    usual, kept, screened = report(), report("--keep-marked"), report("--screen")
    assert [one["data"]["observers"] for one in (usual, kept, screened)] == [9, 10, 8]
    assert [one["people"]["guesses"] for one in (usual, kept)] == [["p08"], ["p08", "p09"]]
    assert usual["people"]["error"] == pytest.approx(screened["held_out"]["error"])
    assert [one["data"]["excluded_people"] for one in (usual, kept)] == [1, 1]
    assert "excluded" in dict(usual["lines"])
