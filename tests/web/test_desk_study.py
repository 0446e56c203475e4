"""A study at the desk: its pages, what can be changed, what is tried; and what none of it costs."""

import html
import json
import logging
import os
import re
from datetime import datetime
from importlib.resources import files
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import event

from desk_editor import opened, save, with_lines
from resemblance.errors import FileError
from resemblance.store import Tally
from resemblance.study.creation import create_study
from resemblance.study.folder import StudyFolder
from resemblance.study.live import EditedError, LiveStudy
from resemblance.study.settings import Settings
from resemblance.study.settings_file import FILE
from resemblance.study.stimuli import digest_of

PASSWORD = "a long password"
PAGES = ["", "/ties", "/ties/people", "/ties/map", "/ties/questions", "/ties/settings"]
ADAPTIVE = {"asking": {"strategy": "predictive"}}


def log_in(served):
    once = served.shared.accounts.invite()
    served.client.post("/desk/login", data={"secret": once, "password": PASSWORD})
    return served


@pytest.fixture
def desk(served):
    return log_in(served)


@pytest.fixture
def adaptive(make_study, serve):
    return log_in(serve(make_study(**ADAPTIVE)))


def scores(**more):
    found = {"error": 0.2, "low": 0.1, "high": 0.3, "held_out": 40, "fitted": 90, "seconds": 0.5}
    return {**found, "shown": [9] * 6, "trust": 1.0, **more}


def fitted(served, uncertainty=(0.1,) * 6, **more):
    """Let the worker have told of a fit."""
    positions = [[float(i), 0.5 * i] for i in range(6)]
    space = (100, b"model", positions, list(uncertainty), scores(**more))
    served.store.spaces.add(served.live.record, *space)


def post(desk, path, **form):
    return desk.client.send_form(f"/desk/ties/{path}", **form)


def test_every_page_is_shown_and_told_to_be_as_it_was(adaptive):
    fitted(adaptive)
    for path, state in zip(PAGES, 3 * ["paused", "open"], strict=True):
        page = adaptive.client.get(f"/desk{path}")
        assert page.status_code == 200
        again = {"If-None-Match": page.headers["etag"]}
        assert adaptive.client.get(f"/desk{path}", headers=again).status_code == 304
        adaptive.store.studies.set_state(adaptive.live.record, state, "me")
        assert adaptive.client.get(f"/desk{path}", headers=again).status_code == 200


def test_a_study_as_it_is_begun_shows_its_questions_and_pages(serve, tmp_path):
    (tmp_path / "items.csv").write_text(
        "name,text\n" + "".join(f"i{n},tie {n}\n" for n in range(9))
    )
    desk = log_in(
        serve(create_study(tmp_path / "ties", "triplet", items=tmp_path / "items.csv").path)
    )
    for path in PAGES:
        assert desk.client.get(f"/desk{path}").status_code == 200
    assert "questionnaire" in desk.client.get("/desk/ties/questions").text.lower()


