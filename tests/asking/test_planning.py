"""Planning: worlds with the agreement asked for, studies run in them, what a target needs."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.asking import StudyPlan, planning
from resemblance.asking.planning import WIDER
from resemblance.errors import SettingError

QUICK = {  # no penalty is chosen, which takes most of the time
    "strategies": rs.RandomQuestions(),
    "start_per_head": 4,
    "model": rs.TSTE(2, penalty=0.1, random_state=0),
}


@pytest.mark.parametrize(("agreement", "lapse", "dims"), [(0.6, 0.1, 2), (0.8, 0.0, 3)])
def test_two_people_of_a_guessed_world_agree_as_asked(agreement, lapse, dims):
    found = []
    for seed in range(10):
        person = rs.PriorSimulation(40, dims, agreement, lapse).draw(seed)
        rng = np.random.default_rng(seed)
        p = person.probability(np.array([rng.choice(40, 3, replace=False) for _ in range(2000)]))
        found.append(np.mean(p**2 + (1 - p) ** 2))
    assert np.mean(found) == pytest.approx(agreement, abs=0.02)


def test_what_is_not_given_differs_from_world_to_world():
    people = [rs.PriorSimulation(20).draw(seed) for seed in range(12)]
    lapses = [person.lapse for person in people]
    assert 0 <= min(lapses) < max(lapses) <= 0.1
    rng = np.random.default_rng(0)
    rows = np.array([rng.choice(20, 3, replace=False) for _ in range(2000)])
    p = np.array([person.probability(rows) for person in people])
    agreed = (p**2 + (1 - p) ** 2).mean(axis=1)
    assert np.ptp(agreed) > 0.1


@pytest.mark.server  # joblib starts the second process
def test_one_seed_gives_one_plan_on_one_process_or_two():
    worlds = rs.PriorSimulation(6)
    plans = [rs.plan_study(worlds, budget=90, n_worlds=2, n_jobs=jobs, **QUICK) for jobs in (1, 2)]
    np.testing.assert_array_equal(plans[0].errors, plans[1].errors)


def test_more_answers_err_less_and_never_less_than_the_truth(monkeypatch):
    """By .130 in 30 plans of 3 worlds, with a standard deviation of .035; in 5 worlds of .027."""
    tried, fit = [], planning.quiet_fit
    monkeypatch.setattr(
        planning,
        "quiet_fit",
        lambda model, told, **how: tried.append(len(told)) or fit(model, told, **how),
    )
    worlds = rs.PriorSimulation(8, agreement=0.7)
    plan = rs.plan_study(worlds, budget=500, n_worlds=5, refit_every=150, **QUICK)
    assert tried == [*plan.answers] * 5  # a map is of all answers so far, whenever a session fits
    assert (plan.errors >= plan.ceiling[:, None] - 1e-12).all()
    assert plan.errors[:, -1].mean() < plan.errors[:, 0].mean()


def test_the_callback_hears_of_each_world():
    ticks = []
    rs.plan_study(
        rs.PriorSimulation(5),
        budget=60,
        n_worlds=3,
        callback=lambda *at: ticks.append(at),
        **QUICK,
    )
    assert ticks == [(1, 3), (2, 3), (3, 3)]


def test_rankings_can_be_planned():
    """In 16 pairs of plans of 3 worlds they err less by .035, standard deviation .020."""
    settings = {"n_options": 4, "budget": 60, "n_worlds": 6, **QUICK}
    ranking, choosing = (
        rs.plan_study(rs.PriorSimulation(8), picks=picks, **settings) for picks in (3, 1)
    )
    assert ranking.errors[:, -1].mean() < choosing.errors[:, -1].mean()


def test_where_a_falling_curve_meets_the_target():
    errors = np.array([[0.4, 0.3, 0.2], [0.4, 0.4, 0.35], [0.2, 0.2, 0.1], [0.4, 0.2, 0.3]])
    plan = StudyPlan(np.array([100, 200, 400]), errors, np.zeros(4), 0.25)
    needed = plan.needed
    assert needed[0] == pytest.approx(np.sqrt(200 * 400))
    assert needed[1] == np.inf
    assert needed[2] == 100
    assert 100 < needed[3] <= 200  # a rise after the fall is chance: the curve is made to fall
    assert plan.needed_band()[1:] == (100, np.inf)


def test_after_a_pilot_the_band_is_wider_than_that_of_its_worlds():
    answers = rs.PriorSimulation(6).draw(0).answer(np.array([[0, 1, 2], [3, 4, 5], [1, 5, 3]] * 30))
    pilot = rs.PosteriorSimulation(rs.fitting.space_posterior(answers))
    settings = {"budget": 90, "n_worlds": 3, "target": 0.49, **QUICK}
    guessed, learned = (rs.plan_study(w, **settings) for w in (rs.PriorSimulation(6), pilot))
    for plan, wider in ((guessed, 1.0), (learned, WIDER)):
        needed = np.sort(plan.needed)
        middle, low, high = plan.needed_band()
        assert middle == needed[1]
        assert (low, high) == pytest.approx((needed[0] / wider, needed[2] * wider))


def test_a_target_above_the_ceiling_is_that_of_each_world():
    errors, ceiling = np.array([[0.4, 0.3], [0.4, 0.3]]), np.array([0.25, 0.35])
    needed = StudyPlan(np.array([100, 400]), errors, ceiling, above=0.1).needed
    np.testing.assert_allclose(needed, [200, 100])


def test_effort_counts_gold_and_pay():
    took = rs.asking.study_cost(800, seconds=4.5, pay=10, gold=0.2)
    assert (took.trials, took.hours, took.cost) == (1000, 1.25, 12.5)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rs.PriorSimulation(2), "three items"),
        (lambda: rs.PriorSimulation(9, agreement=0.5), "above 0.5"),
        (lambda: rs.PriorSimulation(9, agreement=0.95, lapse=0.2), "lapse of 0.2"),
        (lambda: rs.PriorSimulation(9, agreement=(0.8, 0.7)), "agreement is"),
        (lambda: rs.plan_study(rs.PriorSimulation(9), target=0.6), "target is 0.6"),
        (lambda: rs.plan_study(rs.PriorSimulation(9), target=0.3, above=0.1), "alternatives"),
        (lambda: rs.plan_study(rs.PriorSimulation(9), above=-0.1), "above is -0.1"),
        (lambda: rs.plan_study(rs.PriorSimulation(9), budget=80), "before the random start"),
        (lambda: rs.plan_study(rs.PriorSimulation(9), n_worlds=0), "n_worlds"),
        (lambda: rs.asking.study_cost(10, gold=1.0), "gold is 1.0"),
        (lambda: rs.asking.study_cost(np.inf), "not reach its target"),
        (lambda: rs.asking.study_cost(10, seconds=-1), "seconds is -1"),
        (lambda: StudyPlan(np.ones(1), np.ones((1, 1)), np.ones(1)).needed, "no target"),
    ],
)
def test_bad_settings_are_refused(call, words):
    with pytest.raises(SettingError, match=words):
        call()
