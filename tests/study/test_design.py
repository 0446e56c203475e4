"""Stimuli that a study draws itself, evenly spaced."""

import csv
import shutil
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from resemblance.catalog import STIMULI
from resemblance.cli.app import app
from resemblance.cli.rehearse import PlacesOfDrawn, places_of
from resemblance.errors import FileError, SettingError
from resemblance.store import Store, StoreError
from resemblance.study import creation
from resemblance.study.export.files import write_export
from resemblance.study.export.tables import Export
from resemblance.study.folder import StudyFolder
from resemblance.study.live import LiveStudy, unchanged_since_start
from resemblance.study.worker import design
from resemblance.study.worker.design import DESIGNED, add_missing, add_stimuli
from resemblance.web.desk import overview
from resemblance.web.desk.drawing import draw
from resemblance.web.desk.overview import Overview
from resemblance.web.desk.study import TABS
from small_study import Hands, People

DESIGN = """
[tasks]
practice = 0
gold_share = 0.0
[design]
stimuli = "lines"
grid = [3]
within = 0.6
"""


def seen(features):
    """Return the positions of lines in the space of simulated people."""
    return 4.0 * np.log(np.asarray(features)[:, 0] / 200.0)


class Observers(People):
    def choose(self, number, spec):
        rows, options = self.live.folder.features().rows, spec["options"]
        a, b = seen([rows[name] for name in options])
        wrong = self.random.random() < 0.5 * np.exp(-((a - b) ** 2))
        return options.index(spec["head"]) ^ int(wrong)


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """Return a folder of a study of drawn lines."""
    folder = tmp_path_factory.mktemp("drawn") / "lines"
    made = CliRunner().invoke(
        app, ["new", str(folder), "--draw", "lines", "--grid", "5", "--kind", "match_to_sample"]
    )
    assert made.exit_code == 0, made.output
    text = (folder / "study.toml").read_text()
    text = text.replace("[asking]", "[asking]\nn_components = 1\nstart_per_head = 12").replace(
        "n_components = 2\n", ""
    )
    head, tasks = text.split("[tasks]")
    (folder / "study.toml").write_text(head + tasks.split("\n\n", 1)[1] + DESIGN)
    return folder


def begin(folder):
    live = LiveStudy.open(StudyFolder.open(folder), Store.open(f"sqlite:///{folder}/study.sqlite"))
    hands = Hands(live)
    hands.begin()
    return live, hands


def end(hands):
    hands.work.close()
    hands.work.live.store.close()


def work(people, hands, n_answers, until):
    """Let people answer until something holds, while the worker works."""
    for _ in range(0, n_answers, 40):
        people.answer(40)
        hands.settle()
        hands.watch()
        people.live.reread()
        if until():
            return
    raise AssertionError(f"not reached by {n_answers} answers")


def rounds(live):
    return [event.details for event in live.store.events.audit(live.record, DESIGNED)]


