"""Recruiting, against services that answer as the real ones do."""

import json
import threading
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from typer.testing import CliRunner

from resemblance.cli.app import app
from resemblance.errors import SettingError, UnavailableError
from resemblance.study import recruit as room
from resemblance.study.recruit import MTurk, Prolific, Submission, decide, offer_of, recruiter_of
from small_study import SMALL, People, make_folder, open_study

RECRUITMENT = """
[server]
address = "https://study.example.org"
[recruitment]
source = "{}"
max_participants = 30
pay = 1.5
minutes = 9.0
completion_code = "TIES42"
[[quality.rules]]
measure = "fast"
above = 0.5
after = 5
"""
ADDRESS = "https://study.example.org"
TOKEN = "a-token-that-nobody-may-see"


class FakeProlific(BaseHTTPRequestHandler):
    """Studies and submissions as Prolific keeps them."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.calls.append((self.path, self.headers["Authorization"], body))
        parts = urlsplit(self.path).path.strip("/").split("/")[2:]
        if self.server.refusal and parts[-1] == "transition":
            self.reply(400, {"error": {"detail": self.server.refusal}})
        elif parts == ["studies"]:
            self.reply(201, {"id": "study1", "status": "UNPUBLISHED", **body})
        elif parts[0] == "submissions":
            self.server.submissions[parts[1]]["status"] = "APPROVED"
            self.reply(200, {"id": parts[1], "status": "APPROVED"})
        else:
            self.reply(200, {"id": parts[1], "status": "ACTIVE"})

    def do_GET(self):
        self.server.calls.append((self.path, self.headers["Authorization"], None))
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        page, size = int(query["page"]), int(query["page_size"])
        every = list(self.server.submissions.values())
        self.reply(200, {"results": every[size * (page - 1) : size * page]})

    def reply(self, status, told):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(told).encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def prolific():
    server = ThreadingHTTPServer(("127.0.0.1", 0), FakeProlific)
    server.calls, server.submissions, server.refusal = [], {}, ""
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def service_at(server):
    return Prolific(TOKEN, f"http://127.0.0.1:{server.server_port}")


def folder(tmp_path, source="prolific", recruitment=RECRUITMENT):
    sections = SMALL + recruitment.format(source)
    return make_folder(tmp_path / "dots", sections=sections)


def hand_in(server, *people, status="AWAITING REVIEW"):
    for person in people:
        name = f"submission of {person}".replace(" ", "-")
        server.submissions[name] = {"id": name, "participant_id": person, "status": status}


def test_prolific_is_told_pay_places_record_and_ids(tmp_path, prolific):
    service, offer = service_at(prolific), offer_of(folder(tmp_path))
    assert service.publish(offer) == "study1"
    (path, token, body), (published, _, action) = prolific.calls
    assert (path, token) == ("/api/v1/studies/", f"Token {TOKEN}")
    assert body["reward"] == 150
    assert body["total_available_places"] == 30
    assert body["external_study_url"].startswith(
        f"{ADDRESS}/s/dots?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}"
    )
    assert body["completion_codes"][0]["code"] == "TIES42"
    least = {one["filter_id"]: one["selected_range"]["lower"] for one in body["filters"]}
    assert least == {"approval_rate": 95.0, "approval_numbers": 48}
    assert (published, action) == ("/api/v1/studies/study1/transition/", {"action": "PUBLISH"})


def test_prolific_is_asked_to_sign_entries_where_only_those_count(tmp_path):
    wanted = "is_external_study_url_secure"
    assert wanted not in Prolific(TOKEN).request(offer_of(folder(tmp_path)))
    said = RECRUITMENT.replace("[[quality", "signed = true\n[[quality")
    signed = offer_of(folder(tmp_path, recruitment=said))
    assert Prolific(TOKEN).request(signed)[wanted] is True


def test_prolific_tells_why_it_refuses_and_never_the_token(tmp_path, prolific):
    prolific.refusal = "not enough money in the wallet"
    offer = offer_of(folder(tmp_path))
    with pytest.raises(UnavailableError, match=r"not enough money.*as a draft \(study1\)") as error:
        service_at(prolific).publish(offer)
    assert TOKEN not in str(error.value)


def test_without_a_token_or_a_connection_nothing_is_sent(prolific, monkeypatch):
    monkeypatch.delenv("PROLIFIC_TOKEN", raising=False)
    with pytest.raises(SettingError, match="set PROLIFIC_TOKEN"):
        Prolific().submissions("study1")
    with pytest.raises(UnavailableError, match="cannot be reached"):
        Prolific(TOKEN, "http://127.0.0.1:9").submissions("study1")


@pytest.fixture
def turk():
    """MTurk's client, whose answers are those that its own description allows."""
    boto3 = pytest.importorskip("boto3")
    from botocore.stub import Stubber

    keys = {"aws_access_key_id": "nobody", "aws_secret_access_key": "nothing"}
    client = boto3.client("mturk", region_name="us-east-1", **keys)
    with Stubber(client) as stub:
        yield client, stub
        stub.assert_no_pending_responses()


