"""`resemblance templates`: pictures, a strategy and a report."""

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import resemblance as rs
from resemblance.catalog import CHOSEN_NOISE
from resemblance.judgments import read_classifications
from resemblance.observers import run_staircase

TASK = rs.stimuli.FourSquares(2)


@pytest.fixture
def trials(tmp_path):
    person = rs.TemplateObserver(TASK.signals, TASK.labels, "prototype", random_state=0)
    found = run_staircase(person, TASK, rs.Staircase(1.5, [0.4, 0.1]), 300, random_state=0)
    np.savez(
        tmp_path / "session.npz",
        noise=found.stimuli.reshape(-1, 4, 4),
        answer=found.labels,
        shown=found.shown,
    )
    return found


COLUMNS = ("--columns", "stimuli=noise,label=answer")


def test_an_archive_becomes_pictures_arrays_and_a_report(run, report, trials, tmp_path):
    np.save(tmp_path / "places.npy", TASK.regions)
    said = run("templates", "session.npz", *COLUMNS, "--regions", "places.npy", "--folds", 3).stdout
    folder = tmp_path / "session-templates"
    for name in ("templates.png", "prototypes.png"):
        assert Image.open(folder / name).size[0] > 200
    found = report("session-templates")
    assert found["data"]["trials"] == 300
    assert found["data"]["correct"] == pytest.approx(trials.correct.mean())
    assert found["strategy"]["verdict"] in said
    number = found["templates"]["number"]
    assert len(found["templates"]["labels"]) == number
    assert np.shape(found["templates"]["region_averages"]) == (number, 4)
    with np.load(folder / "templates.npz") as arrays:
        assert arrays["templates"].shape == (number, 4, 4)
        assert arrays["labels"].tolist() == found["templates"]["labels"]


def test_pictures_in_a_folder_are_read_and_settings_obeyed(run, report, trials, tmp_path):
    (tmp_path / "pictures").mkdir()
    grey = np.clip(128 + 30 * trials.stimuli.reshape(-1, 4, 4), 0, 255).astype(np.uint8)
    names = [f"{k}.png" for k in range(len(grey))]
    for name, picture in zip(names, grey, strict=True):
        Image.fromarray(picture).save(tmp_path / "pictures" / name)
    table = pd.DataFrame({"image": names, "label": trials.labels})
    table["strategy"] = np.where(np.arange(300) < 100, CHOSEN_NOISE, "staircase")
    table.to_csv("trials.csv", index=False)
    settings = ("--templates", 3, "--threshold", "0.4", "--covariance", "shrunk", "--folds", 2)
    run("templates", "trials.csv", "--images", "pictures", *settings, "--out", "here")
    found = report("here")
    assert found["templates"]["number"] == 3
    assert found["data"]["correct"] is None
    assert (found["prototypes"]["threshold"], found["prototypes"]["covariance"]) == (0.4, "shrunk")
    at_random = read_classifications("trials.csv", "pictures")[100:]
    with np.load(tmp_path / "here" / "templates.npz") as arrays:
        expected = rs.classification_image(at_random, random_state=0).z
        np.testing.assert_allclose(arrays["z"].ravel(), expected.ravel())


def test_errors_are_one_line(run, trials, tmp_path):
    missing = run("templates", "session.npz", code=1)
    assert "no array 'stimuli'" in missing.output
    assert "--columns stimuli=" in missing.output
    over = run("templates", "session.npz", *COLUMNS, "--threshold", "0.7", code=1)
    assert "threshold is 0.7" in over.output
    run("templates", "session.npz", *COLUMNS, "--threshold", "much", code=2)
    none = run("templates", "session.npz", *COLUMNS, "--regions", "none.npy", code=1)
    assert "none.npy is not there" in none.output


def test_each_person_has_pictures_a_row_and_a_verdict(run, report, trials, tmp_path):
    few = trials[:3]
    np.savez(
        "two.npz",
        stimuli=np.concatenate([trials.stimuli, few.stimuli]).reshape(-1, 4, 4),
        label=np.concatenate([trials.labels, few.labels]),
        observer=["ann"] * len(trials) + ["bob"] * 3,
    )
    said = run("templates", "two.npz", "--by", "observer", "--folds", 3).stdout
    table = pd.read_csv(tmp_path / "two-templates" / "people.csv")
    assert table["observer"].tolist() == ["ann", "bob"]
    assert table["trials"].tolist() == [300, 3]
    assert table["verdict"][0] in ("prototype", "undecided")
    assert pd.isna(table["verdict"][1])
    assert table["problem"][1]
    assert [row["observer"] for row in report("two-templates")["people"]] == ["ann", "bob"]
    assert "ann" in said
    assert "bob" in said
    for name in ("people.png", "classification_image.png"):
        assert Image.open(tmp_path / "two-templates" / name).size[0] > 200


def test_templates_are_found_by_observer_alone(run, trials):
    run("templates", "session.npz", *COLUMNS, "--by", "question", code=1)
    run("templates", "session.npz", *COLUMNS, "--by", "observer", code=1)


def test_an_observer_who_is_always_right_has_no_classification_image(run, report, trials):
    np.savez("right.npz", stimuli=trials.stimuli, label=trials.shown, shown=trials.shown)
    run("templates", "right.npz", "--folds", 2, "--templates", 2)
    assert report("right-templates")["classification_image"] is None
