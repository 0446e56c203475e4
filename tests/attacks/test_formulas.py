"""What people typed must not run as a formula in a spreadsheet."""

import csv

import pytest

import resemblance as rs
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


@pytest.fixture
def served(make_study, serve, url):
    folder = make_study(recruitment={"source": "prolific"}, tasks={"practice": 0, "task_size": 3})
    (folder / "pages" / "consent.md").write_text(FORM)
    (folder / "classes.csv").unlink()
    names = ["=SUM(A1)", "-minus", "@at", "+plus", "'a", "b"]
    lines = [f"{name},stimuli/item{i}.png" for i, name in enumerate(names)]
    (folder / "items.csv").write_text("\n".join(["name,file", *lines]) + "\n")
    toml = (folder / "study.toml").read_text() + '[stimuli]\nitems = "items.csv"\n'
    (folder / "study.toml").write_text(toml)
    return serve(folder, database=url)


def test_free_text_is_made_safe_and_names_come_back(served, tmp_path):
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
    assert set(judged.items.names) <= {"=SUM(A1)", "-minus", "@at", "+plus", "'a", "b"}