def test_mturk_is_told_pay_places_and_record(tmp_path, turk):
    client, stub = turk
    service, offer = MTurk(client), offer_of(folder(tmp_path, "mturk"), places=5)
    request = service.request(offer)
    stub.add_response("create_hit", {"HIT": {"HITId": "hit1"}}, request)
    assert service.publish(offer) == "hit1"
    assert (request["Reward"], request["MaxAssignments"]) == ("1.50", 5)
    assert f"<ExternalURL>{ADDRESS}/s/dots</ExternalURL>" in request["Question"]
    least = {
        one["QualificationTypeId"]: one["IntegerValues"]
        for one in request["QualificationRequirements"]
    }
    assert least == {"00000000000000000040": [48], "000000000000000000L0": [95]}


def test_mturk_reads_every_page_and_approves(turk):
    client, stub = turk
    one = {"AssignmentId": "a1", "WorkerId": "w1", "AssignmentStatus": "Submitted"}
    two = {"AssignmentId": "a2", "WorkerId": "w2", "AssignmentStatus": "Approved"}
    asked = {"HITId": "hit1", "MaxResults": 100}
    stub.add_response("list_assignments_for_hit", {"Assignments": [one], "NextToken": "n"}, asked)
    stub.add_response(
        "list_assignments_for_hit", {"Assignments": [two]}, asked | {"NextToken": "n"}
    )
    stub.add_response("approve_assignment", {}, {"AssignmentId": "a1"})
    service = MTurk(client)
    found = service.submissions("hit1")
    assert [(s.id, s.person, s.waiting) for s in found] == [("a1", "w1", True), ("a2", "w2", False)]
    service.approve(found[0])


def test_what_it_costs(tmp_path):
    offer = offer_of(folder(tmp_path, "mturk"))
    assert (offer.total, offer.hourly) == (Decimal("45.00"), Decimal("10.00"))
    few = offer_of(folder(tmp_path, "mturk"), places=9)
    assert MTurk().fee(offer) / offer.total == Decimal("0.4")
    assert MTurk().fee(few) / few.total == Decimal("0.2")


@pytest.mark.parametrize(
    ("source", "recruitment", "message"),
    [
        (
            "prolific",
            RECRUITMENT.replace("pay = 1.5", ""),
            "pay is missing: give recruitment.pay",
        ),
        ("prolific", RECRUITMENT.replace("max_participants = 30", ""), "give --places"),
        ("prolific", RECRUITMENT.replace("address", "# address"), "give server.address"),
        ("prolific", RECRUITMENT.replace(ADDRESS, "http://192.168.0.2"), "give server.address"),
        (
            "prolific",
            RECRUITMENT.replace('completion_code = "TIES42"', ""),
            "completion_code",
        ),
        ("mturk", RECRUITMENT + '[[quality.rules]]\nmeasure="gold"\nbelow=0.5\n', None),
        (
            "mturk",
            RECRUITMENT.replace("pay", 'currency = "EUR"\npay'),
            "pays in USD, not EUR",
        ),
        ("open", RECRUITMENT, "recruitment.source is 'open'"),
    ],
)
def test_offers_that_cannot_be_made(tmp_path, source, recruitment, message):
    def offered():
        study = folder(tmp_path, source, recruitment)
        recruiter_of(study).check(offer_of(study))

    if message is None:
        offered()
    else:
        with pytest.raises(SettingError, match=message):
            offered()


