"""Servers of studies of every kind, and what their participants did."""

from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

from browser.conftest import need_pages
from browser.fake_study import picture
from resemblance.study.creation import create_study
from resemblance.study.kinds import KINDS
from resemblance.study.live import open_folders, open_stored, open_stores
from resemblance.web.accounts import Accounts
from resemblance.web.app import create_app
from web_process import running

CONSENT = {"consent": "# Taking part\n"}  # in place of the page with which nobody is let in
N_ITEMS, PRACTICE, QUESTIONS = 12, 1, 6
OF_THEIR_OWN = ("arrangement", "pick_k", "piles", "ranking")  # which have tests of their own
CLICKED = [kind for kind in KINDS if kind not in OF_THEIR_OWN]
CONDITIONS, LEVELS = "conditions", ("near", "far")  # one after the other
STRICT = "no-skips"  # a study none of whose questions may be skipped
HASTY = {"recruitment": {"simulated": "enter"}, "quality": {"fast_ms": 0}}  # nobody here looks
SETTINGS = {
    **HASTY,
    "tasks": {
        "per_participant": 1,
        "task_size": QUESTIONS,
        "gold_share": 0.17,
        "repeat_share": 0.17,
        "practice": PRACTICE,
    },
}
OWN = {  # tables of one kind
    "match_to_sample": {
        "timing": {"fixation_ms": 100, "sample_ms": 150, "gap_ms": 100, "mask": True}
    },
    "classify": {"staircase": {"pixels": 8, "labels": ["round", "square"]}},
}


def begin_studies(home, names):
    """Make a folder for a study of each kind that is named, and a strict one; give the names."""
    (home / "pictures").mkdir()
    for number in range(N_ITEMS):
        (home / "pictures" / f"shape{number:02d}.png").write_bytes(picture(str(number), 600))
    rows = [f"{n},pictures/shape{n:02d}.png,{n}" for n in range(2)]
    (home / "classes.csv").write_text("\n".join(["item,image,label", *rows]) + "\n")
    for kind in set(names) & set(CLICKED):
        source = {"images": home / "pictures"}
        if KINDS[kind].draws:
            source = {"items": home / "classes.csv"}
        settings = SETTINGS | OWN.get(kind, {})
        create_study(home / kind, kind, **source, settings=settings, pages=CONSENT)
    if STRICT in names:
        strict = {**SETTINGS, "tasks": {**SETTINGS["tasks"], "skip": False}}
        create_study(home / STRICT, images=home / "pictures", settings=strict, pages=CONSENT)
    if CONDITIONS in names:
        tasks = {**SETTINGS["tasks"], "per_participant": 2, "task_size": 2}
        of = {
            level: {"wording": f"{level}?", "instructions": f"pages/{level}.md"} for level in LEVELS
        }
        settings = {**SETTINGS, "tasks": tasks, "conditions": {"within": of}}
        texts = CONSENT | {level: f"# Now {level}\n" for level in LEVELS}
        create_study(home / CONDITIONS, images=home / "pictures", settings=settings, pages=texts)
    return names


@contextmanager
def small_server(home, n_items, **studies):
    """Serve studies of some pictures: what `create_study` gets of each, by names."""
    need_pages()
    (home / "pictures").mkdir()
    for number in range(n_items):
        (home / "pictures" / f"shape{number:02d}.png").write_bytes(picture(str(number), 200))
    for name, words in studies.items():
        told = {"images": home / "pictures", "pages": CONSENT, **words}
        create_study(home / name, **told)
    server = AppServer(home, list(studies))
    yield server
    server.stop()


# What a page is waited for.
OPEN = """(last) => {
  const now = document.querySelector("[data-open]")?.dataset.open;
  return now && now !== last;
}"""
ACKNOWLEDGED = "() => !Object.keys(localStorage).some((key) => key.includes('answer:'))"
LOADED = """(items) => {
  const there = performance.getEntriesByType("resource").map(({ name }) => name.split("?")[0]);
  return items.every((item) => there.some((name) => name.endsWith(item)));
}"""


class AppServer:
    """The application in a thread: what `serve` serves, without its processes and the worker."""

    def __init__(self, home, studies):
        self.home, self._open = home, ExitStack()
        lives, stores = open_stores(open_folders(home / name for name in studies))
        for store in stores:
            self._open.callback(store.close)
        app = create_app(lives, Accounts(home / "secret"))
        self.host = self._open.enter_context(running(app, lifespan="off"))

    def stop(self):
        self._open.close()

    def address(self, kind):
        return f"{self.host}/s/{kind}"

    @contextmanager
    def newest(self, kind):
        """Look at the study of a kind, and at who entered it last."""
        with open_stored(self.home / kind) as live:
            yield live, live.store.people.all(live.record)[-1]

    def given(self, kind):
        """Tell what the last person answered, in the order of the log: id and place, or label."""
        with self.newest(kind) as (live, person):
            answers = live.store.answers.of(person)
            return [(one.question, one.response["chosen"]) for one in answers]


class Participant:
    """Somebody at a page, who remembers what was answered there."""

    def __init__(self, page):
        self.page, self.said, self.replies = page, [], []
        page.on("response", self._hear)

    def _hear(self, response):
        """Keep the replies that tell which questions are out."""
        if urlsplit(response.url).path in {"/api/me", "/api/me/answers"}:
            self.replies.append(response)

    def click(self, option):
        """Answer the question on the screen; the first 150 ms are meant for the one before."""
        self.page.wait_for_function(OPEN, arg=self.said[-1][0] if self.said else None)
        self.page.wait_for_timeout(170)
        question = self.page.locator("[data-open]").get_attribute("data-open")
        self.page.locator(".option").nth(option).click()
        self.said.append((question, option))

    def practise(self):
        self.click(0)
        self.page.get_by_role("heading", name="That was the practice").wait_for()
        self.page.get_by_role("button", name="Continue").click()

    def settle(self):
        """Wait until the server holds every answer, and all the next questions are loaded.

        (The state "networkidle" would not do: a page reaches it once, however much it asks later.)
        """
        self.page.wait_for_function(ACKNOWLEDGED)
        self.page.wait_for_function(OPEN, arg=self.said[-1][0])
        items = [
            item["url"]
            for question in self.replies[-1].json()["questions"]
            for item in [question["head"], *question["options"]]
            if item and item["url"]
        ]
        self.page.wait_for_function(LOADED, arg=items)

    def fill(self):
        self.page.get_by_role("heading", name="A few last questions").wait_for()
        self.page.get_by_label("a touch screen").check()
        self.page.get_by_role("button", name="Continue").click()

    def thanks(self):
        self.page.get_by_text("Your completion code").wait_for()
