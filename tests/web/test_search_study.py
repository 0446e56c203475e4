"""The search page of a study that runs: public or not, pinned to its map, telling no more."""

import json
import re

import numpy as np
import pytest
from PIL import Image

import resemblance as rs
from desk_editor import save, with_lines
from resemblance.web.search import study as search_study

N = 30
NAMES = [f"item{i}" for i in range(N)]
API, ID = "/api/studies/ties/search", "0123456789abcdef"
PUBLIC = {"asking": {"strategy": "predictive"}, "search": {"public": True, "keep_clicks": True}}
PASSWORD = "a long password"


def fitted(served, seed=0, answers=100, model=rs.CKL):
    """Let the worker have fitted a map; give it, and its number."""
    X = np.random.default_rng(seed).normal(size=(N, 2))
    made = model(2).set_positions(X, rs.Items(NAMES))
    path = served.live.folder.path.parent / "model.npz"
    content = rs.save(made, path).read_bytes()
    space = (answers, content, X.tolist(), None, {})
    return made, served.store.spaces.add(served.live.record, *space)


def refused(reply, status, code):
    assert reply.status_code == status, reply.text
    assert reply.json()["error"]["code"] == code


@pytest.fixture
def make_study(make_study):
    """Write a study of many pictures, each of its own colour."""

    def make(name="ties", **sections):
        folder = make_study(name, n_items=0, **sections)
        for number, item in enumerate(NAMES):
            colour = (8 * number, 99, 99)
            Image.new("RGB", (8, 8), colour).save(folder / "stimuli" / f"{item}.png")
        return folder

    return make


@pytest.fixture
def searched(make_study, serve):
    return serve(make_study(**PUBLIC))


def names(served, page):
    """Name the items of a page by their pictures."""
    media = served.live.folder.media
    return [media[tile["url"].rpartition("/")[2].partition("?")[0]].name for tile in page["tiles"]]


def test_without_the_setting_there_is_no_such_page(make_study, serve):
    served = serve(make_study(asking={"strategy": "predictive"}))
    fitted(served)
    for path in ("/s/ties/search", API):
        refused(served.client.get(path), 404, "unknown_address")
    body = {"search": ID, "clicks": "", "tile": 1, "space": 1, "agreed": True}
    refused(served.client.post("/api/studies/ties/found", json=body), 404, "unknown_address")
    refused(served.client.get("/s/socks/search"), 404, "unknown_study")


def test_a_newest_map_that_cannot_be_searched_is_none(searched):
    _, number = fitted(searched, model=rs.GNMDS)
    assert searched.client.get(API).json()["tiles"] == []
    refused(searched.client.get(f"{API}?space={number}"), 410, "changed_map")


def test_a_search_goes_on_in_the_map_that_it_began_in(searched, monkeypatch):
    _, first = fitted(searched, seed=1)
    before = searched.client.get(f"{API}?clicks=47").json()
    _, second = fitted(searched, seed=2)
    pinned = f"{API}?clicks=47&space={first}"
    assert searched.client.get(pinned).json() == before
    monkeypatch.setattr(search_study, "FRESH_S", -1.0)
    newest = searched.client.get(f"{API}?clicks=47").json()
    assert newest["space"] == second
    assert newest["tiles"] != before["tiles"]
    assert searched.client.get(pinned).json() == before
    searched.shared.searches.clear()  # as after a restart
    assert searched.client.get(pinned).json() == before


def test_few_maps_are_in_memory_and_all_of_the_store_can_be_searched(searched):
    numbers = [fitted(searched, seed)[1] for seed in range(search_study.OPEN + 2)]
    pages = [searched.client.get(f"{API}?space={number}").json() for number in numbers]
    assert [page["space"] for page in pages] == numbers
    assert list(searched.shared.searches["ties"]._spaces) == numbers[-search_study.OPEN :]


def test_a_map_that_the_store_dropped_says_so(searched):
    _, number = fitted(searched)
    refused(searched.client.get(f"{API}?space={number + 1}"), 410, "changed_map")
    fitted(searched, model=rs.GNMDS)  # of an earlier setting: it tells no chances
    refused(searched.client.get(f"{API}?space={number + 1}"), 410, "changed_map")


def test_bad_addresses(searched):
    fitted(searched)
    for query in ("clicks=0", "clicks=a", "space=-1", "space=x", "clicks=" + 101 * "1"):
        refused(searched.client.get(f"{API}?{query}"), 422, "invalid_request")


def test_nothing_tells_the_names_of_items(make_study, serve, tmp_path):
    folder = make_study(**PUBLIC)
    served = serve(folder)
    fitted(served)
    told = served.client.get(API).text + served.client.get(f"{API}?clicks=3").text
    assert "item" not in told
    assert str(tmp_path) not in told
    seen = served.client.get(API).json()["tiles"][0]
    assert set(seen) == {"number", "name", "url", "text", "link"}
    assert seen["name"] is None


