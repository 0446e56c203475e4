"""The desk and a fit of the export, in a few studies: papers/calibration made small."""

import numpy as np
import pytest

from scripts import scripts


@pytest.fixture(scope="module", params=[0, 1, 5])
def found(request):
    with scripts("papers/calibration", "one_story") as modules:
        return modules.one_story.look(request.param, answers=500)


def test_desk_and_fit_tell_one_error(found):
    assert found["desk in the fit's interval"]
    assert found["fit in the desk's interval"]
    assert found["difference"] < found["desk's width"] / 2


def test_both_fit_one_model_unless_hardly_any_differ(found):
    # t-STE and CKL are nearly one model; half the answers may tell it from the other's twin
    assert found["same model"] or found["difference"] < 0.02


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
