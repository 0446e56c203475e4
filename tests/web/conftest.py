"""A small study in a folder, served by the real application."""

import asyncio

import httpx
import pytest
from argon2 import PasswordHasher
from PIL import Image

from resemblance.web import researcher
from resemblance.web.app import create_app
from resemblance.web.live import open_folders, open_stores
from resemblance.web.researcher import Secrets

TEXTS = {
    "consent": "# Consent\n\nDo you agree?\n",
    "instructions": "# What to do\n\nClick.\n",
    "debrief": "# Thank you\n\nGoodbye.\n",
}
SETTINGS = {
    "study": {"name": "ties"},
    "tasks": {"per_participant": 1, "task_size": 10, "practice": 2},
    "asking": {"adaptive": False},
}
CLASSES = "name,file,label\nleft,stimuli/item0.png,0\nright,stimuli/item1.png,1\n"


def as_toml(settings):
    from resemblance.web.template import toml

    lines = []
    for section, values in settings.items():
        lines.append(f"[{section}]")
        lines += [f"{key} = {toml(value)}" for key, value in values.items()]
    return "\n".join(lines) + "\n"


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch):
    """Digest passwords with little work: what takes long is the same."""
    quick = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
    monkeypatch.setattr(researcher, "_hasher", lambda: quick)


@pytest.fixture
def make_study(tmp_path):
    """Write a study's folder; settings are merged, section by section, with small ones."""

    def make(name="ties", n_items=6, **sections):
        folder = tmp_path / name
        (folder / "stimuli").mkdir(parents=True)
        (folder / "pages").mkdir()
        for number in range(n_items):
            shade = Image.new("L", (8, 8), 20 * number)
            shade.putpixel((number % 8, 0), 255)
            shade.save(folder / "stimuli" / f"item{number}.png")
        for page, text in TEXTS.items():
            (folder / "pages" / f"{page}.md").write_text(text)
        (folder / "classes.csv").write_text(CLASSES)
        merged = {**SETTINGS, "study": {"name": name}}
        for section, values in sections.items():
            merged[section] = {**merged.get(section, {}), **values}
        (folder / "study.toml").write_text(as_toml(merged))
        return folder

    return make


class Client:
    """A browser without a screen: requests that reach the application, and nothing else."""

    def __init__(self, app, runner, address="http://127.0.0.1:8000"):
        self.app, self.runner = app, runner
        transport = httpx.ASGITransport(app, client=("10.0.0.1", 9))
        self.http = httpx.AsyncClient(transport=transport, base_url=address)

    def request(self, method, path, **more):
        return self.runner.run(self.http.request(method, path, **more))

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def post(self, path, **more):
        return self.request("POST", path, **more)


class Person:
    """A participant's browser."""

    def __init__(self, client, study="ties", parameters=None, **more):
        body = {"parameters": parameters or {}, **more}
        entered = client.post(f"/api/studies/{study}/participants", json=body)
        assert entered.status_code == 200, entered.text
        self.client, self.code = client, entered.json()["code"]
        self.headers = {"Authorization": f"Bearer {entered.json()['token']}"}

    def get(self, path="/api/me"):
        return self.client.get(path, headers=self.headers)

    def post(self, path, body=None, status=200):
        answer = self.client.post(f"/api/me/{path}", headers=self.headers, json=body or {})
        assert answer.status_code == status, answer.text
        return answer.json()

    def begin(self):
        """Agree, and read the instructions."""
        self.post("pages/consent", {"agree": True})
        return self.post("pages/instructions")

    def answer(self, *questions, want=4, status=200, response=None, **more):
        """Answer questions with their first option."""
        return self.post(
            "answers",
            {"answers": [reply_to(one, response, **more) for one in questions], "want": want},
            status,
        )

    def answer_all(self, choose=None):
        """Go on until nothing is asked any more; give every question seen, in order."""
        seen, standing = [], self.answer()
        while standing["questions"]:
            question = standing["questions"][0]
            seen.append(question)
            standing = self.answer(question, response=choose and choose(question))
        return seen


def reply_to(question, response=None, **more):
    key = "label" if question["kind"] == "classify" else "chosen"
    response = None if more.get("skipped") else response or {key: 0}
    return {"question": question["id"], "response": response, "rt_ms": 400, **more}


class Served:
    """Studies behind the application."""

    def __init__(self, folders, runner, secret):
        self.lives, self.stores = open_stores(open_folders(folders))
        self.live, self.store = self.lives[0], self.stores[0]
        self.app = create_app(self.lives, Secrets(secret))
        self.house = self.app.state.house
        self.client = Client(self.app, runner)

    def person(self, study="ties", parameters=None, **more):
        return Person(self.client, study, parameters, **more)

    def log(self):
        return self.store.answers_after(self.live.record)

    def close(self):
        for store in self.stores:
            store.close()


@pytest.fixture
def serve(tmp_path):
    """Serve folders of studies."""
    with asyncio.Runner() as runner:
        served = []

        def serve_(*folders):
            served.append(Served(folders, runner, tmp_path / "secret"))
            return served[-1]

        yield serve_
        for one in served:
            one.close()


@pytest.fixture
def served(make_study, serve):
    """One small study, served."""
    return serve(make_study())