def test_what_the_worker_tells_is_shown(adaptive):
    person = adaptive.person()
    number = adaptive.store.people.named(adaptive.live.record, person.code).id
    bins = {"width": 60.0, "bins": [[29_000_000, {"answers": 7, "people": 1}]]}
    told = {"answers": 1234, "people": 1, "purposes": {}, "whole": bins, "recent": bins}
    figures = {"gold_answers": 10, "gold_right": 3, "flags": "0.30 of 10 answers: gold below 0.7"}
    tally = Tally(number, 80, True, figures)
    adaptive.store.tallies.tell(
        adaptive.live.record, told | {"not_drawn": {"item3": "too large"}}, [tally]
    )
    advice = [{"more": 500, "gain": 0.02, "low": 0.01, "high": 0.04}]
    advice[0] |= {"trials": 625, "hours": 1.5, "cost": 18.0, "currency": "EUR"}
    ceiling = {"error": 0.08, "low": 0.05, "high": 0.12, "questions": 9}
    lines = {"predictive": {"answers": 50, "error": 0.25, "low": 0.2, "high": 0.3, "held_out": 40}}
    step = {"code": "more_answers", "text": "Collect more answers.", "n": None}
    found = {"ceiling": ceiling, "advice": advice, "strategies": lines, "next": step}
    fitted(adaptive, **found)
    assert 'id="another-dimension"' not in adaptive.client.get("/desk/ties").text
    another = {"dimensions": 3, "gain": 0.02, "interval": [0.01, 0.03]}
    fitted(adaptive, **found, another_dimension=another, judged_in=2)
    overview = adaptive.client.get("/desk/ties").text
    assert 'id="another-dimension"' in overview
    for words in ("1\u202f234", "The worker is at work", "EUR 18.00", 'data-code="more_answers"'):
        assert words in overview
    assert '{"name":"predictive","points":[[50,0.25,0.2,0.3]]}' in overview
    assert '"ceiling":{"error":0.08' in overview
    people = adaptive.client.get("/desk/ties/people?only=flagged").text
    assert "3 of 10" in people
    assert "gold below 0.7" in people
    assert "item3: too large" in adaptive.client.get("/desk/ties/map").text


def test_a_worker_that_is_gone_is_told(adaptive):
    adaptive.store.tallies.tell(adaptive.live.record, {"answers": 3})
    adaptive.store.database.clock = adaptive.live.clock = lambda: 4e9
    assert "The worker was last seen" in adaptive.client.get("/desk/ties").text


def test_times_are_those_of_the_researchers_clock(make_study, serve):
    zone = {"time_zone": "Asia/Kolkata"}  # half past the hour
    served = log_in(serve(make_study(**{**ADAPTIVE, "recruitment": zone})))
    bins = {"width": 3600.0, "bins": [[0, {"answers": 7}]]}
    counts = {"answers": 7, "purposes": {"main": 7}, "whole": bins, "recent": bins}
    served.store.tallies.tell(served.live.record, counts)
    fitted(served)
    overview = served.client.get("/desk/ties").text
    assert "1970-01-01 05:30" in overview
    assert (
        json.loads(re.search(r'json">(\{"width.*?)</script>', overview)[1])["zone"]
        == "Asia/Kolkata"
    )
    event, *_ = served.store.events.trail(served.live.record, 1)
    at = datetime.fromtimestamp(event.at, ZoneInfo("Asia/Kolkata")).strftime("%Y-%m-%d %H:%M")
    trail = served.client.get("/desk/ties/settings").text
    assert at in trail
    assert "UTC" not in overview + trail


def test_names_of_items_end_no_script(make_study, serve):
    folder = make_study(**ADAPTIVE)
    (folder / "stimuli" / "item0.png").rename(folder / "stimuli" / "<script>&.png")
    served = log_in(serve(folder))
    fitted(served)
    page = served.client.get("/desk/ties/map").text
    assert r"\u003cscript>\u0026" in page
    assert page.count("<script>") == 0


def test_people_are_shown_page_by_page(desk):
    for number in range(55):
        desk.store.people.enter(desk.live.record, "open", None, f"token {number}")
    first = desk.client.get("/desk/ties/people").text
    assert "1 to 50 of 55" in first
    assert "P0055" in first
    assert "P0001" not in first
    where = re.search(r'id="later" href="\?([^"]*)"', first)[1].replace("&amp;", "&")
    assert "51 to 55 of 55" in desk.client.get(f"/desk/ties/people?{where}").text
    form = {"query": where, "reason": "asleep"}
    answer = post(desk, "participants/P0001/exclude", **form)
    assert answer.headers["location"] == f"/desk/ties/people?{where}"
    assert "left out by researcher: asleep" in desk.client.get("/desk/ties/people?code=0001").text
    assert "No participants match" in desk.client.get("/desk/ties/people?code=X").text
    assert desk.client.get("/desk/ties/people?order=odd").status_code == 422


