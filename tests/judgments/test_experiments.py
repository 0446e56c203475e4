"""Raw files of experiment software: found, read, counted; or refused with words."""

import ast
import json
import re
from contextlib import suppress
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest

from resemblance import Choices, OddOneOuts, Triplets, read_experiment, read_rdms
from resemblance.errors import (
    FileError,
    JudgmentError,
    ResemblanceError,
    SettingError,
)
from resemblance.judgments import tables

KEPT = Path(__file__).parent / "raw"
HEADER = "head,left,right,response\n"


@pytest.fixture
def file(tmp_path):
    def write(text, name="raw.csv", encoding="utf-8"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding=encoding)
        return path

    return write


def rows_of(experiment):
    """Name head, near and far of each row."""
    names = np.array(experiment.judgments.items.names)
    return names[experiment.judgments.index].tolist()


# Each tool


def test_jspsych_counts_buttons_from_0():
    experiment = read_experiment(KEPT / "jspsych.csv")
    table = pd.read_csv(KEPT / "jspsych.csv").dropna(subset=["head"])
    near = np.where(table["response"].astype(int) == 0, table["left"], table["right"])
    far = np.where(table["response"].astype(int) == 0, table["right"], table["left"])
    expected = np.column_stack([table["head"], near, far]).tolist()
    assert (experiment.tool, experiment.kind) == ("jsPsych", "triplets")
    assert rows_of(experiment) == expected
    assert experiment.no_judgments == {"survey-text": 1, "html-keyboard-response": 1}
    assert experiment.judgments.observer.tolist() == ["S01"] * len(table)
    assert experiment.judgments.extra["rt"].tolist() == table["rt"].tolist()
    assert rows_of(read_experiment(KEPT / "jspsych.json")) == expected


def test_lists_in_cells_are_lists():
    columns = {"head": "head", "options": "options", "chosen": "response"}
    experiment = read_experiment(KEPT / "jspsych.csv", kind="choices", columns=columns)
    same = read_experiment(KEPT / "jspsych.json", kind="choices", columns=columns)
    assert rows_of(experiment) == rows_of(read_experiment(KEPT / "jspsych.csv"))
    assert rows_of(same) == rows_of(experiment)


def test_labjs_says_sides():
    experiment = read_experiment(KEPT / "lab.csv")
    assert experiment.tool == "lab.js"
    assert rows_of(experiment)[:2] == [["bow", "clip", "knot"], ["knot", "bow", "ring"]]
    assert experiment.no_judgments == {"intro": 1}


def test_otree_has_a_row_for_each_trial_whichever_file_was_downloaded():
    wide, app = (read_experiment(KEPT / f"otree-{name}.csv") for name in ("wide", "app"))
    assert wide.tool == app.tool == "oTree"
    assert sorted(rows_of(wide)) == sorted(rows_of(app))
    assert len(wide.judgments) == 15
    assert set(wide.judgments.observer) == set(app.judgments.observer)


def test_psychopy_keeps_a_file_for_each_person(file):
    head = "head,left,right,key_resp.keys,key_resp.rt,participant,expName,psychopyVersion,\n"
    rows = ",,,,,{0},ties,2024.2.4,\nbow,tie,knot,left,0.5,{0},ties,2024.2.4,\n"
    for person in ("ann", "bob"):
        path = file(head + rows.format(person), f"data/{person}_ties.csv", "utf-8-sig")
    experiment = read_experiment(path.parent)
    assert experiment.tool == "PsychoPy"
    assert rows_of(experiment) == [["bow", "tie", "knot"]] * 2
    assert experiment.judgments.observer.tolist() == ["ann", "bob"]
    assert experiment.no_judgments == {"other": 2}


def test_gorilla_repeats_the_spreadsheet_in_rows_without_an_answer(file):
    head = (
        "Event Index;Participant Private ID;Display;Response Type;Response;Reaction Time;"
        "Spreadsheet: Head;Spreadsheet: Left;Spreadsheet: Right\n"
    )
    rows = (
        "1;71;trial;info;;;bow;tie;knot\n2;71;trial;response;knot;612,25;bow;tie;knot\n"
        "3;71;trial;response;tie;801,5;knot;bow;tie\nEND OF FILE;;;;;;;;\n"
    )
    experiment = read_experiment(file(head + rows))
    assert experiment.tool == "Gorilla"
    assert rows_of(experiment) == [["bow", "knot", "tie"], ["knot", "tie", "bow"]]
    assert experiment.judgments.observer.tolist() == ["71", "71"]
    assert experiment.judgments.extra["Reaction Time"].tolist() == [612.25, 801.5]
    assert experiment.no_judgments == {"trial": 1, "other": 1}


