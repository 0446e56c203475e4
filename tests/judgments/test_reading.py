import gzip
import json
import sys

import numpy as np
import pandas as pd
import pytest

from resemblance import judgments
from resemblance.errors import (
    FileError,
    JudgmentError,
    ResemblanceWarning,
    SettingError,
    UnavailableError,
)
from resemblance.judgments import (
    Items,
    Triplets,
    read_choices,
    read_items,
    read_triplets,
)


@pytest.fixture
def file(tmp_path):
    """Write a text to a file and give its path."""

    def write(text, name="answers.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


# What is read


@pytest.mark.parametrize("header", ["head,near,far", "head,winner,loser", "anchor,closer,farther"])
def test_known_columns_are_read_as_they_are(file, header):
    triplets = read_triplets(file(f"{header}\n5,9,1\n1,5,9\n"))
    assert triplets.items.names == ("1", "5", "9")
    assert triplets.index.tolist() == [[1, 2, 0], [0, 1, 2]]


def test_weight_response_observer_and_all_others(file):
    header = "head,winner,loser,puid,participant,weight,response_id,rt_ms,note"
    triplets = read_triplets(file(f"{header}\na,b,c,07,x,2,5,310,\nb,c,a,08,y,0.5,5,290,slow\n"))
    assert triplets.observer.tolist() == ["07", "08"]
    assert triplets.weight.tolist() == [2, 0.5]
    assert triplets.response_id.tolist() == [5, 5]
    assert list(triplets.extra) == ["participant", "rt_ms", "note"]
    assert triplets[1:].extra["rt_ms"].tolist() == [290]


def test_given_items_stay_and_name_the_labels(file):
    items = Items(["soul", "jazz", "1.5", "punk"], labels=[0, 1, 1, 0])
    triplets = read_triplets(file("head,near,far\njazz,1.5,soul\n"), items=items)
    assert triplets.items is items
    assert triplets.index.tolist() == [[1, 2, 0]]


def test_items_come_from_a_file_or_a_list(file):
    answers = file("head,near,far\nb,a,c\n")
    names = file("id\nd\nc\nb\na\n", "items.csv")
    for items in (names, str(names), ["d", "c", "b", "a"]):
        triplets = read_triplets(answers, items=items)
        assert triplets.items.names == ("d", "c", "b", "a")
        assert triplets.index.tolist() == [[2, 3, 1]]


def test_every_format_reads_alike(tmp_path):
    frame = pd.DataFrame({"head": [1, 4], "near": [4, 2], "far": [2, 1], "rt": [0.1, 0.2]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_csv(tmp_path / "a.csv.gz", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress((tmp_path / "a.jsonl").read_bytes()))
    for path in tmp_path.iterdir():
        triplets = read_triplets(path)
        assert triplets.items.names == ("1", "2", "4")
        assert triplets.index.tolist() == [[0, 2, 1], [2, 1, 0]]
        assert triplets.extra["rt"].tolist() == [0.1, 0.2]


def test_byte_order_mark_blank_lines_and_spaces_are_no_matter(file):
    triplets = read_triplets(file("\ufeffhead, near, far\na, b, c\n\nb,c ,a\n\n"))
    assert triplets.items.names == ("a", "b", "c")
    assert len(triplets) == 2


def test_choices_from_bars_and_lists(file):
    barred = read_choices(file("head,chosen,options\na,c,b|c|d\nd,a,a|b\n"))
    records = [
        {"head": "a", "chosen": "c", "options": ["b", "c", "d"]},
        {"head": "d", "chosen": "a", "options": ["a", "b"]},
    ]
    listed = read_choices(file("\n".join(map(json.dumps, records)), "a.jsonl"))
    assert barred.index.tolist() == listed.index.tolist() == [[0, 2, 1, 3], [3, 0, 1, -1]]


def test_catches_are_kept_apart(file):
    path = file("head,winner,loser,puid\na,b,c,x\na,a,c,x\nb,c,b,y\n")
    triplets = read_triplets(path, on_error="skip")
    assert len(triplets) == 1
    assert triplets.catches.pass_rates_by_observer() == {"x": 1.0, "y": 0.0}
    with pytest.raises(JudgmentError, match=r"line 3: the head 'a' .*on_error=\"skip\""):
        read_triplets(path)


# Bad rows: each names its line


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a,a,b", "the head 'a' is also among its options"),
        ("a,b,a", "the head 'a' is also among its options"),
        ("a,b,b", "near and far are both 'b'"),
        ("a,-1,b", "near: '-1' is neither a name"),
        ("a,1.5,b", "near: '1.5' is neither a name"),
        ("a,,b", "near is empty: fill it in or remove the row"),
        ("a,b", "it has 2 cells, and the header 4"),
        ("a,b,c,-2", "weight must be a finite number from 0 upwards, not -2.0"),
        ("a,b,c,", "weight is empty"),
        ("a,b,c,heavy", "weight must be a number, not 'heavy'"),
    ],
)
def test_bad_rows_name_their_line(file, row, message):
    path = file(f"head,near,far,weight\na,b,c,1\n\n{row}{',1' * (row.count(',') == 2)}\n")
    with pytest.raises(JudgmentError, match=rf"answers\.csv, line 4: {message}"):
        read_triplets(path)


@pytest.mark.parametrize(
    ("name", "place"), [("a.jsonl", "line 3"), ("a.parquet", "row 2"), ("a.csv.gz", "line 4")]
)
def test_every_format_names_the_place(tmp_path, name, place):
    items = ["a", "b", "c", "d"]
    Triplets([[0, 1, 2], [0, 2, 1], [3, 1, 2]], items=items).write(tmp_path / name)
    with pytest.raises(JudgmentError, match=f"{place}: head: 'd' is not among the 3 items"):
        read_triplets(tmp_path / name, items=items[:3])


ROWS = {  # of each kind: a header, a row that can be, and one that cannot
    "triplets": ("head,near,far", "a,b,c", "a,b,b"),
    "quadruplets": ("a,b,c,d", "a,b,c,d", "a,a,c,d"),
    "choices": ("head,chosen,options", "a,b,b|c|d", "a,x,b|c|d"),
    "odd_one_outs": ("odd,options", "a,a|b|c", "x,a|b|c"),
    "ratings": ("a,b,rating,points", "a,b,3,5", "a,b,6,5"),
    "similar_pairs": ("a,b,similar", "a,b,1", "a,b,maybe"),
    "confusions": ("a,b,errors,trials", "a,b,1,5", "a,b,6,5"),
}


@pytest.mark.parametrize("kind", ROWS)
def test_rows_that_cannot_be_may_be_left_out_and_are_listed(file, kind):
    header, good, bad = ROWS[kind]
    read = getattr(judgments, f"read_{kind}")
    path = file("\n".join([header, *[good] * 12, bad, *[good] * 7]) + "\n")
    with pytest.raises(JudgmentError, match="line 14"):
        read(path)
    with pytest.warns(ResemblanceWarning, match="1 of 20 rows were left out; the first: line 14"):
        answers = read(path, on_error="skip")
    assert answers.refused["where"].tolist() == ["line 14"]
    assert answers.refused["problem"].str.len().min() > 10
    rest = read(file("\n".join([header, *[good] * 19]) + "\n"), on_error="skip")
    np.testing.assert_array_equal(answers.index, rest.index)
    assert rest.refused is answers[:2].refused is None


def test_however_many_rows_cannot_be_the_others_are_read(file):
    rows = ["a,b,c"] * 18 + ["a,b,b"] * 3
    with pytest.raises(JudgmentError, match="none of its 3 rows"):
        read_triplets(file("\n".join(["head,near,far", *rows[18:]])), on_error="skip")
    path = file("\n".join(["head,near,far", "a,b,c", *rows[18:], "c,b,a", "a,b"]))
    with pytest.warns(ResemblanceWarning):
        read = read_triplets(path, on_error="skip")
    assert (len(read), read.refused["where"].tolist()) == (
        2,
        ["line 3", "line 4", "line 5", "line 7"],
    )
    path = file("\n".join(["head,near,far", *rows[:20], "a,a,c"]))
    with pytest.warns(ResemblanceWarning):
        kept = read_triplets(path, on_error="skip")
    assert (len(kept), len(kept.refused), len(kept.catches)) == (18, 2, 1)
    with pytest.raises(SettingError):
        read_triplets(path, on_error="ignore")


def test_blank_lines_are_counted(file):
    path = file("\n\n".join(['{"head": 1, "near": 2, "far": 3}'] * 2 + ['{"head": 1}']), "a.jsonl")
    with pytest.raises(JudgmentError, match="line 5: near is empty"):
        read_triplets(path)
    quoted = file('head,near,far,note\na,b,c,"two\nlines"\n\na,,c,\n')
    with pytest.raises(JudgmentError, match="line 5: near is empty"):
        read_triplets(quoted)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a,d,b|c", "the chosen item 'd' is not among the options"),
        ("a,b,b|c|c", "the option 'c' is repeated"),
        ("a,b,b", "there are fewer than 2 options"),
        ("a,b,b||c", "options is empty"),
        ("a,b,", "options is empty"),
        ("a,b,b|-3", "options: '-3' is neither a name"),
        ("a,a,a|c", "the head 'a' is also among its options"),
    ],
)
def test_bad_choices_name_their_line(file, row, message):
    with pytest.raises(JudgmentError, match=f"line 3: {message}"):
        read_choices(file(f"head,chosen,options\na,b,b|c|d\n{row}\n"))


