"""Events of a study are laid out and described as BIDS asks."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from resemblance.cli.app import app
from resemblance.errors import SettingError
from resemblance.study.export.bids import EVENT, write_bids
from study.test_published import begun, published, telling

FILE = re.compile(r"(sub-[0-9A-Za-z]+)/beh/\1_task-dots_events\.tsv")


@pytest.fixture
def live(tmp_path):
    return begun(tmp_path)


def table(path):
    return pd.read_csv(path, sep="\t", na_values=["n/a"], keep_default_na=False, quoting=3)


def files_of(folder):
    return {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}


def test_every_person_has_a_file_and_every_answer_is_in_it(live, tmp_path):
    assert write_bids(published(live), tmp_path / "bids") == 2  # and one is excluded
    files = files_of(tmp_path / "bids")
    events = {found[1]: table(files[name]) for name in files if (found := FILE.fullmatch(name))}
    people = table(files["participants.tsv"])
    assert people["participant_id"].tolist() == sorted(events)
    assert "observer" not in people
    answers = live.store.answers.after(live.record, 0)
    excluded = live.store.people.excluded(live.record)
    for sub, rows in events.items():
        told = [a for a in answers if f"sub-{a.code.replace('-', '')}" == sub]
        assert rows["answer"].tolist() == [a.id for a in told]
        assert not {a.participant for a in told} & excluded
        np.testing.assert_allclose(rows["response_time"], [a.rt_ms / 1000 for a in told])
        assert rows["onset"].min() == 0
        assert rows["onset"].is_monotonic_increasing
        since = [a.received - a.rt_ms / 1000 for a in told]
        np.testing.assert_allclose(rows["onset"], np.array(since) - since[0], atol=0.002)
        assert rows["trial_type"].tolist() == [a.purpose for a in told]
        assert [json.loads(o) for o in rows["options"]] == [a.spec["options"] for a in told]
        assert rows["kind"].tolist() == [a.kind for a in told]


def test_the_sidecars_describe_every_column_and_level(live, tmp_path):
    write_bids(published(live), tmp_path / "bids")
    files = files_of(tmp_path / "bids")
    sidecar = json.loads(files["task-dots_events.json"].read_text())
    for name in filter(FILE.fullmatch, files):
        rows = table(files[name])
        assert list(rows)[:2] == ["onset", "duration"]  # as BIDS asks
        assert list(rows) == list(EVENT)
        for column in rows:
            assert sidecar[column]["Description"]
            levels = sidecar[column].get("Levels")
            found = {str(v).lower() for v in rows[column].dropna()}
            assert levels is None or found <= set(levels)
    study = live.settings.study
    assert (sidecar["TaskName"], sidecar["Instructions"]) == (study.name, study.prompt)
    assert sidecar["TaskDescription"]
    told = {name: words for name, words in sidecar.items() if name in EVENT}
    assert {name for name, words in told.items() if words.get("Units") == "s"} == {
        "onset", "duration", "response_time"
    }  # fmt: skip
    described = json.loads(files["participants.json"].read_text())
    assert set(described) == set(table(files["participants.tsv"]))


def test_the_description_has_what_bids_requires_and_nobody_is_named(live, tmp_path):
    write_bids(published(live), tmp_path / "bids")
    files = files_of(tmp_path / "bids")
    told = json.loads(files["dataset_description.json"].read_text())
    assert (told["Name"], told["License"]) == ("Dots: how alike", "CC-BY-4.0")
    assert re.fullmatch(r"1\.\d+\.\d+", told["BIDSVersion"])
    assert told["DatasetDOI"] == "doi:10.17605/OSF.IO/ABCDE"
    assert telling({name: path.read_bytes() for name, path in files.items()}) == []
    assert "stimuli" not in {name.partition("/")[0] for name in files}


def test_stimuli_lie_where_the_events_look_for_them(tmp_path):
    folder = tmp_path / "dots"
    folder.mkdir()
    rows = [f"i{n},i{n}.svg" for n in range(12)]
    for n in range(12):
        (folder / f"i{n}.svg").write_text(f"<svg xmlns='http://www.w3.org/2000/svg' id='s{n}'/>")
    (folder / "items.csv").write_text("\n".join(["name,file", *rows]) + "\n")
    write_bids(published(begun(tmp_path, n_items=None)), tmp_path / "bids", with_pictures=True)
    files = files_of(tmp_path / "bids")
    for name in filter(FILE.fullmatch, files):
        for file, head in table(files[name])[["stim_file", "head"]].itertuples(index=False):
            assert f"stimuli/{file}" in files
            assert file == f"{head}.svg"


def test_a_tab_in_a_name_ends_no_cell_and_no_name_is_a_formula():
    from resemblance.study.export.bids import _cell

    assert _cell("a\tb\nc") == "a b c"
    assert _cell("=SUM(A1)") == "'=SUM(A1)"
    assert [_cell(value) for value in (None, "", True, 0.0)] == ["n/a", "n/a", "true", "0.0"]


def test_what_is_missing_is_named(tmp_path):
    live = begun(tmp_path, words="")
    with pytest.raises(SettingError, match=r"publication\.title"):
        write_bids(published(live), tmp_path / "bids")
    assert not (tmp_path / "bids").exists()


def test_the_command_writes_it(live, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    live.store.close()
    assert CliRunner().invoke(app, ["export", "dots", "--to", "bids"]).exit_code == 0
    assert (tmp_path / "dots-bids" / "dataset_description.json").is_file()
