"""A headless Chromium for the tests of pages.

Without Playwright or Chromium these tests are skipped, and say so; where the environment variable
REQUIRE_ALL is 1 (as in CI), the lack of either is a failure.
"""

import os
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

from browser.contexts import Browser
from browser.fake_study import STATIC, FakeStudy, Served
from browser.participant import DESKTOP, assert_quiet, open_address

# First the one that has no windows: it draws and runs the same, with a third of the processor time.
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
AXE = Path(__file__).parents[2] / "frontend/node_modules/axe-core/axe.min.js"
# A function: a page whose policy forbids eval takes an expression only if it is true at once.
MAP = "() => globalThis.similarityMap && !similarityMap.stale"


def missing(what):
    if os.environ.get("REQUIRE_ALL") == "1":
        pytest.fail(f"REQUIRE_ALL=1, but {what} is missing", pytrace=False)
    pytest.skip(f"{what} is missing")


def barriers(page):
    """Name what axe-core finds on a page that keeps somebody from using it: rule and element."""
    if not AXE.is_file():
        missing("axe-core (make frontend)")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("() => axe.run({ iframes: false })")["violations"]  # none knows axe
    return [(rule["id"], node["html"]) for rule in found for node in rule["nodes"]]


def need_pages():
    if not (STATIC / "participant.html").is_file():
        missing("the built page (make frontend)")


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium; for a module only, as its event loop keeps this thread from another."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("Playwright (pip install playwright)")
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        missing("Chromium (apt install chromium)")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield Browser(chromium)
        chromium.close()


@pytest.fixture
def visit(browser):
    """Open a study's page, by its address or of a fake study.

    Afterwards it must have been quiet and have asked no other host.
    """
    need_pages()
    noise, pages = [], []
    with ExitStack() as stack:

        def open_(study, device=DESKTOP, search="", **settings):
            if isinstance(study, FakeStudy):
                study = stack.enter_context(Served(study)).address
            pages.append(stack.enter_context(browser.page(**device, **settings)))
            open_address(pages[-1], study + search, noise)
            return pages[-1]

        yield open_
        assert_quiet(pages, noise)


@pytest.fixture
def open_page(browser):
    """Open a file in a page of its own; afterwards the page must have been quiet.

    Quiet means: no word in the console, no error, and nothing fetched but the file itself.
    """
    noise = []
    with ExitStack() as stack:

        def open_(path, width=1280, height=800, ready=MAP, **settings):
            viewport = {"width": width, "height": height}
            page = stack.enter_context(browser.page(viewport=viewport, **settings))
            page.on("console", lambda message: noise.append(message.text))
            page.on("pageerror", lambda error: noise.append(str(error)))
            page.on("request", lambda request: note_request(request.url, path.as_uri(), noise))
            page.goto(path.as_uri())
            page.wait_for_function(ready)
            return page

        yield open_
    assert noise == []


def note_request(url, file, noise):
    if url != file and not url.startswith("data:"):
        noise.append(f"fetched {url}")
