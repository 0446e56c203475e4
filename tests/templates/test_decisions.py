"""Templates by likelihood."""

import numpy as np
import pytest
from sklearn.base import clone

import resemblance as rs
from resemblance.errors import (
    ConstantFeatureWarning,
    JudgmentError,
    NotConvergedWarning,
    SettingError,
)
from resemblance.observers import run_staircase
from resemblance.stimuli import FourSquares

TASK = FourSquares(4)
OWN = {"exemplar": 4, "prototype": 2, "linear": 2}


@pytest.fixture(scope="module", params=OWN)
def study(request):
    person = rs.TemplateObserver(
        TASK.signals, TASK.labels, request.param, noise=0.5, lapse=0.02, random_state=0
    )
    trials = run_staircase(person, TASK, rs.Staircase(0.8, [0.2, 0.05]), 1500, random_state=0)
    return request.param, person, trials, rs.DecisionTemplates().fit(trials)


def alike(model, person):
    """Give the correlation of each template with the person's own that is most like it."""
    own = person.templates.copy()
    own[~own.any(axis=1)] = -own[0]  # the other side of a linear observer's difference
    r = np.corrcoef(model.templates_, own)[: len(model.templates_), len(model.templates_) :]
    return r.max(axis=1)


def test_there_are_as_many_templates_as_the_observer_has(study):
    kind, _, _, model = study
    assert model.n_templates_ == len(model.templates_) == len(model.labels_) == OWN[kind]
    assert np.unique(model.labels_, return_counts=True)[1].tolist() == [OWN[kind] // 2] * 2


def test_they_are_the_observers(study):
    _, person, _, model = study
    assert alike(model, person).min() > 0.85


def test_the_strategy_is_told(study):
    kind, _, _, model = study
    found = model.strategy_comparison()
    assert found.verdict == ("exemplar" if kind == "exemplar" else "prototype")
    low, high = found.interval
    assert low <= found.difference <= high
    assert found.exemplar - found.prototype == pytest.approx(found.difference)


def test_probabilities_are_near_the_observers(study):
    _, person, trials, model = study
    images = TASK.draw(np.arange(400) % 4, trials.extra["contrast"][-400:], random_state=5)
    ours, truth = model.predict_proba(images), person.probabilities(images)
    np.testing.assert_allclose(ours.sum(axis=1), 1.0)
    assert np.abs(ours - truth).mean() < 0.1


def test_numbers_agree_with_each_other(study):
    _, _, trials, model = study
    p = model.predict_proba(trials)
    said = p[np.arange(len(trials)), trials.codes]
    np.testing.assert_allclose(model.log_likelihood(trials), np.log(said))
    assert model.score(trials) == pytest.approx(np.mean(p.argmax(axis=1) == trials.codes))
    share = np.exp(model.matches(trials))
    share /= share.sum(axis=1, keepdims=True)
    own = model.labels_ == model.classes_[0]
    expected = (1 - model.lapse_) * share[:, own].sum(axis=1) + model.lapse_ / 2
    np.testing.assert_allclose(p[:, 0], expected)
    np.testing.assert_allclose(model.templates_.sum(axis=0), 0.0, atol=0.02)


def test_held_out_answers_are_less_likely_than_fitted_ones(study):
    _, _, trials, model = study
    held = model.held_out_[:, model.n_templates_ - 2].mean()
    assert model.log_likelihood(trials).mean() > held > np.log(0.5)


def test_averages_over_regions_show_where_each_template_is():
    person = rs.TemplateObserver(TASK.signals, TASK.labels, random_state=0)
    trials = run_staircase(person, TASK, rs.Staircase(0.8, [0.2, 0.05]), 800, random_state=0)
    model = rs.DecisionTemplates(4, regions=TASK.regions, smoothness=30.0, penalty=3.0).fit(trials)
    means = model.region_averages()
    assert sorted(means.argmax(axis=1)) == [0, 1, 2, 3]
    places = TASK.labels[means.argmax(axis=1)]
    np.testing.assert_array_equal(places, model.labels_)
    np.testing.assert_allclose(means, model.region_averages(TASK.regions))
    with pytest.raises(SettingError, match="nothing was held out"):
        model.strategy_comparison()
    with pytest.raises(SettingError, match="no regions are set"):
        clone(model).set_params(regions=None).fit(trials).region_averages()


def small(n=300, seed=0, d=6, classes=2):
    rng = np.random.default_rng(seed)
    images = rng.normal(size=(n, d))
    return images, (images[:, :classes] + rng.normal(size=(n, classes))).argmax(axis=1)


def settings(**other):
    return {"n_templates": 2, "smoothness": 0.0, "penalty": 1.0} | other


def test_units_of_the_pixels_do_not_matter():
    images, said = small()
    one = rs.DecisionTemplates(**settings()).fit(images, said)
    other = rs.DecisionTemplates(**settings()).fit(50 * images + 7, said)
    np.testing.assert_allclose(other.templates_ * 50, one.templates_, atol=1e-3)
    np.testing.assert_allclose(
        other.predict_proba(50 * images + 7), one.predict_proba(images), atol=1e-3
    )


def test_order_of_trials_and_names_of_classes_do_not_matter():
    images, said = small()
    one = rs.DecisionTemplates(**settings()).fit(images, said)
    other = rs.DecisionTemplates(**settings()).fit(images[::-1], np.array(["b", "c"])[said[::-1]])
    np.testing.assert_allclose(other.templates_, one.templates_, atol=1e-3)
    assert other.labels_.tolist() == ["b", "c"]


def test_three_classes_and_one_seed():
    images, said = small(600, classes=3)
    model = rs.DecisionTemplates(smoothness=0.0, penalty=10.0, max_templates=4, cv=3)
    model.fit(images, said)
    assert model.labels_.tolist() == [0, 1, 2]
    assert (model.templates_[:, :3].argmax(axis=1) == [0, 1, 2]).all()
    np.testing.assert_array_equal(clone(model).fit(images, said).templates_, model.templates_)


def test_an_answer_that_the_fit_has_not_seen_is_named():
    images, said = small()
    model = rs.DecisionTemplates(**settings()).fit(images, said)
    with pytest.raises(JudgmentError, match="the answer 2 is not in the fit, which has 0, 1"):
        model.log_likelihood(images, np.where(said == 1, 2, said))
    trials = rs.Classifications(images, np.where(np.arange(300) < 9, 2, said))
    np.testing.assert_array_equal(  # none of these has the strange answer
        model.log_likelihood(trials[9:]), model.log_likelihood(images, said)[9:]
    )


@pytest.mark.long
def test_few_trials_of_an_exemplar_observer_do_not_make_a_prototype():
    """Hardly ever: by the intervals alone, most of these observers would be called prototypes."""
    unseen, wrong = [], 0
    for seed in range(6):
        person = rs.TemplateObserver(TASK.signals, TASK.labels, noise=0.5, random_state=seed)
        rule = rs.Staircase(0.8, [0.2, 0.05])
        trials = run_staircase(person, TASK, rule, 60, random_state=seed)
        model = rs.DecisionTemplates().fit(trials)
        found = model.strategy_comparison()
        assert found.kept == model.kept_
        wrong += found.verdict == "prototype"
        if found.interval[1] < found.margin and found.kept < 0.75:
            unseen.append(found)
    assert wrong <= 1
    assert len(unseen) >= 2
    assert {found.verdict for found in unseen} == {"undecided"}
    assert all(found.n_needed > found.n_trials for found in unseen)


def test_smooth_and_few_components_need_fewer_trials():
    person = rs.TemplateObserver(TASK.signals, TASK.labels, "prototype", random_state=0)
    trials = run_staircase(person, TASK, rs.Staircase(0.8, [0.2, 0.05]), 150, random_state=0)
    rough, smooth, low = (
        alike(rs.DecisionTemplates(2, penalty=3.0, **prior).fit(trials), person).min()
        for prior in ({"smoothness": 0.0}, {"smoothness": 10.0}, {"smoothness": 0.0, "rank": 12})
    )
    assert min(smooth, low) > rough + 0.05


def test_groups_stay_whole_in_folds():
    images, said = small(200)
    twice, group = np.repeat(images, 2, axis=0), np.repeat(np.arange(200), 2)
    trials = rs.Classifications(twice, np.repeat(said, 2), response_id=group)
    model = rs.DecisionTemplates(2, smoothness=0.0, cv=4).fit(trials)
    pairs = model.held_out_.reshape(200, 2, -1)
    np.testing.assert_allclose(pairs[:, 0], pairs[:, 1])
    once = model.strategy_comparison().interval
    assert once[0] <= once[1]


def test_constant_pixels_have_no_template():
    images, said = small()
    with pytest.warns(ConstantFeatureWarning):
        model = rs.DecisionTemplates(**settings()).fit(np.insert(images, 2, 4.0, axis=1), said)
    assert (model.templates_[:, 2] == 0).all()
    assert (model.masks_[:, 2] == 0).all()


def test_too_few_iterations_are_told():
    with pytest.warns(NotConvergedWarning, match="raise max_iter"):
        rs.DecisionTemplates(**settings(max_iter=2, tol=1e-9)).fit(*small())


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ({"n_templates": 1}, "n_templates is 1"),
        ({"max_templates": 2.5}, "max_templates"),
        ({"smoothness": -1.0}, "smoothness is -1"),
        ({"penalty": 0.0}, "penalty is 0"),
        ({"rank": 0}, "rank is 0"),
        ({"regions": np.zeros(5)}, "regions have shape"),
    ],
)
def test_settings_out_of_range_are_refused(setting, problem):
    with pytest.raises(SettingError, match=problem):
        rs.DecisionTemplates(**settings(**setting)).fit(*small())
