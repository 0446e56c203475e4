"""The application of `resemblance open`, which runs `resemblance fit` for each map."""

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp
from typing import IO, Annotated, Any
from weakref import finalize

from fastapi import APIRouter, FastAPI, Header, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from pydantic import BaseModel, Field

from resemblance.catalog import CONFINED
from resemblance.files import PACKED, TABLES_READ
from resemblance.study.failures import Failure
from resemblance.web import pages as built
from resemblance.web.guards import Guard, Token
from resemblance.web.problems import handle_errors
from resemblance.web.routes import STATIC, add_routes

MOST_BYTES = 100 << 20  # Largest uploaded file in bytes. `resemblance fit` has no such limit.
MOST_FILES = 2000  # largest number of uploaded files
NICE = 10  # Fits have a lower priority than other processes.
LEAST_MEMORY = 2 << 30  # memory in bytes that a fit may always use
KINDS = (
    *("triplets", "quadruplets", "choices", "odd_one_outs", "ratings", "confusions"),
    "arrangements",
)
FIELDS = {  # options of `fit` and their labels on the page
    "kind": "A row is",
    "columns": "Columns with other names",
    "answers": "What keys or codes mean",
    "only": "Only rows in which",
}
SWITCHES = {  # flags of `fit` and the labels of their boxes on the page
    "--reversed": "A high rating means different",
    "--keep-marked": "Read practice, previews and rejected work too",
    "--on-error skip": "Leave out rows that cannot be answers, and catch trials",
}
DOWNLOADS = {  # Descriptions of files. The page shows the first file.
    "map.html": "The map as a page",
    "map.pdf": "The map for a paper",
    "map.png": "The map as a picture",
    "embedding.csv": "The position of each item",
    "answers.csv": "The answers as a table",
    "dimensions.html": "The dimensions as a page",
    "report.json": "All results",
    "model.npz": "The model, for Python",
}
RESEMBLANCE = (sys.executable, "-m", "resemblance")
_STRANGE = re.compile(r"[^\w .()-]+")
FILES = "/api/files"
INSIDE = (  # content security policy for the page of a map, which may not load anything
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; media-src data: blob:; frame-ancestors 'self'; "
    "sandbox allow-scripts allow-downloads"
)
TEXT = 2000  # largest number of characters of an option
Option = Annotated[str, Field(max_length=TEXT)]
router = APIRouter()


class Files:
    def __init__(self) -> None:
        self._paths: dict[str, Path] = {}

    @cached_property
    def _home(self) -> Path:
        home = mkdtemp(prefix="resemblance-")
        finalize(self, shutil.rmtree, home, ignore_errors=True)
        return Path(home)

    def begin(self, name: str) -> tuple[str, Path]:
        own = _STRANGE.sub("_", Path(name).name).strip(". ")
        endings = (*TABLES_READ, *PACKED, ".gz")
        if Path(own).suffix.lower() not in endings:
            raise Failure(
                "invalid_request",
                f"{own!r} is of an unknown type.",
                f"Give a file of answers: {', '.join(endings)}.",
            )
        if len(self._paths) >= MOST_FILES:
            problem = f"{MOST_FILES} files were uploaded."
            raise Failure("too_many", problem, "Start the program again.")
        key = secrets.token_urlsafe(16)
        folder = self._home / key
        folder.mkdir()
        self._paths[key] = folder / own
        return key, folder / own

    def path(self, key: str) -> Path:
        path = self._paths.get(key)
        if path is None or not path.is_file():
            raise Failure("unknown_address", remedy="Give the file again.")
        return path

    def together(self, keys: list[str]) -> Path:
        paths = [self.path(key) for key in keys]
        if len(paths) == 1:
            return paths[0]
        folder = self._home / secrets.token_urlsafe(16) / "answers"
        folder.mkdir(parents=True)
        for path in paths:
            if (folder / path.name).exists():
                raise Failure(
                    "invalid_request", f"Two files are called {path.name}.", "Rename one."
                )
            shutil.copyfile(path, folder / path.name)
        return folder


class Kept:
    runs = False

    def __init__(self, folder: Path) -> None:
        self.name, self.folder = folder.name, folder

    def tell(self) -> dict[str, Any]:
        return self._in_state("done", []) | self.contents()

    def _in_state(self, state: str, notes: list[str]) -> dict[str, Any]:
        return {"name": self.name, "state": state, "notes": notes, "folder": str(self.folder)}

    def contents(self) -> dict[str, Any]:
        report = self.report()
        files = [name for name in DOWNLOADS if (self.folder / name).is_file()]
        return {
            "lines": [[name, in_words_of_the_page(line)] for name, line in report.get("lines", [])],
            "warnings": [in_words_of_the_page(line) for line in report.get("warnings", [])],
            "files": [{"name": name, "about": DOWNLOADS[name]} for name in files],
        }

    def report(self) -> dict[str, Any]:
        with suppress(OSError, ValueError):
            report: dict[str, Any] = json.loads((self.folder / "report.json").read_text("utf-8"))
            return report
        return {}

    def stop(self) -> None: ...

    def end(self) -> None: ...


