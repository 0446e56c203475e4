"""A study server of the same protocol as the real one, for the tests of the participant's page.

It keeps everything in memory, asks scripted questions, and does what the tests want of it: slow
media, lost replies, refusals.
"""

import io
import json
import math
import struct
import threading
import time
import wave
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from random import Random

from PIL import Image, ImageDraw

from resemblance.study import protocol as say
from resemblance.study.kinds import KINDS, Material
from resemblance.study.languages import find_language
from resemblance.study.settings import About, Settings
from resemblance.study.stimuli import Stimulus

STATIC = Path(str(files("resemblance"))) / "web" / "static"
CSP = (
    "default-src 'self'; img-src 'self' data:; media-src 'self' blob:; object-src 'none'; "
    "base-uri 'none'; "
    "form-action 'self'"
)
TYPES = {".js": "text/javascript", ".css": "text/css", ".png": "image/png", ".wav": "audio/wav"}
TYPES |= {".svg": "image/svg+xml", ".webm": "video/webm"}
COLOURS = ["#b5543c", "#3f6f8f", "#6d8a3a", "#c08f2e", "#7a5a94", "#2f7f77", "#a2496b", "#555f6b"]


@cache
def picture(name, size=240):
    """A blob of its own colour and shape for each number."""
    number = int(name)
    image = Image.new("RGB", (size, size), "white")
    draw, centre = ImageDraw.Draw(image), size / 2
    waves, depth = 2 + number % 5, 0.12 + 0.05 * (number % 4)
    radii = [1 + depth * math.sin(waves * a / 57.3 + number) for a in range(0, 360, 2)]
    points = [
        (
            centre + 0.36 * size * r * math.cos(a / 28.65),
            centre + 0.36 * size * r * math.sin(a / 28.65),
        )
        for a, r in enumerate(radii)
    ]
    draw.polygon(points, fill=COLOURS[number % len(COLOURS)])
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def tone(name):
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        hertz = 300 + 40 * int(name)
        samples = [int(9000 * math.sin(2 * math.pi * hertz * n / 8000)) for n in range(2400)]
        file.writeframes(struct.pack(f"<{len(samples)}h", *samples))
    return out.getvalue()


def item(media, number):
    if media == "text":
        words = ["calm", "slow piano with a little rain", "loud", "bright strings, quick", "dark"]
        return text(words[number % 5])
    suffix = {"image": "png", "audio": "wav", "video": "webm"}[media]
    url = f"/media/study/{number:04d}.{suffix}"
    return say.Item(type=media, url=url, text=None, alt=f"stimulus {number}")


def text(words):
    return say.Item(type="text", url=None, text=words, alt="")


def page(name, kind, title, html, fields=()):
    return say.Page(name=name, kind=kind, title=title, html=html, fields=list(fields))


FIELDS = [
    say.NumberField(
        type="number", name="age", label="How old are you?", required=True, min=18, max=120, step=1
    ),
    say.ChoiceField(
        type="choice",
        name="sight",
        label="Do you wear glasses?",
        required=True,
        options=["Never", "Sometimes", "Always"],
    ),
    say.ScaleField(
        type="scale",
        name="effort",
        label="How hard was it?",
        required=True,
        low="very easy",
        high="very hard",
    ),
    say.TextField(
        type="text", name="remark", label="Anything you want to tell us?", lines=3, max_length=500
    ),
]
PAGES = {
    "consent": page("consent", "consent", "Taking part", "<p>You will compare shapes.</p>"),
    "instructions": page("how", "instructions", "What to do", "<p>Pick the most similar.</p>"),
    "questionnaire": page("about", "questionnaire", "About you", "", FIELDS),
    "debrief": page("debrief", "debrief", "Thank you!", "<p>We study similarity.</p>"),
}


def own_of(kind, language):
    """The kind's own section of a study in a language."""
    return Settings(study=About(name="fake", kind=kind.name, language=language)).own


def refusal(code, **more):
    said = say.Refusal(code=code, message=f"refused: {code}", remedy="", **more)
    return say.Refused(error=said)


