"""The program that counts how plans hold, on one small world."""

import numpy as np
import pytest

from scripts import scripts


@pytest.fixture(scope="module")
def plans():
    with scripts("papers/calibration", "plans") as modules:
        found = modules.plans.table(1, per_item=20, n_simulated=3, n_studies=2)
        yield modules.plans, found


def test_a_world_is_planned_for_both_goals(plans):
    module, found = plans
    assert list(found["goal"]) == ["above", "target"]
    assert found["came"].nunique() == 1  # the target is what is above the ceiling of this world
    assert ((found["low"] <= found["foretold"]) & (found["foretold"] <= found["high"])).all()
    told = module.summary(found)
    assert 0 <= told["inside"] <= 1
    assert 0 <= told["within 30 %"] <= 1


def test_the_ceiling_of_a_pilot_is_near_that_of_the_world(plans):
    _, found = plans
    np.testing.assert_allclose(found["ceiling foretold"], found["ceiling"], atol=0.15)