def test_qualtrics_has_three_headers_and_loops(file):
    raw_rows = (
        "RecordedDate,ResponseId,PROLIFIC_PID,1_pick,2_pick\n"
        'Recorded Date,Response ID,PROLIFIC_PID,"Which, is more similar?",Which?\n'
        '"{""ImportId"":""recordedDate""}","{""ImportId"":""_recordId""}",'
        '"{""ImportId"":""PROLIFIC_PID""}","{""ImportId"":""1_QID3""}","{""ImportId"":""2_QID3""}"\n'
        f"2026-01-02,R_1,{'5f' * 12},1,2\n2026-01-02,R_2,{'6a' * 12},2,\n"
    )
    loops = file("trial,head,left,right\n1,bow,tie,knot\n2,knot,bow,tie\n", "loops.csv")
    experiment = read_experiment(file(raw_rows), design=loops, columns={"chosen": "pick"})
    assert experiment.tool == "Qualtrics"
    assert rows_of(experiment) == [
        ["bow", "tie", "knot"], ["bow", "knot", "tie"], ["knot", "tie", "bow"]
    ]  # fmt: skip
    assert experiment.no_judgments == {"no answer": 1}
    assert experiment.judgments.observer.tolist() == ["P1", "P2", "P1"]  # never their ids


def test_labvanced(file):
    text = (
        "Rec_Session_Id,Task_Name,Trial_Nr,head,left,right,choice\n"
        "11,consent,1,,,,\n11,similarity,1,bow,tie,knot,knot\n12,similarity,1,bow,tie,knot,tie\n"
    )
    experiment = read_experiment(file(text, "raw.tsv"))
    assert rows_of(experiment) == [["bow", "knot", "tie"], ["bow", "tie", "knot"]]
    assert experiment.no_judgments == {"consent": 1}
    assert experiment.judgments.observer.tolist() == ["11", "12"]


def test_jatos_text_and_archive(file, tmp_path):
    trials = json.loads((KEPT / "jspsych.json").read_text())
    for trial in trials:
        del trial["subject_id"]
    later = [{**trial, "time_elapsed": trial["trial_index"] + 9} for trial in trials]
    text = "\n".join([json.dumps(trials), json.dumps(later)])
    experiment = read_experiment(file(text, "results.txt"))
    assert len(experiment.judgments) == 16
    assert set(experiment.judgments.observer) == {"result 1", "result 2"}
    with ZipFile(tmp_path / "results.jrzip", "w") as archive:
        archive.writestr("metadata.json", "{}")
        for study, data in ((7, trials), (9, later)):
            archive.writestr(f"study_result_{study}/comp-result_1/data.txt", "")  # the consent
            archive.writestr(f"study_result_{study}/comp-result_2/data.txt", json.dumps(data))
    packed = read_experiment(tmp_path / "results.jrzip")
    assert rows_of(packed) == rows_of(experiment)
    assert set(packed.judgments.observer) == {"study_result_7", "study_result_9"}


def test_the_log_of_a_session(file):
    events = [
        {"event": "items", "names": ["bow", "tie", "knot"]},
        {"event": "ask", "number": 0, "head": 0, "options": [1, 2], "strategy": "start"},
        {"event": "ask", "number": 1, "head": 2, "options": [0, 1], "strategy": "start"},
        {"event": "tell", "number": 1, "chosen": 1, "observer": "P01"},
        {"event": "tell", "number": 0, "chosen": None, "observer": "P02"},
    ]
    experiment = read_experiment(file("\n".join(map(json.dumps, events)), "session.jsonl"))
    assert rows_of(experiment) == [["knot", "tie", "bow"]]
    assert experiment.judgments.observer.tolist() == ["P01"]
    for read in (Choices.read, Triplets.read):
        with pytest.raises(FileError, match="read_experiment"):
            read(file("\n".join(map(json.dumps, events)), "session.jsonl"))
    for wrong in ({"number": 7, "chosen": 1}, {"number": 1, "chosen": 9}):
        broken = [*events, {"event": "tell", "observer": "", **wrong}]
        with pytest.raises(FileError):
            read_experiment(file("\n".join(map(json.dumps, broken)), "broken.jsonl"))