def test_a_form_leads_back_to_its_page_and_nowhere_else(desk):
    for tab, path in (("people", "/desk/ties/people"), ("//evil.org", "/desk/ties")):
        answer = post(desk, "state", state="paused", tab=tab)
        assert answer.headers["location"] == path


LIMIT = "recruitment", "max_participants = 2  # so few", "close = 2099-05-01"


def changing(*lines):
    return lambda text: with_lines(text, *lines)


def changes_told(desk):
    trail = desk.store.events.trail(desk.live.record, 50)
    return [line.details for line in trail if line.what == "settings changed"]


WRONG_LINES = [  # section, line, what is said, the line that is marked if it is another
    ("recruitment", "max_participants = 0", "max_participants is 0", ""),
    ("recruitment", 'close = "soon"', "give a date", ""),
    ("recruitment", "max_participant = 3", "did you mean &#39;max_participants&#39;?", ""),
    ("[quality.rules]", 'measure = "gold"', "a rule needs one level", "[[quality.rules]]"),
    ("study", 'title = "x', "correct that line", ""),
    ("nothing", "a = 1", "unknown key &#39;nothing&#39;", "[nothing]"),
]


class TestEditor:
    def test_a_change_holds_at_once_and_is_written_down(self, adaptive):
        rule = ('measure = "gold"', "below = 0.7", "after = 10", 'action = "exclude"')
        share = "asking", "random_share = 0.5"

        def change(text):
            text = with_lines(with_lines(text, *LIMIT), *share)
            return text + "\n".join(["[[quality.rules]]", *rule, "# of mine"])

        assert save(adaptive.client, change).status_code == 303
        settings = adaptive.live.settings
        assert settings.recruitment.max_participants == 2
        assert settings.closes() == 4_081_276_800.0
        assert settings.asking.random_share == 0.5
        assert settings.quality.rules[0].below == 0.7
        file = (adaptive.live.folder.path / FILE).read_text()
        assert "max_participants = 2  # so few\n" in file
        assert file.endswith("# of mine")
        assert adaptive.live.record.settings == file == opened(adaptive.client)["text"]
        (details,) = changes_told(adaptive)
        assert details["recruitment.max_participants"] == [None, 2]
        page = adaptive.client.get("/desk/ties/settings").text
        assert "recruitment.max_participants: none → 2" in page
        for _ in range(2):
            adaptive.person()
        full = adaptive.client.post("/api/studies/ties/participants", json={})
        assert full.json()["error"]["code"] == "full"

    def test_it_outlives_the_server_and_other_processes_see_it(self, desk):
        other = LiveStudy.open(desk.live.folder, desk.store)
        save(desk.client, changing(*LIMIT))
        other.reread()
        assert other.settings.recruitment.max_participants == 2
        assert other.folder.settings.recruitment.max_participants is None
        again = LiveStudy.open(StudyFolder.open(desk.live.folder.path), desk.store)
        assert again.settings.recruitment.max_participants == 2
        assert len(changes_told(desk)) == 1
        save(desk.client, lambda text: text.replace("max_participants = 2", "# now without"))
        other.reread()
        assert other.settings.recruitment.max_participants is None

    def test_a_wrong_line_is_named_and_nothing_is_kept(self, adaptive):
        for case in WRONG_LINES:
            self.assert_refused(adaptive, *case)

    def assert_refused(self, adaptive, section, line, words, named):
        before = (adaptive.live.folder.path / FILE).read_text()
        wrong = with_lines(before, section, line)
        answer = save(adaptive.client, lambda text: wrong)
        assert answer.status_code == 422
        assert words in answer.text
        assert str(adaptive.live.folder.path) not in answer.text
        number = int(re.search(r'class="wrong"[^>]*>(\d+)<', answer.text)[1])
        lines = wrong.splitlines()
        assert lines[number - 1] == (named or line)
        assert html.escape(line, quote=False) in html.unescape(answer.text).replace("&#39;", "'")
        assert (adaptive.live.folder.path / FILE).read_text() == before
        assert changes_told(adaptive) == []

    def test_what_a_running_study_may_not_change_is_refused_with_the_reason(self, desk):
        (desk.live.folder.path / "items.csv").write_text("name,text\na,A\nb,B\nc,C\nd,D\n")
        while_it_runs = "{} cannot be changed while the study runs: "
        for section, name, value, says in (
            ("tasks", "gold_share", "0.4", while_it_runs),
            ("study", "wording", '"Which?"', while_it_runs),
            ("study", "contact", '"me"', while_it_runs),
            ("server", "port", "81", while_it_runs),
            ("pages", "debrief", "'pages/consent.md'", while_it_runs),
            ("privacy", "forget_ids_after_days", "9", while_it_runs),
            ("stimuli", "items", '"items.csv"', "add-items"),
        ):
            answer = save(desk.client, changing(section, f"{name} = {value}"))
            assert answer.status_code == 422
            assert says.format(f"{section}.{name}") in answer.text
        answer = save(desk.client, lambda text: text.replace('"random"', '"predictive"'))
        assert answer.status_code == 422
        assert "asking.strategy cannot be changed from or to random" in answer.text
        assert changes_told(desk) == []

    def test_two_people_at_once_notice_each_other(self, desk):
        mine = opened(desk.client)
        assert save(desk.client, changing(*LIMIT)).status_code == 303
        form = mine | {"text": with_lines(mine["text"], "recruitment", "max_participants = 9")}
        answer = desk.client.post("/desk/ties/settings", data=form)
        assert answer.status_code == 409
        assert "+max_participants = 9" in answer.text
        assert "-max_participants = 2" in answer.text
        assert desk.live.settings.recruitment.max_participants == 2
        again = re.search(r'name="opened" value="([^"]*)"', answer.text)[1]
        assert desk.client.post("/desk/ties/settings", data=form | {"opened": again}).is_redirect
        assert desk.live.settings.recruitment.max_participants == 9

    def test_two_processes_at_once_notice_each_other(self, desk, monkeypatch):
        """Another process saves between the look at the file and the write."""
        other = LiveStudy.open(StudyFolder.open(desk.live.folder.path), desk.store)
        text = opened(desk.client)["text"]
        digest = digest_of(text.encode())
        check = StudyFolder.open

        def slow(path, *rest):
            monkeypatch.setattr(StudyFolder, "open", check)
            other.edit(with_lines(text, *LIMIT), digest, "somebody else")
            return check(path, *rest)

        monkeypatch.setattr(StudyFolder, "open", slow)
        with pytest.raises(EditedError):
            desk.live.edit(with_lines(text, "recruitment", "max_participants = 9"), digest, "me")
        desk.live.reread()
        assert desk.live.settings.recruitment.max_participants == 2
        assert (desk.live.folder.path / FILE).read_text() == desk.live.record.settings

    def test_a_file_that_cannot_be_replaced_leaves_all_as_it_was(self, desk, monkeypatch):
        file = desk.live.folder.path / FILE
        before = file.read_text()

        def full(*paths):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", full)
        with pytest.raises(FileError):
            desk.live.edit(with_lines(before, *LIMIT), digest_of(before.encode()), "me")
        desk.live.reread()
        assert desk.live.record.settings == file.read_text() == before
        assert desk.live.settings.recruitment.max_participants is None

    def test_a_file_that_was_changed_by_hand_is_noticed(self, desk):
        mine, file = opened(desk.client), desk.live.folder.path / FILE
        file.write_text(file.read_text() + "# by hand\n")
        assert desk.client.post("/desk/ties/settings", data=mine).status_code == 409
        assert "# by hand" in opened(desk.client)["text"]


