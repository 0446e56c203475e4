import numpy as np
import pytest

from resemblance.plotting.markers import move_apart

CM = 72 / 2.54
FRAME = np.array([10.0, 10.0, 12 * CM - 10, 9 * CM - 10])


def crowd(n, width=50.0, height=10.0):
    rng = np.random.default_rng(n)
    points = np.clip(rng.normal(size=(n, 2)) * 40 + [170, 128], FRAME[:2] + 5, FRAME[2:] - 5)
    return points, np.tile([width, height], (n, 1))


def overlaps(boxes):
    low, high = boxes[:, None, :2] < boxes[:, 2:], boxes[:, None, 2:] > boxes[:, :2]
    return (low & high).all(axis=2).sum() - len(boxes)


def cover(boxes, others):
    low, high = boxes[:, None, :2] < others[:, 2:], boxes[:, None, 2:] > others[:, :2]
    return (low & high).all(axis=2)


@pytest.mark.parametrize("centred", [False, True])
def test_forty_boxes_in_a_figure_of_twelve_centimetres_are_apart(centred):
    points, sizes = crowd(40)
    places = move_apart(points, sizes, FRAME, centred=centred)
    boxes = places.boxes(points, sizes)
    assert places.placed.all()
    assert overlaps(boxes) == 0
    assert (boxes[:, :2] >= FRAME[:2]).all()
    assert (boxes[:, 2:] <= FRAME[2:]).all()


def test_names_cover_no_point_and_nothing_that_is_taken():
    points, sizes = crowd(40)
    taken = np.array([[100.0, 100.0, 150.0, 120.0]])
    places = move_apart(points, sizes, FRAME, radius=3.0, taken=taken)
    boxes = places.boxes(points, sizes)
    assert not cover(boxes, np.hstack([points - 3, points + 3])).any()
    assert not cover(boxes, taken).any()


def test_a_line_crosses_no_box_where_there_is_another_place():
    points, sizes = np.zeros((5, 2)), np.full((5, 2), 10.0)
    places = move_apart(points, sizes, np.array([-90.0, -90, 90, 90]), radius=1.0)
    boxes = places.boxes(points, sizes)
    assert places.led.any()
    for item in np.flatnonzero(places.led):
        line = np.linspace(0, 1, 101)[:, None] * places.offsets[item]
        others = np.delete(boxes, item, axis=0)
        assert not cover(others, np.hstack([line, line])).any()
