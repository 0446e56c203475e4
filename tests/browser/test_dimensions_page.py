"""A study of odd ones out, from its first question to dimensions with names."""

import csv
import json
import threading
import time

import numpy as np
import pytest

import resemblance as rs
from browser.conftest import need_pages
from browser.participant import DESKTOP, assert_quiet, begin, open_address
from browser.real_server import CONSENT, Participant, RealServer
from resemblance.study.creation import create_study
from resemblance.study.dimensions import dimensions_of
from resemblance.study.live import open_stored
from resemblance.study.refits import GROWTH_OF_DIMENSIONS
from resemblance.study.stimuli import digest_of
from resemblance.web.visitors import Visitor

pytestmark = pytest.mark.browser
NAME, PASSWORD, PATIENCE_S = "gratings", "a long password", 120
FEATURES = [[angle, waves, light] for angle in (0, 90) for waves in (4, 16) for light in (0.5, 1)]
PER_ITEM, CLICKS = 25, 6
SETTINGS = {
    "tasks": {"per_participant": 1, "task_size": 60, "gold_share": 0.0, "practice": 1},
    "asking": {"start_per_head": 4},
    "dimensions": {"answers_per_item": PER_ITEM},
    "recruitment": {"simulated": True, "count_simulated": True},
}
ADAPTIVE = "predictive"


class Gratings:
    """A study of gratings, served; people see whether stripes are level, upright, wide or fine."""

    def __init__(self, home):
        drawn = rs.stimuli.Gabors(FEATURES)
        paths = drawn.save(home / "pictures", size=128)
        create_study(
            home / NAME, "odd_one_out", images=home / "pictures", settings=SETTINGS, pages=CONSENT
        )
        self.items = {digest_of(path.read_bytes()): place for place, path in enumerate(paths)}
        angle, waves, _ = drawn.features.T
        self.seen = 2.0 * np.column_stack([angle == 0, angle == 90, waves == 4, waves == 16])
        self.server, self.people = RealServer(home, [NAME]), 0
        self.folder = home / NAME

    def odd(self, digests, seed):
        """Say at which place the odd one is, as somebody who sees these properties would."""
        shown = [self.items[digest] for digest in digests]
        person = rs.SpaceObserver(self.seen, rs.choice.Logistic(), random_state=seed)
        return shown.index(person.answer(rs.OddOneOuts([shown], shown[:1])).index[0, 0])

    def take_part(self, n):
        """Let so many people take part at a time, over the API of the page."""
        visitors = [self.visitor() for _ in range(n)]
        threads = [threading.Thread(target=one.run) for one in visitors]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(one.code for one in visitors)

    def visitor(self):
        self.people += 1
        seeds = iter(range(1000 * self.people, 1000 * self.people + 1000))

        def choose(question):
            digests = [one["digest"] for one in question["options"]]
            return {"chosen": self.odd(digests, next(seeds))}

        return Visitor(self.server.host, NAME, f"person {self.people}", choose)

    def look(self, read):
        """Read something of the study where it is kept."""
        with open_stored(self.folder) as live:
            return read(live)

    def wait(self, read):
        """Wait until there is something."""
        end = time.monotonic() + PATIENCE_S
        while (found := self.look(read)) is None:
            assert time.monotonic() < end, "it did not come in time"
            time.sleep(0.3)
        return found


@pytest.fixture(scope="module")
def gratings(tmp_path_factory):
    need_pages()
    made = Gratings(tmp_path_factory.mktemp("served"))
    yield made
    made.server.stop()


def first_fit(live):
    """Say how many questions wait that were chosen by answers; None before there are some."""
    return live.store.events.last(live.record, "fit") and (
        live.store.pool.size(live.record) or None
    )


def found(live):
    return dimensions_of(live.store, live.record)


def settled(live):
    """Give the dimensions, once no other fit of them is due."""
    last = found(live)
    n = sum(one.purpose == "main" for one in live.store.answers.after(live.record, 0, 10**6))
    return last if last and n < (1 + GROWTH_OF_DIMENSIONS) * last.answers else None


def take_part_in_the_page(gratings, page, noise):
    """Answer some questions as a person in a browser, and leave."""
    open_address(page, gratings.server.address(NAME), noise)
    begin(page)
    person = Participant(page)
    person.practise()
    for turn in range(CLICKS):
        person.click(turn % 3)

    def given(live):
        log = live.store.answers.of(live.store.people.all(live.record)[-1])
        return log if len(log) >= len(person.said) else None

    log = gratings.wait(given)
    assert [(one.question, one.response["chosen"]) for one in log] == person.said
    assert_quiet([page], noise)


def log_in(gratings, page):
    page.goto(f"{gratings.server.host}/desk")
    page.get_by_label("secret").fill((gratings.folder / "one-time-secret").read_text().strip())
    page.locator("input[type=password]").last.fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Studies").wait_for()


def downloaded(page, suffix, folder):
    with page.expect_download() as coming:
        page.locator(f'a[href$="dimensions.{suffix}"]').click()
    path = folder / coming.value.suggested_filename
    coming.value.save_as(path)
    return path


def test_from_the_first_question_to_named_dimensions(gratings, browser, tmp_path):
    noise = []
    gratings.take_part(2)
    gratings.wait(first_fit)
    with browser.page(**DESKTOP) as page:
        take_part_in_the_page(gratings, page, noise)
    gratings.take_part(3)
    strategies = gratings.look(
        lambda live: {one.spec["strategy"] for one in live.store.questions.all(live.record)}
    )
    assert ADAPTIVE in strategies
    last = gratings.wait(settled)
    alike = np.corrcoef(gratings.seen.T, np.array(last.loadings).T)[:4, 4:].max(axis=1)
    assert np.sum(alike > 0.6) >= 2  # properties that people see
    with browser.page(viewport={"width": 1280, "height": 900}) as desk:
        log_in(gratings, desk)
        name_a_dimension(gratings, desk, last, tmp_path)


def name_a_dimension(gratings, desk, last, tmp_path):
    """Name one on the desk, where it stays, and is in what is downloaded."""
    desk.goto(f"{gratings.server.host}/desk/{NAME}/dimensions")
    shown = desk.locator(".dimension")
    assert shown.count() == len(last.shares)
    desk.wait_for_function(
        "() => [...document.querySelectorAll('.dimension img')].some((one) => one.naturalWidth > 0)"
    )
    assert shown.first.locator("img").count() == len(last.top(1, 8))
    shown.first.get_by_role("textbox").fill("stripes that are level")
    desk.keyboard.press("Enter")
    desk.wait_for_url("**/dimensions")
    desk.get_by_role("heading", name="stripes that are level").wait_for()
    desk.reload()
    assert "stripes that are level" in shown.first.get_by_role("heading").inner_text()
    assert shown.first.get_by_role("textbox").input_value() == "stripes that are level"
    assert gratings.look(found).called[0] == "stripes that are level"
    with downloaded(desk, "csv", tmp_path).open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert head[1] == "1 stripes that are level"
    assert np.shape(rows) == (len(FEATURES), 1 + len(last.shares))
    page = downloaded(desk, "html", tmp_path)
    desk.goto(page.as_uri())
    assert "stripes that are level" in json.dumps(
        desk.evaluate("[...document.querySelectorAll('input')].map((one) => one.value)")
    )
