"""Models of templates to files and back."""

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import SettingError

TASK = rs.stimuli.FourSquares(2)
PERSON = rs.TemplateObserver(TASK.signals, TASK.labels, "prototype", random_state=0)
TRIALS = rs.observers.run_staircase(PERSON, TASK, rs.Staircase(1.0), 200, random_state=0)


@pytest.mark.parametrize("covariance", ["diagonal", "shrunk", "full"])
def test_prototypes_come_back_as_they_were(covariance, tmp_path):
    model = rs.TemplateClassifier(covariance=covariance, random_state=0).fit(TRIALS)
    again = rs.load(rs.save(model, tmp_path / "model.npz"))
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.predict_proba(TRIALS), model.predict_proba(TRIALS))
    np.testing.assert_array_equal(
        again.region_averages(TASK.regions), model.region_averages(TASK.regions)
    )
    np.testing.assert_array_equal(again.fit(TRIALS).templates_, model.templates_)


def test_templates_of_decisions_come_back_with_their_strategy(tmp_path):
    clusters = rs.TemplateClassifier(0.3, random_state=1)
    model = rs.DecisionTemplates(regions=TASK.regions, classifier=clusters, cv=3).fit(TRIALS)
    again = rs.load(rs.save(model, tmp_path / "model.npz"))
    assert again.strategy_comparison() == model.strategy_comparison()
    assert again.classifier.threshold == again.classifier_.threshold_ == 0.3
    np.testing.assert_array_equal(again.predict_proba(TRIALS), model.predict_proba(TRIALS))


def test_an_unfitted_model_is_not_saved(tmp_path):
    with pytest.raises(SettingError, match="this TemplateClassifier is not fitted"):
        rs.save(rs.TemplateClassifier(), tmp_path / "model.npz")
