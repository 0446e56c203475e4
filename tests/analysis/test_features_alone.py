"""Features by themselves: a baseline of every fit with features, which no chosen fit is below."""

import time

import numpy as np
import pytest

import resemblance as rs
from resemblance.fitting import penalty
from resemblance.fitting.objective.objective import batches
from resemblance.saving import load, save


def seen(n_items=60, p=12, used=12, m=150, scale=0.8, seed=0, views=False):
    """Let people judge by distances between the first features, each weighing alike."""
    rng = np.random.default_rng(seed)
    units = np.exp(rng.normal(size=p))
    Z = rng.normal(size=(n_items, p))
    features = {"a": (Z * units)[:, :5], "b": (Z * units)[:, 5:]} if views else Z * units
    asked = np.array([rng.choice(n_items, 3, replace=False) for _ in range(m)])
    items = rs.Items(n_items, features) if views else rs.Items(features=features)
    person = rs.SpaceObserver(scale * Z[:, :used], random_state=seed)
    return person.answer(rs.Triplets(asked, items))


@pytest.mark.parametrize(("model", "views"), [("ste", True), ("auto", False)])
def test_what_features_predict_better_than_a_fit_is_kept(model, views, tmp_path):
    answers = seen(views=views)
    analysis = rs.analyse(answers, model, features=True, folds=5)
    assert analysis.model.n_components == 12
    assert analysis.held_out.error == pytest.approx(analysis.features_alone.error)
    assert analysis.held_out.interval[1] < 0.5
    assert analysis.held_out.log_loss < np.log(2)
    assert any("features" in warning for warning in analysis.warnings)
    assert analysis.as_dict()["next"]["code"] != "features_alone"
    again = load(save(analysis.model, tmp_path / "model"))
    assert again.score(answers) == pytest.approx(1 - analysis.features_alone.error)


def test_dimensions_that_were_asked_for_stay_and_the_advice_is_to_use_the_features():
    analysis = rs.analyse(seen(), "ste", dims=2, features=True, folds=5)
    assert analysis.model.n_components == 2
    assert analysis.features_alone.interval[1] < analysis.held_out.error
    assert analysis.as_dict()["next"]["code"] == "features_alone"


def test_a_fit_that_weighs_features_is_kept():
    """People look at one of twelve features: their map predicts better than all alike."""
    analysis = rs.analyse(seen(used=1, m=900, scale=1.5), "ste", features=True, folds=5)
    assert analysis.model.n_components == 2
    assert analysis.held_out.error < analysis.features_alone.error
    told = analysis.as_dict()["features_alone"]
    assert told["n_answers"] == 900
    assert told["interval"][0] < told["error"] < told["interval"][1]
    assert "features alone" in dict(analysis.lines())


def test_useless_features_are_told_and_not_taken():
    answers = seen(used=2, m=900, scale=1.5)
    noise = np.random.default_rng(9).normal(size=(60, 8))
    analysis = rs.analyse(
        rs.Triplets(answers.index, rs.Items(features=noise)), "ste", features=True
    )
    assert analysis.model.n_components == 2
    assert analysis.features_alone.error == pytest.approx(0.5, abs=0.06)


def test_maps_of_features_have_the_baseline_and_others_do_not():
    answers = seen()
    assert rs.analyse(answers, "poe", dims=2, folds=2).features_alone is not None
    assert rs.analyse(answers, "ste", folds=2).features_alone is None


def test_the_share_is_chosen_on_the_items_that_answers_mention(monkeypatch):
    """Others lie where features put them, in the units of all items."""
    answers = seen(n_items=30, p=3, used=3, m=200)
    kept = answers[(answers.index < 20).all(axis=1)]
    assert len(np.unique(kept.index)) == 20
    bound = rs.FeaturePrior(standardised=True).bound(kept.items.features, 0.0)
    (form,), part, data = penalty._of_mentioned([bound], kept, batches(kept))
    np.testing.assert_allclose(form.design, bound.design[:20])
    assert part.items.names == kept.items.names[:20]
    np.testing.assert_array_equal(part.index, kept.index)
    assert sum(map(len, data)) == len(kept)
    settings = {"form": rs.FeaturePrior(), "penalty": "auto", "random_state": 0}
    on_part = rs.STE(2, **settings).fit(kept)
    monkeypatch.setattr(penalty, "_of_mentioned", lambda *whole: whole)
    on_all = rs.STE(2, **settings).fit(kept)
    assert 0.4 < on_part.penalty_ / on_all.penalty_ < 2.5  # a step of the penalties that are tried
    assert rs.procrustes_distance(on_part.embedding_, on_all.embedding_) < 0.1


def test_the_search_for_the_share_ends_if_asked():
    told = []
    answers = seen(n_items=320, p=4, used=2, m=200)

    def listen(now):
        told.append(now.iteration)
        return len(told) >= 3

    model = rs.STE(2, form=rs.FeaturePrior(), penalty="auto", callback=listen, random_state=0)
    with pytest.warns(rs.errors.NotConvergedWarning):
        model.fit(answers)
    assert told
    assert np.isfinite(model.embedding_).all()


def test_many_pictures_and_three_hundred_answers_take_seconds():
    answers = seen(n_items=1000, p=53, used=3, m=300)
    form = rs.FeaturePrior(map="auto", standardised=True)
    start = time.process_time()
    model = rs.STE(2, form=form, penalty="auto", random_state=0).fit(answers)
    assert time.process_time() - start < 20  # of 2,000 it was 300
    assert model.embedding_.shape == (1000, 2)
