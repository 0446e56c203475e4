import numpy as np
import pytest

import resemblance as rs
from resemblance.choice import Relative, Softmax
from resemblance.errors import JudgmentError, SettingError

SPACE = np.random.default_rng(0).normal(size=(6, 2))
QUESTION = [[0, 1, 2]]


@pytest.mark.parametrize("choice", [Softmax(), Relative(0.1)])
@pytest.mark.parametrize("lapse", [0.0, 0.3, 1.0])
def test_answers_come_with_the_stated_probability(choice, lapse):
    near, far = (((SPACE[0] - SPACE[i]) ** 2).sum() for i in (1, 2))
    p = float((1 - lapse) * choice.probability(near, far) + lapse / 2)
    observer = rs.SpaceObserver(SPACE, choice, lapse, random_state=0)
    assert observer.probability(QUESTION)[0] == pytest.approx(p)
    answers = observer.answer(rs.Triplets(QUESTION * 4000, items=6)).index
    assert (answers[:, 1] == 1).mean() == pytest.approx(
        p, abs=4 * np.sqrt(p * (1 - p) / 4000) + 1e-9
    )


def test_the_order_of_the_options_does_not_matter():
    asked = np.array([[0, 1, 2], [3, 4, 5]] * 2000)
    observer = rs.SpaceObserver(SPACE, random_state=0)
    p, q = observer.probability(asked), observer.probability(asked[:, [0, 2, 1]])
    np.testing.assert_allclose(p + q, 1.0)


def test_questions_keep_what_goes_with_them():
    asked = rs.Triplets([[0, 1, 2], [3, 4, 5]], items=6, group=[7, 8], observer=["x", "y"])
    answered = rs.SpaceObserver(SPACE, random_state=0).answer(asked)
    assert answered.group.tolist() == [7, 8]
    assert answered.observer.tolist() == ["x", "y"]
    assert np.all(np.sort(answered.index[:, 1:]) == asked.index[:, 1:])


def test_one_random_state_gives_one_crowd():
    asked = np.random.default_rng(0).permuted(np.tile(np.arange(6), (50, 1)), axis=1)[:, :3]
    a, b = (rs.SpaceObserver(SPACE, lapse=0.5, random_state=3).answer(asked) for _ in range(2))
    np.testing.assert_array_equal(a.index, b.index)


def test_bad_settings():
    with pytest.raises(SettingError, match="lapse"):
        rs.SpaceObserver(SPACE, lapse=1.5)
    with pytest.raises(SettingError, match="triplet questions, not Quadruplets"):
        rs.SpaceObserver(SPACE).answer([[0, 1, 2, 3]])


def test_questions_about_more_items_than_it_sees():
    with pytest.raises(JudgmentError, match="7 items, but there are positions of 6"):
        rs.SpaceObserver(SPACE).answer([[0, 1, 6]])
