"""An archive holds all that is needed, as programs of others read it, and names nobody."""

import csv
import hashlib
import io
import json
import re
import zipfile
from datetime import datetime

import numpy as np
import pandas as pd
import pytest
import yaml
from PIL import Image
from typer.testing import CliRunner

import resemblance as rs
from resemblance.cli.app import app
from resemblance.errors import FileError, SettingError
from resemblance.study.export import Export, as_archive, write_archive
from resemblance.study.export.columns import TYPES
from resemblance.study.kinds import KINDS
from resemblance.study.settings_file import read_settings
from small_study import SMALL, Hands, People, open_study

RANDOM = dict.fromkeys(range(3), "random")
TYPED, WHO = "my name is Ann", "Bo Hidden"  # what a person typed; who excluded somebody
IDS = ["person 0", "person 1", "person 2"]  # at the source
SERVER = "https://secret.example.org"
TELLING = f"""
[recruitment]
source = "prolific"
completion_code = "C0DE77"
study_ids = ["64f0aa11bb22cc33dd44ee55"]
[server]
address = "{SERVER}"
"""
WORDS = """
[publication]
authors = ["Young, Ann", "The Dot Laboratory"]
license = "CC-BY-4.0"
doi = "10.17605/OSF.IO/ABCDE"
description = "Dots on a plane."
"""


def begun(
    tmp_path,
    kind="triplet",
    words=WORDS,
    study='title = "Dots: how alike"\ncontact = "ann@example.org"',
    guess=None,
    **more,
):
    url = f"sqlite:///{tmp_path}/dots/study.sqlite"
    live = open_study(
        tmp_path / "dots", url, kind=kind, sections=SMALL + TELLING + words, study=study, **more
    )
    people = People(live, 3, guess)
    people.answer(45)
    form = {"values": {"about": TYPED}, "seconds": 4.0}
    live.store.people.respond(people.persons[1], "questionnaire", form)
    live.store.people.exclude(people.persons[2], True, "guessed", WHO)
    return live


def full(tmp_path):
    """Run a study that has every table: fits, and looks at stopping rules."""
    sections = f"{SMALL}[stopping]\nanswers = 60\n{WORDS}"
    url, title = f"sqlite:///{tmp_path}/study.sqlite", 'title = "Dots: how alike"'
    live = open_study(tmp_path / "dots", url, sections=sections, study=title)
    hands = Hands(live)
    hands.begin()
    people = People(live, 3)
    for _ in range(2):
        people.answer(50)
        hands.settle()
    hands.work.close()
    return live


@pytest.fixture
def live(tmp_path):
    return begun(tmp_path)


def published(live, **more):
    return Export(live, published=True, **more)


def unpacked(path):
    with zipfile.ZipFile(path) as packed:
        assert packed.testzip() is None
        return {name: packed.read(name) for name in packed.namelist()}


SECRETS = {TYPED, WHO, *IDS, "C0DE77", "64f0aa11bb22cc33dd44ee55", SERVER, "ann@example.org"}


def telling(files):
    """Name the files in which something stands that is nobody's business."""
    return [
        (name, secret)
        for name, data in files.items()
        for secret in SECRETS
        if secret.encode() in data
    ]


def archived(live, tmp_path, **more):
    """Write an archive, and return its files by their paths within it."""
    write_archive(published(live), tmp_path / "dots.zip", **more)
    return {
        name.removeprefix("dots/"): data for name, data in unpacked(tmp_path / "dots.zip").items()
    }


def table(files, name):
    return files[f"data/study-dots_description-{name}_data.csv"]


def test_an_archive_names_nobody_and_its_checksums_hold(live, tmp_path):
    names = write_archive(published(live), tmp_path / "dots.zip")
    files = unpacked(tmp_path / "dots.zip")
    assert sorted(files) == sorted(names)
    assert telling(files) == []
    sums = dict(
        reversed(line.split("  ")) for line in files["dots/SHA256SUMS"].decode().splitlines()
    )
    assert {f"dots/{name}" for name in sums} == set(files) - {"dots/SHA256SUMS"}
    for name, digest in sums.items():
        assert hashlib.sha256(files[f"dots/{name}"]).hexdigest() == digest


def test_the_search_for_secrets_finds_them_where_they_may_be(live, tmp_path):
    """The plain export has what was typed and the audit trail: the test above can fail."""
    with zipfile.ZipFile(io.BytesIO(as_archive(Export(live, identified=True)))) as packed:
        found = telling({name: packed.read(name) for name in packed.namelist()})
    assert {secret for _, secret in found} == SECRETS - {"C0DE77"}


