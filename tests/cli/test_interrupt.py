"""Ctrl-C keeps what is there, and the report says how far it went."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from resemblance.cli.output import Work
from resemblance.fitting import OrdinalEmbedding


@pytest.fixture(autouse=True)
def nobody_is_screened(monkeypatch):
    """Count the calls of the fit alone."""
    monkeypatch.setattr("resemblance.analysis.exclusions.guessing", lambda *_: None)


@pytest.fixture
def press(monkeypatch):
    """Press Ctrl-C after the n-th call of a method."""

    def press_(owner, name, n):
        original, calls = getattr(owner, name), []

        def counted(*arguments):
            calls.append(name)
            if len(calls) == n:
                signal.raise_signal(signal.SIGINT)
            return original(*arguments)

        monkeypatch.setattr(owner, name, counted)

    return press_


def test_during_the_fit_the_best_positions_so_far_are_written(quick, report, answers, monkeypatch):
    iterations = Work.iterations

    def pressed_at_three(work, what):
        tell = iterations(work, what)

        def told(now):
            if now.iteration == 3:
                signal.raise_signal(signal.SIGINT)
            return tell(now)

        return told

    monkeypatch.setattr(Work, "iterations", pressed_at_three)
    before = signal.getsignal(signal.SIGINT)
    printed = quick(
        "fit", answers, "--model", "tste", "--n-init", 3, "--penalty", 0, code=130
    ).stdout
    assert "interrupted while fitting" in printed
    found = report("answers-map")
    assert found["status"] == "interrupted while fitting"
    assert (found["fit"]["n_iter"], found["fit"]["converged"]) == (3, False)
    assert found["held_out"]["folds_finished"] == 0
    assert len(pd.read_csv(answers.parent / "answers-map" / "embedding.csv")) == 9
    assert signal.getsignal(signal.SIGINT) is before


def test_during_cross_validation_the_finished_folds_are_reported(quick, report, answers, press):
    press(OrdinalEmbedding, "log_loss", 3)
    printed = quick("fit", answers, "--model", "ste", "--penalty", 0.1, code=130).stdout
    found = report("answers-map")
    assert found["status"] == "interrupted while cross-validating"
    assert found["fit"]["converged"]
    assert len(found["held_out"]["error_of_folds"]) == 2  # the third may have been cut short
    assert "2 of 10 folds" in printed


def test_a_second_press_ends_it_at_once_and_leaves_the_first_report(quick, report, answers, press):
    press(OrdinalEmbedding, "fit", 3)  # the second fold's, after that to everything
    press(OrdinalEmbedding, "log_loss", 2)
    quick("fit", answers, "--model", "ste", "--penalty", 0.1, code=130)
    assert report("answers-map")["status"] == "not finished"


def test_a_real_process_that_is_interrupted(answers, tmp_path):
    command = [sys.executable, "-m", "resemblance", "fit", str(answers), "--model", "tste"]
    command += ["--penalty", "0.1", "--folds", "400"]
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    written = tmp_path / "answers-map" / "report.json"
    with subprocess.Popen(command, cwd=tmp_path, env={**os.environ}, **quiet) as process:
        deadline = time.monotonic() + 60
        while not written.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "interrupted while cross-validating" in out
    found = json.loads(written.read_text())
    assert found["held_out"]["folds_finished"] < 400
    kinds = {path.suffix for path in written.parent.iterdir()}
    assert kinds == {".csv", ".png", ".html", ".json", ".npz"}


@pytest.fixture
def tables(tmp_path):
    """Two people's dissimilarities of five items, two groups of two people, noise and answers."""
    noise = np.random.default_rng(0).normal(size=(40, 2, 2))
    np.savez(tmp_path / "session.npz", stimuli=noise, label=noise[:, 0, 0] > 0)
    rs.write_rdms(rs.RDMs(np.random.default_rng(0).random((2, 10))), tmp_path / "rdms.csv")
    told = pd.DataFrame({"observer": ["ann", "bob", "cem", "dee"], "group": list("ppqq")})
    told.to_csv(tmp_path / "people.csv", index=False)


@pytest.mark.parametrize(
    "words",
    [
        ("clean", "answers.csv"),
        ("compare-rdms", "rdms.csv", "rdms.csv", "--out", "found.csv"),
        ("compare", "answers.csv", "--by", "group", "--people", "people.csv"),
        ("plan", "--pilot", "answers.csv", "--dims", 1),
        ("templates", "session.npz"),
    ],
)
def test_what_has_nothing_to_keep_writes_nothing(run, answers, tables, monkeypatch, words):
    before, there = signal.getsignal(signal.SIGINT), set(answers.parent.iterdir())
    steps = Work.steps

    def pressed(work, what):
        signal.raise_signal(signal.SIGINT)
        return steps(work, what)

    monkeypatch.setattr(Work, "steps", pressed)
    told = run(*words, code=130)
    assert "interrupted while" in told.stderr
    assert set(answers.parent.iterdir()) == there
    assert signal.getsignal(signal.SIGINT) is before
