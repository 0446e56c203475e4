"""The middleware before every route."""

import json
import logging

import httpx
import pytest

from resemblance.study.failures import Failure
from resemblance.study.settings import Server
from resemblance.web import media
from resemblance.web.desk import login
from resemblance.web.problems import is_read
from resemblance.web.routes import STATIC

PERSON = "5f3a" * 6


def code_of(answer):
    return answer.status_code, answer.json()["error"]["code"]


def test_every_answer_carries_the_headers(served):
    for path in ("/health", "/s/ties", "/nowhere", "/desk", "/api/me", "/media/ties/x.png"):
        headers = served.client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "default-src" in headers["content-security-policy"]
        assert "unsafe-eval" not in headers["content-security-policy"]
        assert "server" not in headers
    assert served.client.get("/api/me").headers["cache-control"] == "no-store"


def test_a_monitor_that_asks_for_the_head_alone(served, caplog):
    caplog.set_level(logging.INFO, "resemblance.web")
    for path in ("/health", "/ready", "/s/ties", "/desk", "/nowhere", "/api/me"):
        head, whole = served.client.request("HEAD", path), served.client.get(path)
        assert (head.status_code, head.content) == (whole.status_code, b"")
        assert head.headers.get("content-length") == whole.headers.get("content-length")
        assert f"HEAD {path} " in caplog.text
    assert served.client.request("HEAD", "/api/me/answers").status_code in (404, 405)


def test_only_the_participants_page_of_mturk_may_be_framed(make_study, serve, tmp_path):
    served = serve(make_study(), make_study("turk", recruitment={"source": "mturk"}))
    served.shared.static = tmp_path
    (tmp_path / "participant.html").write_text("__LANG__ __TITLE__ __CONFIG__")
    ours = served.client.get("/s/ties").headers["content-security-policy"]
    turk = served.client.get("/s/turk").headers["content-security-policy"]
    assert "frame-ancestors 'none'" in ours
    assert "frame-ancestors https://workersandbox.mturk.com" in turk
    assert "form-action 'self' https://www.mturk.com" in turk
    assert "frame-ancestors 'none'" in served.client.get("/desk").headers["content-security-policy"]


@pytest.mark.parametrize("title", ["</script><script>alert(1)</script>", "__CONFIG__ __LANG__"])
def test_the_page_escapes_what_the_study_says(make_study, serve, tmp_path, title):
    served = serve(make_study(study={"title": title}))
    served.shared.static = tmp_path
    (tmp_path / "participant.html").write_text(
        '<title>__TITLE__</title><script type="application/json">__CONFIG__</script>'
    )
    html = served.client.get("/s/ties").text
    assert html.count("<script") == html.count("</script") == 1
    config = json.loads(html.partition('json">')[2].partition("</script>")[0])
    assert config["languages"][0]["title"] == title


def test_bodies_that_are_large_broken_or_of_another_type(served):
    async def much():
        for _ in range(400):
            yield b" " * 1000

    plain, json_ = "application/x-www-form-urlencoded", "application/json"
    broken = [b"", b"{", b"[]", b"null", b'{"x": 1}', b'{"parameters": {"a": 1}}', b"\xff", b"NaN"]
    long = json.dumps({"parameters": {"PROLIFIC_PID": "a" * 4001}}).encode()
    for content, kind, refused in (
        *((b'{"parameters": {"a": "' + b"x" * 10**n + b'"}}', json_, 413) for n in (6, 7)),
        (much(), json_, 413),  # without saying how much
        *((b"{}", kind, 415) for kind in ("text/plain", plain, "")),
        *((one, json_, 422) for one in (*broken, long)),
    ):
        answer = served.client.post(
            "/api/studies/ties/participants", content=content, headers={"Content-Type": kind}
        )
        codes = {413: "too_large", 415: "wrong_type", 422: "invalid_request"}
        assert code_of(answer) == (refused, codes[refused])


def test_a_nul_is_no_id(make_study, serve):
    served = serve(make_study(recruitment={"source": "prolific"}))
    body = {"parameters": {"PROLIFIC_PID": "\x00"}}
    answer = served.client.post("/api/studies/ties/participants", json=body)
    assert answer.status_code in (403, 422)


def test_no_path_leads_out(served):
    for path in (
        "/media/ties/../../study.toml",
        "/media/ties/..%2f..%2fstudy.toml",
        "/media/ties/%2e%2e/%2e%2e/study.toml",
        "/media/ties/study.sqlite",
        "/media/ties/item0.png",
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e%2fapp.py",
        "/static//etc/passwd",
        "/static/%00",
        "/desk/../secret",
    ):
        assert served.client.get(path).status_code == 404, path


def test_other_hosts_are_refused(served):
    answer = served.client.get("/health", headers={"Host": "evil.example"})
    assert code_of(answer) == (421, "wrong_host")
    assert served.client.get("/health", headers={"Host": "LocalHost:8000"}).status_code == 200


