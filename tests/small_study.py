"""Run a small study without the web: a folder, a store, and people who answer."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from random import Random

import numpy as np
import pytest

from resemblance.store import AnswerIn, Store
from resemblance.study.entry import assign
from resemblance.study.folder import StudyFolder
from resemblance.study.live import LiveStudy, open_folders, open_stores
from resemblance.study.questions import next_questions
from resemblance.study.worker.loop import StudyWork, run
from responses import respond

TOML = """
[study]
name = "dots"
kind = "{kind}"
{study}
[stimuli]
items = "items.csv"
[pages]
{sections}
"""
SMALL = """
[tasks]
per_participant = 2
task_size = 40
practice = 1
gold_share = 0.1
repeat_share = 0.1
[asking]
start_per_head = 3
"""


def make_folder(path, n_items=12, kind="triplet", sections=SMALL, study=""):
    """Make the folder of a study about dots on a plane."""
    path.mkdir(parents=True, exist_ok=True)
    if n_items is not None:  # else there is a table of items
        rows = [f"i{i:04d},dot {i}" for i in range(n_items)]
        (path / "items.csv").write_text("\n".join(["name,text", *rows]) + "\n")
    text = TOML.format(kind=kind, sections=sections, study=study)
    for name in ("consent", "instructions", "debrief"):
        (path / "pages").mkdir(exist_ok=True)
        (path / "pages" / f"{name}.md").write_text(f"# {name}\n")
    (path / "study.toml").write_text(text)
    return StudyFolder.open(path)


def open_study(path, url, **settings):
    """Store the study of a folder, and open it."""
    return LiveStudy.open(make_folder(path, **settings), Store.open(url))


class People:
    """People who judge the dots by their positions; some guess.

    Parameters
    ----------
    live : LiveStudy
        The study.
    n : int
        The number of people.
    guess : dict of int to str
        The people who guess: "first" always chooses the first place, "random" a random one.
    weigh : callable, optional
        The weight of an option by its squared distance d; default: (0.05 + d) ** -sharp.
    """

    def __init__(self, live, n, guess=None, dims=2, seed=0, source="open", sharp=1, weigh=None):
        self.live, self.guess = live, guess or {}
        self.weigh = weigh or (lambda d: (0.05 + d) ** -sharp)
        rng = np.random.default_rng(seed)
        points = 2 * rng.normal(size=(len(live.folder.names), dims))
        self.points = dict(zip(live.folder.names, points, strict=True))
        self.random = Random(seed)
        self.turn, self.sharp = 0, sharp
        self.persons, self.asked = [], [0] * n
        for number in range(n):
            hashed = f"{live.folder.name} {source} {number}"
            assigned = partial(assign, live, {}) if live.settings.conditions.names else None
            person = live.store.people.enter(
                live.record, source, f"person {number}", hashed, assign=assigned
            )
            self.persons.append(live.store.people.set_state(person, "consented"))

    def answer(self, n, rt_ms=900.0):
        """Let people answer in turn, n answers in all; return the questions answered."""
        told = []
        for _ in range(n):
            told.append(self.answer_one(self.turn % len(self.persons), rt_ms))
            self.turn += 1
        return told

    def answer_one(self, number, rt_ms=900.0):
        live, person = self.live, self.persons[number]
        out = live.store.questions.outstanding(person)
        if not out:
            out = live.store.questions.serve(
                person, next_questions(live, person, self.asked[number], 1)
            )
            self.asked[number] += 1
        question = out[0]
        place = self.choose(number, question.spec)
        response = respond(question.kind, question.spec["options"], place)
        if question.kind == "ranking":
            response = {"picked": self.rank(number, question.spec)}
        live.store.answers.take(person, [AnswerIn(question.id, response, rt_ms)])
        return question

    def rank(self, number, spec):
        left, places = [*spec["options"]], []
        while left:
            name = left.pop(self.choose(number, spec | {"options": left}))
            places.append(spec["options"].index(name))
        return places

    def choose(self, number, spec):
        how = self.guess.get(number)
        if how == "first":
            return 0
        places = range(len(spec["options"]))
        if how == "random":
            return self.random.choice(places)
        if spec["head"] is None or spec["options"][0] not in self.points:
            return spec["gold"] or 0
        head = self.points[spec["head"]]
        distance = [np.sum((head - self.points[name]) ** 2) for name in spec["options"]]
        weight = [self.weigh(d) for d in distance]
        return self.random.choices(places, weight)[0]


class Hands:
    """A worker that works step by step."""

    def __init__(self, live):
        self.work = StudyWork(live)
        self.threads = ThreadPoolExecutor(1)

    def begin(self, seconds=60.0):
        """Wait for the lease, since a database may notice late that a worker was killed."""
        until = time.monotonic() + seconds
        while self.work._learner is None and time.monotonic() < until:
            self.work._at = 0.0
            self.work.step(self.threads)
        self.settle()

    def settle(self):
        idle = 0
        while idle < 3:
            busy = self.work.step(self.threads)
            fits = self.work._learner is not None and self.work._learner.is_busy
            idle = 0 if busy or fits else idle + 1
            if fits:
                self.threads.submit(int).result()  # wait for the fit

    @property
    def asker(self):
        return self.work._learner

    @property
    def session(self):
        return self.asker.session

    def watch(self):
        self.work._watched = 0.0
        self.settle()


@contextmanager
def database_at(url):
    """Set the environment variable of the database."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RESEMBLANCE_DATABASE", url)
        yield


def live_and_work(path, url):
    os.environ["RESEMBLANCE_DATABASE"] = url
    lives, _ = open_stores(open_folders([path]))
    run(lives, threading.Event())
