"""Choice models told apart by the log loss of answers held out."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.analysis.comparison import TIE, ModelComparison
from resemblance.choice import Softmax, StudentT
from resemblance.errors import SettingError


def answers(choice, seed=0, m=2500):
    rng = np.random.default_rng(seed)
    person = rs.SpaceObserver(2.5 * rng.normal(size=(15, 2)), choice, random_state=seed)
    return person.answer([rng.choice(15, 3, replace=False) for _ in range(m)])


@pytest.mark.parametrize(
    ("choice", "name", "wrong"), [(Softmax(), "ste", "tste"), (StudentT(1.0), "tste", "ste")]
)
def test_the_right_one_is_found_or_hardly_behind(choice, name, wrong):
    table = rs.compare_models(answers(choice, 0)).to_pandas()
    assert table.index[0] == table["log_loss"].idxmin()
    assert (table["behind"] >= 0).all()
    row = table.loc[name]
    assert row["behind"] <= 2.5 * row["standard_error"] + 1e-3
    assert row["log_loss"] < table.loc[wrong, "log_loss"]


def test_own_models_and_folds():
    told = answers(Softmax(), m=400)
    models = {"one": rs.STE(1, random_state=0), "two": rs.STE(2, penalty=0.3, random_state=0)}
    calls = []
    cv = rs.GroupedKFold(3, random_state=1)
    found = rs.compare_models(told, models, cv=cv, callback=lambda *at: calls.append(at))
    assert found.log_losses.shape == (2, 3)
    assert calls == [(1, 2), (2, 2)]
    train, test = next(cv.split(told))
    expected = rs.STE(1, random_state=0).fit(told[train]).log_loss(told[test])
    assert found.log_losses[0, 0] == pytest.approx(expected)
    tied = found.log_loss <= found.log_loss.min() + TIE
    assert found.chosen == found.names[int(tied.argmax())]


@pytest.mark.parametrize("models", [{}, {"soe": rs.SOE(2)}, {"hinge": rs.GNMDS(2)}])
def test_what_cannot_be_compared(models):
    with pytest.raises(SettingError):
        rs.compare_models(answers(Softmax(), m=60), models)


def test_folds_are_those_of_the_penalty():
    """Models whose penalty is chosen are compared by the answers that this choice held out."""
    told, kinds = answers(Softmax(), m=300), (rs.STE, rs.TSTE)
    fits = {kind.__name__: kind(2, penalty="auto", random_state=0).fit(told) for kind in kinds}
    expected = [model.penalty_losses_ for model in fits.values()]
    others = {name: model.fit(told[:50]) for name, model in fits.items()}  # which says nothing here
    found = rs.compare_models(told, others)
    np.testing.assert_array_equal(found.log_losses, expected)
    assert found.log_losses.shape == (2, 5)


def test_of_a_tie_the_first_is_chosen():
    names = ("one", "two", "three")
    for losses, chosen in (([0.502, 0.5, 0.6], "one"), ([0.51, 0.5, 0.502], "two")):
        found = ModelComparison(names, np.tile(np.array(losses)[:, None], 2))
        assert found.chosen == chosen
        assert found.to_pandas().index[0] == "two"


@pytest.mark.parametrize(
    ("setting", "given"),
    [
        ("n_components", {"models": {"ste": rs.STE(2)}, "n_components": 2}),
        ("n_components", {"n_components": 1.5}),
        ("models", {"models": ["ste"]}),
        ("cv", {"cv": 1}),
        ("cv", {"cv": "5"}),
    ],
)
def test_what_would_not_be_looked_at_is_refused(setting, given):
    with pytest.raises(SettingError) as problem:
        rs.compare_models(answers(Softmax(), m=60), **given)
    assert problem.value.setting == setting