class TestRehearsal:
    @pytest.fixture
    def address(self, desk):
        where = post(desk, "try").headers["location"]
        return where.partition("/s/")[0], where

    def test_it_takes_no_notice_of_a_paused_study_or_its_limits(self, make_study, serve):
        limits = {"source": "prolific", "max_participants": 1}
        desk = log_in(serve(make_study(recruitment=limits)))
        post(desk, "state", state="paused")
        root = post(desk, "try").headers["location"].partition("/s/")[0]
        for _ in range(2):
            entered = desk.client.post(f"{root}/api/studies/~ties/participants", json={})
            assert entered.status_code == 200

    def test_without_a_ticket_nobody_is_let_in_and_a_session_is_none(self, desk, address):
        for ticket in ("x", "9999999999.abc.def", ".."):
            path = f"/desk/-try/{ticket}/api/studies/~ties/participants"
            assert desk.client.post(path, json={}).status_code in (401, 404, 405)
        cookie = desk.client.http.cookies["desk"]
        answer = desk.client.get(f"/desk/-try/{cookie}/api/me")
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "login_required")

    def test_what_an_earlier_server_left_is_removed_at_the_start(self, make_study, serve, tmp_path):
        old = tmp_path / ".rehearsal-1.sqlite"
        old.write_text("")
        desk = log_in(serve(make_study()))
        assert not list(tmp_path.glob(".rehearsal-*"))
        root = post(desk, "try").headers["location"].partition("/s/")[0]
        desk.client.get(f"{root}/api/me")
        assert list(tmp_path.glob(".rehearsal-*.sqlite"))

    def test_no_ticket_is_logged(self, desk, address, caplog, monkeypatch):
        root, where = address
        caplog.set_level(logging.DEBUG, logger="resemblance")
        for path in (f"{root}/api/me", f"{root}", where, f"{root}/nowhere"):
            desk.client.get(path)
        monkeypatch.setattr(desk.app.state.rehearsal, "begin", lambda: 1 / 0)
        assert desk.client.get(f"{root}/api/me").status_code == 500
        assert "/desk/-try/*/api/me failed" in caplog.text
        assert root.rpartition("/")[2] not in caplog.text


