"""A study at the desk: its pages, what can be changed, what is tried; and what none of it costs."""

import json
import logging
import re
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import event

from resemblance.errors import SettingError
from resemblance.store import Tally
from resemblance.study.changes import changed, differences
from resemblance.study.creation import create_study
from resemblance.study.live import LiveStudy
from resemblance.study.settings import About, Settings, Shares
from resemblance.web.desk import settings_form

PASSWORD = "a long password"
PAGES = ["", "/ties", "/ties/people", "/ties/map", "/ties/questions", "/ties/settings"]
ADAPTIVE = {"asking": {"adaptive": True}}


def csrf_of(page):
    return re.search(r'name="csrf" value="([^"]+)"', page.text)[1]


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
    csrf = csrf_of(desk.client.get("/desk/ties"))
    return desk.client.post(f"/desk/ties/{path}", data={"csrf": csrf, **form})


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_shown_and_told_to_be_as_it_was(adaptive, path):
    fitted(adaptive)
    page = adaptive.client.get(f"/desk{path}")
    assert page.status_code == 200
    again = {"If-None-Match": page.headers["etag"]}
    assert adaptive.client.get(f"/desk{path}", headers=again).status_code == 304
    adaptive.store.studies.set_state(adaptive.live.record, "paused", "me")
    assert adaptive.client.get(f"/desk{path}", headers=again).status_code == 200


@pytest.mark.parametrize("path", PAGES[1:])
def test_no_page_is_shown_before_login(served, path):
    answer = served.client.get(f"/desk{path}")
    assert (answer.status_code, "Log in" in answer.text) == (401, True)


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


def test_a_study_without_answers_says_what_to_do_next(adaptive):
    page = adaptive.client.get("/desk/ties").text
    assert "No answers yet" in page
    assert "after 60 answers the first map" in page
    assert "The first fit comes after 60" in adaptive.client.get("/desk/ties/map").text
    assert "Nobody has entered yet" in adaptive.client.get("/desk/ties/people").text
    post(adaptive, "state", state="paused")
    assert (
        "The study is paused: open it with <em>Resume</em>"
        in adaptive.client.get("/desk/ties").text
    )


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
    random = {"fitted": 50, "needed": 80, "low": 48, "high": None, "further": 30}
    random |= {"hours": 0.4, "cost": 7.5, "currency": "EUR"}
    fitted(adaptive, **found, another_dimension=another, judged_in=2, at_random=random)
    overview = adaptive.client.get("/desk/ties").text
    assert 'id="another-dimension"' in overview
    assert 'id="at-random">More than 48' in overview
    for words in ("1\u202f234", "The worker is at work", "EUR 18.00", "EUR 7.50"):
        assert words in overview
    random["high"] = 160
    fitted(adaptive, **found, at_random=random)
    overview = adaptive.client.get("/desk/ties").text
    assert 'id="at-random">About 80' in overview
    for words in ("48 to 160", 'data-code="more_answers"'):
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


FORM = {"fast_ms": "0", "max_participants": "2", "close": "2099-05-01"}
SHARES = {"share-predictive": "0.5", "share-random": "0.5"}
RULE = {
    "rule-0-measure": "gold",
    "rule-0-side": "below",
    "rule-0-level": "0.7",
    "rule-0-after": "10",
    "rule-0-action": "exclude",
}


