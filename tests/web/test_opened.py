"""The page of `resemblance open`: who may use it, and what it takes."""

import json
import time

import pytest

from resemblance.cli.options import Kind
from resemblance.web import opened as opened
from resemblance.web.opened import KINDS
from web.conftest import Client

HOSTS = frozenset({"127.0.0.1"})
ROWS = "head,near,far\n" + "a,b,c\nb,a,c\nc,b,a\na,b,d\nd,c,a\nb,c,d\n" * 4


@pytest.fixture
def maps(tmp_path, runner):
    app = opened.create_open_app(tmp_path / "maps", HOSTS)
    client = Client(app, runner)
    client.get("/", params={"token": app.state.key})  # leaves a cookie
    yield client, {"X-Key": app.state.key}, app.state
    app.state.maps.end()


def code(answer):
    return answer.status_code, answer.json()["error"]["code"]


def send(client, key, name="answers.csv", content=ROWS):
    return client.post("/api/files", params={"name": name}, headers=key, content=content)


def test_only_its_own_page_may_use_it(maps):
    client, _, state = maps
    assert state.key in client.get("/").text
    for stranger in ({}, {"X-Key": "é".encode()}, {"X-Key": "x" * 22}):
        assert code(send(client, stranger))[0] == 403
        assert client.get("/api/maps/x", headers=stranger).status_code == 403
        wanted = client.post("/api/maps", json={"answers": ["x"]}, headers=stranger)
        assert code(wanted)[0] == 403
    elsewhere = client.get("/", headers={"Host": "evil.example"})
    assert code(elsewhere) == (421, "wrong_host")


@pytest.mark.parametrize("name", ["../../x.exe", "", "run.sh", "..", "a/b.html"])
def test_other_files_are_refused(maps, name):
    client, key, _ = maps
    assert code(send(client, key, name))[0] == 422


def test_names_lead_nowhere_and_sizes_are_bounded(maps, monkeypatch):
    client, key, state = maps
    own = send(client, key, "../../../tmp/an<s>wers.csv").json()["file"]
    path = state.maps.files.path(own)
    assert (path.name, path.read_text()) == ("an_s_wers.csv", ROWS)
    assert path.parent.name == own
    monkeypatch.setattr(opened, "MOST_BYTES", 10)
    assert code(send(client, key))[0] == 413
    for address in ("/maps/x/map.html", f"/maps/{own}/answers.csv", "/api/maps/x"):
        assert code(client.get(address, headers=key)) == (404, "unknown_address")


def test_what_cannot_be_asked_for(maps):
    client, key, _ = maps
    own = send(client, key).json()["file"]
    for wanted in (
        {"answers": []},
        {"answers": ["nobody"]},
        {"answers": [own], "items": "nobody"},
        {"answers": [own], "settings": {"kind": "poetry"}},
        {"answers": [own], "settings": {"columns": "x" * 3000}},
        {"answers": [own, own]},
    ):
        assert client.post("/api/maps", json=wanted, headers=key).status_code in (404, 422)


@pytest.mark.server
def test_a_map_that_fails_tells_why_and_another_waits_for_it(maps):
    """One that comes is followed in tests/browser/test_open_page.py."""
    client, key, state = maps
    bad = {"answers": [send(client, key, "bad.csv", "head,near\na,b\n").json()["file"]]}
    own = client.post("/api/maps", json=bad, headers=key).json()["map"]
    assert code(client.post("/api/maps", json=bad, headers=key)) == (429, "too_many")
    assert f'"running": "{own}"' in client.get("/").text  # which a page that is loaded anew follows
    told = finished(client, key, own)
    assert told["state"] == "failed"
    assert '"running": null' in client.get("/").text
    assert told["problem"].startswith("bad.csv")
    assert "“Columns with other names”: far=" in told["problem"]
    assert "--" not in told["problem"]
    assert list(state.maps.home.iterdir()) == []


@pytest.fixture
def made(tmp_path):
    """Make what a map leaves in its folder."""
    folder = tmp_path / "maps" / "faces-map"
    folder.mkdir(parents=True)
    (folder / "map.html").write_text("a map")
    (folder / "report.json").write_text(json.dumps({"lines": [["items", "4"]], "warnings": []}))
    (tmp_path / "maps" / "other").mkdir()
    return folder


def test_maps_of_earlier_starts_are_kept(maps, made):
    client, key, _ = maps
    [kept] = client.get("/api/maps", headers=key).json()
    assert kept["name"] == "faces-map"
    assert client.get("/api/maps", headers=key).json() == [kept]
    told = client.get(f"/api/maps/{kept['map']}", headers=key).json()
    assert (told["state"], told["lines"]) == ("done", [["items", "4"]])
    assert [file["name"] for file in told["files"]] == ["map.html", "report.json"]
    page = client.get(f"/maps/{kept['map']}/map.html")
    assert page.text == "a map"
    assert "sandbox" in page.headers["content-security-policy"]
    told = client.get(f"/maps/{kept['map']}/map.html", params={"keep": 1})
    assert "faces-map-map.html" in told.headers["content-disposition"]
    assert client.get("/api/maps").status_code == 403
    assert client.get("/maps/faces-map/map.html").status_code == 404


def finished(client, key, own):
    while True:
        told = client.get(f"/api/maps/{own}", headers=key).json()
        if told["state"] in ("done", "failed"):
            return told
        time.sleep(0.2)


def test_the_page_offers_the_kinds_that_fit_reads():
    assert set(KINDS) == {kind.value for kind in Kind}


def test_options_of_the_command_are_named_as_the_page_names_them():
    line = opened.in_words_of_the_page("no column is called far: name it with --columns far=right")
    assert line.endswith("name it with “Columns with other names”: far=right")
