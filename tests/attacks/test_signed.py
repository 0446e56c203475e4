"""Entries that Prolific signs: forged, late, stolen and redirected ones are refused."""

import base64
import hashlib
import hmac
import json
import time

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import RSAAlgorithm

from resemblance.study import signed
from resemblance.study.failures import Failure
from resemblance.study.signed import Keys

HOST = "https://study.example.org"
PID, OTHER = "5f3a0cafe0123456789abcde", "6f3a0cafe0123456789abcde"
STUDY, SESSION = "6f0000000000000000000001", "7f0000000000000000000001"
NAME = "2031-key"


@pytest.fixture(scope="module")
def pair():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture(scope="module")
def stranger():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def key_set(*pairs):
    told = [RSAAlgorithm.to_jwk(one.public_key(), as_dict=True) for one in pairs]
    named = zip((NAME, "another"), told, strict=False)
    return {"keys": [one | {"kid": name, "alg": "RS256", "use": "sig"} for name, one in named]}


@pytest.fixture
def served(make_study, serve, pair, monkeypatch):
    recruitment = {"source": "prolific", "signed": True}
    folder = make_study(recruitment=recruitment, tasks={"practice": 0}, server={"address": HOST})
    (folder / "keys.json").write_text(json.dumps(key_set(pair)))
    monkeypatch.setattr(signed, "PROLIFIC", (folder / "keys.json").as_uri())
    return serve(folder)


def claims(pid=PID, session=SESSION, study=STUDY, **more):
    now = int(time.time())
    told = {"PROLIFIC_PID": pid, "STUDY_ID": study, "SESSION_ID": session, "workspace_id": "w"}
    made = {"iss": "https://www.prolific.com", "sub": session, "iat": now, "exp": now + 300}
    made |= {"aud": HOST, "prolific": told, **more}
    return {name: value for name, value in made.items() if value is not None}


def token(pair, told=None, algorithm="RS256", kid=NAME, **more):
    return jwt.encode(told or claims(**more), pair, algorithm, headers={"kid": kid})


def with_token(token):
    return {"prolific_token": token}


def enter(served, token=None, **plain):
    parameters = plain | ({} if token is None else with_token(token))
    path = "/api/studies/ties/participants"
    return served.client.post(path, json={"parameters": parameters})


def refused(served, code, token=None, status=403, **plain):
    reply = enter(served, token, **plain)
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code), token
    assert served.store.people.all(served.live.record) == []
    return reply


def test_ids_are_those_that_were_signed_not_those_beside(served, pair):
    plain = {"PROLIFIC_PID": OTHER, "SESSION_ID": "another", "STUDY_ID": "another"}
    person = served.person(parameters=plain | with_token(token(pair)))
    person.begin()
    (row,) = served.store.people.all(served.live.record)
    assert row.external_id == PID
    assert row.browser["parameters"] == {"STUDY_ID": STUDY, "SESSION_ID": SESSION}


def by_hand(header, told, signature=b""):
    parts = [json.dumps(header).encode(), json.dumps(told).encode(), signature]
    return ".".join(base64.urlsafe_b64encode(one).rstrip(b"=").decode() for one in parts)


def with_the_public_key_as_secret(pair):
    """Sign by HS256 with the public key, in each form in which somebody may have it."""
    public = pair.public_key()
    for form in (
        public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
        public.public_bytes(Encoding.PEM, PublicFormat.PKCS1),
        json.dumps(key_set(pair)["keys"][0]).encode(),
    ):
        unsigned = by_hand({"alg": "HS256", "kid": NAME}, claims()).rpartition(".")[0]
        signature = hmac.new(form, unsigned.encode(), hashlib.sha256).digest()
        yield f"{unsigned}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


AUDIENCES = [  # of somebody else
    "https://other.example.org",
    "https://study.example.org.evil.example",
    "https://study.example.org:8443",
    "http://study.example.org",
    "https://study.example.org@evil.example",
    "https://study.example.org/s/another",
    "study.example.org:99999999",
    *(["https://other.example.org"], "", None, 7, [7]),
]
JUNK = ["x", "a.b.c", "." * 40, "é.é.é", "[" * 3900, "null", "x" * 4000]


def hostile_tokens(pair, stranger):
    """Give tokens that open nothing, and the code of the refusal."""
    now, bad = int(time.time()), []
    own = key_set(stranger)["keys"][0]
    bad += [token(stranger), token(stranger, kid="my-key")]
    bad.append(jwt.encode(claims(), stranger, "RS256", headers={"kid": NAME, "jwk": own}))
    for algorithm in ("none", "None", "NONE", ""):
        bad.append(by_hand({"alg": algorithm, "kid": NAME}, claims()))
    bad += with_the_public_key_as_secret(pair)
    bad += [token(pair, algorithm=other) for other in ("RS384", "RS512", "PS256")]
    bad += [token(pair, nbf=now + 600), token(pair, iat=now + 600), token(pair, exp=None)]
    bad += [token(pair, told=claims(aud=audience)) for audience in AUDIENCES]
    bad += [token(pair, prolific=told) for told in (None, "5f3a", [PID])]
    deep = base64.urlsafe_b64encode(b"[" * 2900).decode().rstrip("=")
    yield from ((one, "bad_token") for one in [*bad, *JUNK, f"{deep}.e30.x"])
    yield token(pair, exp=now - 120), "old_token"
    yield "", "no_token"
    yield from ((token(pair, prolific=told), "no_id") for told in ({}, {"PROLIFIC_PID": [PID]}))


