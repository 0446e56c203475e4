"""The weight of a machine's answers."""

import numpy as np
import pytest

import resemblance as rs
from beside_people import N, answers, world
from resemblance.errors import SettingError
from resemblance.fitting.machine_weight import WEIGHTS, choose_weight

MODEL = rs.STE(2, penalty=0.3, random_state=0)


def test_answers_that_predict_people_get_a_weight():
    _, people, machine = world()
    heard = []
    chosen = choose_weight(MODEL, people, machine, callback=lambda *done: heard.append(done))
    assert chosen.weight in WEIGHTS
    assert chosen.gain > 0
    assert chosen.log_losses[chosen.weight].mean() < chosen.log_losses[0.0].mean()
    np.testing.assert_allclose(chosen.weighted.weights, chosen.weight)
    assert heard[-1] == (1 + len(WEIGHTS), 1 + len(WEIGHTS))


@pytest.mark.parametrize("turned", [False, True], ids=["elsewhere", "the other answer"])
def test_answers_that_do_not_predict_people_get_none(turned):
    X, people, _ = world()
    seen = X if turned else np.random.default_rng(9).permutation(X)
    chosen = choose_weight(MODEL, people, answers(seen, 1200, 7, turned=turned))
    assert (chosen.weight, chosen.weighted) == (0.0, None)
    assert chosen.gain < 0
    assert set(chosen.log_losses) == {0.0, *WEIGHTS}


def test_a_given_penalty_is_kept():
    _, people, machine = world()
    assert choose_weight(MODEL, people, machine, walks=False).penalty == 0.3


def test_one_response_cannot_be_held_out():
    _, people, machine = world()
    one = rs.Triplets(people.index, N, response_id=np.zeros(len(people), dtype=int))
    with pytest.raises(SettingError) as refused:
        choose_weight(MODEL, one, machine)
    assert refused.value.setting == "machine"
