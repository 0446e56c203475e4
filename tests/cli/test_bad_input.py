"""Bad input is reported in one line, with its place and the remedy."""

import pandas as pd
import pytest

from resemblance.errors import JudgmentError

HEADER = "head,near,far"
FILES = {
    "missing column": ("head,near,other\n1,2,3\n", ["no column", "'far'", "--columns far="]),
    "head is near": (f"{HEADER}\n1,2,3\n2,2,3\n", ["line 3", "'2'", "--on-error skip"]),
    "head is far": (f"{HEADER}\n1,2,3\n2,3,2\n", ["line 3", "'2'", "--on-error skip"]),
    "near is far": (f"{HEADER}\n1,2,3\n1,3,3\n", ["line 3", "'3'", "correct or remove"]),
    "negative id": (f"{HEADER}\n1,2,-3\n", ["line 2", "'-3'", "correct it"]),
    "fractional id": (f"{HEADER}\n1,2,3\n1,2.5,3\n", ["line 3", "'2.5'", "correct it"]),
    "missing id": (f"{HEADER}\n1,2,3\n1,,3\n", ["line 3", "near is empty", "fill it in"]),
    "NaN id": (f"{HEADER}\n1,NaN,3\n", ["line 2", "near", "correct it"]),
    "no rows": (f"{HEADER}\n", ["no rows", "at least"]),
    "empty": ("", ["empty", "needs a header"]),
    "one item": (f"{HEADER}\n1,1,1\n", ["one item only", "'1'", "add the others"]),
    "negative weight": (f"{HEADER},weight\n1,2,3,-1\n", ["line 2", "weight", "remove the row"]),
    "NaN weight": (f"{HEADER},weight\n1,2,3,\n", ["line 2", "weight", "fill it in"]),
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


def test_a_file_that_is_not_there_or_of_no_known_type(run, tmp_path):
    told(run("fit", "none.csv", code=1), "none.csv", "check the path")
    (tmp_path / "answers.xls").write_text("?")
    told(run("fit", "answers.xls", code=1), "'.xls'", "use .csv")


def test_a_truncated_parquet(run, answers, tmp_path):
    run("convert", answers, "answers.parquet")
    whole = (tmp_path / "answers.parquet").read_bytes()
    (tmp_path / "answers.parquet").write_bytes(whole[: len(whole) // 2])
    told(run("fit", "answers.parquet", code=1), "answers.parquet", "check that it is whole")


def test_a_name_that_is_not_among_the_items(run, answers, tmp_path):
    pd.DataFrame({"item": range(8)}).to_csv(tmp_path / "items.csv", index=False)
    told(run("fit", answers, "--items", "items.csv", code=1), "line ", "'8'", "add it to the items")


def test_a_broken_file_of_items_is_named_itself(run, answers, tmp_path):
    (tmp_path / "items.csv").write_text("item,image\n0,none.png\n")
    result = run("fit", answers, "--items", "items.csv", code=1)
    told(result, "error: items.csv, line 2", "none.png", "correct its path")
    (tmp_path / "items.csv").write_text("item,name\n0,zero\n1,\n")
    told(run("fit", answers, "--items", "items.csv", code=1), "items.csv, line 3", "name is empty")
    result = run("fit", answers, "--items", "items.csv", "--item-columns", "name=title", code=1)
    told(result, "'title'", "--item-columns")


@pytest.mark.parametrize("dims", [0, -1, 9])
def test_dimensions_out_of_range(run, answers, dims):
    told(
        run("fit", answers, "--dims", dims, code=1),
        f"n_components is {dims}",
        "(here: --dims)",
        "answers.csv",
        "1 and 8",
    )


def test_folds_that_cannot_be_made_are_refused_before_the_fit(run, answers, tmp_path):
    told(run("fit", answers, "--folds", 401, code=1), "to 400", "(here: --folds)")
    told(run("fit", answers, "--folds", 1, code=1), "--folds is 1", "at least 2")
    told(run("fit", answers, "--by", "response_id", code=1), "--by response_id")
    told(run("fit", answers, "--dims", "auto", "--folds", 0, code=1), "2 folds", "--dims")
    assert not (tmp_path / "answers-map").exists()


def test_a_setting_of_another_model(run, answers):
    told(run("fit", answers, "--mu", 0.1, code=1), "--mu", "--model ckl")
    told(run("fit", answers, "--margin", 2, code=1), "--model gnmds or soe")
    told(run("fit", answers, "--model", "ckl", "--mu", -1, code=1), "mu", "positive")


def test_a_folder_that_is_a_file(run, answers):
    told(run("fit", answers, "--out", answers, code=1), "cannot be made", "name another folder")


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