@pytest.fixture(scope="module")
def study(template, tmp_path_factory):
    """Run a study whose disk is full when stimuli are first drawn, until it pauses."""
    folder = tmp_path_factory.mktemp("designed") / "lines"
    shutil.copytree(template, folder)
    live, hands = begin(folder)
    people = Observers(live, 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(design, "add_to", refuse)
        work(people, hands, 1000, lambda: rounds(live))
        lacking = {*rounds(live)[0]["names"]} - live.record.stimuli.keys()
        failure = Overview(live).failure
    end(hands)
    live, hands = begin(folder)
    people.live = live
    work(people, hands, 2000, lambda: live.record.state == "paused")
    yield live, lacking, failure
    end(hands)


def test_a_study_draws_even_stimuli_and_pauses(study, tmp_path):
    live, *_ = study
    drawn = rounds(live)[-1]
    apart = np.abs(np.diff(seen(drawn["features"])))
    assert apart.max() / apart.min() < 3.0
    for name, features in zip(drawn["names"], drawn["features"], strict=True):
        assert Image.open(live.folder.path / "stimuli" / f"{name}.png").size == (512, 512)
        assert live.folder.features().rows[name] == pytest.approx(features)
    write_export(Export(live), tmp_path / "out", "csv")
    with (tmp_path / "out" / "spacing.csv").open() as table:
        rows = [*csv.DictReader(table)]
    assert [(row["a"], row["b"]) for row in rows] == [*pairwise(drawn["names"])]
    mean = np.mean([float(row["distance"]) for row in rows])
    for row in rows:
        assert abs(float(row["distance"]) / mean - 1.0) <= 0.6
        assert float(row["high"]) - float(row["distance"]) <= 0.6 * mean


def test_stimuli_left_out_by_an_interruption_are_added_later(study):
    live, lacking, failure = study
    assert lacking
    assert "the disk is full" in failure
    assert lacking <= live.record.stimuli.keys()


def test_the_desk_shows_the_distances(study):
    live, *_ = study
    shown = {"live": live, "of": Overview(live), "name": "lines", "owns": True}
    page = draw("study_map", tab="", tabs=TABS, charts=overview, **shown)
    a, b, distance, _ = live.store.spaces.latest(live.record).scores["design"]["neighbours"][0]
    assert f'alt="{a}"' in page or f"<td>{a}</td><td>{b}</td>" in page
    assert f'<td class="n">{distance:.2f}</td>' in page


def refuse(*_, **__):
    raise FileError("the disk is full")


def test_rehearsing_people_see_stimuli_that_are_drawn_meanwhile(study, template):
    live, *_ = study
    first = replace(StudyFolder.open(template), path=live.folder.path)
    early = replace(live, folder=first, record=replace(live.record, stimuli=first.digests))
    places = PlacesOfDrawn(places_of(first, None, None, 0)[0], early)
    rows = live.folder.features().rows
    x, at = zip(
        *((rows[name][0], places[item.digest][0]) for name, item in live.folder.by_name.items()),
        strict=True,
    )
    assert np.corrcoef(x, at)[0, 1] == pytest.approx(1.0)
    assert len(places) > len(first.names)


class Killed(BaseException):
    pass


def killed(*_, **__):
    raise Killed


def opened(folder):
    return LiveStudy.open(StudyFolder.open(folder), Store.open(f"sqlite:///{folder}/study.sqlite"))


NEW = np.array([[210.0], [290.0], [400.0]])


@pytest.mark.parametrize("step", ["_move", "_append_features"])
@pytest.mark.parametrize("n_done", [0, 1])
def test_stimuli_of_a_killed_worker_are_left_out_until_they_are_added(
    template, tmp_path, step, n_done
):
    folder = tmp_path / "lines"
    shutil.copytree(template, folder)
    live, begun, real = opened(folder), [], getattr(creation, step)

    def stop(*arguments):
        begun.append(arguments)
        if len(begun) > n_done:
            killed()
        real(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(creation, step, stop)
        patch.setattr(creation.ExitStack, "__exit__", lambda *_: False)  # nothing is undone
        if step == "_append_features":
            patch.setattr(creation, "_put", killed)
        with pytest.raises(Killed):
            add_stimuli(live, NEW)
    live.store.close()
    first = StudyFolder.open(template).names
    unchanged_since_start(StudyFolder.open(folder))
    again = opened(folder)
    assert {*again.folder.names} == {*first}
    add_missing(again)
    assert {*again.folder.names} == {*first, "length=210", "length=290", "length=400"}
    again.store.close()


def test_stimuli_are_added_when_the_store_answers_again(template, tmp_path, monkeypatch):
    folder = tmp_path / "lines"
    shutil.copytree(template, folder)
    live = opened(folder)
    with monkeypatch.context() as patch:
        patch.setattr(type(live.store.studies), "add_stimuli", locked)
        add_stimuli(live, NEW)
    assert "length=210" not in live.record.stimuli
    StudyFolder.open(folder)
    add_missing(live)
    assert {"length=210", "length=290", "length=400"} <= live.record.stimuli.keys()
    live.store.close()


def locked(*_, **__):
    raise StoreError("the database is locked")


def test_stimuli_that_cannot_be_drawn_are_reported(template, tmp_path):
    folder = tmp_path / "lines"
    shutil.copytree(template, folder)
    live = opened(folder)
    add_stimuli(live, np.array([[210.0], [210.0], [400.0]]))
    assert "length=210" in Overview(live).failure
    assert not rounds(live)
    live.store.close()


def test_features_beside_those_of_the_stimuli_may_lack_for_new_ones(template, tmp_path):
    folder = tmp_path / "lines"
    shutil.copytree(template, folder)
    head, *rows = (folder / "features.csv").read_text().splitlines()
    lines = [f"{head},note", *(f"{row},short" for row in rows)]
    (folder / "features.csv").write_text("\n".join(lines))
    text = (folder / "study.toml").read_text()
    text = text.replace("file = ", 'columns = ["length"]\nfile = ', 1)
    (folder / "study.toml").write_text(text)
    live = opened(folder)
    add_stimuli(live, NEW)
    assert live.folder.features().rows["length=290"] == (290.0,)
    live.store.close()


def test_items_in_other_units_than_the_stimuli_are_refused(template, tmp_path):
    folder = tmp_path / "lines"
    shutil.copytree(template, folder)
    head, *rows = (folder / "features.csv").read_text().splitlines()
    small = [f"{name},{float(length) / 100}" for name, length in (row.split(",") for row in rows)]
    (folder / "features.csv").write_text("\n".join([head, *small]))
    with pytest.raises(SettingError, match="from 10 to 500"):
        StudyFolder.open(folder)


def test_all_problems_are_listed_if_features_cannot_be_read(template, tmp_path):
    folder = tmp_path / "lines"
    shutil.copytree(template, folder)
    (folder / "features.csv").unlink()
    (folder / "pages" / "consent.md").unlink()
    with pytest.raises(SettingError) as refused:
        StudyFolder.open(folder)
    assert all(name in str(refused.value) for name in ("features.csv", "consent.md"))


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('stimuli = "lines"', 'stimuli = "screws"', 'stimuli = "screws"'),
        ('stimuli = "lines"', 'stimuli = "stars"', 'stimuli = "stars"'),
        ('stimuli = "lines"\n', "", "[design]"),
        ("grid = [3]", "grid = [3, 3]", "[design]"),
        ("grid = [3]", "grid = [1]", "grid = [1]"),
        ("grid = [3]", "grid = [401]", "[design]"),
        ("within = 0.6", "within = 1.5", "within = 1.5"),
        ('file = "features.csv"', "", "[design]"),
    ],
)
def test_a_design_that_cannot_be_is_refused(template, old, new, line):
    text = (template / "study.toml").read_text()
    assert old in text
    text = text.replace(old, new)
    with pytest.raises(SettingError) as refused:
        StudyFolder.open(template, text)
    assert f"line {text.splitlines().index(line) + 1}:" in str(refused.value)


def test_the_catalog_has_the_ranges_of_drawn_stimuli():
    for entry in STIMULI.values():
        assert list(entry.ranges.items()) == list(entry.load().ranges.items())
