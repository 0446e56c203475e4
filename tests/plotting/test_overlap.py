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


def test_equal_input_gives_equal_places():
    points, sizes = crowd(40)
    one, other = (move_apart(points, sizes, FRAME).offsets for _ in range(2))
    assert one.tolist() == other.tolist()


def test_boxes_with_room_lie_at_their_points():
    points, sizes = np.array([[50.0, 50], [200, 200]]), np.full((2, 2), 10.0)
    assert move_apart(points, sizes, FRAME, centred=True).offsets.tolist() == [[0, 0], [0, 0]]
    places = move_apart(points, sizes, FRAME, radius=1.0)
    assert places.offsets.tolist() == [[8, 0], [8, 0]]
    assert not places.led.any()


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_the_first_to_choose_takes_the_only_place(order):
    points, sizes = np.array([[0.0, 0], [20, 0]]), np.array([[12.0, 4.0]] * 2)
    frame = np.array([-0.6, -2.5, 20.6, 2.5])
    places = move_apart(points, sizes, frame, order=np.array(order), radius=0.5, reach=0.0)
    assert np.flatnonzero(places.placed).tolist() == order[:1]


def test_a_box_away_from_its_point_is_led():
    points, sizes = np.zeros((2, 2)), np.full((2, 2), 10.0)
    places = move_apart(points, sizes, np.array([-50.0, -50, 50, 50]), centred=True)
    assert places.led.tolist() == [False, True]


def test_a_line_crosses_no_box_where_there_is_another_place():
    points, sizes = np.zeros((5, 2)), np.full((5, 2), 10.0)
    places = move_apart(points, sizes, np.array([-90.0, -90, 90, 90]), radius=1.0)
    boxes = places.boxes(points, sizes)
    assert places.led.any()
    for item in np.flatnonzero(places.led):
        line = np.linspace(0, 1, 101)[:, None] * places.offsets[item]
        others = np.delete(boxes, item, axis=0)
        assert not cover(others, np.hstack([line, line])).any()


def test_too_many_boxes_are_not_found():
    points, sizes = crowd(40, 60.0, 40.0)
    places = move_apart(points, sizes, FRAME, centred=True)
    assert 0 < places.placed.sum() < 40
    assert overlaps(places.boxes(points, sizes)) == 0
    few = move_apart(points, sizes, FRAME, centred=True, all_or_none=True)
    assert few.placed.sum() <= places.placed.sum()


def test_a_box_wider_than_the_frame_is_not_found():
    assert not move_apart(np.array([[50.0, 50]]), np.array([[900.0, 5]]), FRAME).placed.any()


def test_no_boxes_have_no_places():
    assert len(move_apart(np.empty((0, 2)), np.empty((0, 2)), FRAME).offsets) == 0
