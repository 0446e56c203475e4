"""Quality: what is counted, and what the rules make of it."""

import pytest

from resemblance.store import AnswerIn, Wanted
from resemblance.study.kinds import KINDS
from resemblance.study.kinds.base import Material
from resemblance.study.quality import Quality, Rules, most_answers, rule_words
from resemblance.study.sections import Quality as QualitySettings, Rule
from resemblance.study.settings import About, Settings
from resemblance.study.worker.loop import TalliedQuality
from small_study import SMALL, Hands, People, open_study

RULE = '\n[[quality.rules]]\nmeasure = "{}"\n{} = {}\nafter = {}\naction = "{}"\n'


def study(tmp_path, *rules, more="", **settings):
    written = "".join(RULE.format(*rule) for rule in rules)
    url = f"sqlite:///{tmp_path}/s.sqlite"
    return open_study(tmp_path / "dots", url, sections=SMALL + more + written, **settings)


def put(live, person, purpose, options, chosen, rt_ms=900.0, gold=None, client=None):
    """Serve one question and answer it; None skips it."""
    spec = KINDS["triplet"].new("i0000", options, gold)
    (question,) = live.store.questions.serve(person, [Wanted(spec, purpose)])
    response = None if chosen is None else {"chosen": chosen}
    given = AnswerIn(question.id, response, rt_ms, client or {}, chosen is None)
    live.store.answers.take(person, [given])


@pytest.fixture
def counted(tmp_path):
    live = study(tmp_path)
    person = People(live, 1).persons[0]
    put(live, person, "practice", ["i0001", "i0002"], 0, rt_ms=10.0)
    put(live, person, "main", ["i0001", "i0002"], 0, rt_ms=100.0)
    put(live, person, "main", ["i0003", "i0004"], 1)
    put(live, person, "main", ["i0005", "i0006"], None)
    put(live, person, "gold", ["i0000", "i0004"], 0, gold=0)
    put(live, person, "gold", ["i0004", "i0000"], 0, gold=1)
    put(live, person, "gold", ["i0004", "i0000"], None, gold=1)
    put(live, person, "repeat", ["i0002", "i0001"], 1)  # the same answer on the other side
    put(live, person, "repeat", ["i0004", "i0003"], 1)  # another answer
    put(live, person, "repeat", ["i0006", "i0005"], 1)  # the first one was skipped
    return Quality.of(live)


def test_what_is_counted(counted):
    row = counted.row("P0001")
    assert (row["answers"], row["skipped"]) == (7, 2)
    assert (row["gold_answers"], row["gold_right"]) == (3, 1)
    assert (row["repeat_answers"], row["repeat_agreement"]) == (2, 0.5)
    assert row["fast_share"] == pytest.approx(1 / 7)
    assert row["side_share"] == pytest.approx(4 / 7)
    assert row["median_rt_ms"] == 900.0
    assert row["likelihood"] is None


def test_nobody_is_judged_before_there_is_enough(tmp_path):
    live = study(tmp_path, ("side", "above", 0.8, 12, "flag"))
    people = People(live, 2, {0: "first"})
    people.answer(22)
    assert Quality.of(live).verdicts() == []
    people.answer(4)
    (verdict,) = Quality.of(live).verdicts()
    assert (verdict.code, verdict.answers) == ("P0001", 12)
    assert verdict.reason == "side 1.00 in 12 answers (rule: side above 0.8)"


@pytest.mark.parametrize("action", ["flag", "stop", "exclude"])
def test_a_rule_acts_once_and_a_person_has_the_last_word(tmp_path, action):
    live = study(tmp_path, ("fast", "above", 0.5, 5, action))
    people, quality = People(live, 2), Quality.of(live)
    rules = Rules(quality)
    for _ in range(8):
        people.answer_one(0, rt_ms=50.0)
        people.answer_one(1)
    list(quality.read())
    assert [verdict.code for verdict in rules.act()] == ["P0001"]
    (event,) = live.store.events.audit(live.record, "quality rule")
    assert event.details["rule"] == "fast above 0.5"
    assert event.details["action"] == action
    person = live.store.people.named(live.record, "P0001")
    assert (person.state == "stopped") == (action == "stop")
    assert (person.id in live.store.people.excluded(live.record)) == (action == "exclude")
    live.store.people.exclude(person, False, "looked at it", "researcher")
    for known in (rules, Rules(Quality.of(live))):  # the same worker, and the next one
        assert known.act() == []
    assert live.store.people.excluded(live.record) == set()


def test_the_likelihood_is_that_of_the_worker(tmp_path):
    live = study(tmp_path, ("likelihood", "below", 0.5, 30, "flag"))
    People(live, 2).answer(4)
    told = {"P0001": (0.45, 40), "P0002": (0.45, 20)}
    live.store.events.record(live.record, "worker", "map", {"likelihood": told})
    assert [verdict.code for verdict in Quality.of(live).verdicts()] == ["P0001"]


def test_the_worker_tells_guessers_from_others_by_likelihood(tmp_path):
    live = study(tmp_path, ("likelihood", "below", 0.52, 40, "flag"))
    people = People(live, 5, {2: "random"}, sharp=3)
    hands = Hands(live)
    for _ in range(4):
        people.answer(100)
        hands.settle()
    people.answer(5)
    hands.settle()
    verdicts = Quality.of(live).verdicts([one.code for one in people.persons])
    assert [verdict.code for verdict in verdicts if verdict.rule.measure == "likelihood"] == [
        "P0003"
    ]
    assert not live.store.people.excluded(live.record)


