"""The search application: pages, the API, clicks, and what it refuses."""

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image

import resemblance as rs
from resemblance.errors import FileError
from resemblance.web.search.app import create_search_app
from resemblance.web.search.clicks import Clicks
from resemblance.web.search.pictures import Pictures, find_pictures
from resemblance.web.search.schemas import places
from resemblance.web.search.space import Space, _bound

X = np.random.default_rng(0).normal(size=(30, 2))
ID = "0123456789abcdef"
NAMES = [f"tie {i}" for i in range(29)] + ["<b>ü/x"[:5].replace("/", "-")]


def picture_of(path, colour=(200, 30, 30), size=(40, 30)):
    Image.new("RGB", size, colour).save(path)


@pytest.fixture
def folder(tmp_path):
    images = tmp_path / "images"
    images.mkdir()
    for name in NAMES:
        picture_of(images / f"{name}.png")
    return images


@pytest.fixture
def model():
    return rs.CKL(2).set_positions(X, rs.Items(NAMES))


@pytest.fixture
def serve(folder, model, tmp_path):
    def serve_(served=model, **settings):
        settings = {"clicks": tmp_path / "clicks.jsonl"} | settings
        pictures = Pictures(find_pictures(folder, NAMES))
        return TestClient(create_search_app(served, pictures, **settings))

    return serve_


def refused(reply, status, code):
    assert reply.status_code == status, reply.text
    error = reply.json()["error"]
    assert error["code"] == code
    assert error["message"]
    assert error["remedy"]
    return error


def new_tile(first, second):
    """Give the number of a tile of the second page that the first did not show."""
    seen = {tile["name"] for tile in first}
    return next(n for n, tile in enumerate(second, 1) if tile["name"] not in seen)


def test_pages_are_those_of_the_search(serve, model):
    client, search = serve(), rs.Search(model)
    for clicks in ("", "4", "47", "4"):
        shown = [
            tile["name"] for tile in client.get(f"/api/search?clicks={clicks}").json()["tiles"]
        ]
        search.answers.clear()
        search = rs.Search(model)
        for click in clicks:
            search.choose(search.show()[int(click) - 1])
        assert shown == [NAMES[item] for item in search.show()]


def test_bad_clicks_and_a_search_that_ends_after_twenty(serve):
    client = serve()
    for clicks in ("0", "1" * 101, "a"):
        refused(client.get(f"/api/search?clicks={clicks}"), 422, "invalid_request")
    assert client.get("/api/search?clicks=" + "1" * 20).status_code == 200
    error = refused(client.get("/api/search?clicks=" + "1" * 21), 422, "invalid_request")
    assert error["remedy"] == "Start over."


def test_too_many_requests_are_refused_and_pages_not_worked_out_yet_cost_more(serve):
    client = serve(origins=(LAB,))
    limit = client.app.state.limits.requests
    limit.burst, limit.clock = 60, lambda: 0.0
    deep = "/api/search?clicks=" + "1" * 20
    assert [client.get(deep).status_code for _ in range(40)] == [200] * 40  # 21 + 39 of 60
    late = client.get("/api/search", headers={"Origin": LAB})
    assert late.status_code == 429
    assert int(late.headers["Retry-After"]) >= 1
    assert late.headers["access-control-expose-headers"] == "Retry-After"
    assert client.get("/pictures/1").status_code == 200
    client.app.state.limits.kept.burst = 2
    statuses = [client.post("/api/found", json={}).status_code for _ in range(3)]
    assert statuses == [422, 422, 429]


def test_a_click_beyond_the_tiles_is_refused(tmp_path):
    for name in "abc":
        picture_of(tmp_path / f"{name}.png")
    model = rs.CKL(1).set_positions([[0.0], [1.0], [3.0]], rs.Items(list("abc")))
    client = TestClient(create_search_app(model, Pictures(find_pictures(tmp_path, "abc"))))
    assert len(client.get("/api/search").json()["tiles"]) == 3
    refused(client.get("/api/search?clicks=4"), 422, "invalid_request")


