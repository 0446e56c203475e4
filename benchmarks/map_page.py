"""How long the map page takes to draw a frame of 10,000 pictures, panned and zoomed, in Chromium.

    python benchmarks/map_page.py [--items 10000] [--out folder]

Headless, without a graphics card. Reported: milliseconds of each frame's drawing (clock around it;
median, 95 % quantile), and processor time of a frame: of the page's own process, and of all of the
browser's processes together, from /proc, less what an idle page takes in the same time.
"""

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

from resemblance.judgments import Items
from resemblance.plotting import save_map

FRAMES = 240
ARGUMENTS = ["--no-sandbox", "--disable-gpu"]
TICK = 1000 / os.sysconf("SC_CLK_TCK")
SCRIPT = """async ([kind, frames]) => {
    const map = similarityMap, times = [], paint = map.paint.bind(map);
    map.paint = () => {
        const began = performance.now();
        paint();
        times.push(performance.now() - began);
    };
    const frame = () => new Promise(requestAnimationFrame);
    map.view.reset();
    if (kind === "pan closer") map.view.zoomBy(6);
    for (let k = 0; k < 3; k++) await frame();
    times.length = 0;
    for (let k = 0; k < frames; k++) {
        const turn = (2 * Math.PI * k) / frames;
        if (kind === "zoom") map.view.zoomBy(k < frames / 2 ? 1.03 : 1 / 1.03, [500, 300]);
        else if (kind !== "idle") map.view.move(12 * Math.cos(turn), 9 * Math.sin(turn));
        await frame();
    }
    map.paint = paint;
    return times;
}"""


def pictures(folder: Path, n: int) -> list[Path]:
    """Write pictures of coloured blocks."""
    rng = np.random.default_rng(0)
    paths = [folder / f"{i}.png" for i in range(n)]
    for path in paths:
        blocks = rng.integers(0, 255, (4, 4, 3), dtype=np.uint8)
        Image.fromarray(blocks).resize((64, 64), Image.Resampling.BICUBIC).save(path)
    return paths


def page_of(folder: Path, n: int) -> Path:
    """Write the map of n items in twelve clusters."""
    rng = np.random.default_rng(1)
    labels = rng.integers(12, size=n)
    X = 3 * rng.normal(size=(12, 2))[labels] + rng.normal(size=(n, 2))
    names = [f"item {i}" for i in range(n)]
    items = Items(names, labels=labels.astype(str), images=pictures(folder, n))
    return save_map(X, folder / "map.html", items)


def processor_ms(kind: str | None) -> float:
    """Sum the processor time of the processes of Chromium, of one kind or all."""
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_text()
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if "map-page-bench" in command and (kind is None or f"--type={kind}" in command):
            total += int(fields[11]) + int(fields[12])
    return total * TICK


def measured(page, kind: str) -> dict[str, float]:
    """Draw frames, and count."""
    before = [processor_ms(which) for which in ("renderer", None)]
    began = time.perf_counter()
    times = page.evaluate(SCRIPT, [kind, FRAMES])
    seconds = time.perf_counter() - began
    after = [processor_ms(which) for which in ("renderer", None)]
    used = [(b - a) / FRAMES for a, b in zip(before, after, strict=True)]
    middle, high = np.quantile(times, [0.5, 0.95]) if times else (0.0, 0.0)
    return {
        "median": middle, "p95": high, "page": used[0], "browser": used[1],
        "frames/s": FRAMES / seconds,
    }  # fmt: skip


def main() -> None:
    """Write the page, open it, and print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--items", type=int, default=10_000)
    options.add_argument("--page", type=Path, help="measure a page that is there")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="map-page-bench") as name, sync_playwright() as play:
        path = given.page or page_of(Path(name), given.items)
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        chromium = play.chromium.launch_persistent_context(
            f"{name}/map-page-bench", executable_path=program, args=ARGUMENTS,
            viewport={"width": 1280, "height": 720},
        )  # fmt: skip
        page = chromium.new_page()
        page.goto(path.resolve().as_uri())
        page.wait_for_function("() => globalThis.similarityMap && !similarityMap.stale")
        time.sleep(2)
        print(f"{path.stat().st_size / 1e6:.1f} MB; ms a frame")
        print(f"{'':12}{'median':>9}{'p95':>9}{'page':>9}{'browser':>9}{'frames/s':>10}")
        for kind in ("idle", "pan", "pan closer", "zoom"):
            row = measured(page, kind)
            print(f"{kind:12}" + "".join(f"{value:9.2f}" for value in row.values()))
        chromium.close()


if __name__ == "__main__":
    main()
