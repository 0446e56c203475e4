"""What is published has the structure that the field's validators ask for.

Frictionless is asked here where it is installed, the others by benchmarks/validators.py.
"""

import csv
import hashlib
import io
import json
import re
from datetime import datetime
from pathlib import Path
from zipfile import ZipFile

import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from resemblance.catalog import EXPORTS
from resemblance.cli.app import app
from resemblance.errors import FileError, SettingError
from resemblance.study.export import write_archive, write_psychds, write_study_dataset
from resemblance.study.export.columns import TYPES
from resemblance.study.kinds import KINDS
from small_study import SMALL, Hands, People, open_study
from study.test_published import WORDS, begun, published, telling, unpacked

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "exchange.md"
DATA_FILE = re.compile(r"([a-z]+-[a-zA-Z0-9]+)(_[a-z]+-[a-zA-Z0-9]+)*_data\.csv")
READ = {
    "boolean": lambda cell: {"True": True, "False": False}[cell],
    "integer": int,
    "number": float,
    "datetime": datetime.fromisoformat,
    "string": str,
}
DRAWN = [name for name in KINDS if KINDS[name].draws]  # need pictures of classes


def full(tmp_path):
    """Run a study that has every table: fits, and looks at stopping rules."""
    sections = f"{SMALL}[stopping]\nanswers = 60\n{WORDS}"
    live = open_study(tmp_path / "dots", f"sqlite:///{tmp_path}/study.sqlite", sections=sections)
    hands = Hands(live)
    hands.begin()
    people = People(live, 3)
    for _ in range(2):
        people.answer(50)
        hands.settle()
    hands.work.close()
    return live


def rows(data):
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def typed(live, path):
    """Read every cell of an archive as what its data package says it is."""
    write_archive(published(live), path)
    files = {name.partition("/")[2]: data for name, data in unpacked(path).items()}
    package = json.loads(files["datapackage.json"])
    read = {}
    for one in package["resources"]:
        kinds = {field["name"]: field["type"] for field in one["schema"]["fields"]}
        table = rows(files[one["path"]])
        assert not table or list(table[0]) == list(kinds)
        assert all(field["description"] for field in one["schema"]["fields"])
        read[one["name"]] = [
            {name: READ[kinds[name]](cell) for name, cell in row.items() if cell} for row in table
        ]
    assert {f"data/{name}.csv" for name in read} == {n for n in files if n.endswith(".csv")}
    return package, read


@pytest.mark.parametrize("kind", [name for name in KINDS if name not in DRAWN])
def test_every_cell_is_of_the_type_that_the_data_package_says(kind, tmp_path):
    _, read = typed(begun(tmp_path, kind=kind), tmp_path / "dots.zip")
    judgments = next(iter(read.values()))
    assert judgments
    assert all(row.get("rt_ms", 1) > 0 for row in judgments)


def test_the_data_package_of_all_tables(tmp_path):
    live = full(tmp_path)
    package, read = typed(live, tmp_path / "dots.zip")
    assert set(read) >= {"triplets", "fits", "stopping", "participants"}
    assert all(read[name] for name in read)
    assert package["profile"] == "tabular-data-package"
    assert package["licenses"][0]["name"] == "CC-BY-4.0"
    assert [one["title"] for one in package["contributors"]] == ["Young, Ann", "The Dot Laboratory"]
    for name in (package["name"], *read):
        assert re.fullmatch(r"[-a-z0-9._/]+", name)
    for format in ("json", "parquet"):  # whose lists are no text
        write_archive(published(live), tmp_path / f"{format}.zip", format)
        assert "dots/datapackage.json" not in unpacked(tmp_path / f"{format}.zip")
    live.store.close()


@pytest.mark.parametrize("kind", ["full", *(name for name in KINDS if name not in DRAWN)])
def test_frictionless_accepts_an_archive_and_refuses_a_broken_one(kind, tmp_path):
    frictionless = pytest.importorskip("frictionless")
    live = full(tmp_path) if kind == "full" else begun(tmp_path, kind=kind)
    write_archive(published(live), tmp_path / "dots.zip")
    live.store.close()
    with ZipFile(tmp_path / "dots.zip") as packed:
        packed.extractall(tmp_path / "out")
    [package] = (tmp_path / "out").rglob("datapackage.json")
    found = frictionless.validate(str(package))
    assert (found.valid, found.warnings, found.stats["errors"]) == (True, [], 0)
    if kind != "full":
        return
    text = package.read_text(encoding="utf-8")
    package.write_text(text.replace('"type": "datetime"', '"type": "integer"'), encoding="utf-8")
    broken = frictionless.validate(str(package))
    assert {error[0] for error in broken.flatten(["type"])} == {"type-error"}