class FakeStudy:
    """One study with one participant's way: the pages, `practice` and `total` questions."""

    def __init__(self, kind="triplet", media="image", total=6, practice=0, ahead=3, **settings):
        self.kind, self.media, self.total, self.practice = kind, media, total, practice
        self.ahead, self.settings = ahead, settings
        self.order = ["consent", "instructions", "asking", "questionnaire", "debrief"]
        self.seen, self.questions, self.answers, self.batches = [], [], {}, []
        self.filled, self.entries, self.finished = {}, [], 0
        self.withdrawn = []  # what each request said: whether answers may be kept
        self.requests, self.stored_twice = [], []
        self.refuse = {}  # path -> (status, code), once for each
        self.lose_replies = 0  # answers stored whose reply never arrives
        self.media_delay = 0.0
        self.picture_size = 240
        self.film = b""
        self.pages = PAGES
        self.accepted = []  # in which language each request was to be answered
        self.lock = threading.RLock()

    # ---- where the participant stands

    def state(self):
        for stage in self.order:
            if stage == "asking":
                if len(self.answers) < self.practice:
                    return "practice"
                if len(self.answers) < self.practice + self.total:
                    return "tasks"
            elif stage == "debrief":
                return "finished" if self.finished else "debrief"
            elif stage not in self.seen:
                return stage
        return "debrief"

    def standing(self):
        state = "stopped" if "declined" in self.seen else self.state()
        state = "withdrawn" if self.withdrawn else state
        done = max(0, len(self.answers) - self.practice)
        shown = self.pages.get("debrief" if state == "finished" else state)
        progress = say.Progress(done=done, total=self.total)
        state = "instructions" if shown and shown.kind == "measure" else state
        return {"state": state, "page": shown, "progress": progress}

    def out(self):
        return [q for q in self.questions if q.id not in self.answers]

    def me(self):
        return say.Me(
            **self.standing(),
            code="P0001",
            questions=self.out(),
            ahead=self.ahead,
            skip=self.settings.get("skip", True),
            least_answered=self.settings.get("least_answered", 0.0),
            withdraw="consent" in self.seen,
        )

    def question(self, place):
        kind = KINDS[self.kind]
        material = Material(
            "fake",
            tuple(Stimulus(f"item{k}", "text", str(k), label=str(k % 2)) for k in range(30)),
            self.settings.get("n", kind.options.default),
            own=own_of(kind, self.languages[0]),
        )
        told = kind.page(kind.spec(material, Random(place)), material, f"q{place:03d}")
        first, words = 10 * place, find_language(self.languages[0]).kinds[kind.name]
        options = [item(self.media, first + k) for k, _ in enumerate(told["options"], 1)]
        if kind.draws:
            options = [say.Item(**label) for label in told["options"]]
        return say.Question(
            id=f"q{place:03d}",
            kind=kind.name,
            plugin=kind.plugin,
            purpose="practice" if place < self.practice else "main",
            place=place,
            prompt=self.settings.get("prompt", words["wording"]),
            head=item(self.media, first) if kind.head_apart or kind.has_right else None,
            options=options,
            timing=self.settings.get("timing"),
            extra=told["extra"],
            feedback=self.settings.get("feedback", False),
            break_before=place == self.settings.get("break_at"),
        )

    def serve(self, want):
        standing = self.state()
        limit = {"practice": self.practice, "tasks": self.practice + self.total}.get(standing, 0)
        while len(self.out()) < want and len(self.questions) < limit:
            self.questions.append(self.question(len(self.questions)))

    # ---- what the page asks for

    def post_participants(self, body):
        self.entries.append(body)
        return say.Entered(token=f"token{len(self.entries)}", code="P0001")

    def post_page(self, name, body):
        stage = next(stage for stage, shown in self.pages.items() if shown.name == name)
        self.seen.append("declined" if body["agree"] is False else stage)
        self.filled[name] = body["values"]
        if self.state() in ("practice", "tasks"):
            self.serve(self.ahead + 1)
        return self.me()

    def post_answers(self, body):
        known = {question.id for question in self.questions}
        unknown = [a["question"] for a in body["answers"] if a["question"] not in known]
        if unknown:
            return 409, refusal("unknown_question", questions=unknown)
        self.batches.append(body)
        for answer in body["answers"]:
            earlier = self.answers.setdefault(answer["question"], answer)
            if earlier is not answer and earlier != answer:
                self.stored_twice.append(answer["question"])
        self.serve(body["want"])
        told = [a["question"] for a in body["answers"]]
        feedback = [
            say.Feedback(question=q.id, right=self.chosen(q.id) == 0)
            for q in self.questions
            if q.feedback and q.id in told
        ]
        return say.AnswersReply(
            **self.standing(), acknowledged=told, questions=self.out(), feedback=feedback
        )

    def chosen(self, question):
        response = self.answers[question]["response"]
        return None if response is None else response["chosen"]

    def post_finish(self):
        self.finished += 1
        redirect = self.settings.get("redirect")
        code = self.settings.get("code", "C0FFEE-42")
        return say.Completion(code=code, redirect=redirect)

    def post_withdraw(self, body):
        self.withdrawn.append(body["keep"])
        return say.Withdrawn(kept=body["keep"], service=self.settings.get("service"))

    def config(self):
        return say.Config(
            study="study",
            languages=[self.spoken(code) for code in self.languages],
            display=say.Look(**self.settings.get("display", {})),
            minutes=5,
            hand=self.settings.get("hand", False),
            contact="lab@example.org",
            simulate=self.settings.get("simulate"),
        )

    @property
    def languages(self):
        return self.settings.get("languages", ["en"])

    def spoken(self, code):
        language, title = find_language(code), self.settings.get("title", "Shapes")
        of = {"name": language.name, "direction": language.direction}
        return say.Spoken(code=code, **of, title=title, strings=dict(language.strings))

    def shell(self):
        html = (STATIC / "participant.html").read_text(encoding="utf-8")
        config = self.config().model_dump_json().replace("<", "\\u003c")
        marks = {"LANG": "en", "DIR": "ltr", "NOSCRIPT": "", "TITLE": "Shapes", "CONFIG": config}
        for mark, text in marks.items():
            html = html.replace(f"__{mark}__", text)
        return html.encode()


