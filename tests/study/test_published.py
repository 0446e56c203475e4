"""What is published holds all that is needed, and nothing by which a person can be found."""

import hashlib
import io
import zipfile

import pandas as pd
import pytest
import yaml
from PIL import Image
from pyarrow import parquet
from typer.testing import CliRunner

import resemblance as rs
from resemblance.cli.app import app
from resemblance.errors import FileError, SettingError
from resemblance.study.export import Export, write_archive, write_study_dataset
from resemblance.study.kinds import KINDS
from resemblance.study.settings_file import read_settings
from small_study import SMALL, People, make_folder, open_study

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
title = "Dots: how alike"
authors = ["Young, Ann", "The Dot Laboratory"]
license = "CC-BY-4.0"
doi = "10.17605/OSF.IO/ABCDE"
description = "Dots on a plane."
"""


def begun(
    tmp_path, kind="triplet", words=WORDS, study='contact = "ann@example.org"', guess=None, **more
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
    found = []
    for name, data in files.items():
        if name.endswith(".parquet"):  # compressed
            data = pd.read_parquet(io.BytesIO(data)).to_csv().encode()
        found += [(name, secret) for secret in SECRETS if secret.encode() in data]
    return found


@pytest.mark.parametrize("format", ["csv", "parquet", "json"])
def test_an_archive_names_nobody_and_its_checksums_hold(live, tmp_path, format):
    names = write_archive(published(live), tmp_path / "dots.zip", format)
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
    from resemblance.study.export import as_archive

    with zipfile.ZipFile(io.BytesIO(as_archive(Export(live, identified=True)))) as packed:
        found = telling({name: packed.read(name) for name in packed.namelist()})
    assert {secret for _, secret in found} == SECRETS - {"C0DE77"}


def test_an_archive_says_how_it_was_asked_and_how_it_is_cited(live, tmp_path):
    write_archive(published(live), tmp_path / "dots.zip")
    files = unpacked(tmp_path / "dots.zip")
    cited = yaml.safe_load(files["dots/CITATION.cff"])
    assert cited["authors"] == [
        {"family-names": "Young", "given-names": "Ann"}, {"name": "The Dot Laboratory"}
    ]  # fmt: skip
    assert (cited["cff-version"], cited["type"]) == ("1.2.0", "dataset")
    assert (cited["title"], cited["license"]) == ("Dots: how alike", "CC-BY-4.0")
    assert cited["doi"] == "10.17605/OSF.IO/ABCDE"
    readme = files["dots/README.md"].decode()
    for told in (live.settings.study.prompt, "2 people gave", "Excluded: 1 people", "Dots on a"):
        assert told in readme
    assert b"creativecommons.org/licenses/by/4.0" in files["dots/LICENSE"]
    settings = tmp_path / "again.toml"
    settings.write_bytes(files["dots/study.toml"])
    assert read_settings(settings).tasks == live.settings.tasks


def test_every_column_of_an_archive_is_in_its_codebook(live, tmp_path):
    write_archive(published(live), tmp_path / "dots.zip")
    files = unpacked(tmp_path / "dots.zip")
    book = yaml.safe_load(files["dots/data/codebook.json"])  # JSON is YAML
    tables = {name for name in files if name.endswith(".csv")}
    assert tables == {f"dots/data/{table['file']}" for table in book["tables"].values()}
    assert not {"pages", "events"} & set(book["tables"])
    for table in book["tables"].values():
        data = files[f"dots/data/{table['file']}"].decode()
        assert data.splitlines()[0].split(",") == list(table["columns"])
        assert all(table["columns"].values())


def test_stimuli_are_listed_and_go_along_only_where_asked(tmp_path):
    folder = tmp_path / "dots"
    folder.mkdir()
    for n in range(12):
        (folder / f"i{n}.svg").write_text(f"<svg xmlns='http://www.w3.org/2000/svg' id='s{n}'/>")
    rows = [f"i{n},i{n}.svg" for n in range(12)]
    (folder / "items.csv").write_text("\n".join(["name,file", *rows]) + "\n")
    live = begun(tmp_path, n_items=None)
    write_archive(published(live), tmp_path / "without.zip")
    write_archive(published(live), tmp_path / "with.zip", with_pictures=True)
    without, along = unpacked(tmp_path / "without.zip"), unpacked(tmp_path / "with.zip")
    assert {name for name in along if name not in without} == {
        f"dots/stimuli/i{n}.svg" for n in range(12)
    }
    listed = pd.read_csv(io.BytesIO(without["dots/data/items.csv"]))
    assert listed["file"].tolist() == [f"i{n}.svg" for n in range(12)]
    assert listed["digest"].str.len().eq(32).all()
    write_archive(published(live), tmp_path / "again.zip", with_pictures=True)
    assert along["dots/stimuli/i3.svg"] == (folder / "i3.svg").read_bytes()


def test_a_dataset_of_a_study_is_read_back(live, tmp_path):
    write_study_dataset(published(live), tmp_path / "data")
    front = yaml.safe_load((tmp_path / "data" / "README.md").read_text().split("---\n")[1])
    assert (front["pretty_name"], front["license"]) == ("Dots: how alike", "cc-by-4.0")
    triplets = rs.read_triplets(
        tmp_path / "data" / "triplets.parquet", items=tmp_path / "data" / "items.parquet"
    )
    counted = [a for a in published(live).answered() if a.spec["head"] not in a.spec["options"]]
    assert len(triplets) == len(counted) == front["dataset_info"][0]["splits"][0]["num_examples"]
    assert triplets.observer.tolist() == [one.code for one in counted]
    assert triplets.items.names == live.folder.names
    assert telling({one.name: one.read_bytes() for one in (tmp_path / "data").iterdir()}) == []


def test_a_hub_shows_the_pictures_of_a_dataset(tmp_path):
    (tmp_path / "dots" / "stimuli").mkdir(parents=True)
    for n in range(12):
        Image.new("L", (4, 4), 20 * n).save(tmp_path / "dots" / "stimuli" / f"i{n:02d}.png")
    (tmp_path / "dots" / "items.csv").write_text(
        "\n".join(["name,file", *(f"i{n:02d},stimuli/i{n:02d}.png" for n in range(12))]) + "\n"
    )
    live = begun(tmp_path, n_items=None)
    write_study_dataset(published(live), tmp_path / "data", with_pictures=True)
    front = yaml.safe_load((tmp_path / "data" / "README.md").read_text().split("---\n")[1])
    [items] = [one for one in front["dataset_info"] if one["config_name"] == "items"]
    assert {"name": "file", "dtype": "image"} in items["features"]
    table = parquet.read_table(tmp_path / "data" / "items.parquet").to_pylist()
    pixels = [Image.open(io.BytesIO(row["file"]["bytes"])).getpixel((0, 0)) for row in table]
    assert pixels == [20 * n for n in range(12)]
    assert rs.read_items(tmp_path / "data" / "items.parquet").names == live.folder.names


@pytest.mark.parametrize("kind", [name for name in KINDS if not KINDS[name].draws])
def test_the_code_of_the_card_reads_every_kind(kind, tmp_path, monkeypatch):
    live = begun(tmp_path, kind=kind)
    write_study_dataset(published(live), tmp_path / "data")
    monkeypatch.chdir(tmp_path / "data")
    code = (tmp_path / "data" / "README.md").read_text().split("```python\n")[1].split("```")[0]
    found = {}
    exec(code, found)
    assert max(len(v) for k, v in found.items() if k in code and hasattr(v, "__len__")) > 0


def test_pictures_that_were_drawn_go_along(tmp_path):
    (tmp_path / "dots").mkdir()
    for label in (0, 1):
        Image.new("L", (8, 8), 255 * label).save(tmp_path / "dots" / f"class{label}.png")
    table = "name,file,label\nblack,class0.png,0\nwhite,class1.png,1\n"
    (tmp_path / "dots" / "items.csv").write_text(table)
    own = "[staircase]\nlabels = ['dark', 'light']\npixels = 8\nnoise = 0.1\n"
    live = begun(tmp_path, kind="classify", words=WORDS + own, n_items=None, guess=RANDOM)
    write_study_dataset(published(live), tmp_path / "data")
    trials = rs.judgments.read_classifications(tmp_path / "data" / "classifications.parquet")
    assert trials.image_shape == (8, 8)
    write_archive(published(live), tmp_path / "dots.zip")
    drawn = [name for name in unpacked(tmp_path / "dots.zip") if "/data/images/" in name]
    assert len(drawn) == len(trials)


@pytest.mark.parametrize("write", [write_archive, write_study_dataset])
def test_what_is_missing_is_named(write, tmp_path):
    live = begun(tmp_path, words='[publication]\ntitle = "Dots"\n')
    with pytest.raises(SettingError, match=r"publication\.authors, publication\.license"):
        write(published(live), tmp_path / "out.zip")
    assert not (tmp_path / "out.zip").exists()


def test_an_unknown_license_is_told_with_its_line(tmp_path):
    words = WORDS.replace("CC-BY-4.0", "CC-BY-3.0")
    with pytest.raises(SettingError, match=r"line \d+: .*ODbL"):
        make_folder(tmp_path / "dots", sections=SMALL + words)


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
    assert run(app, ["export", "dots", "--to", "dataset"]).exit_code == 0
    assert (tmp_path / "dots-data" / "README.md").is_file()
    for wrong in (
        ["--to", "dataset", "--format", "json"],
        ["--to", "dataset", "--with-pictures"],
        ["--to", "archive", "--identified", "--out", "b.zip"],
    ):
        refused = run(app, ["export", "dots", *wrong])
        assert refused.exit_code != 0
        assert isinstance(refused.exception, SettingError | SystemExit)
