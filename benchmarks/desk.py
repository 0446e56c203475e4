"""Time the desk's pages: python benchmarks/desk.py [--answers 50000].

A study is filled with answers and people, and a real server counts and fits them. Then each page is
requested over HTTP, and loaded by headless Chromium. Printed are the server's milliseconds (median
and maximum), kilobytes, and milliseconds to the first paint (all loads).
"""

import argparse
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import httpx
from playwright.sync_api import Browser, sync_playwright
from serving import NAME, Server, open_live, until, write_study
from worker import People

from resemblance.study.live import LiveStudy
from resemblance.web.accounts import FILE, Accounts

PASSWORD = "only for this measurement"
PAGES = (
    "",
    f"/{NAME}",
    f"/{NAME}/people",
    f"/{NAME}/map",
    f"/{NAME}/questions",
    f"/{NAME}/settings",
)
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def is_counted(live: LiveStudy, answers: int) -> bool:
    """Return whether the worker has reported all answers to the desk, and saved a fit."""
    pulse = live.store.tallies.pulse(live.record)
    counted = pulse is not None and pulse.told.get("answers", 0) >= answers
    return counted and live.store.spaces.latest(live.record) is not None


def served(address: str, loads: int) -> tuple[dict[str, list[float]], dict[str, int]]:
    """Measure the server's seconds for each page, and the page's size."""
    took: dict[str, list[float]] = {}
    sizes = {}
    with httpx.Client(base_url=address, timeout=60) as client:
        client.post("/desk/login", data={"password": PASSWORD})
        for page in PAGES:
            took[page] = []
            for _ in range(loads):
                began = time.perf_counter()
                answer = client.get(f"/desk{page}")
                took[page].append(time.perf_counter() - began)
                answer.raise_for_status()
            sizes[page] = len(answer.content)
    return took, sizes


def painted(browser: Browser, address: str, loads: int) -> dict[str, list[float]]:
    took: dict[str, list[float]] = {page: [] for page in PAGES}
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{address}/desk")
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Studies").wait_for()
        known = context.storage_state()
    for path in PAGES * loads:
        with browser.new_context(storage_state=known) as context:
            page = context.new_page()
            page.goto(f"{address}/desk{path}")
            while (first := page.evaluate(PAINT)) is None:
                page.wait_for_timeout(10)
            took[path].append(first)
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=200)
    parser.add_argument("--answers", type=int, default=50_000)
    parser.add_argument("--people", type=int, default=1_000)
    parser.add_argument("--loads", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        write_study(Path(home), options.items, start=10)
        live, store = open_live(Path(home))
        with store:
            People(live, options.people).fill(options.answers)
            lock = Accounts(Path(home) / FILE)
            lock.accept(lock.invite(), PASSWORD)
            with Server(Path(home)) as server:
                until(lambda: is_counted(live, options.answers), 600, "the worker's count and fit")
                took, sizes = served(server.address, 2 * options.loads + 1)
                with sync_playwright() as playwright:
                    browser = playwright.chromium.launch(
                        executable_path=shutil.which("chromium"), args=["--no-sandbox"]
                    )
                    paints = painted(browser, server.address, options.loads)
                    browser.close()
    for page in PAGES:
        median, worst = 1e3 * statistics.median(took[page]), 1e3 * max(took[page])
        first = ", ".join(f"{one:.0f}" for one in sorted(paints[page]))
        print(
            f"/desk{page:16} server {median:4.0f} ({worst:4.0f}) ms, {sizes[page] / 1e3:5.0f} kB, "
            f"first paint {first} ms"
        )


if __name__ == "__main__":
    main()