# Files of offices


@pytest.mark.parametrize(
    ("encoding", "separator"), [("utf-16", "\t"), ("utf-8-sig", ";"), ("utf-8", ",")]
)
def test_office_files_are_recognised(file, encoding, separator):
    text = "head,near,far,rt\nSchlüssel,tie,knot,1.5\n".replace(",", separator)
    text = text.replace(".", ",") if separator == ";" else text
    experiment = read_experiment(file(text, encoding=encoding))
    assert rows_of(experiment) == [["Schlüssel", "tie", "knot"]]
    assert experiment.judgments.extra["rt"].tolist() == [1.5]


def test_excel(tmp_path):
    frame = pd.DataFrame({"head": [1, 3], "near": [2, 1], "far": [3, 2], "subject": ["ann", "bob"]})
    frame.to_excel(tmp_path / "raw.xlsx", index=False)
    experiment = read_experiment(tmp_path / "raw.xlsx")
    assert rows_of(experiment) == [["1", "2", "3"], ["3", "1", "2"]]
    assert experiment.judgments.observer.tolist() == ["ann", "bob"]
    with pd.ExcelWriter(tmp_path / "two.xlsx") as book:
        frame.to_excel(book, sheet_name="a", index=False)
        frame.to_excel(book, sheet_name="b", index=False)
    with pytest.raises(FileError, match=r"'a', 'b'"):
        read_experiment(tmp_path / "two.xlsx")


# What a question consists of


def test_three_items_and_the_id_of_the_odd_one(file):
    path = file("item1,item2,item3,odd\nbow,tie,knot,tie\n")
    with pytest.raises(FileError, match="read_experiment"):
        OddOneOuts.read(path)
    by_id = read_experiment(path)
    barred = read_experiment(file("item1,item2,item3,odd\na|b,c,d,c\n"))
    assert rows_of(barred) == [["c", "a|b", "d"]]
    by_place = read_experiment(
        file("item1,item2,item3,choice\nbow,tie,knot,2\n"),
        columns={"odd": "choice"}, answers={"1": "first", "2": "second", "3": "third"},
    )  # fmt: skip
    assert by_id.kind == by_place.kind == "odd_one_outs"
    assert rows_of(by_id) == rows_of(by_place) == [["tie", "bow", "knot"]]


@pytest.mark.parametrize("said", [["f", "j"], ["1", "2"], ["0", "1"]])
def test_codes_of_answers_are_never_guessed(file, said):
    path = file(f"{HEADER}bow,tie,knot,{said[0]}\nbow,tie,knot,{said[1]}\n")
    with pytest.raises(JudgmentError, match="answers=") as error:
        read_experiment(path)
    assert (error.value.setting, "line 2" in str(error.value)) == ("answers", True)
    experiment = read_experiment(path, answers={said[0]: "left", said[1]: "right"})
    assert rows_of(experiment) == [["bow", "tie", "knot"], ["bow", "knot", "tie"]]
    assert experiment.judgments.extra["side"].tolist() == [0, 1]
    with pytest.raises(SettingError, match="up"):
        read_experiment(path, answers={said[0]: "up"})


def test_names_and_places_are_not_mixed(file):
    text = f"trial_type,trial_index,{HEADER}a,0,bow,tie,knot,tie\na,1,bow,tie,knot,1\n"
    with pytest.raises(JudgmentError, match="line 3"):
        read_experiment(file(text))


def test_what_is_not_found_is_asked_for_with_the_first_rows(file):
    path = file("trial_type,trial_index,sample,x,y,pick\na,0,bow,tie,knot,0\n")
    with pytest.raises(FileError, match=r"columns=\{") as error:
        read_experiment(path)
    assert {"jsPsych", "sample", "bow"} <= set(str(error.value).replace(",", " ").split())
    columns = {"head": "sample", "left": "x", "right": "y", "chosen": "pick"}
    assert rows_of(read_experiment(path, columns=columns)) == [["bow", "tie", "knot"]]
    with pytest.raises(FileError, match="nobody"):
        read_experiment(path, columns={"head": "nobody"})
    with pytest.raises(SettingError, match="sample"):
        read_experiment(path, columns={"sample": "x"})