def test_a_token_that_prolific_did_not_sign_for_this_study_opens_nothing(served, pair, stranger):
    refused(served, "no_token", PROLIFIC_PID=PID)
    for one, code in hostile_tokens(pair, stranger):
        refused(served, code, one, PROLIFIC_PID=PID)


@pytest.mark.parametrize(
    "audience",
    [
        HOST,
        f"{HOST}/",
        f"{HOST}:443",
        "study.example.org",
        f"{HOST}/s/ties",
        f"{HOST}/s/ties?PROLIFIC_PID={PID}",
        ["https://other.example.org", HOST],
    ],
)
def test_a_token_for_this_study_opens_it_however_it_is_addressed(served, pair, audience):
    assert enter(served, token(pair, told=claims(aud=audience))).status_code == 200


def test_a_token_of_another_of_our_studies_opens_nothing_where_the_ids_are_known(served, pair):
    line = {"source": "prolific", "task": STUDY, "places": 3, "pay": "1"}
    served.store.events.record(served.live.record, "researcher", "recruited", line)
    refused(served, "bad_token", token(pair, study="6f0000000000000000000002"))
    refused(served, "bad_token", token(pair, study=None))
    assert enter(served, token(pair)).status_code == 200


def test_a_finished_person_is_not_let_in_by_a_token_again(served, pair):
    person = served.person(parameters=with_token(token(pair)))
    person.begin()
    person.answer_all()
    person.post("finish")
    again = enter(served, token(pair, session="7f0000000000000000000002"))
    assert (again.status_code, again.json()["error"]["code"]) == (409, "second_entry")


def test_an_address_that_was_copied_ends_with_its_token(served, pair):
    """Within its minutes it is a second entry of the same person, after them it is nothing."""
    person = served.person(parameters=with_token(token(pair)))
    old = enter(served, token(pair, exp=int(time.time()) - 120))
    assert (old.status_code, old.json()["error"]["code"]) == (403, "old_token")
    assert person.get().status_code == 200


def test_keys_that_cannot_be_read_are_a_matter_of_waiting(served, pair, caplog):
    (served.live.folder.path / "keys.json").unlink()
    reply = refused(served, "no_keys", token(pair), status=503)
    assert int(reply.headers["retry-after"]) > 0
    assert "keys.json" in caplog.text


class Service:
    """Prolific's keys, behind a network that may fail."""

    def __init__(self, monkeypatch, *pairs):
        self.told, self.asked, self.now = key_set(*pairs), 0, 0.0
        monkeypatch.setattr(signed, "_content", self.content)
        self.keys = Keys("https://keys.example.org", lambda: self.now)

    def content(self, place):
        self.asked += 1
        if self.told is None:
            raise OSError("no route")
        return json.dumps(self.told).encode()


def test_invented_names_of_keys_make_nobody_ask_the_service_all_the_time(monkeypatch, pair):
    service = Service(monkeypatch, pair)
    for number in range(1000):
        service.now = number / 10
        assert service.keys.find(f"invented {number}") is None
        assert service.keys.find(NAME) is not None
    assert service.asked == 2  # at first, and after a minute


def test_a_new_key_is_found_and_an_old_one_forgotten(monkeypatch, pair, stranger):
    service = Service(monkeypatch, pair)
    assert service.keys.find("another") is None
    service.told, service.now = key_set(pair, stranger), 61.0
    assert service.keys.find("another") is not None
    service.told, service.now = key_set(pair), 61.0 + 86_401
    assert service.keys.find("another") is None


def test_a_service_that_is_away_is_asked_now_and_then_and_known_keys_go_on(monkeypatch, pair):
    service = Service(monkeypatch, pair)
    assert service.keys.find(NAME) is not None
    service.told = None
    for number in range(100):
        service.now = 61.0 + number / 10
        with pytest.raises(Failure) as failed:
            service.keys.find("another")
        assert failed.value.code == "no_keys"
        assert service.keys.find(NAME) is not None
    assert service.asked == 2


def test_what_is_no_key_set_is_told_as_keys_that_cannot_be_read(monkeypatch):
    for told in ([], {}, {"keys": 5}, {"keys": []}, {"keys": [{"kty": "oct"}]}, 7):
        service = Service(monkeypatch)
        service.told = told
        with pytest.raises(Failure) as failed:
            service.keys.find(NAME)
        assert failed.value.code == "no_keys"


def test_a_shared_secret_among_the_keys_is_none(monkeypatch, pair):
    service = Service(monkeypatch, pair)
    secret = base64.urlsafe_b64encode(b"s" * 32).decode()
    service.told["keys"].append({"kty": "oct", "kid": "shared", "k": secret, "alg": "HS256"})
    assert service.keys.find("shared") is None
