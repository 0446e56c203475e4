"""Rows of raw files: who answered, whether they count, and what means no answer."""

import itertools
import json

import pandas as pd
import pytest

import resemblance as rs
from resemblance.errors import FileError, JudgmentError, ResemblanceWarning, SettingError
from resemblance.judgments.column_names import COUNTED, SHORT, SURE_WEIGHTS

ITEMS = ("bow", "tie", "knot", "ring")


def trials(n_rows=12, **columns):
    """Questions of head, left and right with an answer, as text; other columns are repeated."""
    rows = []
    for i, (head, left, right) in zip(
        range(n_rows), itertools.cycle(itertools.permutations(ITEMS, 3))
    ):
        own = {name: str(cells[i % len(cells)]) for name, cells in columns.items()}
        rows.append({"head": head, "left": left, "right": right, "chosen": left, **own})
    return pd.DataFrame(rows)


@pytest.fixture
def read(tmp_path):
    def given(frame, name="raw.csv", **settings):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        if path.suffix == ".json":
            path.write_text(json.dumps(frame.to_dict("records")))
        else:
            frame.to_csv(path, index=False)
        return rs.read_experiment(path if "/" not in name else path.parent, **settings)

    return given


# No answer

NONE = ["null", "None", "NaN", "nan", "NA", "N/A", "--", "[]", "undefined", "", "  "]
TOOLS = {  # the columns that a tool is known by, and what its column of answers is called
    "jsPsych": ({"trial_type": ["b"], "trial_index": range(99)}, "response"),
    "PsychoPy": ({"psychopyVersion": ["2024.2"], "participant": ["p"]}, "key_resp.keys"),
    "Gorilla": ({"Participant Private ID": [7], "Event Index": range(99)}, "Response"),
    "lab.js": ({"sender": ["t"], "sender_type": ["s"]}, "response"),
    "Labvanced": ({"Rec_Session_Id": [3], "Task_Name": ["t"]}, "choice"),
    "MTurk": ({"HITId": ["h"], "AssignmentId": range(99), "WorkerId": ["w"]}, "Answer.chosen"),
    "a table": ({}, "chosen"),
}


@pytest.mark.parametrize(
    ("tool", "none"), [(tool, "null") for tool in TOOLS] + [("jsPsych", none) for none in NONE[1:]]
)
def test_what_means_no_answer_is_left_out_and_counted(read, tool, none):
    columns, name = TOOLS[tool]
    frame = trials(**columns)
    frame.loc[[1, 4, 5, 6, 7], "chosen"] = none  # more than a tenth
    experiment = read(frame.rename(columns={"chosen": name}))
    assert experiment.tool == tool
    assert (len(experiment.judgments), experiment.no_judgments) == (7, {"no answer": 5})


def test_an_item_may_be_called_as_none_is(read):
    frame = trials().replace("bow", "NA")
    assert len(read(frame).judgments) == 12
    listed = pd.DataFrame({"head": ["a", "b"], "options": ["NA|b", "a|NA"], "chosen": "NA"})
    assert len(read(listed, kind="choices").judgments) == 2


@pytest.mark.parametrize("word", ["neither", "-99", "timeout", "TIMED OUT"])
def test_what_else_means_no_answer_is_declared(read, word):
    frame = trials()
    frame.loc[:6, "chosen"] = word
    with pytest.raises(JudgmentError) as raised:
        read(frame)
    assert raised.value.setting == "answers"
    experiment = read(frame, answers={word: ""})
    assert (len(experiment.judgments), experiment.no_judgments) == (5, {"no answer": 7})


def test_the_table_of_answers_of_next(read):
    names = {"head": "Center", "left": "Left", "right": "Right", "chosen": "Answer"}
    frame = trials(**{"Participant ID": ["x7"], "Alg Label": ["Random"]}).rename(columns=names)
    experiment = read(frame)
    assert len(experiment.judgments) == 12
    assert set(experiment.judgments.observer) == {"x7"}


