"""The programs on models of studies, made small."""

import numpy as np

from scripts import scripts


def test_the_program_makes_its_table():
    with scripts("papers/calibration", "one_story") as modules:
        story = modules.one_story
        row = {"same model": True, "difference": 0.01}
        story.look = lambda seed: row
        table = story.table(2, 1)
    assert list(table["what"]) == list(row)
    assert np.all(table["worlds"] == 2)


def test_a_study_that_chooses_is_never_far_behind_one_that_knows():
    with scripts("papers/calibration", "models") as modules:
        found = modules.models.table(3, 1, sizes=(400,)).set_index(["condition", "what"])["found"]
    for kind in ("softmax", "student", "relative"):
        excess = {
            study: float(found[f"400 answers, {kind} people, {study}", "log loss above the least"])
            for study in ("auto", "right")
        }
        assert excess["auto"] < excess["right"] + 0.06
