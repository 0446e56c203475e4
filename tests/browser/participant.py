"""A participant in a browser, and what is observed meanwhile."""

import time
from urllib.parse import urlsplit

DESKTOP = {"viewport": {"width": 1280, "height": 720}}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
SMALL = {"viewport": {"width": 360, "height": 640}, "is_mobile": True, "has_touch": True}
SLOW = {"latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}  # 400 kbit/s

# In every frame: are the options on the screen while a picture of the question is not there? And
# which part of a timed question is on the screen?
WATCH = """
globalThis.early = [];
globalThis.parts = [];
const look = () => {
  const row = document.querySelector(".options");
  const open = row && getComputedStyle(row).visibility === "visible";
  const alone = document.querySelector(".centered > *")?.classList;
  const names = alone ? [...alone] : open ? ["options"] : [];
  const part = names.find((name) => /fixation|head|mask|options/.test(name));
  if (part && part !== parts.at(-1)) parts.push(part);
  if (open) {
    for (const image of document.querySelectorAll(".question img")) {
      if (!image.complete || !image.naturalWidth) early.push(image.src);
    }
  }
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""


def open_address(page, address, noise):
    """Open an address; what should not be heard goes to the noise."""
    page.add_init_script(WATCH)
    page.on("console", lambda message: noise.append(message.text))
    page.on("pageerror", lambda error: noise.append(str(error)))
    host = urlsplit(address).netloc
    page.on("request", lambda request: foreign(request.url, host, noise))
    page.goto(address)


def foreign(url, host, noise):
    if not url.startswith("blob:") and urlsplit(url).netloc != host:
        noise.append(f"fetched {url}")


def assert_quiet(pages, noise):
    """Nothing was shown before it was loaded, nothing went wrong, and no other host was asked."""
    for page in pages:
        assert page.evaluate("early") == []
    assert [text for text in noise if "Failed to load resource" not in text] == []


def begin(page):
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Continue").click()


def throttle(page, offline=False, anew=False):
    """Put a page on a slow network, or on none; anew: nothing that it had before is kept."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": anew})
    session.send("Network.emulateNetworkConditions", {"offline": offline, **SLOW})


def until(condition, seconds=90):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def no_scrolling(page):
    return page.evaluate(
        """[document.documentElement, document.querySelector("#stage"),
            ...document.querySelectorAll(".tile")].every((element) =>
            element.scrollHeight <= element.clientHeight + 1 &&
            element.scrollWidth <= element.clientWidth + 1) &&
        [...document.querySelectorAll(".tile, .question button, h1")].every((element) => {
            const tray = ".board:has(.rail:not([hidden])) .piece"; // which scrolls
            if (element.matches(tray)) return true;
            const box = element.getBoundingClientRect();
            return box.top >= 0 && box.left >= 0 &&
                box.bottom <= innerHeight + 1 && box.right <= innerWidth + 1;
        })"""
    )
