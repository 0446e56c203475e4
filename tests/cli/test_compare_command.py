"""`resemblance compare`: whether groups of people see differently."""

import sys

import numpy as np
import pandas as pd
import pytest

import resemblance as rs


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(sys.modules["resemblance.cli.compare"], "PERMUTATIONS", 99)
    monkeypatch.setattr(sys.modules["resemblance.cli.compare"], "RESAMPLES", 10)


@pytest.fixture
def groups(tmp_path):
    """Answers of two groups of six, in one of which a dimension counts for more."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(15, 2)) * 1.5
    names = [f"p{i:02d}" for i in range(12)]
    people = [
        rs.SpaceObserver(points, weights=[1, 1] if i < 6 else [4, 1], random_state=i)
        for i in range(12)
    ]
    asked = np.array([rng.choice(15, 3, replace=False) for _ in range(1800)])
    told = rs.Crowd(people, names, random_state=0).answer(asked)
    frame = pd.DataFrame(told.index, columns=["head", "near", "far"])
    frame["participant"] = told.observer
    frame["age"] = np.where(told.observer < "p06", "old", "young")
    frame.to_csv(tmp_path / "answers.csv", index=False)
    table = pd.DataFrame({"participant": names, "age": ["old"] * 6 + ["young"] * 6})
    table.to_csv(tmp_path / "participants.csv", index=False)
    return tmp_path


def test_groups_in_a_column_of_the_answers_or_in_a_table_of_people(run, report, groups):
    run("compare", "answers.csv", "--by", "age")
    told = report("answers-groups")
    assert told["groups"] == {"old": 6, "young": 6}
    assert told["p_value"] <= 0.05
    assert told["permutations"] == 99
    table = pd.read_csv(groups / "answers-groups" / "groups.csv")
    assert list(table["dimension"].unique()) == ["clarity", "1", "2"]
    assert (groups / "answers-groups" / "groups.png").stat().st_size > 1000
    no_column = pd.read_csv(groups / "answers.csv").drop(columns="age")
    no_column.to_csv(groups / "plain.csv", index=False)
    people = ("--people", "participants.csv")
    run("compare", "plain.csv", "--by", "age", *people, "--out", "found")
    assert report("found") == told


class TestBadInput:
    def test_no_such_column(self, run, groups):
        assert "sex" in run("compare", "answers.csv", "--by", "sex", code=1).stderr
        table = ("--people", "participants.csv")
        told = run("compare", "answers.csv", "--by", "sex", *table, code=1).stderr
        assert "participants.csv" in told

    def test_somebody_without_a_group(self, run, groups):
        pd.read_csv(groups / "participants.csv").iloc[1:].to_csv(groups / "few.csv", index=False)
        told = run("compare", "answers.csv", "--by", "age", "--people", "few.csv", code=1).stderr
        assert "p00" in told
        assert "by names" not in told  # the word of a setting, which is no option

    def test_somebody_in_two_groups(self, run, groups):
        table = pd.read_csv(groups / "participants.csv")
        more = pd.DataFrame({"participant": ["p03"], "age": ["young"]})
        pd.concat([table, more]).to_csv(groups / "two.csv", index=False)
        told = run("compare", "answers.csv", "--by", "age", "--people", "two.csv", code=1).stderr
        assert "p03" in told
