"""The posterior of a space: lapses and spread are learned, and the truth lies within it."""

import numpy as np
import pytest
from scipy.special import expit

import resemblance as rs
from resemblance.errors import SettingError
from resemblance.fitting import PositionUncertainty, space_posterior


def answers(lapse, seed, m=800, n=12):
    rng = np.random.default_rng(seed)
    X = 1.2 * rng.normal(size=(n, 2))
    person = rs.SpaceObserver(X, lapse=lapse, random_state=seed)
    return X, person.answer(asked(rng, m, n))


def asked(rng, m, n=12):
    return np.argsort(rng.random((m, n)), axis=1)[:, :3]


@pytest.fixture(scope="module")
def learned():
    return {lapse: [space_posterior(answers(lapse, s)[1]) for s in range(2)] for lapse in (0, 0.2)}


@pytest.mark.long
def test_lapses_are_told_from_noise(learned):
    few, many = (np.mean([p.lapse for p in learned[lapse]]) for lapse in (0, 0.2))
    assert few < 0.06
    assert 0.12 < many < 0.28


def test_the_error_of_the_truth_is_that_of_the_spaces_drawn(learned):
    """In 32 worlds they differ by -.003, with a standard deviation of .014; these are two."""
    rng = np.random.default_rng(0)
    tests = asked(rng, 2000)
    for lapse, posteriors in learned.items():
        differences = []
        for seed, posterior in enumerate(posteriors):
            p = rs.SpaceObserver(answers(lapse, seed)[0], lapse=lapse).probability(tests)
            drawn = [
                rs.PosteriorSimulation(posterior).draw(s).probability(tests) for s in range(20)
            ]
            floors = [np.minimum(q, 1 - q).mean() for q in drawn]
            differences.append(np.mean(floors) - np.minimum(p, 1 - p).mean())
        assert abs(np.mean(differences)) < 0.04


def test_evidence_and_covariance_are_those_of_the_formula(learned):
    """With the covariance made anew from the answers, 1 / s^2 its precision before any."""
    told, posterior = answers(0.2, 0)[1], learned[0.2][0]
    for part in posterior.parts[:3]:
        X, lapse, precision = part.points, part.noise.lapse, 2 * part.penalty
        near, far = (((X[told.index[:, 0]] - X[told.index[:, k]]) ** 2).sum(axis=1) for k in (1, 2))
        p = (1 - lapse) * expit(far - near) + lapse / 2
        sure = PositionUncertainty(
            X, part.choice, told.comparisons(), noise=rs.fitting.Noise(lapse=lapse), prior=precision
        )
        before = 0.5 * np.log(lapse) + 19 * np.log1p(-lapse) - 0.5 * precision * (X**2).sum()
        before += 0.5 * X.size * np.log(precision) + 0.5 * np.linalg.slogdet(sure.covariance)[1]
        assert part.log_evidence == pytest.approx(np.log(p).sum() + before)
    rng = np.random.default_rng(0)
    steps = np.array([part.sample(rng) - X for _ in range(4000)]).reshape(4000, -1)
    np.testing.assert_allclose(steps.std(axis=0), np.sqrt(np.diag(sure.covariance)), rtol=0.08)
    lapses = [one.noise.lapse for one in posterior.parts]
    assert len(lapses) > 1
    assert posterior.lapse == pytest.approx(posterior.weight @ lapses)


def test_evidence_finds_the_dimension_of_a_line():
    rng = np.random.default_rng(3)
    person = rs.SpaceObserver(2.0 * rng.normal(size=(10, 1)), random_state=3)
    told = person.answer(asked(rng, 400, 10))
    assert space_posterior(told, n_components=None).points.shape[1] == 1


def test_draws_have_the_covariance():
    X = np.random.default_rng(0).normal(size=(5, 2))
    asked = rs.Triplets([[0, 1, 2], [3, 4, 0], [1, 2, 3]]).comparisons()
    for limit in (100, 1):
        belief = PositionUncertainty(X, rs.choice.Softmax(), asked, max_parameters=limit)
        R, S = belief.root(), belief.covariance
        dense = [m.toarray() if hasattr(m, "toarray") else m for m in (R, S)]
        np.testing.assert_allclose(dense[0] @ dense[0].T, dense[1], atol=1e-10)
        assert belief.log_determinant() == pytest.approx(np.linalg.slogdet(dense[1])[1])


def test_what_has_no_likelihood_is_refused():
    with pytest.raises(SettingError, match="no probability"):
        space_posterior(answers(0, 0, m=20)[1], choices=[rs.choice.Hinge()])
    for choices in ([], rs.choice.Softmax()):
        with pytest.raises(SettingError, match="choices"):
            space_posterior(answers(0, 0, m=20)[1], choices=choices)
    with pytest.raises(SettingError, match="1 answers"):
        space_posterior(answers(0, 0, m=20)[1][:1])
