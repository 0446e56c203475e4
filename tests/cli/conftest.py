"""Files of answers, and a way to run the command line on them."""

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest
import typer.testing
from typer.testing import CliRunner

from resemblance import SpaceObserver, Triplets
from resemblance.cli import app
from resemblance.errors import SettingError

# made of its functions at each call otherwise, which takes 30 ms
typer.testing._get_command = cache(typer.testing._get_command)


def refuse_constant(name):
    raise AssertionError(f"{name} is not JSON")


@pytest.fixture
def report(tmp_path):
    """Read the report in a folder, which must be strict JSON."""

    def read(folder):
        text = (tmp_path / folder / "report.json").read_text(encoding="utf-8")
        return json.loads(text, parse_constant=refuse_constant)

    return read


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in an empty folder; give its result."""
    monkeypatch.chdir(tmp_path)

    def run_(*words, code=0):
        result = CliRunner().invoke(app, [str(word) for word in words])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result

    return run_


def cannot_say(*_):
    raise SettingError("not in this test")


@pytest.fixture
def quick(run, monkeypatch):
    """Run a command that writes empty maps, and does not ask how sure positions are.

    Both take most of the time.
    """
    monkeypatch.setattr("resemblance.plotting.save_map", lambda X, path, *_, **__: path.touch())
    monkeypatch.setattr("resemblance.cli.fitting.averaged_uncertainty", cannot_say)
    return run


@pytest.fixture
def points():
    return 2 * np.random.default_rng(1).normal(size=(9, 2))


@pytest.fixture
def table(points):
    """400 answers of four people to random questions about nine points."""
    rng = np.random.default_rng(0)
    asked = np.array([rng.choice(len(points), 3, replace=False) for _ in range(400)])
    answers = SpaceObserver(points, random_state=0).answer(Triplets(asked, len(points)))
    people = np.resize(["ann", "bob", "cem", "dee"], len(asked))
    return pd.DataFrame(answers.index, columns=["head", "near", "far"]).assign(observer=people)


@pytest.fixture
def answers(tmp_path, table):
    """Those answers in answers.csv."""
    table.to_csv(tmp_path / "answers.csv", index=False)
    return tmp_path / "answers.csv"