def test_texts_and_alt_texts_are_shown_as_to_participants(make_study, serve):
    folder = make_study(stimuli={"items": "items.csv"}, **PUBLIC)
    rows = [f"item{i},,word {i},alt {i}" for i in range(N - 1)]
    rows.append(f"item{N - 1},stimuli/item0.png,,a dark square")
    (folder / "items.csv").write_text("\n".join(["name,file,text,alt", *rows]) + "\n")
    served = serve(folder)
    fitted(served)
    shown = [
        tile
        for c in range(1, 10)
        for tile in served.client.get(f"{API}?clicks={c}").json()["tiles"]
    ]
    assert any(re.fullmatch(r"word \d+", tile["text"] or "") for tile in shown)
    pictures = [tile for tile in shown if tile["url"]]
    assert {tile["name"] for tile in pictures} == {"a dark square"}


def keep(served, search=ID, **more):
    """Search for three pages, say that a tile which the first two did not show is it."""
    pages = [names(served, served.client.get(f"{API}?clicks={c}").json()) for c in ("", "2", "23")]
    tile = next(n for n, name in enumerate(pages[2], 1) if name not in pages[0] + pages[1])
    number = served.client.get(API).json()["space"]
    body = {"search": search, "clicks": "23", "tile": tile, "space": number, "agreed": True} | more
    return pages, tile, served.client.post("/api/studies/ties/found", json=body)


def test_clicks_are_kept_as_choices_that_a_fit_reads(searched):
    fitted(searched)
    pages, tile, reply = keep(searched)
    assert reply.json() == {"kept": 2}
    assert keep(searched)[2].json() == {"kept": 0}  # the same search
    clicks = searched.live.folder.path / "clicks.jsonl"
    choices = rs.read_choices(clicks, NAMES)
    assert [NAMES[i] for i in choices.index[1, :2]] == [pages[2][tile - 1], pages[1][2]]
    assert set(json.loads(clicks.read_text().splitlines()[0])) == {
        "head", "chosen", "options", "time", "search",
    }  # fmt: skip


def test_nothing_is_kept_without_leave_or_setting(searched, make_study, serve):
    fitted(searched)
    refused(keep(searched, agreed=False)[2], 422, "invalid_request")
    refused(keep(searched, space=None)[2], 422, "invalid_request")
    refused(keep(searched, tile=0)[2], 422, "invalid_request")
    assert not (searched.live.folder.path / "clicks.jsonl").exists()
    search = {"public": True}
    served = serve(make_study("belts", asking={"strategy": "predictive"}, search=search))
    body = {"search": ID, "clicks": "", "tile": 1, "space": 1, "agreed": True}
    refused(served.client.post("/api/studies/belts/found", json=body), 403, "no_clicks")


def test_it_is_switched_on_and_off_at_the_desk(make_study, serve):
    served = serve(make_study(asking={"strategy": "random"}))
    fitted(served)
    once = served.shared.accounts.invite()
    served.client.post("/desk/login", data={"secret": once, "password": PASSWORD})

    def change(lines):
        assert save(served.client, lines).status_code == 303
        return served.client.get("/desk/ties/settings").text

    on = ("search", "public = true", "keep_clicks = true")
    assert "/s/ties/search" not in served.client.get("/desk/ties/settings").text
    page = change(lambda text: with_lines(text, *on))
    assert "search.public: False → True" in page
    assert 'href="/s/ties/search"' in page
    assert len(served.client.get(API).json()["tiles"]) == 9
    assert keep(served)[2].json() == {"kept": 2}
    page = change(lambda text: text.replace("public = true", "public = false"))
    assert "search.public: True → False" in page
    refused(served.client.get(API), 404, "unknown_address")


def test_the_page_knows_its_routes(searched, tmp_path):
    searched.shared.static = tmp_path
    refused(searched.client.get("/s/ties/search"), 503, "not_built")
    (tmp_path / "search.html").write_text("__TITLE__ __CONFIG__")
    page = searched.client.get("/s/ties/search").text
    assert '"api": "/api/studies/ties"' in page
    assert '"keeps": true' in page


def test_a_search_begins_at_an_item_and_ends_at_its_link(make_study, serve):
    folder = make_study(stimuli={"items": "items.csv"}, **PUBLIC)
    rows = [f"item{i},word {i},https://example.org/{i}" for i in range(N)]
    (folder / "items.csv").write_text("\n".join(["name,text,url", *rows]) + "\n")
    served = serve(folder)
    made, _ = fitted(served)
    tiles = served.client.get(f"{API}?like=7").json()["tiles"]
    assert [tile["number"] for tile in tiles] == list(rs.Search(made).like(7).show())
    assert [tile["link"] for tile in tiles] == [
        f"https://example.org/{tile['number']}" for tile in tiles
    ]
    refused(served.client.get(f"{API}?like={N}"), 422, "invalid_request")
