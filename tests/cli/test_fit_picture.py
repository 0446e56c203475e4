"""`resemblance fit --picture`: the map as a figure for a paper."""

from xml.etree import ElementTree

import pandas as pd
import pytest

STARTS = {".pdf": b"%PDF", ".svg": b"<?xml", ".png": b"\x89PNG"}
FAST = "--folds", 0, "--model", "tste", "--penalty", 0.01


def words_of(path):
    return ["".join(one.itertext()) for one in ElementTree.parse(path).iter() if is_text(one)]


def is_text(element):
    return element.tag.endswith("}text")


@pytest.mark.parametrize("suffix", [".pdf", ".png"])
def test_the_suffix_says_what_is_drawn(run, report, answers, tmp_path, suffix):
    run("fit", answers, *FAST, "--picture", f"figure{suffix}")
    assert (tmp_path / f"figure{suffix}").read_bytes().startswith(STARTS[suffix])
    asked = report("answers-map")["settings"]["picture"]
    assert asked == {"file": f"figure{suffix}", "width": 17.0}
    assert report("answers-map")["status"] == "complete"


def test_every_name_is_text(run, answers, tmp_path):
    titles = [f"stimulus {i} & more" for i in range(9)]
    pd.DataFrame({"item": range(9), "name": titles}).to_csv(tmp_path / "items.csv", index=False)
    more = "--picture", "m/figure.svg", "--size", "85mm"
    run("fit", answers, *FAST, "--items", "items.csv", "--out", "m", *more)
    assert {*titles} <= set(words_of(tmp_path / "m" / "figure.svg"))
    width = ElementTree.parse(tmp_path / "m" / "figure.svg").getroot().get("width")
    assert float(width.removesuffix("pt")) == pytest.approx(8.5 / 2.54 * 72)


def test_names_that_are_left_out_are_told(run, report, answers, tmp_path):
    titles = [f"a name of an item {i} and more" for i in range(9)]
    pd.DataFrame({"item": range(9), "name": titles}).to_csv(tmp_path / "items.csv", index=False)
    small = "--picture", "a.pdf", "--size", "4cm", "--dims", 1
    printed = run("fit", answers, *FAST, "--items", "items.csv", *small).stdout
    told = [one for one in report("answers-map")["warnings"] if "a.pdf" in one]
    assert len(told) == 1
    assert "of 9 names" in told[0]
    assert "warning" in printed


def test_a_folder_of_answers_has_no_figure(run, tmp_path):
    (tmp_path / "rows").mkdir()
    assert "--picture" in run("fit", "rows", "--picture", "a.pdf", code=1).stderr
