import numpy as np
import pytest
from scipy.special import logit

import resemblance as rs
from resemblance.choice import Hinge, Logistic, Relative, Softmax, SquaredHinge, StudentT
from resemblance.errors import JudgmentError, SettingError

SPACE = np.random.default_rng(0).normal(size=(6, 2))
QUESTION = [[0, 1, 2]]


def test_questions_about_more_items_than_it_sees():
    with pytest.raises(JudgmentError, match="7 items, but there are 6 positions"):
        rs.SpaceObserver(SPACE).answer([[0, 1, 6]])


@pytest.mark.parametrize(
    "choice", [Softmax(), Relative(0.1), StudentT(2.0), SquaredHinge(), Hinge()]
)
def test_temperature_divides_the_log_odds(choice):
    plain = rs.SpaceObserver(SPACE, choice).probability([[0, 1, 2], [3, 4, 5]])
    hot = rs.SpaceObserver(SPACE, choice, temperature=2.5).probability([[0, 1, 2], [3, 4, 5]])
    np.testing.assert_allclose(logit(hot), logit(plain) / 2.5, atol=1e-9)


@pytest.mark.parametrize("choice", [Softmax(), Relative(0.1), Logistic(), SquaredHinge()])
@pytest.mark.parametrize("asked", [[[0, 1, 2]], [[0, 1, 2, 3]]])
def test_probabilities_are_those_of_the_fitted_choice_model(choice, asked):
    model = rs.fitting.OrdinalEmbedding(choice).set_positions(SPACE)
    observer = rs.SpaceObserver(SPACE, choice)
    np.testing.assert_allclose(observer.probabilities(asked), model.predict_proba(asked))


def test_choices_are_those_of_the_choice_model_and_temperature():
    asked = rs.Choices([0], [[1, 2, 3]], chosen=[2], items=6)
    d = ((SPACE[0] - SPACE[asked.index[0, 1:]]) ** 2).sum(axis=1)
    hot = rs.SpaceObserver(SPACE, temperature=2.0, lapse=0.3).probabilities(asked)[0]
    share = np.exp(-d / 2) / np.exp(-d / 2).sum()
    np.testing.assert_allclose(hot, 0.7 * share + 0.1)
    with pytest.raises(SettingError, match="choice among more"):
        rs.SpaceObserver(SPACE, Hinge()).probability(asked)


@pytest.mark.parametrize("choice", [Softmax(), Logistic(), SquaredHinge()])
def test_weights_stretch_the_dimensions(choice):
    weights = np.array([0.2, 3.0])
    weighed = rs.SpaceObserver(SPACE, choice, weights=weights)
    stretched = rs.SpaceObserver(SPACE * np.sqrt(weights), choice)
    np.testing.assert_allclose(weighed.probability(QUESTION), stretched.probability(QUESTION))


def test_far_options_stay_apart_where_probabilities_underflow():
    asked = rs.Choices([0], [[1, 2, 3]], chosen=[1])
    far = rs.SpaceObserver([[0.0], [1.0], [40.0], [41.0]], temperature=1000.0)
    assert (far.probabilities(asked) > 0.05).all()


@pytest.mark.parametrize(
    ("setting", "word"),
    [
        ({"temperature": 0.0}, "temperature"),
        ({"temperature": np.inf}, "temperature"),
        ({"weights": [1.0]}, "each of the 2"),
        ({"weights": [1.0, -1.0]}, "0 or more"),
    ],
)
def test_bad_temperature_and_weights(setting, word):
    with pytest.raises(SettingError, match=word):
        rs.SpaceObserver(SPACE, **setting)


@pytest.mark.parametrize("points", [[0.0, 1.0], [[0.0], [np.nan]]])
def test_refuses_what_is_no_table_of_points(points):
    with pytest.raises(SettingError, match="points"):
        rs.SpaceObserver(points)


@pytest.mark.parametrize("observer", [rs.SpaceObserver, rs.ModelObserver])
def test_an_array_may_change_after_it_was_given(observer):
    points = np.random.default_rng(0).normal(size=(4, 2))
    one = observer(points)
    before = one.probabilities([[0, 1, 2]])
    points[:] = 0.0
    np.testing.assert_array_equal(one.probabilities([[0, 1, 2]]), before)


@pytest.mark.parametrize(
    "use",
    [
        lambda person: person.arrange([[0, 1, 5]]),
        lambda person: person.arrange([0, 1, 2]),
        lambda person: person.rate([[0, 5]], 7),
        lambda person: person.rate([[0, 1]], 1),
        lambda person: person.confuse([[0, -1]], 10),
        lambda person: person.confuse([[0, 1, 2]], 10),
        lambda person: person.confuse([[0, 1]], -1),
        lambda person: person.confuse([[0, 1]], [1, 2]),
    ],
)
def test_rows_that_cannot_be_asked_are_refused(use):
    person = rs.SpaceObserver([[0.0], [1.0], [4.0]], rs.choice.Gaussian(), random_state=0)
    with pytest.raises(JudgmentError):
        use(person)


def test_where_all_thresholds_are_above_0_most_ratings_are_1_and_not_all():
    person = rs.SpaceObserver([[1.0], [2.0]], thresholds=[0.5, 1.0], random_state=0)
    rated = person.rate([[0, 1]] * 400, 3).rating
    assert abs((rated > 1).mean() - 0.182) < 0.1  # sigma(-1 - .5), with a deviation of .02
