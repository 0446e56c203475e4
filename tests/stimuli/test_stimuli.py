import numpy as np
import pytest
from PIL import Image

import resemblance as rs
from resemblance.errors import FileError, SettingError
from resemblance.stimuli import Blobs, Gabors, Lines, Screws, shapes

KINDS = [Lines, Blobs, Screws, Gabors]


def black(stimuli, row, size=None):
    return 1.0 - stimuli.draw(row, size)


def centred(picture):
    """Coordinates of the pixels from the centre, x to the right and y up."""
    x = np.arange(len(picture)) - (len(picture) - 1) / 2
    return np.broadcast_arrays(x, -x[:, None])


def middle(kind):
    return np.mean(list(kind.ranges.values()), axis=1)


@pytest.mark.parametrize("kind", KINDS)
class TestEveryKind:
    def test_every_default_stimulus_is_another_picture(self, kind):
        stimuli = kind()
        pictures = np.stack([stimuli.draw(row, 128) for row in stimuli.features])
        assert pictures.min() >= 0.0
        assert pictures.max() <= 1.0
        assert len(np.unique(pictures.reshape(len(stimuli), -1), axis=0)) == len(stimuli)

    def test_a_small_step_is_a_small_change(self, kind):
        for column in range(len(kind.ranges)):
            near, far = (middle(kind) + np.eye(len(kind.ranges))[column] * h for h in (1e-6, 1e-5))
            base = kind().draw(middle(kind))
            step, longer = (abs(kind().draw(row) - base).sum() for row in (near, far))
            assert longer == pytest.approx(10 * step, rel=1e-2)
            assert step > 0

    def test_size_scales_the_whole_picture(self, kind):
        side = kind.side
        large = kind().draw(middle(kind), 2 * side)
        halved = large.reshape(side, 2, side, 2).mean(axis=(1, 3))
        np.testing.assert_allclose(halved, kind().draw(middle(kind)), atol=0.15)
        assert halved.mean() == pytest.approx(kind().draw(middle(kind)).mean(), abs=1e-3)

    def test_extremes_of_the_ranges_stay_inside_the_picture(self, kind):
        for extreme in zip(*kind.ranges.values(), strict=True):
            picture = kind().draw(extreme)
            frame = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
            np.testing.assert_allclose(frame, frame[0], atol=1 / 255)

    def test_saved_pictures_are_the_images_of_items(self, kind, tmp_path):
        stimuli = kind(kind().features[-3:])
        paths = stimuli.save(tmp_path / "new" / "folder", size=128)
        items = rs.Items(stimuli.names, stimuli.features, images=paths)
        for row, path in zip(items.features, items.images, strict=True):
            picture = np.asarray(Image.open(path)) / 255
            np.testing.assert_allclose(picture, stimuli.draw(row, 128), atol=0.5 / 255 + 1e-12)

    def test_values_out_of_range_are_refused_by_name(self, kind):
        for column, (name, (_, high)) in enumerate(kind.ranges.items()):
            for value in (np.nan, np.inf, high * 1.01):
                row = middle(kind)
                row[column] = value
                with pytest.raises(SettingError, match=rf"{name} is .* to {high:g}"):
                    kind().draw(row)
                with pytest.raises(SettingError, match=rf"row 1: {name}"):
                    kind([middle(kind), row])

    def test_wrong_shapes_repeats_and_sizes_are_refused(self, kind):
        row = middle(kind)
        with pytest.raises(SettingError, match=next(iter(kind.ranges))):
            kind().draw([*row, 1.0])
        with pytest.raises(SettingError, match="one row or more"):
            kind(np.empty((0, len(row))))
        with pytest.raises(SettingError, match="rows 0 and 1 are the same"):
            kind([row, row])
        for size in (64, 200.5, 10**6):
            with pytest.raises(SettingError, match="size is"):
                kind().draw(row, size)

    def test_features_never_change(self, kind):
        with pytest.raises(ValueError, match="read-only"):
            kind().features[0, 0] = 1.0

    def test_pairs_of_other_stimuli_are_all_pairs(self, kind):
        assert kind(kind().features[:3]).pairs.tolist() == [[0, 1], [0, 2], [1, 2]]

    def test_a_folder_that_is_a_file_is_refused(self, kind, tmp_path):
        (tmp_path / "taken").touch()
        with pytest.raises(FileError, match="taken"):
            kind().save(tmp_path / "taken")


def test_lines_are_the_papers():
    lines = Lines()
    assert lines.features.ravel().tolist() == list(range(200, 489, 18))
    assert len(lines) == 17
    assert len(lines.pairs) == 136


@pytest.mark.parametrize("length", [10.0, 200.0, 333.3, 500.0])
@pytest.mark.parametrize("size", [512, 300])
def test_ink_of_a_line_is_its_length(length, size):
    area = black(Lines(), length, size).sum() * (512 / size) ** 2
    assert area == pytest.approx(4.0 * length)


