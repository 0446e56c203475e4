"""Nobody outside reads the metrics, whatever a request says of itself, and no person is in them."""

import httpx
import pytest

from resemblance.web.accounts import Accounts
from resemblance.web.app import create_app
from web.conftest import Client, Person

PROLIFIC = "5f3a" * 6
OUTSIDE = "203.0.113.9"


@pytest.fixture
def monitored(make_study, serve, url, tmp_path):
    """Serve a study behind a proxy, with metrics for this machine and one network."""
    address = {"address": "https://ties.example"}
    served = serve(make_study(recruitment={"source": "prolific"}, server=address), database=url)
    served.app = create_app(
        served.lives, Accounts(tmp_path / "secret"), metrics=("10.20.0.0/16", "2001:db8::/32")
    )
    served.client = Client(served.app, served.client.runner)

    def ask(peer, host="127.0.0.1:8000", **headers):
        transport = httpx.ASGITransport(served.app, client=(peer, 9))
        client = httpx.AsyncClient(transport=transport, base_url=f"http://{host}")
        return served.client.runner.run(client.get("/metrics", headers=headers))

    served.ask = ask
    return served


def refused(answer):
    told = answer.json()["error"]["code"]
    return (answer.status_code, told) == (
        403,
        "not_from_here",
    ) and "resemblance_" not in answer.text


@pytest.mark.parametrize(
    "peer", [OUTSIDE, "10.21.0.1", "2001:db9::1", "::ffff:203.0.113.9", "", "?"]
)
def test_others_are_refused(monitored, peer):
    assert refused(monitored.ask(peer))


@pytest.mark.parametrize(
    "peer", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "10.20.3.4", "2001:db8::1"]
)
def test_this_machine_and_named_networks_are_let_in(monitored, peer):
    assert monitored.ask(peer).status_code == 200


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
def test_no_header_lets_anybody_in_and_what_a_proxy_passed_on_stays_out(monitored, header):
    for peer in (OUTSIDE, "127.0.0.1", "10.20.3.4"):
        for told in ("127.0.0.1", "10.20.3.4", "for=127.0.0.1", ""):
            assert refused(monitored.ask(peer, **{header: told}))


def test_a_server_asked_by_its_number_answers_the_monitor_and_no_rebound_name(monitored):
    assert monitored.ask("10.20.3.4", "192.0.2.1:8000").status_code == 200
    assert monitored.ask("127.0.0.1", "evil.example").json()["error"]["code"] == "wrong_host"
    other = monitored.client.get("/health", headers={"Host": "192.0.2.1"})
    assert other.json()["error"]["code"] == "wrong_host"


def test_the_trusted_proxy_and_a_forged_header_over_a_socket(monitored, listen):
    """As uvicorn does it: the word of a trusted proxy replaces the address of the connection."""
    from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

    trusted = ProxyHeadersMiddleware(monitored.app, trusted_hosts=["127.0.0.1"])
    port = listen(type("Served", (), {"app": trusted}))
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        assert client.get("/metrics").status_code == 200
        for told in ("127.0.0.1", OUTSIDE, f"127.0.0.1, {OUTSIDE}", "10.20.3.4"):
            assert refused(client.get("/metrics", headers={"X-Forwarded-For": told}))


def test_no_person_is_in_the_metrics(monitored):
    parameters = {"PROLIFIC_PID": PROLIFIC, "SESSION_ID": "a1b2c3d4" * 3}
    agent = {"agent": "Firefox of Ada"}
    person = Person(monitored.client, parameters=parameters, browser=agent)
    person.begin()
    question = person.answer()["questions"][0]
    person.answer(question)
    monitored.client.get(f"/media/ties/drawn/{question['id']}.png")
    monitored.client.get(f"/somewhere/{PROLIFIC}?id={PROLIFIC}")
    monitored.client.get(f"/api/me/pages/{PROLIFIC}")
    told = monitored.ask("127.0.0.1").text
    token = person.headers["Authorization"].removeprefix("Bearer ")
    assert "/api/me/answers" in told
    for secret in (PROLIFIC, token, person.code, question["id"], "Ada", "10.0.0.1", "a1b2c3d4"):
        assert secret not in told