def test_a_server_that_listens_everywhere_has_many_names(served, make_study, serve):
    from resemblance.web.app import hosts_of

    lives = [served.live]
    assert "127.0.0.1" in hosts_of(lives, "localhost")
    assert "10.1.2.3" in hosts_of(lives, "10.1.2.3")
    assert hosts_of(lives, "0.0.0.0") is None
    behind = serve(make_study("two", server={"address": "https://ties.example"}))
    assert hosts_of(behind.lives, "0.0.0.0") >= {"ties.example", "0.0.0.0"}


def test_a_stimulus_changed_while_serving_is_refused(served):
    folder = served.live.folder
    first = folder.stimuli[0]
    url = folder.material.for_page(first.name, 0)["url"]
    assert served.client.get(url).status_code == 200
    first.path.write_bytes(b"other")
    assert code_of(served.client.get(url)) == (410, "changed_media")
    first.path.unlink()
    assert code_of(served.client.get(url)) == (410, "changed_media")
    media._seen.clear()


def test_answers_are_limited(served):
    served.shared.requests.clock = lambda: 0.0
    person = served.person()
    statuses = [person.get().status_code for _ in range(70)]
    assert statuses == [200] * 60 + [429] * 10
    assert int(person.get().headers["retry-after"]) >= 1


def test_the_log_holds_no_secrets(make_study, serve, caplog):
    served = serve(make_study(recruitment={"source": "prolific"}))
    caplog.set_level(logging.DEBUG, logger="resemblance")
    served.client.get(f"/s/ties?PROLIFIC_PID={PERSON}")
    person = served.person(parameters={"PROLIFIC_PID": PERSON})
    person.get()
    once = served.shared.accounts.invite()
    served.client.post("/desk/login", data={"secret": once, "password": "a long password"})
    person.begin()
    question = person.answer()["questions"][0]["id"]
    served.client.get(f"/media/ties/drawn/{question}.png")
    said = caplog.text
    assert "/media/ties/drawn/{question}.png 404" in said
    assert "/api/me 200" in said
    token = person.headers["Authorization"].split(".")[1]
    for secret in (PERSON, token, once, "a long password", question):
        assert secret not in said


def test_an_error_in_the_server_says_nothing_of_its_cause(served, monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("secret cause")

    monkeypatch.setattr(served.store.people, "standing", fail)
    answer = served.client.get("/api/me", headers={"Authorization": "Bearer ties.x"})
    assert code_of(answer) == (500, "failed")
    assert "secret cause" not in answer.text
    number = answer.json()["error"]["number"]
    assert [one.exc_info is not None for one in caplog.records if number in one.message] == [True]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_page_says_when_it_is_not_built(served, tmp_path):
    served.shared.static = tmp_path
    assert code_of(served.client.get("/s/ties")) == (503, "not_built")
    assert served.client.get("/s/other").status_code == 404
    assert STATIC.name == "static"


def test_what_compresses_is_compressed_for_those_who_read_it(served, tmp_path):
    served.shared.static = tmp_path
    (tmp_path / "page.js").write_text("// the same again\n" * 500)
    plain = served.client.get("/static/page.js", headers={"Accept-Encoding": "identity"})
    small = served.client.get("/static/page.js", headers={"Accept-Encoding": "gzip"})
    assert small.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert small.content == plain.content  # the client unpacks it
    assert int(small.headers["content-length"]) < len(plain.content) / 10
    (tmp_path / "page.js").write_text("// another\n")
    assert served.client.get("/static/page.js").text == "// another\n"


def test_one_network_is_one_visitor(make_study, serve, monkeypatch):
    """Whoever has an IPv6 network has 2 ** 64 addresses."""
    monkeypatch.setattr(login, "HELD_S", 0.0)
    served = serve(make_study())
    served.shared.logins.clock = lambda: 0.0
    codes = []
    for number in range(8):
        transport = httpx.ASGITransport(served.app, client=(f"2001:db8:0:1::{number + 1}", 9))
        client = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000")
        tried = client.post("/desk/login", data={"password": "guessed"})
        codes.append(served.client.runner.run(tried).status_code)
    assert codes == [403] * 5 + [429] * 3


def test_the_word_of_a_proxy_is_taken_only_where_there_is_one():
    assert Server().trusted == []
    assert Server(address="https://study.example.org").trusted == ["127.0.0.1", "::1"]
    assert Server(address="https://study.example.org", proxies=[]).trusted == []


def test_a_refusal_is_a_page_where_a_browser_asks_for_one():
    assert Failure("full").status == 403
    assert [is_read("/s/ties", accept) for accept in ("text/html,*/*;q=0.8", "*/*")] == [
        True,
        False,
    ]