@pytest.fixture
def finished(tmp_path):
    """Five people: done, unfinished, too fast, excluded, and one who never came."""
    sections = SMALL + RECRUITMENT.format("prolific")
    url = f"sqlite:///{tmp_path}/dots/study.sqlite"
    live = open_study(tmp_path / "dots", url, sections=sections)
    people = People(live, 4, source="prolific")
    for number in range(4):
        for _ in range(8):
            people.answer_one(number, rt_ms=50.0 if number == 2 else 900.0)
        if number != 1:
            live.store.people.set_state(people.persons[number], "finished", "TIES42")
    live.store.people.exclude(people.persons[3], True, "did not look", "researcher")
    yield live
    live.store.close()


def test_only_good_work_is_approved_and_nobody_is_rejected(finished, prolific):
    hand_in(prolific, *(f"person {n}" for n in range(5)))
    hand_in(prolific, *(f"paid {n}" for n in range(100)), status="APPROVED")  # a page and more
    hand_in(prolific, "paid before", status="APPROVED")
    decisions = decide(finished, "prolific", service_at(prolific).submissions("study1"))
    assert [(one.code, one.reason) for one in decisions] == [
        ("P0001", ""),
        ("P0002", "did not finish (consented, 7 answers)"),
        ("P0003", "fast 1.00 in 7 answers (rule: fast above 0.5)"),
        ("P0004", "excluded"),
        ("", "nobody with this id took part"),
    ]


def test_the_command_shows_first_and_does_it_when_told_to(finished, prolific, monkeypatch):
    path = str(finished.folder.path)
    monkeypatch.setattr(room, "recruiter_of", lambda *_: service_at(prolific))
    run = CliRunner().invoke
    shown = run(app, ["recruit", path])
    assert shown.exit_code == 0, shown.output
    assert "30 people at 1.50 USD for 9 minutes (10.00 an hour): 45.00 USD" in shown.output
    assert "nothing was sent" in shown.output
    assert not prolific.calls
    early = run(app, ["recruit", path, "--approve"])
    assert "nothing was published on prolific yet" in early.output
    sent = run(app, ["recruit", path, "--send"])
    assert "offered on prolific: study1" in sent.output
    assert [body for *_, body in prolific.calls][-1] == {"action": "PUBLISH"}
    hand_in(prolific, "person 0", "person 1")
    dry = run(app, ["recruit", path, "--approve"])
    assert "1 to approve, 1 to check, of 2 submissions" in dry.output
    assert {one["status"] for one in prolific.submissions.values()} == {"AWAITING REVIEW"}
    run(app, ["recruit", path, "--approve", "--send"])
    assert [one["status"] for one in prolific.submissions.values()] == [
        "APPROVED",
        "AWAITING REVIEW",
    ]
    (event,) = finished.store.events.audit(finished.record, "work approved")
    assert event.details == {"source": "prolific", "approved": 1, "held": 1}


def decided(live, *submissions):
    return [(one.submission.id, one.approved) for one in decide(live, "prolific", submissions)]


def test_a_person_is_paid_once(finished):
    first, second = (Submission(name, "person 0", waiting=True) for name in ("s1", "s2"))
    assert decided(finished, first, second) == [("s1", True), ("s2", False)]
    reason = decide(finished, "prolific", [first, second])[1].reason
    assert "s1" in reason
    assert "s2" in reason
    paid = Submission("s0", "person 0", waiting=False, paid=True)
    assert decided(finished, first, paid) == [("s1", False)]
    returned = Submission("s0", "person 0", waiting=False)
    assert decided(finished, first, returned) == [("s1", True)]


def test_the_submission_of_the_session_that_finished_is_paid(finished):
    record, people = finished.record, finished.store.people
    browser = {"parameters": {"SESSION_ID": "s2"}}
    people.enter(record, "prolific", "person 0", "a new token", browser)
    both = [Submission(name, "person 0", waiting=True) for name in ("s1", "s2", "s3")]
    assert decided(finished, *both) == [("s1", False), ("s2", True), ("s3", False)]


def test_nobody_is_paid_for_rounded_minutes(tmp_path):
    study = folder(tmp_path, recruitment=RECRUITMENT.replace("minutes = 9.0", "minutes = 2.5"))
    assert (study.settings.minutes, study.settings.exact_minutes) == (2, 2.5)
    assert offer_of(study).minutes == 2.5
