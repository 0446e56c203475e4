"""Exports are read by the commands of the package as they are, and name nobody."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import resemblance as rs
from resemblance.cli.app import app
from resemblance.errors import FileError, SettingError
from resemblance.store import AnswerIn, Wanted, engines
from resemblance.study.export import FORMATS, Export, write_export
from resemblance.study.export.tables import when
from small_study import People, open_study

SECRET = "person 0"


def study(tmp_path, kind="triplet", **settings):
    return open_study(
        tmp_path / "dots", f"sqlite:///{tmp_path}/dots/study.sqlite", kind=kind, **settings
    )


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def answered(tmp_path):
    live = study(tmp_path)
    people = People(live, 3)
    people.answer(60)
    skipped = live.store.questions.serve(
        people.persons[0], [Wanted(live.kind.spec(live.folder.material, people.random))]
    )
    live.store.answers.take(people.persons[0], [AnswerIn(skipped[0].id, None, 50.0, {}, True)])
    live.store.people.respond(
        people.persons[1], "questionnaire", {"values": {"age": "31"}, "seconds": 4.0}
    )
    return live


@pytest.mark.parametrize(
    ("format", "suffix"), [("csv", "csv"), ("parquet", "parquet"), ("json", "jsonl")]
)
def test_triplets_are_read_as_they_were_answered(answered, tmp_path, format, suffix):
    codebook = write_export(Export(answered), tmp_path / "out", format)
    triplets = rs.read_triplets(
        tmp_path / "out" / f"triplets.{suffix}", items=answered.folder.names
    )
    told = answered.store.answers.after(answered.record)
    kept = [a for a in told if a.purpose != "practice" and not a.skipped]
    main = [a for a in kept if a.spec["head"] not in a.spec["options"]]
    assert len(triplets) == codebook["tables"]["triplets"]["rows"] == len(main)
    assert triplets.observer.tolist() == [a.code for a in main]
    for row, answer in zip(triplets.index, main, strict=True):
        head, near, far = (answered.folder.names[i] for i in row)
        assert (head, near) == (
            answer.spec["head"],
            answer.spec["options"][answer.response["chosen"]],
        )
        assert {near, far} == set(answer.spec["options"])
    file = tmp_path / "out" / f"triplets_with_catches.{suffix}"
    both = rs.read_triplets(file, items=answered.folder.names, on_error="skip")
    assert (len(both), len(both.catches)) == (len(main), len(kept) - len(main))
    scores = rs.score_participants(both)
    assert scores["side_share"].notna().all()
    assert scores["catch_answers"].sum() == len(both.catches)


def test_every_answer_is_in_the_log_and_every_column_in_the_codebook(answered, tmp_path):
    codebook = write_export(Export(answered), tmp_path / "out")
    log = rows_of(tmp_path / "out" / "answers.csv")
    assert [int(row["answer"]) for row in log] == [
        a.id for a in answered.store.answers.after(answered.record)
    ]
    assert log[-1]["skipped"] == "True"
    assert log[-1]["chosen"] == ""
    judged = codebook["tables"]["triplets_with_catches"]["rows"]
    assert judged + sum(codebook["not_among_the_judgments"].values()) == len(log)
    for table in codebook["tables"].values():
        with (tmp_path / "out" / table["file"]).open() as file:
            assert next(csv.reader(file)) == list(table["columns"])
        assert len(rows_of(tmp_path / "out" / table["file"])) == table["rows"]
    assert json.loads((tmp_path / "out" / "codebook.json").read_text()) == codebook
    assert "| near | Option judged" in (tmp_path / "out" / "codebook.md").read_text()
    pages = rows_of(tmp_path / "out" / "pages.csv")
    assert [(row["observer"], row["field"], row["value"]) for row in pages] == [
        ("P0002", "seconds", "4.0"),
        ("P0002", "age", "31"),
    ]


def test_no_id_is_told_unless_asked_for(answered, tmp_path):
    for format in FORMATS:
        write_export(Export(answered), tmp_path / format, format)
        for path in (tmp_path / format).iterdir():
            assert SECRET.encode() not in path.read_bytes()
    write_export(Export(answered, identified=True), tmp_path / "identified", "json")
    assert SECRET in (tmp_path / "identified" / "participants.jsonl").read_text()


def test_excluded_people_are_left_out_of_the_judgments_until_taken_back(answered, tmp_path):
    person = answered.store.people.named(answered.record, "P0002")
    answered.store.people.exclude(person, True, "did not look", "researcher")
    codebook = write_export(Export(answered), tmp_path / "without")
    observers = {row["observer"] for row in rows_of(tmp_path / "without" / "triplets.csv")}
    assert observers == {"P0001", "P0003"}
    assert codebook["not_among_the_judgments"]["excluded"] > 0
    told = rows_of(tmp_path / "without" / "participants.csv")
    assert [row["excluded"] for row in told] == ["False", "True", "False"]
    write_export(Export(answered, with_excluded=True), tmp_path / "with")
    answered.store.people.exclude(person, False, "a mistake", "researcher")
    write_export(Export(answered), tmp_path / "again")
    for folder in ("with", "again"):
        observers = {row["observer"] for row in rows_of(tmp_path / folder / "triplets.csv")}
        assert observers == {"P0001", "P0002", "P0003"}


def test_odd_ones_out_are_read_as_they_are(tmp_path):
    live = study(tmp_path, "odd_one_out", study="n_options = 3")
    People(live, 2, {0: "random", 1: "random"}).answer(20)
    write_export(Export(live), tmp_path / "out")
    answers = rs.read_odd_one_outs(tmp_path / "out" / "odd_one_outs.csv")
    log = [row for row in rows_of(tmp_path / "out" / "answers.csv") if row["purpose"] == "main"]
    names = np.array(answers.items.names)
    told = [(names[row[0]], set(names[row])) for row in answers.index]
    assert told == [(one["chosen"], set(one["options"].split("|"))) for one in log]
    assert set(answers.observer) == {one["observer"] for one in log}


NEXT = {  # what the command of an export writes
    "pair_rating": "ratings-map/embedding.csv",
    "match_to_sample": "confusions-map/embedding.csv",
    "arrangement": "arrangements-map/embedding.csv",
    "one_of_n": "choices-map/embedding.csv",
}


@pytest.mark.parametrize("kind", NEXT)
def test_the_command_that_an_export_names_reads_it(tmp_path, monkeypatch, kind):
    live = study(tmp_path, kind, n_items=9)
    People(live, 2, dict.fromkeys(range(2), "random")).answer(60)
    codebook = write_export(Export(live), tmp_path / "out")
    monkeypatch.chdir(tmp_path / "out")
    items = pd.read_csv("items.csv")["item"]
    features = {"item": items, "turn": items.index % 5, "waves": items.index % 4}
    pd.DataFrame(features).to_csv("features.csv", index=False)  # what only the researcher knows
    monkeypatch.setattr("resemblance.plotting.save_map", lambda X, path, *_, **__: path.touch())
    done = CliRunner().invoke(app, [*codebook["use"].split()[1:], "--folds", "0"])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out" / NEXT[kind]).is_file()


def test_nothing_is_overwritten(answered, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(FileError, match="exists already"):
        write_export(Export(answered), tmp_path / "out")
    with pytest.raises(SettingError, match="format is 'xls': choose csv"):
        write_export(Export(answered), tmp_path / "new", "xls")


def test_the_commands_export_fit_and_erase(answered, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke
    told = run(app, ["export", "dots"])
    assert told.exit_code == 0, told.output
    assert "next: cd dots-export; resemblance fit triplets.csv" in told.output
    fitted = run(app, ["fit", "dots-export/triplets.csv", "--folds", "0", "--out", "map"])
    assert fitted.exit_code == 0, fitted.output
    nobody = run(app, ["erase", "dots", "P0009", "--yes"])
    assert nobody.exit_code == 1
    assert "dots has no participant 'P0009'" in nobody.output
    assert run(app, ["erase", "dots", "P0001"], input="n\n").exit_code == 1
    assert answered.store.people.named(answered.record, "P0001").external_id == SECRET
    erased = run(app, ["erase", "dots", SECRET, "--yes"])
    assert "P0001 is erased: 21 answers" in erased.output
    assert run(app, ["export", "dots", "--out", "after", "--identified"]).exit_code == 0
    for path in (tmp_path / "after").iterdir():
        assert SECRET not in path.read_text()
    assert "P0001" not in (tmp_path / "after" / "answers.csv").read_text()

    def busy(file):
        raise TimeoutError("somebody reads")

    monkeypatch.setattr(engines, "_empty", busy)
    left = run(app, ["erase", "dots", "P0002", "--yes"])
    assert left.exit_code == 1
    assert "somebody reads" in left.output
    assert answered.store.people.named(answered.record, "P0002").external_id is None


def test_a_study_that_was_never_served_has_nothing_to_export(answered, tmp_path, monkeypatch):
    monkeypatch.setenv("RESEMBLANCE_DATABASE", f"sqlite:///{tmp_path}/other.sqlite")
    told = CliRunner().invoke(app, ["export", str(tmp_path / "dots")])
    assert told.exit_code == 1
    assert "was never served from" in told.output
    assert not (tmp_path / "other.sqlite").exists()


def test_options_with_a_bar_in_a_name_are_written_as_json(tmp_path):
    live = study(tmp_path, "one_of_n", study="n_options = 3")
    people = People(live, 1)
    spec = live.kind.spec(live.folder.material, people.random) | {"options": ["a|b", "c", "d"]}
    (question,) = live.store.questions.serve(people.persons[0], [Wanted(spec)])
    live.store.answers.take(people.persons[0], [AnswerIn(question.id, {"chosen": 0}, 500.0)])
    write_export(Export(live), tmp_path / "out")
    (row,) = rows_of(tmp_path / "out" / "choices.csv")
    assert json.loads(row["options"]) == ["a|b", "c", "d"]


def test_times_are_written_in_utc():
    assert when(0.25) == "1970-01-01T00:00:00.250Z"
