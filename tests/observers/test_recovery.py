"""Model recovery: identified if answers can tell, and not claimed otherwise."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import ResemblanceError, SettingError

N = 15
SPACE = 1.5 * np.random.default_rng(3).normal(size=(N, 4))


def seen(points, **settings):
    return rs.ModelObserver(points, "euclidean", **settings)


def models(apart):
    """The truth, and copies of it that were moved by so much."""
    rng = np.random.default_rng(4)
    moved = {f"moved {k}": SPACE + apart * rng.normal(size=SPACE.shape) for k in range(2)}
    return {name: seen(points) for name, points in {"truth": SPACE, **moved}.items()}


def answers(m, seed=0, observers=None, temperature=1.0):
    rng = np.random.default_rng(seed)
    asked = rng.permuted(np.tile(np.arange(N), (m, 1)), axis=1)[:, :3]
    person = seen(SPACE, temperature=temperature, lapse=0.05, random_state=seed)
    told = person.answer(rs.OddOneOuts(asked, asked[:, 0], N))
    if observers is None:
        return told
    who = np.arange(m) % observers
    return rs.OddOneOuts(told.index, told.index[:, 0], N, observer=who)


def test_models_that_differ_are_told_apart():
    found = rs.model_recovery(models(1.0), answers(500, observers=20), n_simulations=80)
    assert (found.best, found.verdict, found.rivals) == ("truth", "told", ())
    np.testing.assert_allclose(found.confusion.sum(axis=1), 1.0)
    assert found.confusion.diagonal().min() > 0.95
    assert found.to_pandas().index[0] == "truth"
    assert found.found_again[0] == 1.0


def test_models_that_say_the_same_are_not():
    twins = {"one": seen(SPACE), "other": seen(SPACE[:, ::-1])}
    found = rs.model_recovery(twins, answers(400), n_simulations=30)
    assert found.verdict == "not told"
    np.testing.assert_allclose(found.confusion, 0.5)
    np.testing.assert_array_equal(found.p_values, 1.0)
    assert found.rivals


def test_a_lead_is_as_rare_as_its_p_value_where_another_model_is_true():
    """7 or more of 20 below .05 are one in 10,000."""
    given = {name: one for name, one in models(0.2).items() if name != "moved 1"}
    p = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        asked = rng.permuted(np.tile(np.arange(N), (60, 1)), axis=1)[:, :3]
        person = seen(SPACE + 0.2 * np.random.default_rng(4).normal(size=SPACE.shape), lapse=0.05)
        told = person.answer(rs.OddOneOuts(asked, asked[:, 0], N))
        found = rs.model_recovery(given, told, n_simulations=40, n_resamples=10, random_state=seed)
        p.append(found.p_values[1] if found.best == "truth" else 1.0)
    assert sum(value < 0.05 for value in p) < 7
    assert min(p) < 0.4


def test_few_answers_cannot_tell():
    found = rs.model_recovery(models(0.3), answers(60), n_simulations=60)
    assert found.verdict == "not told"
    assert found.confusion.diagonal().max() < 0.95


def test_losses_are_about_those_of_explained():
    """Which finds the noise without a grid."""
    given, told = models(0.6), answers(300)
    found = rs.model_recovery(given, told, n_simulations=1, n_resamples=10)
    losses = [rs.explained(one, told, 1.0, n_resamples=10).log_loss for one in given.values()]
    np.testing.assert_allclose(found.log_losses, losses, atol=0.01)


def test_a_seed_gives_one_result_and_progress_is_told():
    steps = []
    settings = {"n_simulations": 5, "n_resamples": 50, "random_state": 2}
    one = rs.model_recovery(models(0.5), answers(90), **settings)
    other = rs.model_recovery(
        models(0.5), answers(90), **settings, callback=lambda *step: steps.append(step)
    )
    np.testing.assert_array_equal(one.confusion, other.confusion)
    assert steps[-1] == (15, 15)


def unfitted(d=2, **settings):
    return rs.STE(d, random_state=0, **settings)


def in_a_plane(m=300):
    rng = np.random.default_rng(0)
    person = rs.SpaceObserver(2 * rng.normal(size=(12, 2)), random_state=0)
    return person.answer(rs.Triplets([rng.choice(12, 3, replace=False) for _ in range(m)]))


def test_models_that_are_fitted_are_scored_on_answers_they_were_not_fitted_to():
    """Else many dimensions without a penalty would win; who is given is left as it is."""
    given = {"line": unfitted(1), "plane": unfitted(penalty="auto"), "any": unfitted(8)}
    found = rs.model_recovery(given, in_a_plane(600), n_simulations=3, cv=2)
    assert found.best == "plane"
    assert found.confusion[1, 1] > 0.5
    assert not any(hasattr(model, "embedding_") for model in given.values())


def test_a_model_that_is_fitted_beside_those_that_are_as_they_are():
    """What was fitted before is not fitted again; that it has seen the answers makes it better."""
    told = in_a_plane(200)
    given = {"anew": unfitted(penalty=0.3), "before": unfitted(penalty=0.3).fit(told)}
    given["chance"] = rs.observers.InattentiveObserver()
    found = rs.model_recovery(given, told, n_simulations=3, cv=3)
    assert list(found.to_pandas().index) == ["before", "anew", "chance"]
    assert found.log_losses[2] == pytest.approx(np.log(2))
    assert found.confusion[2, 2] > 0.3


def test_answers_that_cannot_be_drawn_are_refused_for_models_that_are_fitted():
    given = {"one": unfitted(penalty=0.3), "other": unfitted(penalty=1.0)}
    with pytest.raises(ResemblanceError):
        rs.model_recovery(given, rs.Quadruplets([[0, 1, 2, 3], [1, 2, 0, 3]]), n_simulations=1)


@pytest.mark.parametrize(
    ("given", "settings"),
    [({"one": seen(SPACE)}, {}), (models(1.0), {"n_simulations": 0}), (models(1.0), {"cv": 1})],
)
def test_what_cannot_be_compared_is_refused(given, settings):
    with pytest.raises(ResemblanceError):
        rs.model_recovery(given, answers(30), **settings)
    with pytest.raises(ResemblanceError):
        rs.model_recovery({"small": seen(SPACE[:3]), "all": seen(SPACE)}, answers(30))


def test_models_have_names():
    with pytest.raises(SettingError) as problem:
        rs.model_recovery([rs.STE(), rs.TSTE()], [[0, 1, 2]] * 9)
    assert problem.value.setting == "models"
