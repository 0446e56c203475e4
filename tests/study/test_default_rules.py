"""The rules that a new study has: whom they flag by chance, and that each of them can act."""

import numpy as np
import pytest

from resemblance.study.kinds import KINDS
from resemblance.study.kinds.base import Material
from resemblance.study.quality import idle_rules
from resemblance.study.sections import Rule
from resemblance.study.settings import About, Settings
from resemblance.study.settings_file import RULES, SIDE_RULE

PEOPLE = 20_000
GOLD, SIDE = Rule(**RULES[0]), Rule(**SIDE_RULE)


def settings(*rules, kind="triplet", **tasks):
    given = {
        "study": About(name="dots", kind=kind),
        "tasks": tasks,
        "quality": {"rules": list(rules)},
    }
    return Settings.model_validate(given)


def shares(probability, n, seed=0):
    """Return the share of hits of many people after each of n answers."""
    hits = np.random.default_rng(seed).random((PEOPLE, n)) < probability
    return hits.cumsum(axis=1) / np.arange(1, n + 1)


def flagged(bad, rule):
    """Return how many people a rule flags at any time."""
    return bad[:, rule.needed - 1 :].any(axis=1).mean()


@pytest.mark.parametrize("n", [8, 20])
def test_the_gold_rule_flags_guessers_and_few_others(n):
    """Somebody of lapse l is right in 1 - l / 2 of gold questions of two options."""
    of = {lapse: flagged(shares(1 - lapse / 2, n) < GOLD.below, GOLD) for lapse in (0, 0.2, 0.4, 1)}
    assert of[0] == 0.0
    assert of[0.2] < 0.03
    assert of[0.4] < 0.15
    assert np.mean([of[0], of[0.2], of[0.4]]) < 0.05
    assert of[1] > 0.65


def test_the_side_rule_flags_who_stays_on_one_side_and_nobody_else():
    share = shares(0.5, 100)
    assert flagged(np.maximum(share, 1 - share) > SIDE.above, SIDE) < 0.004
    share = shares(0.6, 100)  # even somebody who leans to one side
    assert flagged(np.maximum(share, 1 - share) > SIDE.above, SIDE) < 0.03
    assert flagged(shares(0.97, 100) > SIDE.above, SIDE) > 0.99


@pytest.mark.parametrize("kind", KINDS)
def test_every_default_rule_can_act(kind):
    """But gold where there is none: match-to-sample has no gold but a researcher's."""
    gold = ({"head": "a", "right": "b", "wrong": ["c"]},)
    assert idle_rules(settings(*RULES, SIDE_RULE, kind=kind), Material("dots", (), 2, gold)) == []


def test_rules_that_wait_in_vain_are_found():
    late = {"measure": "gold", "below": 0.6, "after": 21}
    found = idle_rules(settings(late, RULES[0]), Material("dots", (), 2))
    assert [(rule.needed, most) for rule, most in found] == [(21, 20)]
    again = {"measure": "repeats", "below": 0.6}
    ((rule, most),) = idle_rules(settings(again), Material("dots", (), 2))
    assert (rule.needed, most) == (5, 0)
    assert idle_rules(settings(again, repeat_share=0.1), Material("dots", (), 2)) == []
