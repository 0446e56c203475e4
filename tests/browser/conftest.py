"""A headless Chromium for the tests of pages.

Without Playwright or Chromium these tests are skipped, and say so; where the environment variable
REQUIRE_ALL is 1 (as in CI), the lack of either is a failure.
"""

import os
import shutil

import pytest

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# A function: a page whose policy forbids eval takes an expression only if it is true at once.
MAP = "() => globalThis.similarityMap && !similarityMap.stale"


def missing(what):
    if os.environ.get("REQUIRE_ALL") == "1":
        pytest.fail(f"REQUIRE_ALL=1, but {what} is missing", pytrace=False)
    pytest.skip(f"{what} is missing")


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium; for a module only, as its event loop keeps this thread from another."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("Playwright (pip install playwright)")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        missing("Chromium (apt install chromium)")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser):
    """Open a file in a page of its own; afterwards the page must have been quiet.

    Quiet means: no word in the console, no error, and nothing fetched but the file itself.
    """
    contexts, noise = [], []

    def open_(path, width=1280, height=800, ready=MAP, **settings):
        context = browser.new_context(viewport={"width": width, "height": height}, **settings)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: noise.append(message.text))
        page.on("pageerror", lambda error: noise.append(str(error)))
        page.on("request", lambda request: note_request(request.url, path.as_uri(), noise))
        page.goto(path.as_uri())
        page.wait_for_function(ready)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert noise == []


def note_request(url, file, noise):
    if url != file and not url.startswith("data:"):
        noise.append(f"fetched {url}")