def test_no_page_reads_the_log(adaptive):
    """The cost of a refresh does not grow with the answers: it reads no row of them."""
    person = adaptive.person()
    person.begin()
    person.answer_all()
    fitted(adaptive)
    sent = []

    def note(connection, cursor, statement, parameters, context, many):
        sent.append(statement)

    event.listen(adaptive.store.database.readers, "before_cursor_execute", note)
    for path in PAGES:
        adaptive.client.get(f"/desk{path}")
    assert len(sent) < 40
    for statement in sent:
        assert not re.search(r"(FROM|JOIN) (answers|questions|events(?! \nWHERE))\b", statement)


def test_the_model_can_be_downloaded(adaptive):
    assert adaptive.client.get("/desk/ties/model.npz").status_code == 404
    fitted(adaptive)
    answer = adaptive.client.get("/desk/ties/model.npz")
    assert (answer.status_code, answer.content) == (200, b"model")


def test_thumbnails_are_given_to_the_researcher_alone(desk):
    folder = desk.live.folder.path / "thumbnails"
    folder.mkdir()
    name = f"{desk.live.folder.stimuli[0].digest}.webp"
    (folder / name).write_bytes(b"RIFF")
    address = f"/desk/ties/thumbnails/{name}"
    answer = desk.client.get(address)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/webp")
    for wrong in ("0" * 32 + ".webp", "..%2Fstudy.toml", "study.toml"):
        assert desk.client.get(f"/desk/ties/thumbnails/{wrong}").status_code == 404
    desk.client.http.cookies.clear()
    assert desk.client.get(address).status_code == 401


def test_templates_name_settings_that_exist():
    """Names are strict: one that is gone is an error of the server."""
    named = {
        match
        for page in (files("resemblance.web.desk") / "templates").iterdir()
        for match in re.findall(r"live\.settings\.(\w+)(?:\.(\w+))?", page.read_text())
    }
    sections = {name: field.annotation for name, field in Settings.model_fields.items()}
    unknown = {
        (section, name)
        for section, name in named
        if not hasattr(sections.get(section, Settings), name or section)
        and name not in getattr(sections.get(section), "model_fields", {})
    }
    assert len(named) > 10
    assert not unknown
