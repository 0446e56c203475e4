"""Pages of other origins take people through a study where its settings name them."""

import pytest

from resemblance.errors import SettingError
from resemblance.study.live import open_folders

LAB = "https://lab.example.org"
ROUTES = ("/api/me", "/api/studies/ties/participants", "/plugin/ask-tell.js", "/nowhere")


@pytest.mark.parametrize(
    ("origins", "origin", "may"), [([], LAB, False), ([LAB], LAB, True), ([LAB], "null", False)]
)
def test_only_origins_that_are_named_may_ask(make_study, serve, origins, origin, may):
    client = serve(make_study(server={"origins": origins})).client
    headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    headers["Access-Control-Request-Headers"] = "content-type,authorization"
    asked = client.request("OPTIONS", "/api/me/answers", headers=headers)
    replies = [client.get(route, headers={"Origin": origin}) for route in ROUTES]
    replies.append(client.post("/api/me/answers", content="{}", headers={"Origin": origin}))
    for reply in (asked, *replies):
        assert (reply.headers.get("access-control-allow-origin") == origin) is may
        assert "access-control-allow-credentials" not in reply.headers


def test_pictures_are_shown_on_pages_of_other_origins_where_some_are_named(make_study, serve):
    policies = []
    for name, origins in (("own", []), ("lab", [LAB])):
        served = serve(make_study(name, server={"origins": origins}))
        [address, *_] = served.live.folder.media
        headers = served.client.get(f"/media/{name}/{address}").headers
        policies.append(headers["cross-origin-resource-policy"])
    assert policies == ["same-origin", "cross-origin"]


@pytest.mark.parametrize("origin", ["https://lab.example.org/", "lab.example.org", "*", "null"])
def test_what_no_browser_calls_an_origin_is_refused(make_study, origin):
    with pytest.raises(SettingError, match=r"server\.origins"):
        open_folders([make_study(server={"origins": [origin]})])


def test_the_plugin_is_served_as_it_is(served, tmp_path):
    served.shared.static = tmp_path
    missing = served.client.get("/plugin/ask-tell.js")
    assert (missing.status_code, missing.json()["error"]["code"]) == (503, "not_built")
    (tmp_path / "ask-tell.js").write_bytes(b"export default 1;")
    reply = served.client.get("/plugin/ask-tell.js")
    assert (reply.content, reply.headers["cache-control"]) == (b"export default 1;", "no-cache")
    assert reply.headers["content-type"].startswith("text/javascript")
