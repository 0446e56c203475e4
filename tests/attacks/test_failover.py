"""PostgreSQL fails over to a standby: what was acknowledged is there, and the server goes on."""

import threading

import pytest

from postgres import cluster, postgresql
from resemblance.store import Store, StoreError
from resemblance.web.simulated_people import Visitor


@pytest.fixture
def standby():
    postgresql()
    with cluster().standby() as standby:
        yield standby


def test_a_synchronous_standby_has_every_acknowledged_answer(standby, make_study, serve, listen):
    with pytest.raises(StoreError, match="standby"):
        Store.open(f"postgresql://postgres@/postgres?host={standby.folder}")
    hosts = f"{cluster().folder},{standby.folder}"
    name = cluster().create().partition("?")[0]
    url = f"{name}?host={hosts}&target_session_attrs=read-write"
    served = serve(make_study(recruitment={"simulated": "enter"}), database=url)
    address, asked = f"http://127.0.0.1:{listen(served)}", []

    def choose(question):
        asked.append(question["id"])
        if len(asked) == 6:
            failing.start()
        return {"chosen": 0}

    def fail_over():
        cluster().stop()
        standby.promote()

    failing = threading.Thread(target=fail_over)
    visitors = [Visitor(address, "ties", name, choose) for name in ("ann", "bob")]
    threads = [threading.Thread(target=visitor.run) for visitor in visitors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    people = {one.external_id: one for one in served.store.people.all(served.live.record)}
    for visitor in visitors:
        person = people[visitor.name]
        stored = [one.question for one in served.store.answers.of(person)]
        assert stored == visitor.acknowledged
        assert visitor.code == person.completion_code
    assert served.client.get("/ready").json()["checks"]["database"] is True
