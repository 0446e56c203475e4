"""Rehearse a study from the desk: the participant's page with a temporary database.

The routes serve copies of the studies. Answers are stored in a SQLite file that no export, fit or
desk reads; the next start of the server removes the file.
"""

import os
import threading
from dataclasses import replace
from random import Random
from secrets import token_urlsafe
from urllib.parse import urlencode

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from resemblance.store import Store
from resemblance.study.failures import Failure
from resemblance.study.folder import StudyFolder
from resemblance.study.live import LiveStudy
from resemblance.study.sections import Recruitment
from resemblance.web.routes import Shared

PREFIX = "/desk/-try"  # No study can have this name.
# prefix of a rehearsed study's name, so that browsers keep its records apart
MARK = "~"
TICKET = "rehearsal"
FILE = ".rehearsal"


class Rehearsal:
    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.copy = Shared({}, shared.accounts, static=shared.static)
        self._beginning = threading.Lock()
        self._store: Store | None = None
        self._file = shared.accounts.path.with_name(f"{FILE}-{os.getppid()}.sqlite")
        for path in self._file.parent.glob(f"{FILE}-*"):
            if not path.name.startswith(self._file.name):
                path.unlink(missing_ok=True)

    def address(self, study: str, session: str) -> str:
        """Return an address at which a study can be tried until the session ends."""
        ticket = self.shared.accounts.ticket(session, TICKET)
        parameters = self.shared.studies[study].settings.conditions.address(Random())
        query = urlencode({TICKET: token_urlsafe(6), **parameters})
        return f"{PREFIX}/{ticket}/s/{MARK}{study}?{query}"

    def begin(self) -> None:
        with self._beginning:
            if self._store is None:
                self._store = self._open()

    def _open(self) -> Store:
        store = Store.open(f"sqlite:///{self._file.absolute()}")
        for live in self.shared.studies.values():
            folder = rehearsed(live)
            self.copy.studies[folder.name] = LiveStudy.open(folder, store)
        return store


def rehearsed(live: LiveStudy) -> StudyFolder:
    """Return a study's folder without recruitment, pay and barred people."""
    settings, folder = live.settings, live.folder
    title = str(folder.words["rehearsal"]).replace("{title}", settings.study.title)
    study = settings.study.model_copy(update={"name": MARK + folder.name, "title": title})
    asking = settings.asking.model_copy(update={"adaptive": False})
    fields = {"study": study, "asking": asking, "recruitment": Recruitment()}
    settings = settings.model_copy(update=fields)
    return replace(folder, settings=settings, barred=frozenset(), unready=())


class Gate:
    """Admit requests that have a ticket from the desk in their address; pages send no cookies."""

    def __init__(self, app: FastAPI, rehearsal: Rehearsal) -> None:
        self.app: ASGIApp = app
        self.rehearsal = rehearsal
        app.state.shared = rehearsal.copy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        ticket = scope.get("path_params", {}).get("ticket", "")
        if not self.rehearsal.shared.accounts.holds(ticket, TICKET):
            raise Failure("login_required")
        await run_in_threadpool(self.rehearsal.begin)
        await self.app(scope, receive, send)