# Marks

MARKS = [
    ("Qualtrics", {"ResponseId": ["R"], "RecordedDate": range(99)}, "Status", "Survey Preview"),
    ("Qualtrics", {"ResponseId": ["R"], "RecordedDate": range(99)}, "Status", "Spam"),
    ("Qualtrics", {"ResponseId": ["R"], "RecordedDate": range(99)}, "Status", "1"),
    (
        "Qualtrics",
        {"ResponseId": ["R"], "RecordedDate": range(99)},
        "DistributionChannel",
        "preview",
    ),
    ("MTurk", TOOLS["MTurk"][0], "AssignmentStatus", "Rejected"),
    ("jsPsych", TOOLS["jsPsych"][0], "phase", "practice"),
    ("jsPsych", TOOLS["jsPsych"][0], "test_part", "training"),
    ("jsPsych", TOOLS["jsPsych"][0], "practice", "true"),
    ("jsPsych", TOOLS["jsPsych"][0], "is_practice", "1"),
    ("PsychoPy", TOOLS["PsychoPy"][0], "block", "Practice"),
    ("Gorilla", TOOLS["Gorilla"][0], "Spreadsheet: display", "practice"),
    ("a table", {"participantId": ["p"], "status": ["completed"]}, "rejected", '{"reason": "bot"}'),
    ("a table", {"participation": ["p"]}, "preview", "True"),
    ("a table", {"participation": ["p"]}, "status", "preview"),
    ("Labvanced", TOOLS["Labvanced"][0], "Block_Name", "Practice block"),
    ("lab.js", TOOLS["lab.js"][0], "exp_phase", "Warmup"),
    ("a table", {}, "trial_type", "practice_1"),
    ("a table", {}, "Procedure[Block]", "PracProc"),
    ("a table", {}, "is_practice_trial", "true"),
]


@pytest.mark.parametrize(("tool", "columns", "name", "mark"), MARKS)
def test_rows_that_the_tool_marks_are_left_out_and_counted(read, tool, columns, name, mark):
    answer = TOOLS[tool][1] if tool in TOOLS else "chosen"
    frame = trials(**columns).rename(columns={"chosen": answer})
    other = {"true": "false", "1": "0", "True": "False", '{"reason": "bot"}': "false"}
    frame[name] = other.get(mark, "main")
    frame.loc[[0, 3], name] = mark
    experiment = read(frame)
    assert experiment.tool == tool
    assert len(experiment.judgments) == 10
    assert experiment.no_judgments == {f"{name} {mark}": 2}
    kept = read(frame, keep_marked=True)
    assert (len(kept.judgments), kept.no_judgments) == (12, {})


@pytest.mark.parametrize(
    ("name", "cells"),
    [("practice", ["1", "2", "3"]), ("status", ["done", "1"]), ("phase", ["learn", "test"])],
)
def test_other_words_mark_nothing(read, name, cells):
    assert len(read(trials(**{name: cells})).judgments) == 12


@pytest.mark.parametrize(("name", "yes"), [("training", "1"), ("block", "training")])
def test_what_tells_people_apart_marks_nothing(read, name, yes):
    people = ["ann"] * 4 + ["bob"] * 4 + ["eve"] * 4
    frame = trials().assign(subject=people, **{name: [yes] * 4 + ["0"] * 4 + [yes] * 4})
    experiment = read(frame)
    assert len(experiment.judgments) == 12
    assert any(name in note for note in experiment.notes)


@pytest.mark.parametrize(("name", "mark"), [("Status", "Survey Preview"), ("rejected", "true")])
def test_all_rows_of_a_person_may_be_marked(read, name, mark):
    people = ["ann"] * 4 + ["bob"] * 4 + ["eve"] * 4
    other = "false" if mark == "true" else "Approved"
    frame = trials().assign(subject=people, **{name: [mark] * 4 + [other] * 4 + [mark] * 4})
    assert set(read(frame).judgments.observer) == {"bob"}


