"""The evidence of a share of features, against an integral over a grid and in known worlds."""

from itertools import product

import numpy as np
import pytest
from scipy.special import expit, logsumexp

import resemblance as rs
from resemblance.fitting.choosing.evidence import ShareEvidence, can_be_had

QUESTIONS = np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1]])
FEATURES = np.array([[0.0], [1.0], [3.0]])


def integral(answers, form, share, penalty):
    """Return the log evidence of positions on a line, by the sum over a grid."""
    Phi = form.design
    K = share * Phi @ Phi.T + (1 - share) * np.eye(3)
    precision = 2 * penalty * np.linalg.inv(K)
    axis, step = np.linspace(-8, 8, 65, retstep=True)
    X = np.array(list(product(axis, repeat=3)))
    density = 0.5 * np.linalg.slogdet(precision / (2 * np.pi))[1]
    log_p = density - 0.5 * np.einsum("si,ij,sj->s", X, precision, X)
    rows, counts = np.unique(answers.index, axis=0, return_counts=True)
    for (head, near, far), count in zip(rows, counts, strict=True):
        a, b = (X[:, head] - X[:, near]) ** 2, (X[:, head] - X[:, far]) ** 2
        log_p -= count * np.logaddexp(0.0, a - b)
    return logsumexp(log_p) + 3 * np.log(step)


def test_it_is_the_integral_over_all_positions():
    items = rs.Items(["a", "b", "c"], features=FEATURES)
    person = rs.SpaceObserver(0.9 * FEATURES, random_state=0)
    answers = rs.Triplets(
        person.answer(rs.Triplets(np.repeat(QUESTIONS, 30, axis=0), 3)).index, items
    )
    form, penalty = rs.FeaturePrior().bound(FEATURES, 0.0), 0.3
    model = rs.STE(1, form=form, penalty=penalty, random_state=0)
    evidence = ShareEvidence(model, form, answers, penalty, moves=False)
    mirrored = np.log(2.0)  # the other half of the positions
    for odds, fit in evidence.fits.items():
        exact = integral(answers, form, float(expit(odds)), penalty)
        # of 8 seeds it was .36 away at most
        assert fit.log_evidence + mirrored == pytest.approx(exact, abs=0.7)


@pytest.mark.parametrize("kind", ["triplets", "choices", "odd ones out"])
def test_all_draws_at_once_are_as_likely_as_one_by_one(kind):
    rng = np.random.default_rng(0)
    rows = np.argsort(rng.random((40, 6)), axis=1)
    items = rs.Items(features=rng.normal(size=(6, 2)))
    if kind == "choices":  # of two or three options
        third = np.where(rows[:, 5] % 2, rows[:, 3], -1)
        told = rs.Choices(rows[:, 0], np.column_stack([rows[:, 1:3], third]), rows[:, 1], items)
    elif kind == "triplets":
        told = rs.Triplets(rows[:, :3], items)
    else:
        told = rs.OddOneOuts(rows[:, :4], rows[:, 0], items)
    form = rs.FeaturePrior().bound(items.features, 0.0)
    model = rs.STE(2, form=form, penalty=0.3, random_state=0).fit(told)
    evidence = ShareEvidence(model, form, told, 0.3, moves=False)
    drawn = rng.normal(size=(48, 6, 2))
    at_once = evidence._log_likelihoods(model, drawn)
    evidence.repeated = None
    np.testing.assert_array_equal(at_once, evidence._log_likelihoods(model, drawn))


def interval(share, seed):
    rng = np.random.default_rng([5, seed])
    features = rng.normal(size=(30, 5))
    mapped = features @ rng.normal(size=(5, 2)) / np.sqrt(5)
    X = 1.3 * (np.sqrt(share) * mapped + np.sqrt(1 - share) * rng.normal(size=(30, 2)))
    rows = rng.permuted(np.tile(np.arange(30), (500, 1)), axis=1)[:, :3]
    index = rs.SpaceObserver(X, random_state=seed).answer(rs.Triplets(rows, 30)).index
    answers = rs.Triplets(index, rs.Items([f"i{k}" for k in range(30)], features=features))
    form = rs.STE(2, form=rs.FeaturePrior(), penalty="auto", random_state=0).fit(answers).form_
    return form.interval


def test_the_share_is_found():
    """Of 10 worlds each, useless features were told to explain .36 at most, others .82 at least."""
    (none, few), (most, all_) = (interval(share, 0) for share in (0.0, 0.97))
    assert none == 0.0
    assert few < 0.6 < most < all_


def test_of_many_coordinates_answers_held_out_choose():
    assert can_be_had(rs.STE(2), rs.Triplets([[0, 1, 2]], 300))
    assert not can_be_had(rs.STE(3), rs.Triplets([[0, 1, 2]], 300))
