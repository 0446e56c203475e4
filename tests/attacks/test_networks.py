"""Proxies and networks that drop, double, cut and reorder: one person, each answer once."""

from random import Random

import pytest

from relay import FAULTS, Relay
from resemblance.web.simulated_people import Visitor

PROXY = [fault for fault in FAULTS if fault not in ("401", "404")]  # a visitor asks nobody


@pytest.mark.parametrize("first", ["502 afterwards", "late copy"])
def test_whatever_befalls_the_first_request_one_person_enters_once(
    make_study, serve, listen, first
):
    quota = {"simulated": "enter", "max_participants": 1}
    served = serve(make_study(recruitment=quota))
    others = [fault for fault in PROXY if fault != first]
    with Relay(listen(served), [first, *Random(first).sample(others, len(others))]) as relay:
        visitor = Visitor(relay.address, "ties", "ann", lambda question: {"chosen": 0})
        visitor.run()
    (person,) = served.store.people.all(served.live.record)
    assert visitor.code == person.completion_code
    assert [one.question for one in served.store.answers.of(person)] == visitor.acknowledged
    assert len(set(visitor.acknowledged)) == 12


@pytest.mark.parametrize("source", ["open", "sona"])
def test_an_entry_that_is_sent_again_is_the_same_person(make_study, serve, source):
    served = serve(make_study(recruitment={"source": source, "max_participants": 1}))
    body = {"parameters": {"id": "4711"}, "key": "0123456789abcdef" * 4}
    address = "/api/studies/ties/participants"
    first, again = (served.client.post(address, json=body) for _ in range(2))
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json()
    other = served.client.post(address, json=body | {"key": "f" * 64})
    assert other.json()["error"]["code"] == {"open": "full", "sona": "bound"}[source]
    assert served.client.post(address, json=body | {"key": "abc"}).status_code == 422