def test_who_quit_during_practice_leaves_nothing(read):
    people = ["ann"] * 4 + ["bob"] * 6 + ["eve"] * 2
    phase = ["practice", "main", "main", "main"] + ["practice"] + ["main"] * 5 + ["practice"] * 2
    experiment = read(trials().assign(subject=people, phase=phase))
    assert set(experiment.judgments.observer) == {"ann", "bob"}
    assert experiment.no_judgments == {"phase practice": 4}


def test_the_practice_loop_of_psychopy_is_left_out(read):
    frame = trials(psychopyVersion=["2024.2"], participant=["p"]).rename(
        columns={"chosen": "key_resp.keys"}
    )
    frame["practice.thisN"] = ["0", "1"] + [None] * 10
    frame["trials.thisN"] = [None] * 2 + [str(k) for k in range(10)]
    assert len(read(frame).judgments) == 10


def test_where_all_rows_are_marked_that_is_said(read):
    with pytest.raises(FileError) as raised:
        read(trials(phase=["practice"]))
    assert raised.value.setting == "keep_marked"


def test_what_is_asked_for_is_not_left_out(read):
    experiment = read(trials(phase=["practice", "main"]), only={"phase": "practice"})
    assert len(experiment.judgments) == 6


# The same rows twice

TELLING = [{"rt": range(500, 599)}, {"time_elapsed": range(99)}, {"RecordedDate": range(99)}]


@pytest.mark.parametrize("columns", TELLING)
def test_a_file_that_was_saved_twice_counts_once(read, columns):
    first, second = trials(**columns), trials(8, rt=range(900, 999))
    for name, frame in {"S01": first, "S01 (1)": first, "S02": second}.items():
        experiment = read(frame, f"data/{name}.csv")
    assert len(experiment.judgments) == 20
    assert len(set(experiment.judgments.observer)) == 2
    assert any("12 rows" in note and "S01" in note for note in experiment.notes)


@pytest.mark.parametrize("columns", TELLING)
def test_a_partial_and_a_final_save_are_one(read, tmp_path, columns):
    frame = trials(participant=["ann"], **columns)
    experiment = read(pd.concat([frame.head(7), frame]))
    assert (len(experiment.judgments), len(experiment.notes)) == (12, 2)
    near = frame.rename(columns={"left": "near", "right": "far"}).drop(columns="chosen")
    pd.concat([near.head(7), near]).to_csv(tmp_path / "near.csv", index=False)
    with pytest.warns(ResemblanceWarning, match="7 rows"):
        assert len(rs.read_triplets(tmp_path / "near.csv")) == 12


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"participant": ["ann"]},
        {"rt": [500]},
        {"date": ["Monday"], "block": ["2"]},
        {"trial": range(99), "participant": ["ann"]},
        {"date": ["Monday", "Tuesday"], "subject": ["ann", "bob"]},
        {"duration": [61, 75, 90], "subject": ["ann", "bob", "eve"]},
    ],
)
def test_equal_answers_that_nothing_tells_apart_all_count(read, columns):
    frame = trials(**columns)
    assert len(read(pd.concat([frame, frame])).judgments) == 24


def test_one_answer_of_the_same_latency_is_no_copy(read):
    frame = trials(24, rt=range(500, 599), participant=["ann"])
    assert len(read(pd.concat([frame, frame.head(1)])).judgments) == 25
    assert len(read(pd.concat([frame, frame.head(5)])).judgments) == 24
    assert len(read(pd.concat([frame, frame.head(5)]), keep_marked=True).judgments) == 29


def test_rows_of_a_table_in_memory_are_taken_as_they_are():
    frame = trials(rt=range(99))
    assert len(rs.read_experiment(frame.sample(12, replace=True, random_state=1)).judgments) == 12


# Who answered

PEOPLE = (
    *("subj", "sub", "pid", "ppt", "subject_nr", "user_id", "participant_number", "rater"),
    *("participation", "listener", "Subject", "SUBJ", "subID", "VP", "judge_id", "respondent"),
    *("Participant.ID", "participant no", "UserName", "annotator", "personId", "worker", "puid"),
    *("observer_id", "ppn", "proband", "viewer"),
)


