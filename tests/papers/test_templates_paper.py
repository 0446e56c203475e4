"""The scripts of the paper on image templates run, and say what they should."""

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from scripts import scripts

FIGURES = [f"figure{n}.png" for n in (1, 2, 3, 4)] + [
    f"{kind}_{what}.png"
    for kind in ("exemplar", "prototype")
    for what in ("prototypes", "templates", "classification_image")
]


@pytest.fixture(scope="module")
def paper():
    with scripts("papers/templates") as modules:
        yield modules


@pytest.fixture
def small(paper, monkeypatch):
    """A task of 16 pixels and short sessions, so that a run takes seconds."""
    task = rs.stimuli.FourSquares(2)
    for module in (paper.simulated, paper.pictures):
        monkeypatch.setattr(module, "TASK", task)
    for module in (paper.simulated, paper.thresholds):
        monkeypatch.setattr(module, "TRIALS", (250,))
    monkeypatch.setattr(paper.sequential, "TASK", task)
    monkeypatch.setattr(paper.sequential, "LONGEST", 3)
    monkeypatch.setattr(paper.simulated, "START", 1.5)
    monkeypatch.setattr(paper.intervals, "NEW", 500)
    monkeypatch.setattr(paper.intervals, "FOLDS", 2)
    monkeypatch.setattr(paper.human, "AMPLITUDES", (0.1, 0.2))


@pytest.fixture
def data(tmp_path):
    """Trials of somebody who detects a flicker, in the files of the human ones."""
    folder = tmp_path / "data" / "gabor_classification_image"
    folder.mkdir(parents=True)
    rng, time = np.random.default_rng(0), np.arange(1, 33) / 50
    noise = rng.uniform(-0.3, 0.3, (896, 32)).astype(np.float32)
    signal = np.sin(4 * np.pi * (time - 0.33) / 0.64) * np.exp(-((time - 0.33) ** 2) / 0.0512)
    there = rng.uniform(size=896) < 0.5
    yes = 3 * (noise + 0.15 * np.outer(there, signal)) @ signal - 1 + rng.logistic(size=896) > 0
    np.savez(
        folder / "gabor_trials_derived.npz",
        noise=noise,
        signal_present=there,
        response_yes=yes,
        time_s=time,
    )
    return tmp_path / "data"


def test_a_quick_run_leaves_tables_and_figures(paper, small, data, tmp_path, monkeypatch):
    out = tmp_path / "out"
    arguments = ["--quick", "--out", str(out), "--data", str(data)]
    paper.run.main(arguments)
    for name in [*FIGURES, "human_linear.png", "human_templates.png"]:
        assert (out / "quick" / name).stat().st_size > 3000, name
    found = pd.read_csv(out / "quick" / "simulated.csv")
    assert set(found["observer"]) == {"exemplar", "prototype"}
    assert "| exemplar |" in (out / "quick" / "simulated.md").read_text()
    asked = pd.read_csv(out / "quick" / "sequential.csv")
    assert set(asked["images"]) == {"random", "chosen"}
    assert (asked["first_trials"] <= asked["trials"]).all()
    human = pd.read_csv(out / "quick" / "human.csv").set_index("what").iloc[:, 0]
    assert human.iloc[:3].min() > 0.5
    # a second run does no cell again
    monkeypatch.setattr(paper.simulated, "cell", dict)
    monkeypatch.setattr(paper.intervals, "cell", dict)
    paper.run.main([*arguments, "--only", "simulated", "intervals"])


def test_a_shorter_study_is_the_beginning_of_the_longer_one(paper, small):
    _, short = paper.simulated.session("exemplar", 50, seed=3)
    _, long = paper.simulated.session("exemplar", 80, seed=3)
    np.testing.assert_array_equal(short.stimuli, long.stimuli[:50])
    np.testing.assert_array_equal(short.labels, long.labels[:50])
