"""Delimited text by the rules of the module csv, whatever else a program writes around it."""

import pytest

import resemblance as rs
from resemblance.errors import FileError, JudgmentError, ResemblanceWarning
from resemblance.judgments.tables import read_table
from resemblance.study.files import read_rows

ROWS = "a,b,c\nb,c,a\n"


@pytest.fixture
def file(tmp_path):
    def write(text, name="answers.csv", **how):
        path = tmp_path / name
        path.write_bytes(text.encode(how.get("encoding", "utf-8")))
        return path

    return write


@pytest.mark.parametrize("break_", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_a_line_ends_at_line_ends_alone(file, break_):
    text = f"head,near,far\na{break_}1,b,c\nb,c,a{break_}1\n"
    with pytest.raises(JudgmentError, match="in one line"):  # of a name, which is told
        rs.read_triplets(file(text))
    rows = list(read_rows(file(f"name,text\nsix,one{break_}two\n"), ["name"]))
    assert [(row["name"], row["text"]) for row in rows] == [("six", f"one{break_}two")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_numbered_as_an_editor_does(file, end):
    path = file(end.join(["sep=,", "# made by hand", "", "head,near,far", "a,b,c", "a,b,b", ""]))
    with pytest.raises(JudgmentError, match=r"line 6: near and far"):
        rs.read_triplets(path)
    with pytest.raises(FileError, match="line 4: it has 1 cell, and the header 2"):
        list(read_rows(file(end.join(["name,text", 'a,"one', 'two"', "b", ""])), ["name"]))


@pytest.mark.parametrize(
    ("above", "separator"),
    [
        ("sep=;\n", ";"),
        ('"sep=;"\n', ";"),
        ("SEP=\t\n", "\t"),
        ("sep=|\n", "|"),
        ("# by R 4.4, on Monday\n", ","),
        ("#a comment\n\n# another\n", ";"),
        ("\n\n", "\t"),
    ],
)
def test_what_stands_above_the_header_is_no_row(file, above, separator):
    rows = f"head,near,far\n{ROWS}".replace(",", separator)
    read = rs.read_triplets(file(above + rows))
    assert read.to_pandas().to_numpy().tolist() == [["a", "b", "c"], ["b", "c", "a"]]
    assert len(rs.read_experiment(file(above + rows)).judgments) == 2


def test_a_column_may_be_called_hash_and_an_item_a_colour(file):
    path = file("#,head,near,far\n1,#ff0000,#00ff00,#0000ff\n2,#00ff00,#0000ff,#ff0000\n")
    read = rs.read_triplets(path)
    assert set(read.items.names) == {"#ff0000", "#00ff00", "#0000ff"}
    assert read.extra["#"].tolist() == [1, 2]


@pytest.mark.parametrize("row", ["a,b", "a", "c,a,b,d"])
def test_rows_of_another_length_are_refused_by_their_line(file, row):
    path = file(f"head,near,far\n{ROWS}{row}\n{ROWS}")
    with pytest.raises((FileError, JudgmentError), match=r"line 4"):
        rs.read_triplets(path)
    skipped = rs.read_experiment(path, on_error="skip")
    assert (len(skipped.judgments), skipped.refused["where"].tolist()) == (4, ["line 4"])


@pytest.mark.parametrize("blank", ["", "   ", "\t"])
def test_an_empty_cell_in_quotes_is_a_row_and_a_blank_line_is_none(file, blank):
    path = file(f'name\na\n{blank}\n""\n{blank}\nb\n')
    table = read_table(path)
    assert table.frame["name"].fillna("").tolist() == ["a", "", "b"]
    assert [table.where(row) for row in range(3)] == ["line 2", "line 4", "line 6"]
    with pytest.warns(ResemblanceWarning):
        skipped = rs.read_triplets(
            file(f'head,near,far\n{ROWS}""\n{blank}\nc,a\n{ROWS}'), on_error="skip"
        )
    assert skipped.refused["where"].tolist() == ["line 4", "line 6"]


def test_every_reader_of_a_table_warns_of_headers_written_again(file):
    path = file("name,size\na,1\nname,size\nb,2\n")
    with pytest.warns(ResemblanceWarning, match="line 3"):
        items = rs.read_items(path)
    assert items.names == ("a", "b")


def test_a_header_taken_for_a_comment_is_told(file):
    with pytest.raises(FileError, match="#head,near,far"):
        rs.read_triplets(file(f"#head,near,far\n{ROWS}{ROWS}"))


def test_a_header_written_again_is_left_out_and_told(file):
    again = f"head,near,far\n{ROWS}head,near,far\n{ROWS}head, near, far\n{ROWS}"
    with pytest.warns(ResemblanceWarning, match="2 rows equal to the header"):
        read = rs.read_triplets(file(again))
    assert read.items.names == ("a", "b", "c")
    experiment = rs.read_experiment(file(again))
    assert len(experiment.judgments) == 6
    assert any("line 4" in line for line in experiment.lines())


@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_files_put_one_below_the_other(file, bom):
    text = f"{bom}head,near,far\n{ROWS}"
    assert len(rs.read_experiment(file(text + text)).judgments) == 4
    with pytest.raises(FileError, match="another order"):
        rs.read_experiment(file(f"{text}{bom}head,far,near\n{ROWS}"))


def test_a_header_of_letters_may_be_a_row(file):
    assert len(rs.read_quadruplets(file("a,b,c,d\na,b,c,d\nd,c,b,a\n"))) == 2


@pytest.mark.parametrize("text", ["", "\ufeff", "\n\n", "# only a comment\n", "head,near,far\n"])
def test_a_file_without_rows_is_told(file, text):
    with pytest.raises(FileError, match=r"is empty|has no rows"):
        rs.read_triplets(file(text))