@pytest.mark.parametrize("name", PEOPLE)
def test_the_usual_names_say_who_answered(read, name):
    experiment = read(trials(**{name: ["7", "0012", "12"]}))
    assert experiment.columns["observer"] == name
    assert set(experiment.judgments.observer) == {"7", "0012", "12"}
    told = [line for line in experiment.notes if line.endswith(f"the column {name}")]
    assert len(told) == (name != "observer")


def test_where_nobody_is_named_the_columns_that_could_be_it_are(read):
    frame = trials(36).assign(code=["x7"] * 12 + ["k2"] * 12 + ["m4"] * 12, colour="red")
    experiment = read(frame)
    assert experiment.judgments.observer is None
    assert any("'code'" in note and "'colour'" not in note for note in experiment.notes)
    assert read(frame, columns={"observer": "code"}).judgments.observer[0] == "x7"


def test_components_of_one_result_of_jatos_are_one_person(tmp_path):
    consent = [{"trial_type": "html", "trial_index": 0, "agreed": "yes"}]
    asked = [
        {"trial_type": "b", "trial_index": i, **row}
        for i, row in enumerate(trials(5).to_dict("records"))
    ]
    results = [part for rt in (1, 2, 3) for part in (consent, [{**t, "rt": rt} for t in asked])]
    path = tmp_path / "results.txt"
    path.write_text("\n".join(map(json.dumps, results)))
    experiment = rs.read_experiment(path)
    assert len(experiment.judgments) == 15
    assert len(set(experiment.judgments.observer)) == 3
    path.write_text("\n".join(json.dumps([{**t, "rt": rt} for t in asked]) for rt in (1, 2)))
    assert len(set(rs.read_experiment(path).judgments.observer)) == 2


def test_two_people_of_jatos_with_fields_of_their_own_stay_two(tmp_path):
    asked = [
        {"trial_type": "b", "trial_index": i, **row}
        for i, row in enumerate(trials(5).to_dict("records"))
    ]
    lists = [
        [{**t, "rt": 1, "delay": 3} for t in asked],
        [{**t, "rt": 2, "mask": "x"} for t in asked],
    ]
    path = tmp_path / "results.txt"
    for between in ("\n", "", " "):
        path.write_text(between.join(map(json.dumps, lists)))
        assert len(set(rs.read_experiment(path).judgments.observer)) == 2


@pytest.mark.parametrize("own", [{"participant": None}, {}, {"participant": "ann"}])
def test_files_that_name_nobody_are_a_person_each(read, own):
    read(trials(4).assign(**own), "data/a.csv")
    experiment = read(trials(4).assign(subject="bob"), "data/b.csv")
    assert set(experiment.judgments.observer) == {own.get("participant") or "a", "bob"}


def test_a_column_called_file_is_nobody(read):
    read(trials(4, file=["x.wav", "y.wav"]), "data/ann.csv")
    experiment = read(trials(4, file=["z.wav"]), "data/bob.csv")
    assert set(experiment.judgments.observer) == {"ann", "bob"}
    assert set(experiment.judgments.extra["file"]) == {"x.wav", "y.wav", "z.wav"}
    same = trials(6, rt=range(99), file=["x", "y"])
    assert len(read(pd.concat([same, same.assign(file="z")]), "one.csv").judgments) == 12


def test_columns_of_a_folder_may_be_spelled_in_several_ways(read):
    read(trials(4, subject=["s1"]), "data/a.csv")
    again = trials(4, subject=["s2"]).rename(columns=str.upper)
    other = trials(4, Subject=["s3"]).rename(columns=lambda name: f"Spreadsheet: {name}")
    read(again, "data/b.csv")
    experiment = read(other, "data/c.csv")
    assert len(experiment.judgments) == 12
    assert set(experiment.judgments.observer) == {"s1", "s2", "s3"}


