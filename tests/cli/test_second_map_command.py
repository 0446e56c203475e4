"""`resemblance fit --second-map`."""

from itertools import permutations

import pytest

from two_places import answers


def test_the_report_has_the_verdict_and_a_picture_of_two_maps(run, report, tmp_path):
    asked, two = answers(0)
    asked.to_pandas().to_csv(tmp_path / "answers.csv", index=False)
    run("fit", "answers.csv", "--model", "ste", "--penalty", "0.5", "--second-map", "--out", "map")
    second = report("map")["second_map"]
    assert second["verdict"] == "yes"
    assert {int(each["item"]) for each in second["items"]} & two
    assert (tmp_path / "map" / "two-maps.png").stat().st_size > 10_000


@pytest.mark.parametrize("words", [("--model", "soe"), ("--model", "ste")])
def test_a_second_map_that_cannot_be_fitted_is_refused_before_the_fit(run, tmp_path, words):
    answers(0, per_item=4)[0].to_pandas().to_csv(tmp_path / "answers.csv", index=False)
    run("fit", "answers.csv", *words, "--second-map", "--out", "map", code=1)
    assert not (tmp_path / "map").exists()


def test_answers_that_have_no_second_map_are_refused_before_the_fit(run, tmp_path):
    quadruplets = [f"{a},{b},{c},{d}" for a, b, c, d in permutations(range(6), 4)]
    (tmp_path / "answers.csv").write_text("\n".join(["a,b,c,d", *quadruplets]))
    told = run("fit", "answers.csv", "--second-map", "--out", "map", code=1)
    assert "--second-map" in told.output
    assert not (tmp_path / "map").exists()


def test_features_have_no_second_map(run, tmp_path):
    asked = answers(0)[0]
    asked.to_pandas().to_csv(tmp_path / "answers.csv", index=False)
    rows = [f"{name},{row},{row % 3}" for row, name in enumerate(asked.items.names)]
    (tmp_path / "features.csv").write_text("\n".join(["item,x,y", *rows]))
    told = run("fit", "answers.csv", "--features", "features.csv", "--second-map", code=1)
    assert "--features" in told.output
