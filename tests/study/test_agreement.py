"""Gold from agreement: what people agree on becomes gold, what they do not is replaced."""

from collections import Counter

import pytest

from resemblance.study import questions
from resemblance.study.quality import Quality, Rules
from resemblance.study.questions import AGREEMENT, recorded_slots
from small_study import People, open_study

TASKS = """
[tasks]
per_participant = 1
task_size = 12
practice = 0
gold_share = 0.5
repeat_share = 0.2
[asking]
strategy = "random"
"""
RULE = "\n[quality]\ngold_from_agreement = {}\n"


@pytest.fixture(autouse=True)
def needed(monkeypatch):
    """Let few answers suffice."""
    monkeypatch.setattr(questions, "NEEDED", 4)


def study(tmp_path, share=0.8, kind="triplet", **settings):
    sections = TASKS + RULE.format(share)
    url = f"sqlite:///{tmp_path}/s.sqlite"
    return open_study(tmp_path / "dots", url, sections=sections, kind=kind, **settings)


def take_part(live, people, rules):
    """Let everybody do the whole study, one after the other, watched by the worker."""
    for number, _ in enumerate(people.persons):
        for _ in range(live.settings.total):
            people.answer_one(number)
        list(rules.quality.read())
        rules.act()


def panel_answers(live):
    """Give the answers to questions of the panel, repeats left out."""
    answers = live.store.answers.after(live.record)
    return [one for one in answers if "agreement" in one.spec and one.purpose != "repeat"]


@pytest.mark.parametrize("kind", ["one_of_n", "odd_one_out", "match_to_sample"])
def test_questions_become_gold_where_all_agree(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(questions, "NEEDED", 2)
    live = study(tmp_path, kind=kind)
    rules = Rules(Quality.of(live))
    people = People(live, 8)
    people.choose = lambda number, spec: spec["options"].index(sorted(spec["options"])[0])
    if kind == "match_to_sample":
        people.choose = lambda number, spec: spec["options"].index(spec["head"])
    take_part(live, people, rules)
    answers = panel_answers(live)
    purposes = Counter(one.purpose for one in answers)
    assert purposes["main"] >= 2 * 6  # two answers to each slot's question before it is gold
    assert purposes["gold"] > 12
    for one in answers:
        right = people.choose(0, one.spec)
        known = right if one.purpose == "gold" or kind == "match_to_sample" else None
        assert one.spec["gold"] == known
    assert rules.quality.measures(people.persons[-1].code)["gold"][0] == 1.0


def test_nobody_is_asked_a_question_of_the_panel_twice(tmp_path):
    live = study(tmp_path)
    people = People(live, 8, sharp=3)
    take_part(live, people, Rules(Quality.of(live)))
    asked = Counter((one.code, one.spec["agreement"][0]) for one in panel_answers(live))
    assert set(asked.values()) == {1}
    shown = {}
    for one in panel_answers(live):  # one question of a slot is the same for all
        same = (one.spec["head"], *sorted(one.spec["options"]))
        assert shown.setdefault(tuple(one.spec["agreement"]), same) == same


def test_a_question_on_which_people_disagree_is_replaced(tmp_path):
    live = study(tmp_path, share=1.0)
    people = People(live, 10, dict.fromkeys(range(10), "random"))
    take_part(live, people, Rules(Quality.of(live)))
    assert max(one.spec["agreement"][1] for one in panel_answers(live)) >= 1


def test_an_excluded_person_has_no_vote_and_the_next_worker_knows_the_same(tmp_path):
    live = study(tmp_path, share=0.9)
    people = People(live, 5)
    people.choose = lambda number, spec: spec["options"].index(
        sorted(spec["options"], reverse=number == 4)[0]  # the last one turns everything round
    )
    quality = Quality.of(live)
    take_part(live, people, Rules(quality))
    with_all = quality.agreement.slots()
    contrary = people.persons[4]
    live.store.people.exclude(contrary, True, "turns everything round", "researcher")
    Rules(Quality.of(live)).act()
    told = recorded_slots(live.store, live.record)
    assert told == {
        slot: at for slot, at in quality.agreement.slots({contrary.id}).items() if slot in told
    }
    assert told != with_all
    n = len(live.store.events.audit(live.record, AGREEMENT))
    assert Rules(Quality.of(live)).act() == []
    assert len(live.store.events.audit(live.record, AGREEMENT)) == n
