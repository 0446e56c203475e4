"""Keep a small study as the code of today stores it: see README.md."""

import asyncio
import json
import sqlite3
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from resemblance.study.worker import run
from web.conftest import Served

PAGES = {
    "consent": "# Consent\n\nDo you agree?\n",
    "instructions": "# What to do\n\nClick.\n",
    "about": '# About you\n\n```form\n[age]\ntype = "number"\nlabel = "How old are you?"\n```\n',
    "debrief": "# Thank you\n\nGoodbye.\n",
}
WORDS = ("calm", "loud", "bright", "dark", "soft", "sharp")
SETTINGS = """[study]
name = "words"
title = "Words that are alike"

[stimuli]
items = "items.csv"

[tasks]
per_participant = 1
task_size = 10
practice = 2

[asking]
start_per_head = 2
refit_every = 10
held_out = 0.1

[quality]
rules = [{ measure = "side", above = 0.95, after = 10, action = "flag" }]

[recruitment]
source = "prolific"
completion_code = "C0FFEE42"

[pages]
questionnaire = ["pages/about.md"]
"""


def write_study(folder):
    (folder / "pages").mkdir(parents=True)
    for name, text in PAGES.items():
        (folder / "pages" / f"{name}.md").write_text(text)
    rows = ["name,text", *(f"{word},{word}" for word in WORDS)]
    (folder / "items.csv").write_text("\n".join(rows) + "\n")
    (folder / "study.toml").write_text(SETTINGS)


class Made:
    """Six people in a study that is served, while the worker works."""

    def __init__(self, served):
        self.served, self.people = served, {}

    def enter(self, who):
        number = len(self.people) + 1
        ids = {"PROLIFIC_PID": f"{number:024x}", "SESSION_ID": f"session{number}"}
        person = self.served.person("words", ids, browser={"agent": "Firefox/140.0"})
        self.people[who] = person, ids["PROLIFIC_PID"]
        return person

    def finish(self, person, age):
        person.begin()
        person.answer_all(lambda question: {"chosen": ord(question["id"][0]) % 2})
        page = person.get().json()["page"]["name"]
        person.post(f"pages/{page}", {"values": {"age": age}})
        person.post("finish")

    def take_part(self):
        self.finish(self.enter("finished"), 41)
        half = self.enter("under way")
        half.begin()
        standing = half.answer()
        for number in range(7):
            standing = half.answer(standing["questions"][0], skipped=number == 4)
        excluded = self.enter("excluded")
        excluded.begin()
        excluded.answer_all()
        self.enter("declined").post("pages/consent", {"agree": False})
        self.enter("entered")
        self.finish(self.enter("erased"), 30)

    def rule(self):
        """Exclude one; erase another once there is a map."""
        store, record = self.served.store, self.served.live.record
        people = {one.code: one for one in store.people.all(record)}
        store.people.exclude(people[self.people["excluded"][0].code], True, "he guessed", "me")
        end = time.monotonic() + 90
        while store.spaces.latest(record) is None and time.monotonic() < end:
            time.sleep(0.2)
        store.people.erase(people[self.people["erased"][0].code], "researcher")
        time.sleep(5)  # the worker begins anew, without that person

    def told(self):
        out = self.people["under way"][0].answer()["questions"]
        found = {}
        for who, (person, number) in self.people.items():
            token = person.headers["Authorization"].removeprefix("Bearer ")
            found[who] = {"id": number, "code": person.code, "token": token}
        return {"out": [question["id"] for question in out], "people": found}


def make(folder, home):
    write_study(folder)
    stop = threading.Event()
    with asyncio.Runner() as runner:
        served = Served([folder], runner, home / "secret", f"sqlite:///{home}/study.sqlite")
        worker = threading.Thread(target=run, args=(served.lives, stop), daemon=True)
        worker.start()
        made = Made(served)
        made.take_part()
        made.rule()
        stop.set()
        worker.join()
        told = made.told()
        served.close()
    with closing(sqlite3.connect(home / "study.sqlite")) as database:
        named = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        tables = sorted(row[0] for row in database.execute(named))
        count = "SELECT count(*) FROM {}"
        told["rows"] = {one: database.execute(count.format(one)).fetchone()[0] for one in tables}
        (folder / "study.sql").write_text("\n".join(database.iterdump()) + "\n")
    (folder / "told.json").write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        make(Path(sys.argv[1]), Path(home))