@pytest.mark.parametrize("comma", ["a", "b"])
def test_files_of_a_folder_may_differ_in_their_decimal_points(tmp_path, comma):
    frame = trials(4, rt=[1.5, 2.25], participant=["p"], note=["1,5", "x"])
    for name in "ab":
        one = frame.assign(participant=name)
        if name == comma:
            one["rt"] = one["rt"].str.replace(".", ",")
        one.to_csv(tmp_path / f"{name}.csv", index=False, sep=";" if name == comma else ",")
    judgments = rs.read_experiment(tmp_path).judgments
    assert judgments.extra["rt"].tolist() == [1.5, 2.25] * 4
    assert judgments.extra["note"].tolist() == ["1,5", "x"] * 4


def test_columns_of_two_loops_stay_two(read):
    frame = trials(4, psychopyVersion=["2024.2"], participant=["a"])
    read(frame.assign(**{"practice.thisN": ["0", None, None, None]}), "data/a.csv")
    other = frame.assign(participant="b", **{"trials.thisN": ["0", "1", "2", "3"]})
    experiment = read(other, "data/b.csv")
    assert (len(experiment.judgments), experiment.no_judgments) == (7, {"practice.thisN 0": 1})


def test_the_same_answers_as_text_and_as_numbers_are_one(read, tmp_path):
    frame = trials(6, rt=range(500, 599)).astype({"rt": int})
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "s1.json").write_text(json.dumps(frame.to_dict("records")))
    assert len(read(frame, "data/s1.csv").judgments) == 6


# Columns that change the meaning


@pytest.mark.parametrize("name", ["answer", "Spreadsheet: ANSWER", "correct_answer"])
def test_the_right_answer_is_not_taken_for_the_one_given(read, name):
    frame = trials().rename(columns={"chosen": "response"}).assign(**{name: "knot"})
    judgments = read(frame).judgments
    near = [judgments.items.names[i] for i in judgments.index[:, 1]]
    assert near == trials()["left"].tolist()


@pytest.mark.parametrize("name", ["response", "chosen", "odd", "choice"])
def test_two_pairs_beside_an_answer_are_refused(read, name):
    frame = pd.DataFrame({"a": ["x"], "b": ["y"], "c": ["z"], "d": ["w"], name: ["2"]})
    with pytest.raises(FileError) as raised:
        read(frame)
    assert raised.value.setting == "kind"
    assert len(read(frame, kind="quadruplets").judgments) == 1


def test_columns_called_as_ours_are_kept_beside(read):
    frame = trials(side=["x"], near=["p"], far=["q"], subject=["s"])
    judgments = read(frame, columns={"chosen": "chosen"}).judgments
    assert judgments.extra["side (file)"].tolist() == ["x"] * 12
    wide = pd.DataFrame(
        {
            "participant.code": ["p1", "p2"],
            **{f"t.{k}.player.{name}": ["x", "y"] for k in (1, 2) for name in ("trial", "note")},
            **{f"t.{k}.player.head": ["a", "b"] for k in (1, 2)},
            **{f"t.{k}.player.left": ["b", "c"] for k in (1, 2)},
            **{f"t.{k}.player.right": ["c", "a"] for k in (1, 2)},
            **{f"t.{k}.player.chosen": ["left", "right"] for k in (1, 2)},
        }
    )
    assert len(read(wide, "wide.csv").judgments) == 4


@pytest.mark.parametrize("tool", ["jsPsych", "lab.js"])
def test_a_weight_in_the_file_of_a_tool_is_somebodys_own(read, tool):
    columns, name = TOOLS[tool]
    frame = trials(**columns, weight=["71.5"]).rename(columns={"chosen": name})
    judgments = read(frame).judgments
    assert judgments.weight is None
    assert set(judgments.extra["weight (file)"]) == {71.5}


