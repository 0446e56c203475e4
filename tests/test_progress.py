"""Long work reports its progress to the last step, with the same result."""

from itertools import pairwise

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import NotConvergedWarning

POINTS = np.random.default_rng(0).normal(size=(8, 2))
ITEMS = rs.Items(features=POINTS)
ASKED = np.array([np.random.default_rng(s).choice(8, 3, replace=False) for s in range(60)])
ANSWERS = rs.Triplets(rs.SpaceObserver(POINTS, random_state=0).answer(ASKED).index, items=ITEMS)
PAIRS = np.array([[a, b] for a in range(8) for b in range(a)])
DISTANCES = np.linalg.norm(POINTS[PAIRS[:, 0]] - POINTS[PAIRS[:, 1]], axis=1)
SIMILAR = rs.SimilarPairs(PAIRS, similar=np.median(DISTANCES) > DISTANCES, items=ITEMS)
RANKS = rs.PairRanks(PAIRS, ranks=DISTANCES.argsort().argsort() + 1)


def people():
    model = rs.rdm(POINTS)
    noise = np.random.default_rng(0).normal(0, 0.3, (3, len(DISTANCES)))
    return rs.RDMs(model.dissimilarities + noise), model


def compared(callback, **settings):
    settings = {"n_resamples": 100, "random_state": 0} | settings
    found = rs.compare_rdms(*people(), callback=callback, **settings)
    return *found.table["standard_error"], *found.ceiling[:2]


def of_people(callback):
    return compared(callback, over="people", method="kendall tau-a")


def ceiling(callback):
    return rs.rdm_noise_ceiling(people()[0], callback=callback)[:2]


def posterior(callback):
    person = rs.SpaceObserver(np.random.default_rng(0).normal(size=(5, 1)), random_state=0)
    answers = person.answer([[0, 1, 2], [1, 2, 3], [2, 3, 4], [4, 0, 1]] * 10)
    return rs.fitting.space_posterior(answers, 1, callback=callback).points


def templates(callback):
    noise = np.random.default_rng(0).normal(size=(60, 3))
    trials = rs.Classifications(noise, noise[:, 0] > 0)
    model = rs.DecisionTemplates(2, smoothness=0, penalty=1.0).fit(trials)
    return rs.template_uncertainty(
        model, trials, n_resamples=5, random_state=0, callback=callback
    ).standard_error


def templates_found(callback):
    noise = np.random.default_rng(0).normal(size=(60, 3))
    trials = rs.Classifications(noise, noise[:, 0] > 0)
    return rs.DecisionTemplates(cv=2, callback=callback).fit(trials).templates_


def explained(callback, ceiling=0.95):
    found = rs.explained(rs.ModelObserver(POINTS, "euclidean"), ANSWERS, ceiling, callback=callback)
    return found.log_loss, found.temperature, found.lapse


def explained_without_ceiling(callback):
    return explained(callback, None)


def cleaned(callback, **settings):
    turned = ANSWERS.index.copy()
    turned[::3, 1:] = turned[::3, :0:-1]
    return rs.clean(turned, random_state=0, callback=callback, **settings)[1].kept


def cleaned_and_reduced(callback):
    return cleaned(callback, method="heaviest", reduce=True)


def again(callback):
    model = rs.SPoSE(3, penalty=1.0, random_state=0).fit(ANSWERS)
    seen = rs.reproducibility(model, ANSWERS, n_seeds=2, random_state=0, callback=callback)
    return seen.seeds


def loadings(callback):
    model = rs.SPoSE(3, penalty=1.0, random_state=0).fit(ANSWERS)
    return rs.loading_spread(model, ANSWERS, n_refits=10, random_state=0, callback=callback).lowest


LONG = compared, of_people, ceiling, posterior, templates, explained, explained_without_ceiling
LONG += templates_found, cleaned, cleaned_and_reduced, again, loadings


@pytest.mark.parametrize("long", LONG)
def test_steps_are_told_to_the_last_and_change_nothing(long):
    told = []
    found = long(lambda *at: told.append(at))
    steps, in_all = zip(*told, strict=True)
    assert steps == tuple(range(1, in_all[-1] + 1))
    assert len(steps) > 1
    assert all(n <= more for n, more in pairwise(in_all))
    assert np.array_equal(found, long(None))


FITS = {
    "NonmetricMDS": (rs.NonmetricMDS(2, n_init=2, random_state=0), RANKS),
    "SchultzJoachims": (rs.SchultzJoachims(2), ANSWERS),
    "MMC": (rs.MMC(2), SIMILAR),
    "MMC diagonal": (rs.MMC(2, kernel=None, diagonal=True), SIMILAR),
    "KPSDE": (rs.KPSDE(2, penalty=1.0), SIMILAR),
    "POE": (rs.POE(2), ANSWERS),
    "MKPOE": (rs.MKPOE(2), ANSWERS),
}


@pytest.mark.parametrize("name", FITS)
def test_fits_tell_their_iterations_and_stop_when_told_to(name):
    model, judged = FITS[name]
    silent = model.fit(judged).embedding_
    told = []
    model.set_params(callback=lambda now: told.append((now.restart, now.iteration)))
    assert np.array_equal(model.fit(judged).embedding_, silent)
    assert len(told) > 1
    assert told == sorted(set(told))
    assert model.n_iter_ in {iteration for _, iteration in told}
    if told[-1][0] == 0:
        assert told[-1][1] == model.n_iter_
    model.set_params(callback=lambda now: now.iteration == 2)
    with pytest.warns(NotConvergedWarning):
        model.fit(judged)
    assert (model.n_iter_, model.converged_) == (2, False)
    assert np.isfinite(model.embedding_).all()