class Handler(BaseHTTPRequestHandler):
    """Takes the requests of one FakeStudy (an attribute of the server)."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    @property
    def study(self):
        return self.server.study

    def do_GET(self):
        path = self.path.split("?")[0]
        self.study.requests.append(path)
        if path == "/api/me":
            self.json(lambda: self.study.me())
        elif path.startswith("/s/"):
            self.reply(200, self.study.shell(), "text/html; charset=utf-8")
        elif path.startswith("/static/"):
            file = STATIC / path.removeprefix("/static/")
            self.reply(200, file.read_bytes(), TYPES[file.suffix])
        elif path.startswith("/media/"):
            time.sleep(self.study.media_delay)
            self.media(path.rsplit("/", 1)[1])
        else:
            self.reply(404, b"", "text/plain")

    def media(self, name):
        stem, suffix = name.split(".")
        if self.refused("/media"):
            return
        if suffix == "webm":
            body = self.study.film
        else:
            body = picture(stem, self.study.picture_size) if suffix == "png" else tone(stem)
        self.reply(200, body, TYPES["." + suffix], cache="public, max-age=31536000, immutable")

    def do_POST(self):
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        body = json.loads(sent) if self.path.startswith("/api/") else None
        self.study.requests.append(self.path)
        self.study.accepted.append(self.headers["Accept-Language"])
        parts = self.path.split("/")
        if self.path == "/api/studies/study/participants":
            self.json(lambda: self.study.post_participants(body))
        elif self.path.startswith("/api/me/pages/"):
            self.json(lambda: self.study.post_page(parts[-1], body))
        elif self.path == "/api/me/answers":
            self.json(lambda: self.study.post_answers(body))
        elif self.path == "/api/me/finish":
            self.json(lambda: self.study.post_finish())
        elif self.path == "/api/me/withdraw":
            self.json(lambda: self.study.post_withdraw(body))
        else:
            self.reply(200, b"taken", "text/html")

    def json(self, make):
        with self.study.lock:
            if self.refused(self.path):
                return
            made = make()
            lost = self.path == "/api/me/answers" and self.study.lose_replies > 0
            self.study.lose_replies -= lost
        if lost:
            self.close_connection = True
            self.connection.close()
            return
        status, body = made if isinstance(made, tuple) else (200, made)
        self.reply(status, body.model_dump_json().encode(), "application/json")

    def refused(self, path):
        found = self.study.refuse.get(path)
        if not found:
            return False
        status, code = found.pop(0)
        self.reply(status, refusal(code).model_dump_json().encode(), "application/json")
        return True

    def reply(self, status, body, kind, cache="no-store"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", cache)
        self.send_header("Content-Security-Policy", CSP)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)


class Served:
    """A FakeStudy on a port of this machine, as a context."""

    def __init__(self, study):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.study = study
        self.address = f"http://127.0.0.1:{self.server.server_port}/s/study"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.server.shutdown()
        self.server.server_close()