@pytest.mark.parametrize("name", [*SURE_WEIGHTS, *COUNTED, *SHORT, "Weight", "Count", "N"])
def test_a_column_of_counts_weighs_answers_and_is_told(read, name):
    frame = trials(**{name: [3, 1, 40]})
    experiment = read(frame)
    assert experiment.judgments.weight.tolist() == [3, 1, 40] * 4
    assert experiment.columns["weight"] == name
    assert any(name in note for note in experiment.notes)


@pytest.mark.parametrize(
    "columns",
    [
        {"n": range(1, 99)},
        {"count": ["many", "few"]},
        {"n": [3, 1, 2], "participant": ["ann"]},
        {"count": range(99), "subj": ["ann"]},
        {"n": [1, 2, 3, 4, 5, 6]},
        {"freq": [7, 3, 12, 1, 9, 2, 11, 4, 8, 5, 10, 6]},
        {"w": [-1, 1, 2]},
    ],
)
def test_what_numbers_rows_or_is_no_number_weighs_nothing(read, columns):
    assert read(trials(**columns)).judgments.weight is None


@pytest.mark.parametrize("name", ["proportion", "votes", "prop_left", "percent", "times_shown"])
def test_a_column_that_could_weigh_and_is_not_used_is_told(read, name):
    experiment = read(trials(**{name: [0.4, 0.7]}))
    assert experiment.judgments.weight is None
    assert any(repr(name) in note for note in experiment.notes)


@pytest.mark.parametrize("name", ["count", "freq", "weights"])
def test_a_reader_warns_of_counts_that_it_does_not_use(name):
    frame = trials(**{name: [3, 1]}).rename(columns={"left": "near", "right": "far"})
    with pytest.warns(ResemblanceWarning, match="not used"):
        assert rs.read_triplets(frame.drop(columns="chosen")).weight is None
    weighed = rs.read_triplets(frame.drop(columns="chosen"), columns={"weight": name})
    assert weighed.weight.tolist() == [3, 1] * 6


@pytest.mark.parametrize("name", ["weight", "Weight", "response_id", "weights", "head", "observer"])
def test_what_is_known_of_people_fills_no_role(read, name):
    people = pd.DataFrame({"participant": ["ann", "bob"], name: ["62", "80"]})
    experiment = read(trials(participant=["ann", "bob"]), people=people)
    judgments = experiment.judgments
    assert (judgments.weight, judgments.response_id) == (None, None)
    assert judgments.extra[f"{name} (person)"].tolist() == [62, 80] * 6


# Ratings


