"""Simulated people of a study are marked from their entry on, and count only where asked for."""

from random import Random

import pandas as pd
import pytest

from resemblance.study.entry import enter
from resemblance.study.export import Export, write_archive
from resemblance.study.export.archive import card_of
from resemblance.study.failures import Failure
from resemblance.study.quality import Quality
from resemblance.study.worker.loop import TalliedQuality
from resemblance.web import simulated_people
from resemblance.web.desk.overview import Overview
from small_study import SMALL, Hands, People, open_study
from study.test_archive import WORDS

RECRUITMENT = """
[recruitment]
simulated = "{}"
pay = 2.0
max_participants = 3
"""


def begun(tmp_path, n_people=2, n_simulated=3, count="enter", answers=10):
    sections = SMALL + RECRUITMENT.format(count) + WORDS
    live = open_study(tmp_path / "dots", f"sqlite:///{tmp_path}/s.sqlite", sections=sections)
    crowds = [People(live, n_people), People(live, n_simulated, source="simulated")]
    for crowd in crowds:
        crowd.answer(answers * len(crowd.persons))
    return live, *crowds


@pytest.fixture
def study(tmp_path):
    return begun(tmp_path)


def codes(crowd):
    return {person.code for person in crowd.persons}


def tables(export):
    return {table.name: pd.DataFrame(table.rows()) for table in export.tables()}


def test_every_table_of_people_marks_them(study):
    live, people, crowd = study
    for person in (people.persons[0], crowd.persons[0]):
        live.store.people.respond(person, "questionnaire", {"values": {"age": 3}})
    found = tables(Export(live, with_simulated=True))
    named = {name: table for name, table in found.items() if "observer" in table}
    assert set(named) == {"triplets", "triplets_with_catches", "answers", "participants", "pages"}
    for table in named.values():
        assert set(table["simulated"]) == {False, True}
        assert set(table["observer"][table["simulated"]]) <= codes(crowd)
        assert set(table["observer"][~table["simulated"]]) <= codes(people)


def test_their_answers_are_no_judgments_unless_asked_for(study):
    live, people, crowd = study
    export = Export(live)
    assert export.left_out["simulated"] == sum(a.simulated for a in log(live)) > 0
    assert {answer.code for answer in export.answered()} == codes(people)
    everybody = {answer.code for answer in Export(live, with_simulated=True).answered()}
    assert everybody == codes(people) | codes(crowd)


def log(live):
    return [a for a in live.store.answers.after(live.record) if a.purpose != "practice"]


FILES = {"triplets": "triplets.csv", "items": "items.csv"}


def test_nothing_of_them_is_published_unless_asked_for(study, tmp_path):
    live, _people, crowd = study
    export = Export(live, published=True)
    assert card_of(export, FILES).people == 2
    assert not codes(crowd) & {
        who for t in tables(export).values() for who in t.get("observer", [])
    }
    write_archive(export, tmp_path / "out.zip")
    asked = Export(live, published=True, with_simulated=True)
    told = card_of(asked, FILES)
    assert told.people == 2
    assert "3 simulated people are among them" in told.excluded
    assert codes(crowd) <= set(tables(asked)["participants"]["observer"])


def test_they_cost_nothing_and_are_no_people_at_the_desk(study):
    live, people, crowd = study
    for person in (people.persons[0], *crowd.persons):
        live.store.people.set_state(person, "finished", "THANKS")
    TalliedQuality.of(live).tell({})
    of = Overview(live)
    assert (of.counts["people"], of.counts["simulated"]) == (2, 3)
    assert of.states == {"finished": 1, "consented": 1}
    assert of.spent["cost"] == 2.0
    whole = live.settings.total - live.settings.tasks.practice
    answers = of.counts["answers"] - of.counts["simulated_answers"]
    later = max(0, answers - whole) / whole
    assert of.spent["hours"] == pytest.approx((1 + later) * live.settings.minutes / 60)
    assert sum(dict(of.uses).values()) == of.counts["answers"]
    assert of.counts["left_out"] > 0
    rows, total = live.store.tallies.people(live.record, only="simulated")
    assert total == 3
    assert {row.source for row in rows} == {"simulated"}


def test_they_fill_no_place_of_a_quota_and_have_one_of_their_own(study):
    live, _, _ = study
    with pytest.raises(Failure, match="all the participants"):
        enter(live, {"simulated": "a fourth"}, {})
    enter(live, {}, {})  # the third of three people
    with pytest.raises(Failure, match="all the participants"):
        enter(live, {}, {})


@pytest.mark.parametrize("count", ["enter", "count"])
def test_a_fit_sees_them_only_where_they_count(tmp_path, count):
    live, people, crowd = begun(tmp_path, count=count, answers=40)
    uncounted = Quality.of(live).uncounted()
    assert uncounted == (set() if count == "count" else {one.id for one in crowd.persons})
    hands = Hands(live)
    hands.settle()
    left_out = live.store.events.audit(live.record, "fit")[-1].details["left_out"]
    assert set(left_out) == (set() if count == "count" else codes(crowd))
    fitted = live.store.spaces.scored(live.record)[-1].scores
    shown = {answer.code for answer in Export(live).answered()}
    assert shown == codes(people) | (codes(crowd) if count == "count" else set())
    assert fitted["fitted"] + fitted["held_out"] <= sum(a.code in shown for a in log(live))


def test_a_study_of_simulated_people_alone_goes_on_without_a_fit(tmp_path):
    live, _, _ = begun(tmp_path, n_people=0, answers=60)
    hands = Hands(live)
    hands.settle()
    assert not live.store.spaces.scored(live.record)
    assert not live.store.events.audit(live.record, "fit failed")
    assert not live.store.events.audit(live.record, "failed")


def test_a_crowd_has_people_of_every_kind():
    kinds = {person.kind for person in simulated_people.crowd(30, 2, Random(0))}
    assert kinds == {"first place", "guesses", "honest", "leaves"}