def test_only_some_rows_are_answers(file):
    path = file(f"zone,{HEADER}answer,bow,tie,knot,tie\nbutton,bow,tie,knot,next\n")
    with pytest.raises(JudgmentError, match="line 3"):
        read_experiment(path)
    assert rows_of(read_experiment(path, only={"zone": "answer"})) == [["bow", "tie", "knot"]]
    with pytest.raises(FileError, match="zones"):
        read_experiment(path, only={"zones": "answer"})


# Rows that cannot be


def test_rows_that_cannot_be_are_refused_or_counted(file):
    rows = ["bow,tie,knot,tie\n"] * 30
    rows[4], rows[17] = "bow,tie,knot,ring\n", "bow,tie,tie,tie\n"
    path = file(HEADER + "".join(rows))
    with pytest.raises(JudgmentError, match="line 6"):
        read_experiment(path)
    experiment = read_experiment(path, on_error="skip")
    assert len(experiment.judgments) == 28
    assert experiment.refused["where"].tolist() == ["line 6", "line 19"]
    assert "'ring'" in experiment.refused["problem"][0]
    assert any("2 rows" in line for line in experiment.lines())
    rows[5:] = ["bow,tie,knot,ring\n"] * 25
    experiment = read_experiment(file(HEADER + "".join(rows)), on_error="skip")
    assert (len(experiment.judgments), len(experiment.refused)) == (4, 26)


def test_catch_trials_are_neither_refused_nor_lost(file):
    path = file(HEADER + "bow,tie,knot,tie\n" * 20 + "bow,bow,knot,bow\n")
    experiment = read_experiment(path, on_error="skip")
    assert (len(experiment.judgments), len(experiment.judgments.catches)) == (20, 1)
    assert len(experiment.refused) == 0
    assert experiment.lines()[-1] == "left out: 1 catch trial, of which 1 passed"


# People


def test_what_is_known_of_people_is_joined_and_their_ids_stay_behind(file):
    ids = ["5f" * 12, "6a" * 12]
    answers = file(
        f"subject,worker,{HEADER}{ids[0]},me@lab.org,bow,tie,knot,tie\n{ids[1]},,bow,tie,knot,knot\n"
    )
    people = file(
        f"Submission id,Participant id,Age\n{'7b' * 12},{ids[0]},31\n{'7c' * 12},{ids[1]},44\n",
        "people.csv",
    )
    experiment = read_experiment(answers, people=people)
    judgments = experiment.judgments
    assert judgments.observer.tolist() == ["P1", "P2"]
    assert judgments.extra["Age"].tolist() == [31, 44]
    text = judgments.to_pandas().to_csv()
    assert not any(one in text for one in [*ids, "me@lab.org", "7b7b", "7c7c"])
    with pytest.raises(JudgmentError, match="none of the people"):
        read_experiment(answers, people=file("id,age\nx,1\n", "others.csv"))


def test_a_person_has_one_row_and_who_has_none_is_told(file):
    answers = file(f"subject,{HEADER}ann,bow,tie,knot,tie\nbob,bow,tie,knot,knot\n")
    twice = "id,age\nann,31\nann,31\n"
    experiment = read_experiment(answers, people=file(twice, "people.csv"))
    judgments = experiment.judgments
    assert judgments.extra["age"].tolist() == pytest.approx([31, np.nan], nan_ok=True)
    assert "id" not in judgments.extra
    assert any("bob" in line and "ann" not in line for line in experiment.lines())
    with pytest.raises(JudgmentError, match="line 4: 'ann'"):
        read_experiment(answers, people=file(f"{twice}ann,44\n", "people.csv"))


def test_answered_trials_that_the_design_lacks_are_told(file):
    answers = file("trial,response\n1,tie\n2,tie\n3,tie\n7,tie\n")
    design = pd.DataFrame({"trial": ["1", "2"], "head": "bow", "left": "tie", "right": "knot"})
    experiment = read_experiment(answers, design=design)
    assert len(experiment.judgments) == 2
    assert any("2 rows" in line and "line 4" in line for line in experiment.notes)


