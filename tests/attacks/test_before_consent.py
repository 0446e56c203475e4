"""Before consent nothing of a person is stored that can be read, and nothing after declining."""

from base64 import b64decode, b64encode
from dataclasses import replace

import pytest
from sqlalchemy import select, update

from resemblance.store import StoreError, schema
from resemblance.study.privacy import SEALED, opened, seal

ID, SESSION, ZONE = "5f3a0cafe0123456789abcde", "session0cafe", "Antarctica/0cafe"
TOLD = (ID, SESSION, ZONE)
BROWSER = {"languages": ["tlh"], "timezone": ZONE}


@pytest.fixture
def served(make_study, serve):
    return serve(make_study(recruitment={"source": "prolific"}))


def enter(served, **more):
    parameters = {"PROLIFIC_PID": ID, "SESSION_ID": SESSION}
    return served.person(parameters=parameters, browser=BROWSER, **more)


def stored(served):
    """Return all that the database holds, as text."""
    with served.store.database.readers.connect() as connection:
        return "\n".join(
            str(row)
            for table in schema.metadata.sorted_tables
            for row in connection.execute(select(table))
        )


def traces(served):
    whole = stored(served)
    return [one for one in (*TOLD, "tlh") if one in whole]


def test_nothing_readable_is_stored_before_consent(served):
    person = enter(served)
    assert traces(served) == []
    person.post("pages/consent", {"agree": True})
    (row,) = served.store.people.all(served.live.record)
    assert (row.external_id, row.browser["timezone"]) == (ID, ZONE)
    assert row.browser["parameters"] == {"SESSION_ID": SESSION}


def test_a_second_entry_is_recognised_before_and_after_consent(served):
    first, second = enter(served), enter(served)
    assert first.code == second.code
    assert first.get().status_code == 401
    second.post("pages/consent", {"agree": True})
    third = enter(served)
    assert third.code == first.code
    assert third.get().json()["state"] == "instructions"
    (row,) = served.store.people.all(served.live.record)
    assert (row.external_id, row.browser["timezone"]) == (ID, ZONE)


def test_who_declines_is_forgotten(served):
    person = enter(served)
    values = {"name": "Ada 0cafe"}
    assert person.post("pages/consent", {"agree": False, "values": values})["state"] == "stopped"
    (row,) = served.store.people.all(served.live.record)
    assert (row.state, row.external_id, row.browser) == ("stopped", None, {})
    assert "0cafe" not in stored(served)
    assert person.get().json()["state"] == "stopped"


def test_the_key_is_for_its_owner_alone(served):
    enter(served)
    key = served.live.folder.path / "identity.key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert len(bytes.fromhex(key.read_text())) == 32


def set_sealed(served, sealed):
    """Put something into the database where the sealed text stands."""
    people = schema.participants
    with served.store.database.writer._engine.begin() as connection:
        connection.execute(update(people).values(browser={SEALED: sealed}))


def token_of(person):
    return person.headers["Authorization"].removeprefix("Bearer ")


def test_what_was_sealed_cannot_be_changed_unseen(served):
    """With a pad alone, whoever flips a bit of what is stored flips it in what is read later."""
    person = enter(served)
    (row,) = served.store.people.all(served.live.record)
    whole = bytearray(b64decode(row.browser[SEALED]))
    for place in range(0, len(whole), 7):
        changed = bytes([*whole[:place], whole[place] ^ 1, *whole[place + 1 :]])
        sealed = b64encode(changed).decode()
        with pytest.raises(StoreError, match=row.code):
            opened(token_of(person), replace(row, browser={SEALED: sealed}))
    for nothing in ("", "x", "AAAA", "é"):
        with pytest.raises(StoreError, match=row.code):
            opened(token_of(person), replace(row, browser={SEALED: nothing}))
    for token in ("", "ties.another", row.code):  # of somebody else
        with pytest.raises(StoreError):
            opened(token, row)
    assert seal("token", ID, BROWSER) != seal("token", ID, BROWSER)
    set_sealed(served, sealed)
    person.post("pages/consent", {"agree": True}, status=503)
    assert served.store.people.all(served.live.record)[0].state == "entered"