class Map(Kept):
    def __init__(
        self, answers: Path, items: Path | None, settings: Mapping[str, str], folder: Path
    ) -> None:
        super().__init__(folder)
        self.name = answers.name
        options = {name: settings[name] for name in FIELDS if settings.get(name)}
        if options.get("kind", KINDS[0]) not in KINDS:
            raise Failure("invalid_request", "There is no such kind.", f"Name {', '.join(KINDS)}.")
        command = [*RESEMBLANCE, "fit", str(answers)]
        command += [f"--out={folder}", f"--picture={folder / 'map.pdf'}"]
        read = [f"--{name}={value}" for name, value in options.items()]
        read += [word for words in SWITCHES if settings.get(words) for word in words.split()]
        command += read if items is None else [*read, f"--items={items}"]
        folder.mkdir(parents=True, exist_ok=True)
        convert = [*RESEMBLANCE, "convert", str(answers), str(folder / "answers.csv"), *read]
        # The output is discarded, because `fit` reports the same errors in the file.
        self._table = _started(convert, subprocess.DEVNULL)
        self._stderr = TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115  (until the end)
        self._homes = [f"{path.parent}/" for path in (answers, items, folder) if path is not None]
        self._process = _started(command, self._stderr)

    def tell(self) -> dict[str, Any]:
        code = None if self.runs else self._process.returncode
        self._stderr.seek(0)
        lines = [line for line in self._stderr.read().splitlines() if line.strip()]
        lines = [in_words_of_the_page(line) for line in lines]
        notes = [line.removeprefix("note: ") for line in lines if line.startswith("note: ")]
        under_way = "checking" if self.report() else "fitting"
        status = self._in_state("done" if code is not None else under_way, notes)
        if code not in (None, 0, 130):
            begin = [k for k, line in enumerate(lines) if line.startswith("error: ")] or [-1]
            said = "\n".join(lines[begin[0] :]).removeprefix("error: ")
            problem = said or f"The program ended with {code}."
            for home in self._homes:  # Names of folders are not shown.
                problem = problem.replace(home, "")
            with suppress(OSError):  # Removing the folder fails if it contains a map.
                self.folder.rmdir()
            return {**status, "state": "failed", "problem": problem}
        return {**status, "stopped": code == 130, **self.contents()}

    @property
    def runs(self) -> bool:  # type: ignore[override]
        return None in (self._process.poll(), self._table.poll())

    def stop(self) -> None:
        """Interrupt the process as Ctrl-C does, so that it saves results."""
        if self.runs:
            self._process.send_signal(signal.SIGINT)

    def end(self) -> None:
        for process in (self._process, self._table):
            process.kill()
            process.wait()
        self._stderr.close()


