"""The guide's page for JATOS, with the plugin as it is built, against the real server."""

import json
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

import resemblance as rs
from browser.conftest import missing
from browser.real_server import running
from resemblance.web.search.app import create_search_app
from resemblance.web.search.pictures import Pictures

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
RECIPE = ROOT / "docs/guide/recipes/jatos.html"
PLUGIN = ROOT / "src/resemblance/web/static/ask-tell.js"
JSPSYCH = ROOT / "frontend/node_modules/jspsych/dist/index.browser.js"
QUESTIONS = 4
NAMES = [f"tie {number}" for number in range(12)]

# What the page uses of jatos.js: as JATOS has it, the study session outlives a reload, a reload
# begins a new result, and submitting overwrites the result.
JATOS = """
const send = (route, body) => fetch(route, { method: "POST", body, keepalive: true });
const jatos = {
  workerId: "7",
  studyResultId: "31",
  urlQueryParameters: { PROLIFIC_PID: "5f0c" },
  studySessionData: SESSION_DATA,
  onLoad: (begin) => setTimeout(begin),
  setStudySessionData: (data) => send("session", JSON.stringify(data)),
  submitResultData: (data) => send("result/LOAD", data),
  startNextComponent: () => send("end", JSON.stringify(["startNextComponent"])),
  endStudy: (...given) => send("end", JSON.stringify(["endStudy", ...given])),
};
"""


class Jatos:
    """A host of its own, which keeps what the page hands to JATOS."""

    def __init__(self, server, session):
        self.results, self.ended, self.session, self.loads = {}, [], {}, 0
        text = RECIPE.read_text(encoding="utf-8")
        for old, new in {
            "https://similarity.example.org": server,
            '"SESSION"': f'"{session}"',
            "questions = 100": f"questions = {QUESTIONS}",
        }.items():
            assert text.count(old) == 1
            text = text.replace(old, new)
        self.text, self.app = text, FastAPI(openapi_url=None)
        self.app.get("/page.html")(lambda: HTMLResponse(self.text))
        self.app.get("/index.browser.min.js")(lambda: FileResponse(JSPSYCH))
        self.app.get("/jatos.js")(self.script)
        self.app.post("/session")(self.keep_session)
        self.app.post("/result/{load}")(self.keep_result)
        self.app.post("/end")(self.end)

    def script(self):
        self.loads += 1
        text = JATOS.replace("SESSION_DATA", json.dumps(self.session))
        return Response(text.replace("LOAD", str(self.loads)), media_type="text/javascript")

    async def keep_session(self, request: Request):
        self.session = await request.json()

    async def keep_result(self, load: int, request: Request):
        self.results[load] = await request.json()

    async def end(self, request: Request):
        self.ended.append(await request.json())


class Run:
    """Somebody at the page, JATOS behind it, and the session that it asks and tells."""

    def __init__(self, page, jatos, log):
        self.page, self.jatos, self.log = page, jatos, log

    def question(self):
        """Wait for a question; give its head and its options."""
        self.page.wait_for_function("() => document.querySelectorAll('button').length === 2")
        return self.page.locator("img").evaluate_all("all => all.map((one) => one.alt)")

    def answer(self, option=0):
        """Answer, and wait until JATOS has it."""
        asked, before = self.question(), self.jatos.session.get("answered", 0)
        self.page.locator("button").nth(option).click()
        self.until(lambda: self.jatos.session.get("answered", 0) > before)
        return asked

    def until(self, holds):
        for _ in range(300):
            if holds():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(self.page.content())

    def lines(self, event):
        """Return what the server wrote of an event."""
        rows = [json.loads(row) for row in self.log.open()]
        return [row for row in rows if row.get("event") == event]


@contextmanager
def taking_part(browser, folder, allowed=True, session=None):
    if not (PLUGIN.is_file() and JSPSYCH.is_file()):
        missing("jsPsych and the plugin (make frontend)")
    space = np.random.default_rng(0).normal(size=(len(NAMES), 2))
    model = rs.CKL(2).set_positions(space, rs.Items(NAMES))
    jatos = Jatos("", "")
    with running(jatos.app) as host:
        origins = [host] if allowed else ["https://elsewhere.example.org"]
        served = create_search_app(model, Pictures([]), sessions=folder, origins=origins)
        with running(served) as server, browser.page() as page:
            begun = session or httpx.post(f"{server}/api/sessions", json={}).json()["session"]
            jatos.text = Jatos(server, begun).text
            page.goto(f"{host}/page.html")
            yield Run(page, jatos, folder / f"{begun}.jsonl")


def test_jatos_gets_what_the_server_was_told(browser, tmp_path):
    with taking_part(browser, tmp_path) as run:
        for turn in range(QUESTIONS):
            run.answer(turn % 2)
        run.until(lambda: run.jatos.ended)
        [result] = run.jatos.results.values()
        told = run.lines("tell")
    assert run.jatos.ended == [["startNextComponent"]]
    assert [one["number"] for one in told] == [row["question"] for row in result] == [0, 1, 2, 3]
    assert [NAMES[one["chosen"]] for one in told] == [row["chosen"] for row in result]
    assert {one["observer"] for one in told} == {"W7"}  # and no id of a recruiting service


def test_after_a_reload_the_same_question_stands_and_the_count_goes_on(browser, tmp_path):
    with taking_part(browser, tmp_path) as run:
        run.answer()
        out = run.question()
        run.page.reload()
        assert run.question() == out
        for _ in range(QUESTIONS - 1):
            run.answer()
        run.until(lambda: run.jatos.ended)
        assert len(run.lines("ask")) == len(run.lines("tell")) == QUESTIONS
    numbers = [[row["question"] for row in rows] for rows in run.jatos.results.values()]
    assert numbers == [[0], [1, 2, 3]]


def test_an_answer_whose_receipt_was_lost_counts_once(browser, tmp_path):
    with taking_part(browser, tmp_path) as run:
        seen = []

        def lose_the_first(route):
            seen.append(route.request.post_data_json)
            if len(seen) > 1:
                return route.continue_()
            route.fetch()  # the server has it, and the page does not know
            return route.abort()

        run.page.route("**/tell", lose_the_first)
        run.answer(1)
        assert seen[0] == seen[1]
        assert len(run.lines("tell")) == 1


def test_whoever_lost_the_network_goes_on_after_a_reload(browser, tmp_path):
    with taking_part(browser, tmp_path) as run:
        run.question()
        run.page.route("**/tell", lambda route: route.abort())
        run.page.locator("button").nth(1).click()
        run.page.get_by_text("connection is lost").wait_for()
        assert run.lines("tell") == run.jatos.ended == []
        run.page.unroute("**/tell")
        run.page.reload()
        run.until(lambda: run.jatos.session.get("answered") == 1)  # nobody clicked again
        assert len(run.lines("tell")) == 1
        run.question()
        assert len(run.lines("ask")) == 2


def test_a_session_that_is_over_ends_the_study_for_the_person(browser, tmp_path):
    with taking_part(browser, tmp_path, session="x" * 22) as run:
        run.until(lambda: run.jatos.ended)
    [[function, successful, message]] = run.jatos.ended
    assert (function, successful) == ("endStudy", True)
    assert "unknown_session" in message


def test_a_page_whose_origin_is_not_named_asks_nothing(browser, tmp_path):
    with taking_part(browser, tmp_path, allowed=False) as run:
        run.page.get_by_text("connection is lost").wait_for()
        assert run.lines("ask") == []