def test_a_design_is_joined_by_columns_that_both_have(file):
    answers = file("trial,response\n1,tie\n2,tie\n")
    design = pd.DataFrame({"trial": ["1", "2"], "head": "bow", "left": "tie", "right": "knot"})
    assert rows_of(read_experiment(answers, design=design)) == [["bow", "tie", "knot"]] * 2
    assert len(read_experiment(answers, design=design.astype({"trial": int})).judgments) == 2
    with pytest.raises(SettingError, match="shares no column"):
        read_experiment(answers, design=design.rename(columns={"trial": "number"}))
    with pytest.raises(JudgmentError, match="came before"):
        read_experiment(answers, design=design.assign(trial="1"))


# Broken and hostile files


@pytest.mark.parametrize("name", sorted(path.name for path in KEPT.glob("*[vn]")))
def test_cut_and_garbled_files_are_read_or_refused_in_words(tmp_path, name):
    whole = (KEPT / name).read_bytes()
    random = np.random.default_rng(0)
    path = tmp_path / name
    for cut in random.integers(1, len(whole), 6):
        garbled = bytearray(whole)
        garbled[cut] = random.integers(256)
        for content in (whole[:cut], bytes(garbled)):
            path.write_bytes(content)
            with suppress(ResemblanceError):
                read_experiment(path)


ODD = [
    *(b",", b";", b"\t", b'"', b"\n", b"\x00", b"\xff", b"\x1d", b"[", b"}", b"null", b"NaN"),
    *(b"1e999", b"-1", b"left", b"options", b"[[]]", b'{"a":{"b":[]}}', b"9" * 40),
]


def test_whatever_is_put_into_a_file_of_the_guide_is_read_or_refused_in_words(tmp_path):
    text = (KEPT.parents[2] / "docs" / "guide" / "raw-files.md").read_text()
    files = dict(re.findall(r":caption: (?:\w+/)?(\S+)\n(.*?)```", text, re.DOTALL))
    assert len(files) > 8
    random = np.random.default_rng(0)
    for name, content in files.items():
        for _ in range(4):
            garbled = bytearray(content.encode())
            for _ in range(random.integers(1, 5)):
                at, put = random.integers(len(garbled)), ODD[random.integers(len(ODD))]
                garbled[at : at + random.integers(9)] = put
            (tmp_path / name).write_bytes(garbled)
            for read in (read_experiment, read_rdms):
                with suppress(ResemblanceError):
                    read(tmp_path / name)


@pytest.mark.parametrize(
    "change",
    [{"options": None}, {"options": [1, 1.5]}, {"number": None}, {"number": [0]}, {"number": 1}],
)
def test_a_session_whose_log_is_broken(file, change):
    ask = {"event": "ask", "number": 0, "head": 0, "options": [1, 2], "strategy": "start"}
    tell = {"event": "tell", "number": 0, "chosen": 1, "observer": "P01"}
    events = [{"items": ["bow", "tie", "knot"]}, ask, {**ask, "number": 1} | change, tell]
    events += [tell | {"number": 1}, *([ask] if change == {"number": 1} else [])]
    with pytest.raises(FileError, match="broken"):
        read_experiment(file("\n".join(map(json.dumps, events)), "broken.jsonl"))


def test_a_trial_has_one_column_of_a_name(file):
    head = "participant.code,t.1.player.head,t.1.player.left,t.1.player.right,t.1.player.chosen"
    assert len(read_experiment(file(f"{head}\nA,bow,tie,knot,left\n")).judgments) == 1
    with pytest.raises(FileError, match="'left'"):
        read_experiment(file(f"{head},left\nA,bow,tie,knot,left,1\n"))


def test_a_name_of_two_lines_is_told_with_its_own_line(file):
    with pytest.raises(JudgmentError, match="line 3"):
        read_experiment(file("head,near,far\na,b,c\nb,z\x1dz,a\na,b,c\na,c,b\n"))


def test_what_is_no_excel_file(tmp_path):
    with ZipFile(tmp_path / "raw.xlsx", "w") as archive:
        archive.writestr("raw.csv", HEADER)
    with pytest.raises(FileError, match="Excel"):
        read_experiment(tmp_path / "raw.xlsx")


