"""Trials in which images were classified."""

import pickle

import numpy as np
import pytest

import resemblance as rs
from resemblance.errors import JudgmentError

RNG = np.random.default_rng(0)
IMAGES = RNG.normal(size=(6, 2, 3))
LABELS = ["b", "a", "b", "a", "a", "b"]


@pytest.fixture
def trials():
    return rs.Classifications(
        IMAGES, LABELS, shown=list("aabbab"), response_id=[0, 0, 1, 1, 2, 2], extra={"rt": range(6)}
    )


def test_images_are_rows_of_pixels_and_not_copied(trials):
    assert trials.shape == (6, 6)
    assert trials.image_shape == (2, 3)
    assert np.shares_memory(trials.stimuli, IMAGES)
    assert not trials.stimuli.flags.writeable
    assert IMAGES.flags.writeable
    np.testing.assert_array_equal(trials[2], IMAGES[2])


def test_codes_are_positions_among_the_classes(trials):
    np.testing.assert_array_equal(trials.classes[trials.codes], LABELS)
    np.testing.assert_array_equal(trials.correct, [False, True, True, False, True, True])


@pytest.mark.parametrize(
    "rows", [slice(1, 4), [4, 0], np.array([True, False] * 3), np.array([], int)]
)
def test_a_cut_keeps_what_goes_with_each_trial_and_all_classes(trials, rows):
    cut = trials[rows]
    index = np.arange(6)[rows]
    for name in ("labels", "shown", "response_id", "codes"):
        np.testing.assert_array_equal(getattr(cut, name), getattr(trials, name)[index])
    np.testing.assert_array_equal(cut.extra["rt"], index)
    np.testing.assert_array_equal(cut.classes, ["a", "b"])
    np.testing.assert_array_equal(np.asarray(cut), trials.stimuli[index])


def test_they_survive_pickling_and_stay_frozen(trials):
    again = pickle.loads(pickle.dumps(trials))
    np.testing.assert_array_equal(again.stimuli, trials.stimuli)
    with pytest.raises(AttributeError, match="never changes"):
        again.labels = LABELS


@pytest.mark.parametrize(
    ("images", "labels", "problem"),
    [
        (IMAGES, ["a"] * 6, "all labels are 'a'.*add the trials"),
        (IMAGES, [*LABELS[:5], None], "row 5: the label is missing"),
        (IMAGES, [*LABELS[:4], "", "a"], "row 4: the label is missing"),
        (IMAGES, [1, 0, 1, np.nan, 0, 1], "row 3: the label is missing"),
        (IMAGES, LABELS[:5], "labels has shape \\(5,\\) for 6 images"),
        (
            np.where(np.arange(18).reshape(3, 6) == 8, np.nan, 1.0),
            "aba",
            "row 1: pixel 2 .* is nan",
        ),
        (np.full((2, 2), np.inf), "ab", "row 0: pixel 0 .* is inf"),
        (np.zeros(6), LABELS, "one image per row"),
        (np.full((6, 2), "x"), LABELS, "give numbers"),
    ],
)
def test_what_cannot_be_is_refused_with_the_place(images, labels, problem):
    with pytest.raises(JudgmentError, match=problem):
        rs.Classifications(images, list(labels))


def test_without_the_right_answers_nobody_knows_what_was_correct():
    with pytest.raises(JudgmentError, match="shown="):
        rs.Classifications(IMAGES, LABELS).correct  # noqa: B018
