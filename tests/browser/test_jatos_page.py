"""The guide's page for JATOS, with the plugin as it is built, against the real server."""

import json
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

from browser.conftest import missing
from browser.fake_study import picture
from browser.real_server import CONSENT, running
from resemblance.store import Store
from resemblance.study.creation import create_study
from resemblance.study.folder import StudyFolder
from resemblance.study.live import LiveStudy
from resemblance.web.accounts import Accounts
from resemblance.web.app import create_app

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
RECIPE = ROOT / "docs/guide/recipes/jatos.html"
PLUGIN = ROOT / "src/resemblance/web/static/ask-tell.js"
JSPSYCH = ROOT / "frontend/node_modules/jspsych/dist/index.browser.js"
QUESTIONS = 4
TASKS = {"per_participant": 1, "task_size": QUESTIONS, "practice": 0, "gold_share": 0.0}

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

    def __init__(self, server):
        self.results, self.ended, self.session, self.loads = {}, [], {}, 0
        text = RECIPE.read_text(encoding="utf-8")
        for old, new in {"https://similarity.example.org": server, '"STUDY"': '"ties"'}.items():
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
    """Somebody at the page, JATOS behind it, and the study."""

    def __init__(self, page, jatos, live):
        self.page, self.jatos, self.live = page, jatos, live

    def question(self):
        """Wait for a question; give its head and its options."""
        self.page.wait_for_function("() => document.querySelectorAll('button').length === 2")
        return self.page.locator("img").evaluate_all("all => all.map((one) => one.src)")

    def answer(self, option=0):
        """Answer, and wait until JATOS has it."""
        asked, before = self.question(), len(self.rows)
        self.page.locator("button").nth(option).click()
        self.until(lambda: len(self.rows) > before)
        return asked

    @property
    def rows(self):
        """The trials that JATOS has, of all results."""
        return [row for rows in self.jatos.results.values() for row in rows]

    @property
    def answers(self):
        return self.live.store.answers.after(self.live.record, 0)

    def until(self, holds):
        for _ in range(300):
            if holds():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(self.page.content())


@contextmanager
def taking_part(browser, folder, allowed=True, state="open"):
    if not (PLUGIN.is_file() and JSPSYCH.is_file()):
        missing("jsPsych and the plugin (make frontend)")
    (folder / "pictures").mkdir()
    for number in range(12):
        (folder / "pictures" / f"tie{number:02d}.png").write_bytes(picture(str(number), 40))
    jatos = Jatos("")
    with running(jatos.app) as host, Store.open(f"sqlite:///{folder}/ties.sqlite") as store:
        origin = host if allowed else "https://elsewhere.example.org"
        settings = {"tasks": TASKS, "server": {"origins": [origin]}}
        pictures = folder / "pictures"
        create_study(folder / "ties", images=pictures, settings=settings, pages=CONSENT)
        live = LiveStudy.open(StudyFolder.open(folder / "ties"), store)
        store.studies.set_state(live.record, state, "ann")
        live.reread()
        served = create_app([live], Accounts(folder / "accounts"))
        with running(served) as server, browser.page() as page:
            jatos.text = Jatos(server).text
            page.goto(f"{host}/page.html")
            yield Run(page, jatos, live)


def test_a_person_goes_through_the_study(browser, tmp_path):
    with taking_part(browser, tmp_path) as run:
        seen = [run.answer(turn % 2) for turn in range(QUESTIONS)]
        run.until(lambda: run.jatos.ended)
        answers, [person] = run.answers, run.live.store.people.all(run.live.record)
    assert run.jatos.ended == [["startNextComponent"]]
    rows = run.rows
    assert [[row["head"], *row["options"]] for row in rows] == seen
    assert [answer.response["chosen"] for answer in answers] == [0, 1, 0, 1]
    assert [row["options"].index(row["chosen"]) for row in rows] == [0, 1, 0, 1]
    media = run.live.folder.media
    for answer, row in zip(answers, rows, strict=True):
        shown = [media[address.rpartition("/")[2]].name for address in row["options"]]
        assert shown == answer.spec["options"]
    assert person.state == "finished"
    assert {row["observer"] for row in rows} == {person.code}
    assert [row["code"] for row in rows] == [None] * 3 + [person.completion_code]
    assert "7" not in (person.external_id or "")  # no id of JATOS


def test_after_a_reload_the_same_question_stands(browser, tmp_path):
    with taking_part(browser, tmp_path) as run:
        run.answer()
        out = run.question()
        run.page.reload()
        assert run.question() == out
        for _ in range(QUESTIONS - 1):
            run.answer()
        run.until(lambda: run.jatos.ended)
        assert len(run.answers) == QUESTIONS
        assert len(run.live.store.people.all(run.live.record)) == 1
    assert [len(rows) for rows in run.jatos.results.values()] == [1, 3]


def test_a_page_whose_origin_is_not_named_asks_nothing(browser, tmp_path):
    with taking_part(browser, tmp_path, allowed=False) as run:
        run.page.get_by_text("connection is lost").wait_for()
        assert run.live.store.people.all(run.live.record) == []