def test_blobs_are_the_papers():
    np.testing.assert_array_equal(Blobs().features.ravel(), np.linspace(-2, 2, 17))
    assert len(Blobs().pairs) == 136


def test_area_of_a_blob_is_that_of_its_fourier_series():
    # half the integral of r squared, by Parseval
    for x in (-3.0, -1.0, 0.0, 2.0, 3.0):
        power = (abs(shapes.AT_ZERO + x * shapes.PER_X) ** 2).sum()
        area = np.pi * shapes.RADIUS**2 * (1 + power / 2)
        assert black(Blobs(), x).sum() == pytest.approx(area, rel=1e-3)


def test_screws_are_the_papers():
    screws = Screws()
    assert len(screws) == 147
    assert len(np.unique(screws.pairs, axis=0)) == 135
    anchors, steps = (
        screws.features[screws.pairs[:, 0]],
        np.diff(screws.features[screws.pairs], axis=1),
    )
    assert set(anchors[:, 0]) == {50, 75, 100}
    assert set(anchors[:, 1]) == {0, 20, 35, 55, 75}
    assert (steps >= 0).all()
    assert (steps.sum(axis=(1, 2)) <= 15).all()
    assert (steps.sum(axis=(1, 2)) > 0).all()
    assert set(np.unique(screws.pairs)) == set(range(147))
    assert (np.unique(anchors, axis=0, return_counts=True)[1] == 9).all()


@pytest.mark.parametrize("diameter", [10.0, 73.0, 150.0])
@pytest.mark.parametrize("angle", [0.0, 20.0, 75.0, 90.0, 130.0])
def test_moments_of_a_screw_give_angle_and_diameter(diameter, angle):
    # the rim alone has no direction, so the line gives the axis of the second moments
    picture = black(Screws(), [diameter, angle], 640)
    x, y = centred(picture)
    xx, yy, xy = ((picture * m).sum() for m in (x * x, y * y, x * y))
    found = np.rad2deg(np.arctan2(2 * xy, xx - yy) / 2) % 180
    assert (found - angle + 90) % 180 - 90 == pytest.approx(0.0, abs=0.2)
    widest = 2 * np.hypot(x, y)[picture > 0.5].max() * 160 / 640
    assert widest == pytest.approx(diameter + 2, abs=0.5)


def test_a_quarter_turn_of_the_angle_turns_the_picture():
    np.testing.assert_allclose(
        np.rot90(Gabors().draw([30, 8, 1])), Gabors().draw([120, 8, 1]), atol=1e-9
    )
    np.testing.assert_allclose(
        np.rot90(Screws().draw([90, 30])), Screws().draw([90, 120]), atol=1e-9
    )


@pytest.mark.parametrize("frequency", [4, 8, 16, 32])
@pytest.mark.parametrize("angle", [0, 90])
def test_fourier_peak_of_a_gabor_is_its_frequency(frequency, angle):
    power = abs(np.fft.fft2(Gabors().draw([angle, frequency, 0.7]) - 0.5))[:64, :64]
    down, right = np.unravel_index(power.argmax(), power.shape)
    assert (down, right) == ((frequency, 0) if angle == 0 else (0, frequency))


def test_stripes_of_a_gabor_climb_at_its_angle():
    # light falls and rises across the stripes only: the structure tensor's axis is normal to them
    down, right = np.gradient(Gabors().draw([35, 8, 1], 512))
    across = np.arctan2(-2 * (right * down).sum(), (right**2 - down**2).sum()) / 2
    assert np.rad2deg(across) % 180 == pytest.approx(125.0, abs=0.5)


def test_contrast_of_a_gabor_is_linear_and_michelson():
    full = Gabors().draw([60, 8, 1], 257) - 0.5
    for contrast in (0.0, 0.25, 0.5):
        part = Gabors().draw([60, 8, contrast], 257) - 0.5
        np.testing.assert_allclose(part, contrast * full, atol=1e-12)
    assert full.max() == pytest.approx(0.5)


def test_a_grid_has_all_combinations_of_even_values():
    grid = Screws.on_grid((3, 2), {"angle": (10, 30)})
    expected = [[d, a] for d in (50, 82.5, 115) for a in (10, 30)]
    assert grid.features.tolist() == expected
    assert grid.to_pandas().columns.tolist() == ["item", "diameter", "angle"]
    assert grid.to_pandas()["item"].tolist() == list(grid.names)


@pytest.mark.parametrize(
    ("shape", "bounds", "setting"),
    [
        ((3,), {}, "shape"),
        ((3, 0), {}, "shape"),
        ((3, 3), {"angle": (30, 10)}, "bounds"),
        ((3, 3), {"length": (1, 2)}, "bounds"),
    ],
)
def test_a_grid_that_cannot_be_is_refused(shape, bounds, setting):
    with pytest.raises(SettingError) as refused:
        Screws.on_grid(shape, bounds)
    assert refused.value.setting == setting