def test_an_archive_says_how_it_was_asked_and_how_it_is_cited(live, tmp_path):
    files = archived(live, tmp_path)
    cited = yaml.safe_load(files["CITATION.cff"])
    assert cited["authors"] == [
        {"family-names": "Young", "given-names": "Ann"}, {"name": "The Dot Laboratory"}
    ]  # fmt: skip
    assert (cited["cff-version"], cited["type"]) == ("1.2.0", "dataset")
    assert (cited["title"], cited["license"]) == ("Dots: how alike", "CC-BY-4.0")
    assert cited["doi"] == "10.17605/OSF.IO/ABCDE"
    front, readme = files["README.md"].decode().split("---\n")[1:]
    front = yaml.safe_load(front)
    assert (front["pretty_name"], front["license"]) == ("Dots: how alike", "cc-by-4.0")
    assert {config["data_files"][0]["path"] for config in front["configs"]} == {
        name for name in files if name.endswith(".csv")
    }
    for told in (live.settings.study.prompt, "2 people answered", "Excluded: 1 people", "Dots on"):
        assert told in readme
    assert b"creativecommons.org/licenses/by/4.0" in files["LICENSE"]
    settings = tmp_path / "again.toml"
    settings.write_bytes(files["materials/study.toml"])
    assert read_settings(settings).tasks == live.settings.tasks


def test_stimuli_are_listed_and_go_along_only_where_asked(tmp_path):
    folder = tmp_path / "dots"
    folder.mkdir()
    for n in range(12):
        (folder / f"i{n}.svg").write_text(f"<svg xmlns='http://www.w3.org/2000/svg' id='s{n}'/>")
    rows = [f"i{n},i{n}.svg" for n in range(12)]
    (folder / "items.csv").write_text("\n".join(["name,file", *rows]) + "\n")
    live = begun(tmp_path, n_items=None)
    without = archived(live, tmp_path)
    (tmp_path / "dots.zip").unlink()
    along = archived(live, tmp_path, with_pictures=True)
    stimuli = {f"materials/stimuli/i{n}.svg" for n in range(12)}
    assert set(along) - set(without) == stimuli
    listed = pd.read_csv(io.BytesIO(table(without, "items")))
    assert listed["file"].tolist() == [f"i{n}.svg" for n in range(12)]
    assert listed["digest"].str.len().eq(32).all()
    assert along["materials/stimuli/i3.svg"] == (folder / "i3.svg").read_bytes()
    for file, answer in pd.read_csv(io.BytesIO(table(along, "bidsevents")))[
        ["stim_file", "answer"]
    ].itertuples(index=False):
        [asked] = [a for a in live.store.answers.after(live.record, 0) if a.id == answer]
        assert file == f"{asked.spec['head']}.svg"


def test_events_are_those_of_bids(live, tmp_path):
    events = pd.read_csv(io.BytesIO(table(archived(live, tmp_path), "bidsevents")))
    answers = live.store.answers.after(live.record, 0)
    excluded = live.store.people.excluded(live.record)
    kept = [answer for answer in answers if answer.participant not in excluded]
    assert sorted(events["answer"]) == [answer.id for answer in kept]
    for code, rows in events.groupby("participant_id"):
        told = [answer for answer in kept if answer.code == code]
        assert rows["answer"].tolist() == [answer.id for answer in told]
        np.testing.assert_allclose(rows["response_time"], [a.rt_ms / 1000 for a in told])
        assert rows["onset"].min() == 0
        since = [answer.received - answer.rt_ms / 1000 for answer in told]
        np.testing.assert_allclose(rows["onset"], np.array(since) - since[0], atol=0.002)
        assert rows["trial_type"].tolist() == [answer.purpose for answer in told]


READ = {
    "boolean": lambda cell: {"True": True, "False": False}[cell],
    "integer": int,
    "number": float,
    "datetime": datetime.fromisoformat,
    "string": str,
}
DRAWN = [name for name in KINDS if KINDS[name].draws]  # need pictures of classes


def typed(files):
    """Read every cell of an archive as what its data package says it is."""
    package = json.loads(files["datapackage.json"])
    read = {}
    for one in package["resources"]:
        kinds = {field["name"]: field["type"] for field in one["schema"]["fields"]}
        rows = list(csv.DictReader(io.StringIO(files[one["path"]].decode(), newline="")))
        assert not rows or list(rows[0]) == list(kinds)
        assert all(field["description"] for field in one["schema"]["fields"])
        read[one["name"]] = [
            {name: READ[kinds[name]](cell) for name, cell in row.items() if cell} for row in rows
        ]
    assert {one["path"] for one in package["resources"]} == {
        name for name in files if name.endswith(".csv")
    }
    return package, read


