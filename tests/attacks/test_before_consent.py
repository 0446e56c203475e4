"""Before consent nothing of a person is stored that can be read, and nothing after declining."""

import pytest
from sqlalchemy import select

from resemblance.store import schema

ID, SESSION, AGENT, ZONE = (
    "5f3a0cafe0123456789abcde",
    "session0cafe",
    "Firefox 0cafe",
    "Antarctica/0cafe",
)
TOLD = (ID, SESSION, AGENT, ZONE)
BROWSER = {"agent": AGENT, "languages": ["tlh"], "timezone": ZONE}


@pytest.fixture
def served(make_study, serve, url):
    return serve(make_study(recruitment={"source": "prolific"}), database=url)


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
    assert (row.external_id, row.browser["agent"]) == (ID, AGENT)


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
