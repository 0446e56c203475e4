"""Maps of files at the desk: who may make them."""

import re

import pytest

PASSWORD = "a long password"


def log_in(served, name="researcher", **role):
    once = served.shared.accounts.invite(name, **role)
    answer = served.client.post("/desk/login", data={"secret": once, "password": PASSWORD})
    assert answer.status_code == 303
    return served.client


def test_who_may_invite_others_has_the_page(served):
    client = log_in(served)
    page = client.get("/desk/-maps/")
    key = {"X-Key": re.search(r'"key": "([^"]+)"', page.text)[1]}
    assert '"desk": true' in page.text
    assert "/desk/-maps/" in client.get("/desk").text
    assert client.get("/desk/-maps/api/maps").status_code == 403
    assert client.get("/desk/-maps/api/maps", headers=key).json() == []
    large = {"params": {"name": "a.csv"}, "headers": key, "content": "x" * 2_000_000}
    assert client.post("/desk/-maps/api/files", **large).status_code == 200


@pytest.mark.parametrize("address", ["", "api/maps", "maps/x/map.html"])
def test_others_have_not(served, address):
    assert served.client.get(f"/desk/-maps/{address}").status_code == 401
    log_in(served)
    client = log_in(served, "ann", admin=False, studies={"ties": "owner"})
    assert client.get(f"/desk/-maps/{address}").status_code == 403
    assert "/desk/-maps/" not in client.get("/desk").text