def as_croissant(files):
    """Check that croissant.json has every file and column of an archive."""
    told = json.loads(files["croissant.json"])
    assert told["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert told["url"] == "https://doi.org/10.17605/OSF.IO/ABCDE"
    assert [one["@type"] for one in told["creator"]] == ["Person", "Organization"]
    listed = {one["@id"]: one for one in told["distribution"]}
    assert set(listed) == {name for name in files if name.endswith(".csv")}
    for name, one in listed.items():
        assert one["sha256"] == hashlib.sha256(files[name]).hexdigest()
    for one in told["recordSet"]:
        kinds = {field["name"]: field["dataType"] for field in one["field"]}
        [path] = {field["source"]["fileObject"]["@id"] for field in one["field"]}
        assert list(kinds) == files[path].decode().splitlines()[0].split(",")
        assert kinds.get("rt_ms", "sc:Float") == "sc:Float"
        assert kinds.get("simulated", "sc:Boolean") == "sc:Boolean"


@pytest.mark.parametrize("kind", [name for name in KINDS if name not in DRAWN])
def test_an_archive_of_every_kind_is_read_by_its_descriptions(kind, tmp_path, monkeypatch):
    """The data package, croissant.json and the code of the card tell how."""
    files = archived(begun(tmp_path, kind=kind), tmp_path)
    _, read = typed(files)
    judgments = next(iter(read.values()))
    assert judgments
    assert all(row.get("rt_ms", 1) > 0 for row in judgments)
    as_croissant(files)
    with zipfile.ZipFile(tmp_path / "dots.zip") as packed:
        packed.extractall(tmp_path / "out")
    monkeypatch.chdir(tmp_path / "out" / "dots")
    code = files["README.md"].decode().split("```python\n")[1].split("```")[0]
    found = {}
    exec(code, found)
    assert max(len(v) for k, v in found.items() if k in code and hasattr(v, "__len__")) > 0


def test_an_archive_of_all_tables(tmp_path):
    live = full(tmp_path)
    files = archived(live, tmp_path)
    package, read = typed(files)
    live.store.close()
    assert set(TYPES) < set(READ)
    as_psychds(files)
    assert set(read) >= {"triplets", "fits", "stopping", "participants", "bids_events"}
    assert not {"pages", "events"} & set(read)
    assert all(read[name] for name in read)
    assert package["profile"] == "tabular-data-package"
    assert package["licenses"][0]["name"] == "CC-BY-4.0"
    assert [one["title"] for one in package["contributors"]] == ["Young, Ann", "The Dot Laboratory"]
    for name in (package["name"], *read):
        assert re.fullmatch(r"[-a-z0-9._/]+", name)


DATA_FILE = re.compile(r"data/([a-z]+-[a-zA-Z0-9]+)(_[a-z]+-[a-zA-Z0-9]+)*_data\.csv")


def as_psychds(files):
    """Check the names of files, and that the columns of all are described."""
    data = [name for name in files if name.startswith("data/")]
    assert all(DATA_FILE.fullmatch(name) for name in data)
    told = json.loads(files["dataset_description.json"])
    assert (told["@context"], told["@type"]) == ("https://schema.org/", "Dataset")
    assert (told["name"], told["license"][-4:]) == ("Dots: how alike", "4.0/")
    assert told["description"]
    described = [one["name"] for one in told["variableMeasured"]]
    assert len(described) == len(set(described))
    assert all(one["description"] for one in told["variableMeasured"])
    headers = {name for file in data for name in files[file].decode().splitlines()[0].split(",")}
    assert set(described) == headers


def test_pictures_that_were_drawn_go_along(tmp_path):
    (tmp_path / "dots").mkdir()
    for label in (0, 1):
        Image.new("L", (8, 8), 255 * label).save(tmp_path / "dots" / f"class{label}.png")
    table = "name,file,label\nblack,class0.png,0\nwhite,class1.png,1\n"
    (tmp_path / "dots" / "items.csv").write_text(table)
    own = "[staircase]\nlabels = ['dark', 'light']\npixels = 8\nnoise = 0.1\n"
    live = begun(tmp_path, kind="classify", words=WORDS + own, n_items=None, guess=RANDOM)
    write_archive(published(live), tmp_path / "dots.zip")
    with zipfile.ZipFile(tmp_path / "dots.zip") as packed:
        packed.extractall(tmp_path / "out")
        drawn = [name for name in packed.namelist() if "/data/images/" in name]
    [file] = (tmp_path / "out").rglob("*description-classifications_data.csv")
    trials = rs.judgments.read_classifications(file)
    assert trials.image_shape == (8, 8)
    light = trials.stimuli.mean(axis=1) > 0.5
    assert (trials.shown == "light").tolist() == light.tolist()
    assert len(drawn) == len(trials)


def test_what_is_missing_is_named(tmp_path):
    live = begun(tmp_path, words='[publication]\ndescription = "Dots"\n')
    with pytest.raises(SettingError, match=r"publication\.authors, publication\.license"):
        write_archive(published(live), tmp_path / "out.zip")
    assert not (tmp_path / "out.zip").exists()


def test_ids_are_never_published_and_nothing_is_overwritten(live, tmp_path):
    with pytest.raises(SettingError, match="--identified"):
        published(live, identified=True)
    (tmp_path / "there.zip").write_text("mine")
    for name in ("there.zip", "dots.tar"):
        with pytest.raises(FileError, match=name):
            write_archive(published(live), tmp_path / name)
    assert (tmp_path / "there.zip").read_text() == "mine"


def test_the_command_publishes(live, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    live.store.close()
    run = CliRunner().invoke
    assert run(app, ["export", "dots", "--to", "archive"]).exit_code == 0
    assert telling(unpacked(tmp_path / "dots.zip")) == []
    for wrong in (
        ["--to", "archive", "--format", "json"],
        ["--with-pictures"],
        ["--to", "archive", "--identified", "--out", "b.zip"],
    ):
        refused = run(app, ["export", "dots", *wrong])
        assert refused.exit_code != 0
        assert isinstance(refused.exception, SettingError | SystemExit)