class TestChanges:
    def test_a_change_holds_at_once_and_is_written_down(self, adaptive):
        form = FORM | SHARES | RULE
        assert post(adaptive, "settings", **form).status_code == 303
        settings = adaptive.live.settings
        assert settings.recruitment.max_participants == 2
        assert settings.closes() == 4_081_276_800.0
        assert settings.asking.shares.random == 0.5
        assert settings.quality.rules[0].below == 0.7
        page = adaptive.client.get("/desk/ties/settings").text
        assert "recruitment.max_participants: none → 2" in page
        assert 'value="2099-05-01"' in page
        for _ in range(2):
            adaptive.person()
        full = adaptive.client.post("/api/studies/ties/participants", json={})
        assert full.json()["error"]["code"] == "full"

    def test_it_outlives_the_server_and_other_processes_see_it(self, desk):
        other = LiveStudy.open(desk.live.folder, desk.store)
        post(desk, "settings", **FORM)
        other.reread()
        assert other.settings.recruitment.max_participants == 2
        assert other.folder.settings.recruitment.max_participants is None
        again = LiveStudy.open(desk.live.folder, desk.store)
        assert again.settings.recruitment.max_participants == 2

    def test_what_study_toml_says_anyway_is_no_change(self, desk):
        post(desk, "settings", **FORM)
        post(desk, "settings", fast_ms="0")
        assert desk.live.record.changes is None
        lines = [line.what for line in desk.store.events.trail(desk.live.record, 10)]
        assert lines.count("settings changed") == 2
        post(desk, "settings", fast_ms="0")
        lines = [line.what for line in desk.store.events.trail(desk.live.record, 10)]
        assert lines.count("settings changed") == 2

    @pytest.mark.parametrize(
        ("wrong", "words"),
        [
            ({"max_participants": "0"}, "max_participants is 0"),
            ({"max_per_day": "many"}, "max_per_day is &#39;many&#39;: give a number"),
            ({"close": "soon"}, "close is &#39;soon&#39;: give a date"),
            ({"share-predictive": "0.3"}, "the shares sum to 0.3"),
            ({"rule-0-measure": "gold"}, "a rule needs one level"),
            ({"rule-0-measure": "mood", "rule-0-level": "1"}, "measure is &#39;mood&#39;"),
            ({"rule-0-measure": "gold", "rule-0-level": "nan"}, "below is nan"),
            ({"rule-0-measure": "gold", "rule-0-level": "inf"}, "below is inf"),
        ],
    )
    def test_a_wrong_value_is_named_and_changes_nothing(self, adaptive, wrong, words):
        form = {"fast_ms": "0", "share-predictive": "1"} | wrong
        answer = post(adaptive, "settings", **form)
        assert answer.status_code == 422
        assert words in answer.text
        assert adaptive.live.record.changes is None

    def test_what_the_form_shows_is_what_it_reads(self):
        thirds = dict.fromkeys(["predictive", "information", "random"], 1 / 3)
        rule = {"measure": "gold", "below": 2 / 3, "action": "flag"}
        asking = {"adaptive": True, "shares": thirds}
        settings = Settings(study=About(name="ties"), asking=asking, quality={"rules": [rule]})
        shown = settings_form.filled_in(settings)
        assert differences(settings, settings_form.read(shown, settings)) == {}

    @pytest.mark.parametrize("model", ["gnmds", "soe"])
    def test_shares_that_the_model_cannot_choose_by_are_refused(self, make_study, serve, model):
        asking = {"adaptive": True, "model": model}
        desk = log_in(serve(make_study(**{"asking": asking, "asking.shares": {"random": 1.0}})))
        answer = post(desk, "settings", **{"fast_ms": "0"} | SHARES)
        assert answer.status_code == 422
        assert f"{model} gives answers no probability, by which predictive" in answer.text
        assert desk.live.record.changes is None
        assert post(desk, "settings", **FORM | {"share-random": "1"}).status_code == 303

    def test_a_file_that_does_not_go_with_what_was_changed_is_refused_at_the_start(self, adaptive):
        assert post(adaptive, "settings", **FORM | SHARES).status_code == 303
        shares = Shares(random=1.0)
        settings = adaptive.live.folder.settings
        asking = settings.asking.model_copy(update={"model": "gnmds", "shares": shares})
        folder = replace(
            adaptive.live.folder, settings=settings.model_copy(update={"asking": asking})
        )
        with pytest.raises(SettingError, match=r"study\.toml, with what was changed.*gnmds"):
            LiveStudy.open(folder, adaptive.store)

    def test_what_may_not_change_is_refused(self):
        with pytest.raises(ValueError, match=r"tasks\.task_size cannot be changed while"):
            changed(Settings(study=About(name="ties")), {"tasks": {"task_size": 3}})


class TestRehearsal:
    @pytest.fixture
    def address(self, desk):
        where = post(desk, "try").headers["location"]
        return where.partition("/s/")[0], where

    def test_it_is_the_participants_page_and_stores_nothing(self, desk, address):
        root, _ = address
        client = desk.client
        before = desk.store.people.counts(desk.live.record)
        entered = client.post(f"{root}/api/studies/~ties/participants", json={}).json()
        headers = {"Authorization": f"Bearer {entered['token']}"}

        def send(path, body):
            return client.post(f"{root}/api/me/{path}", headers=headers, json=body).json()

        send("pages/consent", {"agree": True})
        send("pages/instructions", {})
        told = send("answers", {"want": 4})
        picture = client.get(root + told["questions"][0]["options"][0]["url"])
        assert picture.headers["content-type"] == "image/png"
        seen = 0
        while told["questions"]:
            question = told["questions"][0]
            one = {"question": question["id"], "response": {"chosen": 0}, "rt_ms": 400}
            told = send("answers", {"answers": [one], "want": 4})
            seen += 1
        assert seen == 12
        assert send("finish", {})["redirect"] is None
        assert desk.log() == []
        assert desk.store.people.counts(desk.live.record) == before
        assert desk.store.people.standing(entered["token"]) is None

    def test_the_page_asks_below_its_own_address(self, desk, address, tmp_path):
        root, where = address
        desk.app.state.rehearsal.copy.static = tmp_path
        (tmp_path / "participant.html").write_text("__LANG__ __TITLE__ __CONFIG__")
        page = desk.client.get(where)
        assert page.status_code == 200
        assert f'"root":"{root}"' in page.text
        assert "Rehearsal: " in page.text

    def test_it_takes_no_notice_of_a_paused_study_or_its_limits(self, make_study, serve):
        limits = {"source": "prolific", "max_participants": 1}
        desk = log_in(serve(make_study(recruitment=limits)))
        post(desk, "state", state="paused")
        root = post(desk, "try").headers["location"].partition("/s/")[0]
        for _ in range(2):
            entered = desk.client.post(f"{root}/api/studies/~ties/participants", json={})
            assert entered.status_code == 200

    @pytest.mark.parametrize("ticket", ["x", "9999999999.abc.def", ".."])
    def test_without_a_ticket_nobody_is_let_in(self, desk, ticket):
        path = f"/desk/-try/{ticket}/api/studies/~ties/participants"
        assert desk.client.post(path, json={}).status_code in (401, 404, 405)

    def test_a_session_is_no_ticket(self, desk, address):
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