def test_a_name_not_among_the_items(file):
    with pytest.raises(JudgmentError, match=r"line 2: near: 'jaz' .*did you mean 'jazz'"):
        read_triplets(file("head,near,far\nsoul,jaz,punk\n"), items=["soul", "jazz", "punk"])


def test_one_item_only(file):
    with pytest.raises(JudgmentError, match=r"answers\.csv: there is only one item, 'a'"):
        read_triplets(file("head,near,far\na,a,a\n"))


def test_an_observer_is_missing(file):
    with pytest.raises(JudgmentError, match="line 3: observer is empty"):
        read_triplets(file("head,near,far,observer\na,b,c,x\na,b,c,\n"))


# Bad files


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "", r"a\.csv is empty"),
        ("a.csv", "head,near,far\n", r"a\.csv has no rows"),
        ("a.jsonl", "", r"a\.jsonl has no rows"),
        (
            "a.csv",
            "head,far\n1,2\n",
            r"no column 'near' or 'winner' or 'closer' or 'positive'; it has 'head', ",
        ),
        ("a.csv", "head,far\n1,2\n", r"columns=\{'near': \.\.\.\}"),
        ("a.csv", 'head,near,far\n1,2,"3\n', "cannot be read as CSV"),
        ("a.csv", "head,near,near\n1,2,3\n", "two columns are called .near."),
        ("a.jsonl", '{"head": 1}\n{"head"', r"cannot be read as JSON lines \(line 2"),
        (
            "a.jsonl",
            "[1, 2, 3]",
            r"JSON lines \(line 1, record 1 is no JSON object",
        ),
        ("a.parquet", "PAR1", "cannot be read as Parquet"),
        ("a.csv.gz", "head,near,far", "cannot be read as CSV"),
        ("a.ods", "", r"unknown type '\.ods': use \.csv, .*\.jsonl.* or \.xlsx"),
        ("a.parquet.gz", "", "has the unknown type"),
        ("answers", "", "unknown type ''"),
    ],
)
def test_bad_files_are_refused(file, name, text, message):
    with pytest.raises(FileError, match=message):
        read_triplets(file(text, name))


