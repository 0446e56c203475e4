"""`resemblance demo`, with fewer people, digits and questions than it has."""

import shlex

import pandas as pd
import pytest
from PIL import Image

import resemblance as rs
from map_page import pictures
from resemblance.cli import digits, gratings


@pytest.fixture
def small(monkeypatch):
    sizes = {"N_ITEMS": 40, "N_PEOPLE": 5, "QUESTIONS_EACH": 100, "SHARED": 20, "NEIGHBOURS": 10}
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
    assert pictures(page) == 40
    command = next(line for line in printed.splitlines() if "resemblance fit" in line)
    monkeypatch.setattr("resemblance.plotting.save_map", lambda X, path, *_, **__: path.touch())
    run(*shlex.split(command)[1:])
    assert (tmp_path / "demo-out" / "map" / "embedding.csv").read_bytes() == written


@pytest.mark.usefixtures("small")
def test_one_seed_asks_one_crowd(tmp_path):
    paths = [digits.write_digits(tmp_path / str(i), seed)[0] for i, seed in enumerate([1, 1, 2])]
    first, again, other = (path.read_bytes() for path in paths)
    assert first == again != other


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


@pytest.mark.server
def test_the_demo_serves_a_study_until_its_crowd_is_through(run, report, monkeypatch, tmp_path):
    monkeypatch.setattr(gratings, "N_PEOPLE", 3)
    monkeypatch.setitem(gratings.SETTINGS["tasks"], "task_size", 10)
    printed = run("demo", "--once", "--pause", 0).stdout
    assert "/s/study" in printed
    assert "one-time secret" in printed
    assert "count_simulated" in printed  # whose answers these are
    assert "60 answers" in printed or "66 answers" in printed  # practice is counted as well
    assert report("demo-out/map")["data"]["observers"] == 3
    page = (tmp_path / "demo-out" / "map" / "map.html").read_text(encoding="utf-8")
    assert pictures(page) == 36
    answers = pd.read_csv(tmp_path / "demo-out" / "answers" / "triplets.csv")
    assert 40 <= len(answers) <= 60  # without gold questions
    assert answers["simulated"].all()
