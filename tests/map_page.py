"""Read the contents of a map page, and check that nothing on the map overlaps."""

import json
import re

import numpy as np
from PIL import Image

NAME_BOXES = """[...similarityMap.names].map(([i, [dx, dy]]) => {
    const [x, y] = similarityMap.at(i);
    return [x + dx, y + dy, x + dx + similarityMap.painter.widths[i], y + dy + 15];
})"""
PICTURE_BOXES = """similarityMap.scene().pictured.map((i) => {
    const [[x, y], half] = [similarityMap.spot(i), similarityMap.side / 2];
    return [x - half, y - half, x + half, y + half];
})"""


def pictures(page):
    (contents,) = re.findall(r'<script type="application/json" id="contents">(.*?)</script>', page)
    images = json.loads(contents)["images"]
    assert images["source"].startswith("data:image/webp;base64,")
    return sum(size is not None for size in images["sizes"])


def settle(page):
    page.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(done), 160))")


CONTROL_BOXES = """['zoom', 'unnamed'].flatMap((name) => {
    const { [name]: part, stage } = similarityMap.parts;
    const [box, frame] = [part.getBoundingClientRect(), stage.getBoundingClientRect()];
    const [x, y] = [frame.left, frame.top];
    return part.textContent ? [[box.left - x, box.top - y, box.right - x, box.bottom - y]] : [];
})"""


def overlaps(boxes):
    """Count the pairs of boxes that share more than a border."""
    boxes = np.array(boxes)
    low, high = boxes[:, None, :2], boxes[None, :, 2:]
    meet = ((low < high - 1e-6) & (low.swapaxes(0, 1) < high.swapaxes(0, 1) - 1e-6)).all(axis=2)
    return (meet.sum() - len(boxes)) / 2


def each_is_named(page, n, pictured):
    """Zoom in until each of n items was named; the number of pictures must not change."""
    settle(page)
    shown = PICTURE_BOXES, NAME_BOXES, CONTROL_BOXES
    assert overlaps([box for of in shown for box in page.evaluate(of)]) == 0
    named = set()
    for _ in range(12):
        settle(page)
        boxes = page.evaluate(PICTURE_BOXES)
        assert len(boxes) == pictured
        assert overlaps(boxes + page.evaluate(NAME_BOXES)) == 0
        named |= set(page.evaluate("[...similarityMap.names.keys()]"))
        if named == set(range(n)):
            break
        page.evaluate("similarityMap.zoom(1.6)")
    assert named == set(range(n))


def crowded(n):
    """Return positions of items in groups, some of them equal."""
    rng = np.random.default_rng(n)
    points = rng.normal(size=(6, 2))[rng.integers(6, size=n)] + 0.2 * rng.normal(size=(n, 2))
    points[-3:] = points[0]
    return points


def draw_squares(folder, n):
    folder.mkdir(exist_ok=True)
    paths = [folder / f"{i:03d}.png" for i in range(n)]
    for i, path in enumerate(paths):
        Image.new("RGB", (40, 40), (i % 256, 90, 255 - i % 256)).save(path)
    return paths