def test_a_truncated_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    Triplets(np.tile([[0, 1, 2]], (500, 1))).write(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FileError, match=r"cannot be read as Parquet .*check that it is whole"):
        read_triplets(path)


def test_another_encoding(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("head,near,far\nä,b,c\n".encode("latin-1"))
    with pytest.raises(FileError, match="UTF-8"):
        read_triplets(path)


def test_settings_name_what_there_is(file):
    path = file("head,near,far\na,b,c\n")
    with pytest.raises(SettingError, match="names 'heads': it may name head, near, far, weight"):
        read_triplets(path, columns={"heads": "head"})
    with pytest.raises(FileError, match="no column 'x'; it has 'head', 'near', 'far'"):
        read_triplets(path, columns={"head": "x"})
    with pytest.raises(SettingError, match="'raise' or 'skip'"):
        read_triplets(path, on_error="drop")


def test_parquet_needs_pyarrow(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UnavailableError, match=r'pip install "resemblance\[parquet\]"'):
        read_triplets(file("", "a.parquet"))


# Items


def test_items_with_everything(file, tmp_path):
    (tmp_path / "a.png").touch()
    text = "item,class,image,size,hue\njazz,soft,a.png,1,0.5\n7,loud,a.png,2,0.25\n"
    items = read_items(file(text, "items.csv"), features=["hue", "size"])
    assert items.names == ("jazz", "7")
    assert items.labels.tolist() == ["soft", "loud"]
    assert items.images == (tmp_path / "a.png",) * 2
    assert items.features.tolist() == [[0.5, 1], [0.25, 2]]


@pytest.mark.parametrize("column", ["item", "name", "id"])
def test_the_column_of_names(file, column):
    items = read_items(file(f"x,{column}\n1,b\n2,a\n", "items.csv"))
    assert items.names == ("b", "a")
    assert items.features is None


@pytest.mark.parametrize(
    ("text", "features", "error", "message"),
    [
        ("x\n1\n", None, FileError, "no column 'item' or 'id' or 'name'; it has 'x'"),
        ("item\na\nb\na\n", None, JudgmentError, "line 4: the name 'a' .* position 0"),
        ("item,x\na,1\n,2\n", None, JudgmentError, "line 3: item is empty"),
        ("item,x\na,1\nb,?\n", ["x"], JudgmentError, r"line 3: x must be a number, not '\?'"),
        ("item,x\na,1\nb,\n", ["x"], JudgmentError, "line 3: x is empty"),
        ("item,x\na,1\n", ["y"], FileError, "no column 'y'; it has 'item', 'x': correct features="),
        (
            "item,image\na,no.png\n",
            None,
            JudgmentError,
            r"line 2: the image .*no\.png is not",
        ),
    ],
)
def test_bad_items_are_refused(file, text, features, error, message):
    with pytest.raises(error, match=message):
        read_items(file(text), features=features)


def test_items_have_names_for_judgments_and_titles_for_maps(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("id,name,label\n7,Björk,pop\n3,Björk,\n")
    items = read_items(path)
    assert items.names == ("7", "3")
    assert items.titles == ("Björk", "Björk")
    assert items.labels.tolist() == ["pop", None]
    answers = tmp_path / "answers.csv"
    answers.write_text("head,near,far\n7,3,7\n", encoding="utf-8")
    with pytest.raises(JudgmentError, match="line 2"):
        read_triplets(answers, items)


def test_a_file_with_names_alone_has_no_titles(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("name\nrock\njazz\n")
    assert read_items(path).names == ("rock", "jazz")
    assert read_items(path).titles is None
    path.write_text("artist\nrock\njazz\n")
    assert read_items(path, {"name": "artist"}).names == ("rock", "jazz")


@pytest.mark.parametrize("columns", ["points", ["points"], 7, {"points": 7}, {"points": "7"}])
def test_wrong_columns_are_refused_with_what_they_may_name(file, columns):
    path = file("a,b,rating\nx,y,3\ny,z,4\n")
    with pytest.raises((SettingError, FileError), match=r"columns=.*a, b") as refused:
        judgments.read_ratings(path, columns=columns)
    assert refused.value.setting == "columns"
