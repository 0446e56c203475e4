"""The scripts of papers/crowd-kernel, on worlds small enough for a test."""

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import resemblance as rs

SCRIPTS = Path(__file__).parents[2] / "papers" / "crowd-kernel"


@pytest.fixture(scope="module")
def crowd():
    """The scripts as modules; nothing of them stays importable afterwards."""
    names = [path.stem for path in SCRIPTS.glob("*.py") if path.stem != "run"]
    sys.path.insert(0, str(SCRIPTS))
    yield SimpleNamespace(**{name: importlib.import_module(name) for name in names})
    sys.path.remove(str(SCRIPTS))
    for name in names:
        sys.modules.pop(name, None)


def test_two_people_of_a_mixed_world_agree_as_often_as_in_the_paper(crowd):
    X, choice = crowd.twenty.mixed_world(0)
    assert X.shape == (225, 3)
    rng = np.random.default_rng(1)
    asked = np.array([rng.choice(225, 3, replace=False) for _ in range(4000)])
    one, other = (rs.SpaceObserver(X, choice, random_state=s).answer(asked).index for s in (1, 2))
    assert 0.63 < (one[:, 1] == other[:, 1]).mean() < 0.70


def test_twenty_questions_quick(crowd, tmp_path):
    crowd.twenty.main(["--quick", "--out", str(tmp_path), "--strategies", "random", "adaptive"])
    table = pd.read_csv(tmp_path / "twenty.csv")
    assert len(table) == 4
    assert (tmp_path / "twenty.png").exists()


def test_a_replay_asks_each_answer_once(crowd):
    """Of ten items' answers by a known crowd, each is drawn at most as often as it was given."""
    space = 2 * np.random.default_rng(0).normal(size=(30, 2))
    rng = np.random.default_rng(1)
    asked = np.array([rng.choice(30, 3, replace=False) for _ in range(1200)])
    answers = rs.SpaceObserver(space, random_state=0).answer(asked).index
    curve = crowd.replay.replay(answers[:900], answers[900:], "adaptive", 0, 300)
    assert [point[0] for point in curve] == [200, 300]
    assert curve[-1][1] < 0.45


def test_answers_needed_and_savings(crowd):
    counts = np.array([1000, 1800, 3000])
    assert crowd.replay.answers_needed(counts, np.array([0.3, 0.2, 0.1]), 0.25) == 1400
    assert crowd.replay.answers_needed(counts, np.array([0.3, 0.2, 0.1]), 0.05) == np.inf
    rows = [
        (name, seed, int(m), e)
        for seed in range(3)
        for name, errors in (("random", (0.3, 0.2, 0.1)), ("adaptive", (0.2, 0.1, 0.05)))
        for m, e in zip(counts, errors, strict=True)
    ]
    curves = pd.DataFrame(rows, columns=["strategy", "seed", "answers", "error"])
    found = crowd.replay.savings(curves, np.random.default_rng(0))
    assert found["1800"]["share"] == pytest.approx(1000 / 1800)
    assert found["3000"]["share"] == pytest.approx(1800 / 3000)


def test_a_simultaneous_band_covers_noise_and_not_a_difference(crowd):
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(20, 8))
    outside = [
        (np.abs(d.mean(axis=0)) > crowd.rates.simultaneous_band(d, rng)).any()
        for d in rng.normal(size=(100, 20, 8))
    ]
    assert np.mean(outside) < 0.2
    shifted = noise + 3
    assert (shifted.mean(axis=0) > crowd.rates.simultaneous_band(shifted, rng)).all()