def ratings(name="rating", n=9):
    pairs = [("a", "b"), ("b", "c"), ("c", "a")] * (n // 3)
    frame = pd.DataFrame(pairs, columns=["a", "b"])
    return frame.assign(**{name: [1 + i % 7 for i in range(n)]}, points=7)


@pytest.mark.parametrize(
    "name",
    ["dissimilarity_rating", "Dissimilarity", "distance", "perceivedDifference", "unlikeness"],
)
def test_ratings_of_how_different_are_never_upside_down(read, name):
    with pytest.raises(SettingError) as raised:
        read(ratings(name), columns={"rating": name})
    assert raised.value.setting == "reversed"
    turned = read(ratings(name), columns={"rating": name}, reversed=True).judgments
    assert turned.rating.tolist() == [8 - r for r in ratings(name)[name]]


def test_only_ratings_are_turned_round(read):
    with pytest.raises(SettingError) as raised:
        read(trials(), reversed=True)
    assert raised.value.setting == "reversed"


def test_a_pair_of_an_item_with_itself_is_a_catch_trial(read):
    frame = pd.concat([ratings(), pd.DataFrame({"a": ["a"], "b": ["a"], "rating": 7, "points": 7})])
    with pytest.raises(JudgmentError) as raised:
        read(frame)
    assert raised.value.setting == "on_error"
    experiment = read(frame, on_error="skip")
    assert len(experiment.judgments) == 9
    assert any("1 catch trial" in note for note in experiment.notes)


# Forms of files


@pytest.mark.parametrize(
    "form", ["c(1, 2, 3)", "[1 2 3]", "(1, 2, 3)", "c(1L, 2L, 3L)", "[1.0, 2.0, 3.0]"]
)
def test_lists_of_numbers(read, form):
    odd = read(pd.DataFrame({"options": [form, form], "odd": [2, 3]})).judgments
    assert odd.items.names == ("1", "2", "3")
    assert odd.index[:, 0].tolist() == [1, 2]


def test_numbers_of_items_with_a_point_are_their_answers(read):
    frame = pd.DataFrame(
        {"head": [1.0, 3.0], "left": [2.0, 1.0], "right": [3.0, 2.0], "chosen": [2, 2]}
    )
    assert read(frame).judgments.to_pandas()["near"].tolist() == ["2", "2"]


def test_rows_of_r_without_a_question_are_left_out(read):
    frame = trials()
    frame.loc[[0, 5], ["head", "left", "right", "chosen"]] = "NA"
    experiment = read(frame)
    assert (len(experiment.judgments), experiment.no_judgments) == (10, {"other": 2})


@pytest.mark.parametrize(
    "form", ["['{}', '{}', '{}']", 'c("{}", "{}", "{}")', "['{}' '{}' '{}']", "('{}', '{}', '{}')"]
)
def test_lists_as_python_and_r_print_them(read, form):
    rows = [("a", "b", "c"), ("b", "c", "d"), ("d", "it's", "a")]
    quoted = [[name.replace("'", "\\'") for name in row] for row in rows]
    frame = pd.DataFrame({"options": [form.format(*row) for row in quoted], "odd": ["c", "b", "d"]})
    odd = read(frame).judgments
    names = odd.items.names
    assert [{names[i] for i in row} for row in odd.index] == [set(row) for row in rows]


@pytest.mark.parametrize("text", ["jazz,rock,soul\nrock,soul,jazz\n", "3,7,2\n7,2,3\n2,3,7\n"])
def test_a_file_without_a_header_is_told_and_loses_no_row(tmp_path, text):
    path = tmp_path / "bare.csv"
    path.write_text(text)
    for reader in (rs.read_triplets, rs.read_experiment):
        with pytest.raises(FileError, match="not like a header") as raised:
            reader(path)
        assert "columns=" not in str(raised.value)
    path.write_text("head,near,far\n" + text)
    assert len(rs.read_experiment(path).judgments) == text.count("\n")


@pytest.mark.parametrize(
    ("drop", "name", "could_be"),
    [
        ("chosen", "pressed", ["left", "right"]),
        ("chosen", "key", ["f", "j"]),
        ("chosen", "pick", ["0", "1"]),
        ("right", "opt2", None),
        ("head", "sample", None),
    ],
)
def test_a_message_names_what_is_there_and_what_could_be_the_rest(read, drop, name, could_be):
    frame = trials(8, note=["hello", "world"], number=range(40, 99))
    frame = frame.rename(columns={drop: name})
    if could_be:
        frame[name] = could_be * 4
    with pytest.raises(FileError) as raised:
        read(frame)
    assert raised.value.setting == "columns"
    message = str(raised.value)
    assert f"columns={{{drop!r}: {name!r}}}" in message
    assert "'note'" not in message
    assert "'number'" not in message
    answers = {"key": {"f": "left", "j": "right"}, "pick": {"0": "left", "1": "right"}}
    columns = {drop: name}
    assert len(read(frame, columns=columns, answers=answers.get(name)).judgments) == 8


def test_files_without_rows_are_left_out_of_a_folder_and_counted(read, tmp_path):
    (tmp_path / "data").mkdir()
    for name, text in {"a": "", "b": "\ufeff", "c": "head,left,right,chosen\n"}.items():
        (tmp_path / "data" / f"{name}.csv").write_text(text)
    experiment = read(trials(), "data/full.csv")
    assert len(experiment.judgments) == 12
    assert any("2 files without rows" in note for note in experiment.notes)