def test_a_hint_flags_and_does_no_more():
    for measure, level in (("likelihood", {"below": 0.5}), ("by_program", {"above": 0.5})):
        for action in ("hold", "stop", "exclude"):
            with pytest.raises(ValueError, match="flag"):
                Rule(measure=measure, action=action, **level)
        assert Rule(measure=measure, **level).action == "flag"


def answer_gold(live, people, wrong, *, agreed=False, n=6):
    """Let people answer n gold questions; those of ``wrong`` (person, question) are wrong."""
    for p, person in enumerate(people.persons):
        for q in range(n):
            spec = KINDS["triplet"].new(f"i000{q}", ["i0007", "i0008"], 0)
            spec |= {"agreement": [q, 0]} if agreed else {}
            (question,) = live.store.questions.serve(person, [Wanted(spec, "gold")])
            response = {"chosen": int((p, q) in wrong)}
            live.store.answers.take(person, [AnswerIn(question.id, response, 900.0, {}, False)])


@pytest.mark.parametrize("n_wrong", [2, 3, 5])
def test_gold_that_half_of_the_people_get_wrong_is_told_and_counts_against_nobody(
    tmp_path, n_wrong
):
    live = study(tmp_path, ("gold", "below", 0.9, 5, "exclude"))
    people = People(live, 6)
    answer_gold(live, people, {(p, 0) for p in range(n_wrong)})
    quality = Quality.of(live)
    asked = ("i0000", "i0007", "i0008")
    doubted = {asked: (n_wrong, 6)} if 2 * n_wrong >= 6 else {}
    assert quality.doubted() == doubted
    excluded = [] if doubted else ["P0001", "P0002"]
    assert [verdict.code for verdict in Rules(quality).act()] == excluded
    told = [event.details for event in live.store.events.audit(live.record, "gold in doubt")]
    line = {"question": list(asked), "wrong": n_wrong, "answers": 6}
    assert told == ([line] if doubted else [])
    assert Rules(quality).act() == []
    assert len(live.store.events.audit(live.record, "gold in doubt")) == len(told)


def test_a_code_is_not_held_for_gold_in_doubt(tmp_path):
    live = study(tmp_path, ("gold", "below", 0.9, 5, "hold"))
    people = People(live, 6)
    answer_gold(live, people, {(p, 0) for p in range(4)})
    assert [v.rule.measure for v in Quality.held(live, people.persons[0])] == ["gold"]
    Rules(Quality.of(live)).act()
    assert Quality.held(live, people.persons[0]) == []


@pytest.mark.parametrize(("action", "n"), [("flag", 1), ("hold", 0), ("exclude", 0)])
def test_gold_by_agreement_flags_and_holds_nothing_back(tmp_path, action, n):
    live = study(tmp_path, ("gold", "below", 0.6, 5, action))
    answer_gold(live, People(live, 6), {(0, q) for q in range(6)}, agreed=True)
    quality = Quality.of(live)
    assert [verdict.code for verdict in quality.verdicts()] == ["P0001"] * n
    assert quality.verdicts(sure=True) == []


STILL = {"moves": 9, "way": 300.0, "synthetic": 0, "driven": False}


def test_answers_that_no_hand_gave_are_counted(tmp_path):
    live = study(tmp_path, ("by_program", "above", 0.5, 2, "flag"), more="[quality]\nhand = true\n")
    hands = [
        ({}, 0.0),
        ({"moves": 1}, 1.0),  # it was somewhere else at once
        ({"moves": 1, "way": 8.0}, 0.0),  # it stayed where it was
        ({"moves": 0, "way": None}, 0.0),  # touch, keys, screen readers
        ({"synthetic": 2}, 1.0),
        ({"driven": True}, 1.0),
    ]
    people = People(live, len(hands)).persons
    for person, (told, _) in zip(people, hands, strict=True):
        for options in (["i0001", "i0002"], ["i0003", "i0004"]):
            put(live, person, "main", options, 0, client={"hand": STILL | told})
        put(live, person, "main", ["i0005", "i0006"], 0)  # its browser told nothing
    quality = Quality.of(live)
    shares = {person.code: share for person, (_, share) in zip(people, hands, strict=True)}
    for code, share in shares.items():
        assert quality.measures(code)["by_program"] == (share, 2)
        assert quality.row(code)["by_program"] == share
    assert [one.code for one in quality.verdicts()] == [code for code in shares if shares[code]]


def test_a_rule_needs_what_it_measures():
    with pytest.raises(ValueError, match="needs"):
        QualitySettings(rules=[Rule(measure="by_program", above=0.5)])


def test_skipped_practice_is_practice_at_the_desk(tmp_path):
    live = study(tmp_path)
    person = People(live, 1).persons[0]
    for purpose in ("practice", "main"):
        put(live, person, purpose, ["i0001", "i0002"], None)
    tallied = TalliedQuality.of(live)
    tallied.tell({})
    told = live.store.tallies.pulse(live.record).told
    assert told["purposes"] == {"practice": 1, "skipped": 1}
    assert told["answers"] == 1


def test_rules_in_words_and_the_answers_behind_them():
    assert rule_words(Rule(measure="gold", below=0.7)) == "gold below 0.7"
    assert most_answers(Settings(study=About(name="ties")), Material("ties", (), 2))["gold"] == 20