def test_clicks_are_kept_as_choices_that_can_be_fitted(serve, tmp_path):
    client = serve()
    pages = [client.get(f"/api/search?clicks={c}").json()["tiles"] for c in ("", "2", "23")]
    tile = new_tile(pages[0] + pages[1], pages[2])
    found = pages[2][tile - 1]["name"]
    body = {"search": ID, "clicks": "23", "tile": tile, "agreed": True}
    assert client.post("/api/found", json=body).json() == {"kept": 2}
    choices = rs.read_choices(tmp_path / "clicks.jsonl", NAMES)
    names = choices.items.names
    assert [names[i] for i in choices.index[0, :2]] == [found, pages[0][1]["name"]]
    assert {names[i] for i in choices.index[1, 1:]} == {tile["name"] for tile in pages[1]}
    assert rs.CKL(2, max_iter=5).fit(choices[:2]) is not None


def test_a_search_is_kept_once(serve, tmp_path):
    client = serve()
    pages = [client.get(f"/api/search?clicks={c}").json()["tiles"] for c in ("", "2")]
    body = {"search": ID, "clicks": "2", "tile": new_tile(*pages), "agreed": True}
    file, anew = tmp_path / "clicks.jsonl", body | {"search": ID[::-1]}
    kept = [client.post("/api/found", json=one).json()["kept"] for one in (body, body, anew)]
    assert kept == [1, 0, 1]
    file.write_bytes(file.read_bytes()[:-9])  # the server ended while it wrote the last row
    kept = [serve().post("/api/found", json=one).json()["kept"] for one in (body, anew)]
    assert kept == [0, 1]
    assert len(rs.read_choices(file, NAMES)) == 2


def test_two_servers_of_one_file_keep_a_search_once(tmp_path):
    one, other = (Clicks(tmp_path / "clicks.jsonl") for _ in range(2))
    told = [one.keep(ID, "a", [["b", "c"]]), other.keep(ID, "a", [["b", "c"]])]
    assert told == [1, 0]
    assert other.keep("another", "a", [["b", "d"]]) == 1
    assert one.keep("another", "a", [["b", "d"]]) == 0
    assert len((tmp_path / "clicks.jsonl").read_text().splitlines()) == 2


def test_a_file_of_clicks_that_broke_is_not_written(serve, tmp_path, caplog):
    client = serve()
    pages = [client.get(f"/api/search?clicks={c}").json()["tiles"] for c in ("", "2")]
    body = {"search": ID, "clicks": "2", "tile": new_tile(*pages), "agreed": True}
    (tmp_path / "clicks.jsonl").write_text("no JSON\n")
    refused(client.post("/api/found", json=body), 503, "unavailable")
    assert "clicks.jsonl, line 1 is not JSON" in caplog.text


def test_a_full_file_of_clicks_takes_no_more(serve, tmp_path, monkeypatch):
    monkeypatch.setattr("resemblance.web.search.clicks.MOST_BYTES", -1)
    client = serve()
    pages = [client.get(f"/api/search?clicks={c}").json()["tiles"] for c in ("", "2")]
    body = {"search": ID, "clicks": "2", "tile": new_tile(*pages), "agreed": True}
    refused(client.post("/api/found", json=body), 429, "too_many")
    assert not (tmp_path / "clicks.jsonl").exists()


def test_nothing_is_kept_without_leave(serve, tmp_path):
    body = {"search": ID, "clicks": "2", "tile": 1}
    refused(serve().post("/api/found", json=body | {"agreed": False}), 422, "invalid_request")
    refused(serve().post("/api/found", json=body), 422, "invalid_request")
    refused(serve(clicks=None).post("/api/found", json=body | {"agreed": True}), 403, "no_clicks")
    assert not (tmp_path / "clicks.jsonl").exists()


def test_neighbours_are_those_of_a_full_sort():
    """Among more than a block of items, many of them as far as others, and from very far away."""
    many = np.round(np.random.default_rng(0).normal(size=(3500, 2)), 1)
    space = Space(rs.STE(2).set_positions(many))
    for point in ([0.05, 0.0], many[7], [30.0, -4.0], [1e25, 0.0], [1e200, 1e200]):
        distance = np.linalg.norm(many - point, axis=1)
        order = [i for i in np.argsort(distance, kind="stable") if i != 7]
        for k in (1, 12, 3000):
            found = space.nearest(np.array(point), k, besides=7)
            assert [one["item"] for one in found] == [str(i) for i in order[:k]]


