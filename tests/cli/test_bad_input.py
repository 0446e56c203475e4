"""Bad input is reported in one line, with its place and the remedy."""

import pytest

from resemblance.errors import JudgmentError

HEADER = "head,near,far"
FILES = {
    "missing column": ("head,near,other\n1,2,3\n", ["no column", "'far'", "--columns far="]),
    "head is near": (f"{HEADER}\n1,2,3\n2,2,3\n", ["line 3", "'2'", "--on-error skip"]),
    "missing id": (f"{HEADER}\n1,2,3\n1,,3\n", ["line 3", "near is empty", "fill it in"]),
    "empty": ("", ["empty", "needs a header"]),
}


def told(result, *parts):
    """One line on stderr, nothing on stdout, and all parts are in the line."""
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    for part in parts:
        assert part in result.stderr


@pytest.mark.parametrize("case", FILES)
def test_a_broken_row_is_named_with_file_line_and_remedy(run, tmp_path, case):
    text, parts = FILES[case]
    (tmp_path / "bad.csv").write_text(text)
    told(run("fit", "bad.csv", code=1), "bad.csv", *parts)
    assert not (tmp_path / "bad-map").exists()


def test_a_broken_file_of_items_is_named_itself(run, answers, tmp_path):
    (tmp_path / "items.csv").write_text("item,image\n0,none.png\n")
    result = run("fit", answers, "--items", "items.csv", code=1)
    told(result, "error: items.csv, line 2", "none.png", "correct its path")
    (tmp_path / "items.csv").write_text("item,name\n0,zero\n1,\n")
    told(run("fit", answers, "--items", "items.csv", code=1), "items.csv, line 3", "name is empty")
    result = run("fit", answers, "--items", "items.csv", "--item-columns", "name=title", code=1)
    told(result, "'title'", "--item-columns")


def test_a_folder_that_is_a_file(run, answers):
    told(run("fit", answers, "--out", answers, code=1), "cannot be created", "name another folder")


@pytest.mark.parametrize(
    "words",
    [["--columns", "head"], ["--columns", "head=a,head=b"], ["--dims", "two"], ["--model", "tsne"]],
)
def test_an_option_that_cannot_be_read_is_wrong_usage(run, answers, words):
    assert words[0] in run("fit", answers, *words, code=2).stderr


def test_debug_shows_where_an_error_comes_from(run, tmp_path):
    (tmp_path / "bad.csv").write_text("head,near,far\n1,3,3\n")
    with pytest.raises(JudgmentError, match="line 2"):
        run("--debug", "fit", "bad.csv")
