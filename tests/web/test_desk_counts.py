"""Money and numbers of answers at the desk."""

import pytest

from resemblance.store import Scored
from resemblance.study.worker.loop import TalliedQuality
from resemblance.web.desk import drawing, overview
from resemblance.web.desk.drawing import span
from resemblance.web.desk.overview import Overview
from small_study import SMALL, Hands, People, open_study

PAID = '\n[recruitment]\npay = 2.0\nminutes = 6.0\ncurrency = "EUR"\n'


@pytest.fixture
def live(tmp_path):
    url = f"sqlite:///{tmp_path}/s.sqlite"
    return open_study(tmp_path / "dots", url, sections=SMALL + PAID)


def finish(live, persons):
    for person in persons:
        live.store.people.set_state(person, "finished", "THANKS")


def told(live, **counts):
    live.store.tallies.tell(live.record, {"answers": 0, "purposes": {}, **counts})
    return Overview(live)


def test_who_finished_costs_the_pay_and_who_is_under_way_nothing_yet(live):
    people, tasks = People(live, 13).persons, live.settings.tasks
    finish(live, people[:11])
    whole = tasks.per_participant * tasks.task_size
    spent = told(live, answers=11 * whole + whole // 2).spent
    assert spent["cost"] == 22.0
    assert spent["under_way"] == 2
    assert spent["to_come"] == 4.0
    assert spent["hours"] == pytest.approx((11 + (whole // 2) / whole) * 0.1)


def test_what_people_took_stands_beside_what_was_planned(live, monkeypatch):
    assert Overview(live).minutes is None
    now = [live.clock()]
    monkeypatch.setattr(live.store.database, "clock", lambda: now[0])
    people = People(live, 5).persons
    for person, minutes in zip(people[:3], (4, 9, 400), strict=True):  # one slept in between
        now[0] += 60 * minutes - (now[0] - person.created)
        finish(live, [person])
    assert Overview(live).minutes == pytest.approx(9)


def test_all_answers_are_told_by_use(tmp_path):
    live = open_study(tmp_path / "dots", f"sqlite:///{tmp_path}/s.sqlite", sections=SMALL)
    people, hands = People(live, 4), Hands(live)
    people.answer(240)
    hands.settle()
    live.store.people.exclude(people.persons[0], True, "looked away", "me")
    people.answer(9)
    before = Overview(live)
    TalliedQuality.of(live).tell({})
    assert sum(dict(before.uses).values()) == before.counts["answers"]  # before the next fit too
    hands.work._watched = 0.0
    hands.settle()
    tallied = TalliedQuality.of(live)
    tallied.tell({})
    of = Overview(live)
    uses = dict(of.uses)
    assert sum(uses.values()) == of.counts["answers"] > 200
    assert uses["of people left out"] == of.counts["left_out"] > 0
    assert uses["in the map"] == of.last.scores["fitted"]


@pytest.mark.parametrize(("held_out", "shown"), [(2, 0), (19, 0), (20, 1), (400, 1)])
def test_an_error_out_of_few_answers_is_no_point(held_out, shown):
    found = {"error": 0.0, "low": 0.0, "high": 0.6, "held_out": held_out}
    own = {"strategies": {"random": {"answers": 50, **found}}, "fitted": 100, **found}
    series = overview.errors([Scored(1, 0.0, 100, own)])["series"]
    assert len(series) == 2 * shown


def test_numbers_as_the_desk_writes_them():
    times = drawing.when(0.0), drawing.when(0.0, "Asia/Tokyo")
    assert times == ("1970-01-01 00:00", "1970-01-01 09:00")
    assert (drawing.share(0.254), drawing.share(None)) == ("25\u00a0%", "–")
    assert (drawing.points(0.009), drawing.points(None)) == ("0.9\u00a0points", "–")
    assert drawing.points(-0.0001) == drawing.points(0.0)
    assert drawing.number(50000).encode("ascii", "replace") == b"50?000"
    assert drawing.money(7.5, "EUR") == "EUR 7.50"
    assert overview.short([[12.3456789, -0.00123], [1.0, 2.0]]) == [[12.35, 0.0], [1.0, 2.0]]
    assert not overview.enough({"error": 0.0, "held_out": 2})
    assert overview.enough({"error": 0.2, "held_out": 20})


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (24.2, "24 s"),
        (0.42, "0.4 s"),
        (0, "0 s"),
        (59.6, "1 min"),
        (95, "2 min"),
        (3600, "1 h"),
        (7800, "2 h 10 min"),
        (40_000, "11 h"),
        (None, "–"),
    ],
)
def test_times_are_written_as_people_say_them(seconds, words):
    assert span(seconds).replace("\u00a0", " ") == words
