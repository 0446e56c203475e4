"""Typed texts and names of items never run as formulas in a spreadsheet."""

import csv

import pytest

import resemblance as rs
from resemblance.errors import SettingError
from resemblance.files import no_formula
from resemblance.study.creation import add_items, create_study
from resemblance.study.export import Export, write_export

FORM = """# You

```form
[name]
type = "text"
label = "Name"
lines = 2
[age]
type = "number"
label = "Age"
```
"""
HOSTILE = {
    "=HYPERLINK(1)": "'=HYPERLINK(1)",
    "+1+cmd": "'+1+cmd",
    "-1+cmd": "'-1+cmd",
    "@SUM(A1)": "'@SUM(A1)",
    "\t=1": "'\t=1",
    "\r=1": "'\n=1",
    "'quoted": "''quoted",
    "-5": "-5",
    "plain": "plain",
}


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


NAMES = ["=SUM(A1)", "-minus", "@at", "+plus", "'a", "b|c"]


@pytest.fixture
def served(make_study, serve, monkeypatch):
    """A study that began when such names of items were not refused yet."""
    monkeypatch.setattr("resemblance.study.live.refuse_names", lambda names: None)
    folder = make_study(recruitment={"source": "prolific"}, tasks={"practice": 0, "task_size": 3})
    (folder / "pages" / "consent.md").write_text(FORM)
    (folder / "classes.csv").unlink()
    lines = [f"{name},stimuli/item{i}.png" for i, name in enumerate(NAMES)]
    (folder / "items.csv").write_text("\n".join(["name,file", *lines]) + "\n")
    toml = (folder / "study.toml").read_text() + '[stimuli]\nitems = "items.csv"\n'
    (folder / "study.toml").write_text(toml)
    return serve(folder)


def test_no_cell_of_an_export_runs(served, tmp_path):
    for number, typed in enumerate(HOSTILE):
        person = served.person(parameters={"PROLIFIC_PID": f"{number:024x}"})
        values = {"name": typed, "age": -5}
        person.post("pages/consent", {"agree": True, "values": values})
    person.post("pages/instructions")
    person.answer_all()
    write_export(Export(served.live), tmp_path / "out")
    told = read(tmp_path / "out" / "pages.csv")
    names = [row["value"] for row in told if row["field"] == "name"]
    assert names == list(HOSTILE.values())
    assert {row["value"] for row in told if row["field"] == "age"} == {"-5"}
    judged = rs.read_triplets(tmp_path / "out" / "triplets.csv")
    assert set(judged.items.names) <= set(NAMES)
    for path in (tmp_path / "out").glob("*.csv"):
        for row in read(path):
            assert not [
                cell for cell in row.values() if no_formula(cell) != cell and cell[0] != "'"
            ]


def test_such_names_are_refused_on_the_way_in(make_study, serve, tmp_path):
    folder = make_study()
    serve(folder)
    for name in NAMES:
        (tmp_path / "names.csv").write_text(f"name,text\n{name},x\nb,y\nc,z\n")
        with pytest.raises(SettingError, match="called"):
            create_study(tmp_path / "new", items=tmp_path / "names.csv")
        assert not (tmp_path / "new").exists()
        with pytest.raises(SettingError, match="named after"):
            add_items(folder, items=tmp_path / "names.csv")