def test_archives_are_bounded(tmp_path, monkeypatch):
    path = tmp_path / "raw.zip"
    with ZipFile(path, "w") as archive:
        archive.writestr("raw.csv", f"{HEADER}bow,tie,knot,tie\n")
    assert len(read_experiment(path).judgments) == 1
    monkeypatch.setattr(tables, "MOST", 10)
    with pytest.raises(FileError, match="more than the limit"):
        read_experiment(path)
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(FileError, match="cannot be unpacked"):
        read_experiment(path)


def test_a_folder_of_two_tools_is_refused(tmp_path):
    for name in ("jspsych.csv", "lab.csv"):
        (tmp_path / name).write_bytes((KEPT / name).read_bytes())
    with pytest.raises(FileError, match=r"jsPsych and lab\.js"):
        read_experiment(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match="no file"):
        read_experiment(tmp_path / "empty")


def test_what_a_table_lacks_is_told_and_may_be_given():
    ratings = pd.DataFrame({"item_a": ["x", "y"], "item_b": ["y", "z"], "rating": [1, 3]})
    with pytest.raises(FileError, match=r"called 'points';.*columns=\{'points'"):
        read_experiment(ratings)
    given = read_experiment(ratings, columns={"points": 7}).judgments
    assert (given.rating.tolist(), given.points.tolist()) == ([1, 3], [7, 7])
    odd = pd.DataFrame({"A": ["x"], "B": ["y"], "C": ["z"], "Odd one": ["x"]})
    with pytest.raises(FileError, match="first, second, third, odd"):
        read_experiment(odd, kind="odd_one_outs")


JUNK = {
    "__MACOSX/._monday.csv": b"\0\5\x16\7\0\2\0\0Mac OS X",
    "__MACOSX/data/._tuesday.csv": b"\0\5\x16\7",
    "._wednesday.csv": b"\0\5\x16\7",
    "~$monday.xlsx": b"\3ann",
    ".hidden.json": b"{",
    "data/.cache/x.jsonl": b"{",
}


@pytest.mark.parametrize("packed", [False, True])
def test_what_systems_leave_is_skipped_and_counted(tmp_path, packed):
    rows = {"data/monday.csv": b"head,near,far\na,b,c\n", "tuesday.csv": b"head,near,far\nb,a,c\n"}
    path = tmp_path / ("answers.zip" if packed else "answers")
    if packed:
        with ZipFile(path, "w") as archive:
            for name, content in (rows | JUNK).items():
                archive.writestr(name, content)
    else:
        for name, content in (rows | JUNK).items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(content)
    experiment = read_experiment(path)
    assert any(f"{len(JUNK)} files" in note for note in experiment.notes)
    assert sorted(experiment.judgments.observer) == ["monday", "tuesday"]
    assert len(experiment.judgments) == 2


@pytest.mark.parametrize(
    ("header", "answer"),
    [
        ("target,chosen,other", None),
        ("target,dissimilar,similar", None),
        ("reference,choice_a,choice_b,response", "name"),
        ("probe,opt_a,opt_b,resp", "name"),
        ("probe,opt_a,opt_b,pressed", "key"),
    ],
)
def test_columns_that_an_error_proposes_read_the_file(header, answer, file):
    rng, rows, expected = np.random.default_rng(0), [], []
    for _ in range(60):
        head, near, far = rng.choice(list("abcdefgh"), 3, replace=False).tolist()
        is_first = bool(rng.random() < 0.5)
        if answer is None:
            rows.append([head, far, near] if "dis" in header else [head, near, far])
        else:
            said = near if answer == "name" else "f" if is_first else "j"
            rows.append([head, *((near, far) if is_first else (far, near)), said])
        expected.append([head, near, far])
    path = file("\n".join([header, *(",".join(row) for row in rows)]) + "\n")
    with pytest.raises(FileError) as refused:
        read_experiment(path)
    columns = ast.literal_eval(re.search(r"columns=(\{.*?\})", str(refused.value))[1])
    known = {"head": "reference", "chosen": "response"} if "reference" in header else {}
    answers = {"f": "left", "j": "right"} if answer == "key" else None
    read = read_experiment(path, columns=known | columns, answers=answers)
    assert rows_of(read) == expected


def test_a_column_with_two_roles_is_refused(file):
    path = file("target,chosen,other\na,b,c\nb,c,a\n")
    columns = {"head": "target", "left": "chosen", "right": "other", "chosen": "chosen"}
    with pytest.raises(SettingError, match="'chosen' as left and as chosen"):
        read_experiment(path, columns=columns)