def test_neighbours_distances_and_answers(serve, model):
    client = serve()
    distance = np.linalg.norm(X - X[3], axis=1)
    nearest = client.get("/api/nearest", params={"item": NAMES[3], "k": 4}).json()["nearest"]
    assert [one["item"] for one in nearest] == [NAMES[i] for i in distance.argsort()[1:5]]
    assert nearest[0]["distance"] == pytest.approx(np.sort(distance)[1])
    at = client.post("/api/nearest", json={"point": X[3].tolist(), "k": 1}).json()["nearest"]
    assert at == [{"item": NAMES[3], "distance": 0.0}]
    apart = client.get("/api/distance", params={"a": NAMES[3], "b": NAMES[29]}).json()["distance"]
    assert apart == pytest.approx(distance[29])
    query = {"head": NAMES[3], "a": NAMES[5], "b": NAMES[6]}
    p = client.get("/api/answer", params=query).json()["probability"]
    assert p == pytest.approx(model.predict_proba(rs.Triplets([[3, 5, 6]], model.items_))[0, 0])


def test_positions_from_answers(serve, model):
    answers = [[3, 8], [4, 9, 10], [3, 11]]
    body = {"answers": [[NAMES[i] for i in row] for row in answers]}
    reply = serve().post("/api/position", json=body).json()
    placed = rs.asking.embed_item(model, answers)
    np.testing.assert_allclose(reply["position"], placed.position)
    np.testing.assert_allclose(reply["covariance"], placed.covariance)
    refused(serve().post("/api/position", json={"features": [1, 2]}), 409, "no_features")


def test_positions_from_features(serve):
    items = rs.Items(NAMES, features=X)
    triplets = np.array([np.random.default_rng(i).choice(30, 3, replace=False) for i in range(99)])
    model = rs.CKL(2, form=rs.forms.LinearMap(), max_iter=3).fit(rs.Triplets(triplets, items))
    reply = serve(model).post("/api/position", json={"features": [0.5, 1.0]}).json()
    np.testing.assert_allclose(reply["position"], model.transform([[0.5, 1.0]])[0])
    refused(serve(model).post("/api/position", json={"features": [1]}), 422, "invalid_request")


def test_unknown_ids(serve):
    client = serve()
    error = refused(client.get("/api/nearest", params={"item": "tie 100"}), 404, "unknown_item")
    assert "tie 100" in error["message"]
    refused(client.get("/api/distance", params={"a": NAMES[0], "b": "?"}), 404, "unknown_item")
    refused(client.post("/api/position", json={"answers": [["?", NAMES[1]]]}), 404, "unknown_item")
    refused(client.get("/pictures/30"), 404, "unknown_media")
    refused(client.get("/nowhere"), 404, "unknown_address")


def test_without_public_api_only_the_search_is_served(serve):
    client = serve(public_api=False)
    assert client.get("/api/search").status_code == 200
    for path in ("/api/items", "/openapi.json"):
        refused(client.get(path), 404, "unknown_address")


def test_pictures_are_small_and_made_once(serve, folder):
    picture_of(folder / "tie 4.png", size=(3000, 2000))
    client = serve()
    reply = client.get("/pictures/4")
    assert reply.headers["content-type"] == "image/webp"
    assert "sandbox" in reply.headers["content-security-policy"]
    copies = client.app.state.pictures.folder
    made = next(copies.iterdir())
    with Image.open(made) as small:
        assert max(small.size) == 480
    first = made.stat().st_mtime_ns
    client.get("/pictures/4")
    assert made.stat().st_mtime_ns == first


def test_a_drawing_is_inert(serve, folder):
    (folder / "tie 4.png").unlink()
    (folder / "tie 4.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>")
    reply = serve().get("/pictures/4")
    assert reply.headers["content-type"] == "image/svg+xml"
    assert "sandbox" in reply.headers["content-security-policy"]
    assert "default-src 'none'" in reply.headers["content-security-policy"]


