"""Large raw files are read in parts: with the same result, and the lines of the whole file."""

import pandas as pd
import pytest

from resemblance import read_experiment
from resemblance.errors import JudgmentError

WIDE = 300  # empty columns, with which pandas reads parts of 2,048 rows
FORMATS = {  # the columns of a file, and what row n holds
    "jsPsych": (
        "rt,trial_type,trial_index,subject,head,left,right,response",
        "{n},button,{n},S{person},{a},{b},{c},{side}",
    ),
    "Gorilla": (
        "Event Index;Participant Private ID;Display;Response Type;Response;Reaction Time;"
        "Spreadsheet: Head;Spreadsheet: Left;Spreadsheet: Right",
        "{n};{person};trial;response;{b};{n},5;{a};{b};{c}",
    ),
    "options": ("head,options,chosen,participant", "{a},{b}|{c},{c},S{person}"),
}


def lines_of(name):
    """Write a file of 5,000 rows: a person's are in two parts, later parts have more items."""
    header, row = FORMATS[name]
    separator = ";" if ";" in header else ","
    lines = [separator.join([header, *(f"empty {k}" for k in range(WIDE))])]
    for n in range(5000):
        a, b, c = (f"item{(n * n + k) % (7 + n // 1000)}" for k in range(3))
        cells = row.format(n=n, person=n // 300, a=a, b=b, c=c, side=n % 2)
        lines.append((cells if n % 50 else separator * header.count(separator)) + separator * WIDE)
    return lines


@pytest.fixture
def path(tmp_path):
    return tmp_path / "raw.csv"


@pytest.mark.parametrize("name", ["Gorilla", "options"])
def test_a_file_read_in_parts_is_as_one_read_whole(path, monkeypatch, name):
    path.write_text("\n".join(lines_of(name)))
    parted, read_csv = read_experiment(path), pd.read_csv

    def at_once(*given, **settings):
        assert (settings["dtype"], settings["low_memory"]) == ("category", True)
        return read_csv(*given, **{**settings, "dtype": str, "low_memory": False})

    monkeypatch.setattr(pd, "read_csv", at_once)
    whole = read_experiment(path)
    pd.testing.assert_frame_equal(parted.judgments.to_pandas(), whole.judgments.to_pandas())
    assert parted.judgments.items.names == whole.judgments.items.names
    assert (parted.columns, parted.tool) == (whole.columns, whole.tool)
    assert parted.no_judgments == whole.no_judgments == {"other": 100}


def test_an_error_in_a_late_part_tells_the_line_of_the_file(path):
    lines = lines_of("jsPsych")
    cells = lines[4502].split(",")
    wrong = ",".join([*cells[:7], "9", *cells[8:]])
    path.write_text("\n".join([*lines[:4502], wrong, *lines[4503:]]))
    with pytest.raises(JudgmentError, match="line 4503: "):
        read_experiment(path)
    refused = read_experiment(path, on_error="skip").refused
    assert refused["where"].tolist() == ["line 4503"]
    path.write_text("\n".join([*lines, "," * 400]))
    with pytest.raises(JudgmentError, match="line 5002"):
        read_experiment(path)
