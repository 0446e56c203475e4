"""How many frames come late while one of 30 pictures is dragged over the page, in Chromium.

    python benchmarks/arrangement_page.py [--pictures 30] [--seconds 2]

Headless, without a graphics card, on a desk (1280 x 720) and a phone (390 x 844). Reported: frames
(requestAnimationFrame) while the picture moves, and how many of them came more than 20 ms after
the one before; the same of a page on which nothing moves, as what the machine itself delays.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from resemblance.study.creation import create_study

LATE_MS = 20
DEVICES = {"desk": (1280, 720), "phone": (390, 844)}
ARGUMENTS = ["--no-sandbox", "--disable-gpu"]
WATCH = """() => {
    globalThis.frames = [];
    const mine = globalThis.frames;
    const frame = (now) => {
        mine.push(now);
        if (globalThis.frames === mine) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
}"""


def main() -> None:
    """Print a line for each device, moving and at rest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=2.0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        draw(Path(home) / "pictures", asked.pictures)
        tasks = {"tasks": {"task_size": 2}, "recruitment": {"simulated": True}}
        create_study(
            Path(home) / "shapes",
            "arrangement",
            images=Path(home) / "pictures",
            settings=tasks,
            pages={"consent": "# Taking part\n"},
        )
        measure(Path(home), asked.seconds)


def draw(folder: Path, n: int) -> None:
    """Draw pictures of 600 pixels, each of another noise."""
    folder.mkdir()
    for number in range(n):
        pixels = np.random.default_rng(number).integers(0, 255, (600, 600, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"picture{number:02d}.jpg")


def measure(home: Path, seconds: float) -> None:
    """Serve the study, and drag on each device."""
    command = [sys.executable, "-u", "-m", "resemblance", "serve", "shapes", "--port", "0"]
    with subprocess.Popen(command, cwd=home, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said = re.search(r"http://[^/\s]+", server.stdout.readline())
        assert said is not None
        with sync_playwright() as playwright:
            program = shutil.which("chromium")
            browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
            for name, (width, height) in DEVICES.items():
                viewport = {"width": width, "height": height}
                page = browser.new_context(viewport=viewport).new_page()  # type: ignore[arg-type]
                page.goto(f"{said[0]}/s/shapes")
                page.get_by_role("button", name="I agree").click()
                page.get_by_role("button", name="Continue").click()
                page.locator("[data-open]").wait_for()
                for moves in (False, True):
                    tell(f"{name}, {'dragged' if moves else 'at rest'}", drag(page, seconds, moves))
        server.terminate()


def drag(page: Page, seconds: float, moves: bool) -> np.ndarray:
    """Move the first picture in a ring around the middle; give the times between frames."""
    piece, circle = (page.locator(one).first.bounding_box() for one in (".piece", ".circle"))
    assert piece is not None
    assert circle is not None
    page.mouse.move(piece["x"] + piece["width"] / 2, piece["y"] + piece["height"] / 2)
    page.mouse.down()
    page.evaluate(WATCH)
    began, middle = time.monotonic(), (circle["x"] + circle["width"] / 2, circle["y"])
    while (gone := time.monotonic() - began) < seconds:
        far, turn = 0.4 * circle["width"], 2 * np.pi * gone
        if moves:
            y = middle[1] + circle["height"] / 2 + far * np.sin(turn)
            page.mouse.move(middle[0] + far * np.cos(turn), y)
        else:
            page.wait_for_timeout(10)
    frames = np.array(page.evaluate("frames"))
    page.mouse.up()
    return np.diff(frames)


def tell(name: str, gaps: np.ndarray) -> None:
    """Print the frames of one measurement."""
    print(
        f"{name:16} {len(gaps)} frames, {(gaps > LATE_MS).sum()} later than {LATE_MS} ms; "
        f"median {np.median(gaps):.1f}, longest {gaps.max():.1f} ms"
    )


if __name__ == "__main__":
    main()