def _started(command: list[str], stderr: int | IO[str]) -> subprocess.Popen[bytes]:
    """Start a process of low priority that may use half of the machine's memory.

    Only the data segment is limited, because numba and BLAS reserve much more address space than
    they use.
    """
    silent = subprocess.DEVNULL
    # Tables may name only files that were uploaded with them.
    confined = {**os.environ, CONFINED: "yes"}
    process = subprocess.Popen(command, stdin=silent, stdout=silent, stderr=stderr, env=confined)
    # Some systems do not support these limits.
    with suppress(ImportError, AttributeError, OSError):
        import resource

        os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        most = max(memory // 2, LEAST_MEMORY)
        resource.prlimit(process.pid, resource.RLIMIT_DATA, (most, most))
    return process


def in_words_of_the_page(line: str) -> str:
    for words, label in SWITCHES.items():
        line = line.replace(words, f"“{label}”")
    for name, label in FIELDS.items():
        line = re.sub(rf"--{name}\b", f"“{label}”:", line)
    return line


class Maps:
    """Maps in a permanent folder; only one map is fitted at a time."""

    def __init__(self, home: Path) -> None:
        self.home, self.files = home, Files()
        self._maps: dict[str, Kept] = {}

    def begin(self, answers: list[str], items: str | None, settings: Mapping[str, str]) -> str:
        if self.running is not None:
            raise Failure("too_many", "Another map is being fitted.", "Wait for it, or stop it.")
        path = self.files.together(answers)
        key = secrets.token_urlsafe(16)
        items_path = None if items is None else self.files.path(items)
        stem = path.name.removesuffix(".gz").rpartition(".")[0] or path.name
        names = (f"{stem}-map{'' if n == 1 else f'-{n}'}" for n in range(1, 10_000))
        free = next(self.home / name for name in names if not (self.home / name).exists())
        self._maps[key] = Map(path, items_path, settings, free)
        return key

    @property
    def running(self) -> str | None:
        return next((key for key, kept in self._maps.items() if kept.runs), None)

    def kept(self) -> list[dict[str, Any]]:
        key_of = {kept.folder: key for key, kept in self._maps.items()}
        made = {}
        for page in self.home.glob("*/map.html"):
            if (report := page.with_name("report.json")).is_file():
                made[page.parent] = report.stat().st_mtime
        newest = sorted(made, key=made.__getitem__, reverse=True)[:MOST_FILES]
        for folder in newest:
            if folder not in key_of:
                key_of[folder] = secrets.token_urlsafe(16)
                self._maps[key_of[folder]] = Kept(folder)
        return [{"map": key_of[f], "name": f.name, "made": made[f]} for f in newest]

    def get(self, key: str) -> Kept:
        if key not in self._maps:
            raise Failure("unknown_address")
        return self._maps[key]

    def end(self) -> None:
        for kept in self._maps.values():
            kept.end()


class Wanted(BaseModel):
    answers: Annotated[list[str], Field(min_length=1, max_length=500)]
    items: str | None = None
    settings: dict[str, Option] = {}


def create_open_app(home: Path, hosts: frozenset[str], static: Path = STATIC) -> FastAPI:
    """Return the application, which stores maps in the folder ``home``.

    Pages require a key in the address or a cookie, which protects against other users of the
    machine. The API requires the key in a header, which protects against other pages in the
    browser.
    """

    @asynccontextmanager
    async def ending(app: FastAPI) -> AsyncIterator[None]:
        yield
        app.state.maps.end()

    app = FastAPI(openapi_url=None, lifespan=ending)
    app.state.maps, app.state.static = Maps(home), static
    app.state.key = secrets.token_urlsafe(16)
    add_routes(app, router)
    handle_errors(app)
    app.add_middleware(Token, token=app.state.key)
    app.add_middleware(Guard, hosts=hosts, secure=False, streamed={FILES: MOST_BYTES})
    return app


def maps_of(request: Request, key: str | None) -> Maps:
    state = request.app.state
    if key is None or not secrets.compare_digest(key.encode(), state.key.encode()):
        raise Failure("not_from_here", "The key of this program is missing.", "Reload the page.")
    maps: Maps = state.maps
    return maps


Key = Annotated[str | None, Header(alias="X-Key")]


@router.get("/", response_class=HTMLResponse)
def page(request: Request) -> HTMLResponse:
    state = request.app.state
    config: dict[str, Any] = {
        "key": state.key,
        "kinds": KINDS,
        "most": MOST_BYTES,
    }
    config |= {"running": state.maps.running, "fields": FIELDS, "switches": SWITCHES}
    return HTMLResponse(built.filled(state.static, "open", json.dumps(config)))


@router.get("/favicon.ico", response_class=Response)
def icon() -> Response:
    return Response(status_code=204)


@router.get("/static/{name:path}", response_class=Response)
def static(name: str, request: Request) -> Response:
    return built.built_file(request.app.state.static, name, request)


@router.post(FILES)
async def send(request: Request, name: str, key: Key = None) -> dict[str, str]:
    own, path = maps_of(request, key).files.begin(name)
    size = 0
    with path.open("wb") as file:
        async for part in request.stream():
            size += len(part)
            if size > MOST_BYTES:
                raise Failure("too_large")
            file.write(part)
    return {"file": own}


@router.post("/api/maps")
def begin(request: Request, wanted: Wanted, key: Key = None) -> dict[str, str]:
    maps = maps_of(request, key)
    return {"map": maps.begin(wanted.answers, wanted.items, wanted.settings)}


@router.get("/api/maps")
def kept(request: Request, key: Key = None) -> list[dict[str, Any]]:
    return maps_of(request, key).kept()


@router.get("/api/maps/{own}")
def tell(request: Request, own: str, key: Key = None) -> dict[str, Any]:
    return maps_of(request, key).get(own).tell()


@router.post("/api/maps/{own}/stop")
def stop(request: Request, own: str, key: Key = None) -> dict[str, Any]:
    own_map = maps_of(request, key).get(own)
    own_map.stop()
    return own_map.tell()


@router.get("/maps/{own}/{name}", response_class=Response)
def file(request: Request, own: str, name: str, keep: bool = False) -> Response:
    """Return a file of a map. No key is needed, because the address is random and secret."""
    maps: Maps = request.app.state.maps
    path = maps.get(own).folder / name
    if name not in DOWNLOADS or not path.is_file():
        raise Failure("unknown_address")
    headers = {"Content-Security-Policy": INSIDE, "Cross-Origin-Resource-Policy": "same-origin"}
    kept = f"{maps.get(own).folder.name}-{name}" if keep else None
    return FileResponse(path, headers=headers, filename=kept)
