"""A small study in a folder, served by the real application."""

import asyncio
from urllib.parse import urlencode

import httpx
import pytest
from argon2 import PasswordHasher

import study_folder
from resemblance.study.live import open_folders, open_stores
from resemblance.web import accounts
from resemblance.web.accounts import Accounts
from resemblance.web.app import create_app
from responses import respond


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch):
    """Digest passwords with little work: what takes long is the same."""
    quick = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
    monkeypatch.setattr(accounts, "_hasher", lambda: quick)


make_study = study_folder.make_study


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

    def send_form(self, path, **fields):
        """Send a form as browsers do, though it may have no fields."""
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.post(path, content=urlencode(fields), headers=kind)


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
    first = respond(question.get("kind"), question.get("options"))
    response = None if more.get("skipped") else response or first
    return {"question": question["id"], "response": response, "rt_ms": 400, **more}


class Served:
    """Studies behind the application."""

    def __init__(self, folders, runner, secret):
        self.lives, self.stores = open_stores(open_folders(folders))
        self.live, self.store = self.lives[0], self.stores[0]
        self.app = create_app(self.lives, Accounts(secret))
        self.shared = self.app.state.shared
        self.client = Client(self.app, runner)

    def person(self, study="ties", parameters=None, **more):
        return Person(self.client, study, parameters, **more)

    def log(self):
        return self.store.answers.after(self.live.record)

    def close(self):
        for store in self.stores:
            store.close()


@pytest.fixture
def runner():
    """The event loop of all requests."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture
def serve(tmp_path, runner, monkeypatch):
    """Serve folders of studies."""
    served = []

    def serve_(*folders, database=None):
        if database is not None:
            monkeypatch.setenv("RESEMBLANCE_DATABASE", database)
        served.append(Served(folders, runner, tmp_path / "secret"))
        return served[-1]

    yield serve_
    for one in served:
        one.close()


@pytest.fixture
def served(make_study, serve):
    """One small study, served."""
    return serve(make_study())