def test_bombs_and_broken_pictures(serve, folder, monkeypatch):
    monkeypatch.setattr("resemblance.web.search.pictures.MOST_PIXELS", 100)
    assert "tie 4" in refused(serve().get("/pictures/4"), 404, "broken_picture")["message"]
    (folder / "tie 5.png").write_bytes(b"no picture")
    assert "tie 5" in refused(serve().get("/pictures/5"), 404, "broken_picture")["message"]


def test_a_broken_picture_is_tried_once_and_tells_no_path(serve, folder, monkeypatch):
    from resemblance.web.search import pictures

    (folder / "tie 5.png").write_bytes(b"no picture")
    client, tried, read = serve(), [], pictures.read_picture
    monkeypatch.setattr(
        pictures, "read_picture", lambda path, **how: (tried.append(path), read(path, **how))[1]
    )
    for _ in range(3):
        assert str(folder) not in client.get("/pictures/5").text
    assert len(tried) == 1
    picture_of(folder / "tie 5.png")
    assert client.get("/pictures/5").status_code == 200


def test_a_folder_of_other_pictures_names_what_is_missing(folder):
    (folder / "tie 7.png").rename(folder / "tie x.png")
    with pytest.raises(
        FileError, match=r"no picture of 1 of the model's 30 items: 'tie 7'.*'tie x'"
    ):
        find_pictures(folder, NAMES)
    picture_of(folder / "tie 7.png")
    picture_of(folder / "tie 7.jpg")
    with pytest.raises(FileError, match="several pictures"):
        find_pictures(folder, NAMES)


def test_names_of_another_server_are_refused(serve):
    client = serve(hosts=frozenset({"127.0.0.1"}))
    refused(client.get("/api/search"), 421, "wrong_host")


LAB = "https://lab.example.org"


def preflight(client, origin):
    """Ask, as a browser does, whether a page of an origin may send JSON."""
    headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    headers["Access-Control-Request-Headers"] = "content-type"
    return client.options("/api/nearest", headers=headers)


def test_pages_of_other_hosts_may_ask_only_where_their_origin_is_named(serve):
    for origins, origin, may in (
        ((), LAB, False),
        ((LAB,), LAB, True),
        ((LAB,), "http://lab.example.org", False),
        ((LAB,), LAB + ".evil.net", False),
        ((LAB,), "null", False),
    ):
        client = serve(origins=origins)
        allowed = preflight(client, origin)
        assert (allowed.headers.get("access-control-allow-origin") == origin) is may
        assert "access-control-allow-credentials" not in allowed.headers
        headers = {"Origin": origin}
        for reply in (
            client.get("/api/items", headers=headers),
            client.post("/api/nearest", content="{}", headers=headers),  # of no type: refused
        ):
            assert (reply.headers.get("access-control-allow-origin") == origin) is may


def test_the_clicks_of_an_address_and_the_bound_of_the_least_values():
    assert places("381") == [2, 7, 0]
    assert _bound(np.array([5.0, 1.0, 3.0]), 2) == 3.0


def test_a_search_like_an_item_begins_with_its_neighbours(serve, model, tmp_path):
    client = serve()
    page = client.get("/api/search?like=12").json()
    near = client.get("/api/nearest", params={"item": NAMES[12], "k": 9}).json()["nearest"]
    assert [tile["name"] for tile in page["tiles"]] == [one["item"] for one in near]
    assert [NAMES[tile["number"]] for tile in page["tiles"]] == [one["item"] for one in near]
    later = client.get("/api/search?like=12&clicks=3").json()["tiles"]
    assert later != client.get("/api/search?clicks=3").json()["tiles"]
    tile = new_tile(page["tiles"], later)
    end = {"search": ID, "clicks": "3", "tile": tile, "like": 12, "agreed": True}
    assert client.post("/api/found", json=end).json() == {"kept": 1}
    (row,) = rs.read_choices(tmp_path / "clicks.jsonl", model.items_).index.tolist()
    assert NAMES[row[0]] == later[tile - 1]["name"]
    assert NAMES[row[1]] == page["tiles"][2]["name"]
    refused(client.get("/api/search?like=30"), 422, "invalid_request")
    refused(client.get("/api/search?like=-1"), 422, "invalid_request")
