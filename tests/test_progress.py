"""What takes long says how far it is: (steps done, steps in all), to the last."""

import numpy as np
import pytest

import resemblance as rs


def compared(callback):
    rng = np.random.default_rng(0)
    model = rs.rdm(rng.normal(size=(6, 2)))
    people = rs.RDMs(model.dissimilarities + rng.normal(0, 0.3, (3, 15)))
    found = rs.compare_rdms(people, model, n_resamples=100, random_state=0, callback=callback)
    return found.table["standard_error"].to_numpy()


def posterior(callback):
    person = rs.SpaceObserver(np.random.default_rng(0).normal(size=(5, 1)), random_state=0)
    answers = person.answer([[0, 1, 2], [1, 2, 3], [2, 3, 4], [4, 0, 1]] * 10)
    return rs.space_posterior(answers, 1, callback=callback).points


def templates(callback):
    noise = np.random.default_rng(0).normal(size=(60, 3))
    trials = rs.Classifications(noise, noise[:, 0] > 0)
    model = rs.DecisionTemplates(2, smoothness=0, penalty=1.0).fit(trials)
    return rs.template_uncertainty(
        model, trials, n_resamples=5, random_state=0, callback=callback
    ).standard_error


@pytest.mark.parametrize("long", [compared, posterior, templates])
def test_progress_is_told_to_the_last_step_and_changes_nothing(long):
    told = []
    found = long(lambda done, n: told.append((done, n)))
    n = told[-1][1]
    assert told == [(step, n) for step in range(1, n + 1)]
    assert n > 4
    assert np.array_equal(found, long(None))