def test_no_type_is_declared_twice():
    names = [name for names in TYPES.values() for name in names.split()]
    assert len(names) == len(set(names))
    assert set(TYPES) < set(READ)


def test_psychds_names_files_and_describes_their_columns(tmp_path):
    live = full(tmp_path)
    folder = tmp_path / "out"
    count = write_psychds(published(live), folder)
    data = list((folder / "data").iterdir())
    assert len(data) == count
    assert all(DATA_FILE.fullmatch(file.name) for file in data)
    told = json.loads((folder / "dataset_description.json").read_text(encoding="utf-8"))
    assert (told["@context"], told["@type"]) == ("https://schema.org/", "Dataset")
    assert (told["name"], told["license"][-4:]) == ("Dots: how alike", "4.0/")
    assert told["description"]
    described = [one["name"] for one in told["variableMeasured"]]
    assert len(described) == len(set(described))
    assert all(one["description"] for one in told["variableMeasured"])
    headers = {name for file in data for name in file.read_text("utf-8").splitlines()[0].split(",")}
    assert set(described) == headers
    files = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    assert {"README.md", "materials/study.toml"} < set(files)
    assert telling({name: path.read_bytes() for name, path in files.items()}) == []
    with pytest.raises(FileError, match="out"):
        write_psychds(published(live), folder)
    live.store.close()


def test_psychds_needs_a_title_and_the_command_writes_it(tmp_path, monkeypatch):
    (tmp_path / "bare").mkdir()
    with pytest.raises(SettingError, match=r"publication\.title"):
        write_psychds(published(begun(tmp_path / "bare", words="")), tmp_path / "none")
    assert not (tmp_path / "none").exists()
    begun(tmp_path).store.close()
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["export", "dots", "--to", "psych-ds"]).exit_code == 0
    assert (tmp_path / "dots-psych-ds" / "dataset_description.json").is_file()


@pytest.mark.parametrize("kind", ["triplet", "one_of_n", "arrangement"])
def test_croissant_has_every_file_and_column(kind, tmp_path):
    live = begun(tmp_path, kind=kind)
    write_study_dataset(published(live), tmp_path / "data")
    told = json.loads((tmp_path / "data" / "croissant.json").read_text(encoding="utf-8"))
    assert told["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert told["url"] == "https://doi.org/10.17605/OSF.IO/ABCDE"
    assert [one["@type"] for one in told["creator"]] == ["Person", "Organization"]
    files = {one["@id"]: one for one in told["distribution"]}
    assert set(files) == {one.name for one in (tmp_path / "data").glob("*.parquet")}
    for name, one in files.items():
        data = (tmp_path / "data" / name).read_bytes()
        assert one["sha256"] == hashlib.sha256(data).hexdigest()
    for one in told["recordSet"]:
        schema = parquet.read_schema(tmp_path / "data" / f"{one['name']}.parquet")
        kinds = {field["name"]: field["dataType"] for field in one["field"]}
        assert list(kinds) == schema.names
        repeated = {field["name"] for field in one["field"] if field.get("repeated")}
        assert repeated == {c.name for c in schema if str(c.type).startswith("list")}
        assert kinds.get("rt_ms", "sc:Float") == "sc:Float"
        assert kinds.get("simulated", "sc:Boolean") == "sc:Boolean"


def test_the_guide_has_the_table_of_exports():
    cells = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in GUIDE.read_text(encoding="utf-8").splitlines()
        if line.startswith(tuple(f"| `{name}` | {to.about} |" for name, to in EXPORTS.items()))
    ]
    assert cells == [
        [
            f"`{name}`",
            to.about,
            to.holds,
            f"`{to.suffix}`",
            "yes" if to.tabled else "",
            "yes" if to.pictured else "",
            f"`{to.checked_by}`" if to.checked_by else "",
        ]
        for name, to in EXPORTS.items()
    ]
