"""A participant whom Prolific sent, with a token longer than the page passes a parameter on."""

import json
import time

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

import study_folder
from browser.conftest import need_pages
from browser.real_server import AppServer
from resemblance.study import signed
from resemblance.study.live import open_stored

make_study = study_folder.make_study
pytestmark = pytest.mark.browser

HOST, PID = "https://study.example.org", "5f3a0cafe0123456789abcde"


def token(pair):
    told = {"PROLIFIC_PID": PID, "STUDY_ID": "6f" * 12, "SESSION_ID": "7f" * 12}
    claims = {"aud": HOST, "exp": int(time.time()) + 300, "prolific": told}
    return jwt.encode(claims, pair, "RS256", headers={"kid": "a key"})


@pytest.fixture
def pair():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def folder(make_study, pair, monkeypatch):
    recruitment = {"source": "prolific", "signed": True}
    folder = make_study(recruitment=recruitment, server={"address": HOST})
    key = RSAAlgorithm.to_jwk(pair.public_key(), as_dict=True) | {"kid": "a key"}
    (folder / "keys.json").write_text(json.dumps({"keys": [key]}))
    monkeypatch.setattr(signed, "PROLIFIC", (folder / "keys.json").as_uri())
    return folder


@pytest.fixture
def address(folder):
    need_pages()
    server = AppServer(folder.parent, [folder.name])
    yield server.address(folder.name)
    server.stop()


def test_only_who_was_signed_comes_in(browser, folder, address, pair):
    with browser.page() as page:
        page.goto(f"{address}?PROLIFIC_PID={PID}")  # by hand
        page.get_by_text("Please open the study from Prolific again").wait_for()
        page.goto(f"{address}?PROLIFIC_PID={'f' * 24}&prolific_token={token(pair)}")
        page.get_by_role("heading", name="Consent").wait_for()
        page.reload()
        page.get_by_role("button", name="I agree").click()
        page.get_by_role("heading", name="What to do").wait_for()
    with open_stored(folder) as live:
        assert [one.external_id for one in live.store.people.all(live.record)] == [PID]
