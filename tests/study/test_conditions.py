"""Conditions between people and within them: who is in which, what is asked there, what is kept."""

from collections import Counter
from itertools import pairwise

import pytest

from resemblance.errors import SettingError
from resemblance.study.conditions import Condition, Conditions, conditions_of, latin_square
from resemblance.study.export import Export
from resemblance.study.live import open_folders, open_stores
from resemblance.study.questions import question_page
from small_study import People, open_study

TASKS = "[tasks]\nper_participant = 4\ntask_size = 6\npractice = 2\ngold_share = 0\n"
BETWEEN = """
[conditions.between.colour]
wording = "Which has the more similar colour?"
[conditions.between.shape]
wording = "Which has the more similar shape?"
instructions = "pages/shape.md"
"""
WITHIN = """
[conditions.within.near]
wording = "near?"
instructions = "pages/near.md"
[conditions.within.far]
wording = "far?"
"""


def study(path, conditions, more="", url=None, tasks=TASKS, **settings):
    """Make a study with conditions, half of whose 16 items are lines."""
    path.mkdir(parents=True)
    (path / "pages").mkdir()
    for page in ("shape", "near"):
        (path / "pages" / f"{page}.md").write_text(f"# {page}\n\nLook.\n")
    rows = [f"i{i:04d},{('dot', 'line')[i % 2]} {i},{('dot', 'line')[i % 2]}" for i in range(16)]
    (path / "items.csv").write_text("\n".join(["name,text,label", *rows]) + "\n")
    sections = f"{tasks}{conditions}{more}"
    return open_study(
        path, url or f"sqlite:///{path}/study.sqlite", n_items=None, sections=sections, **settings
    )


def main_answers(live):
    return [one for one in live.store.answers.after(live.record, 0, 1000) if one.purpose == "main"]


@pytest.mark.parametrize("n", [2, 5, 6])
def test_a_latin_square_is_balanced(n):
    orders = latin_square(list(range(n)))
    places = Counter((place, name) for order in orders for place, name in enumerate(order))
    after = Counter(pair for order in orders for pair in pairwise(order))
    assert (len(places), len(set(places.values()))) == (n * n, 1)
    assert (len(after), len(set(after.values()))) == (n * (n - 1), 1)


@pytest.mark.parametrize(
    ("conditions", "names"),
    [
        ("[conditions.between.one]\n", ["between", "one"]),
        (BETWEEN + "[conditions.within.colour]\n[conditions.within.b]\n", ["colour"]),
        ('[conditions]\nassign = "address"\n' + WITHIN, ["address"]),
        (WITHIN + "[conditions.within.third]\n", ["per_participant", "3"]),
        (BETWEEN + '[conditions]\nspace = "own"\n', ["space"]),
        ("[conditions.between.topic.a]\n[conditions.between.topic.b]\n", ["topic", "a"]),
        (BETWEEN + "[quality]\ngold_from_agreement = 0.9\n", ["gold_from_agreement"]),
        ("[conditions.between.A]\n[conditions.between.b]\n", ["A"]),
        (BETWEEN.replace("wording", "wordng"), ["wordng", "wording"]),
        (BETWEEN + "own = {sample_ms = 100}\n", ["shape", "own"]),
    ],
)
def test_what_cannot_be_is_refused_by_name(tmp_path, conditions, names):
    with pytest.raises(SettingError) as refused:
        study(tmp_path / "dots", conditions)
    assert all(name in str(refused.value) for name in [*names, "study.toml, line"])


def test_people_are_shared_out_and_who_leaves_is_replaced(tmp_path):
    live = study(tmp_path / "dots", BETWEEN)
    arms = [person.arm for person in People(live, 10).persons]
    assert Counter(arms) == {"colour": 5, "shape": 5}
    assert all(Counter(arms[: n + 2])["shape"] == 1 + n // 2 for n in range(0, 9, 2))  # blocks
    gone = [person for person in live.store.people.all(live.record) if person.arm == "shape"][:3]
    for person in gone:
        live.store.people.set_state(person, "stopped")
    arms = [person.arm for person in People(live, 3, source="sona").persons]
    assert arms == ["shape"] * 3
    again = People(live, 10).persons  # the same ids: nobody changes the condition
    assert [person.arm for person in again] == [
        person.arm for person in live.store.people.all(live.record)[:10]
    ]


def test_within_people_one_condition_comes_after_the_other(tmp_path):
    live = study(tmp_path / "dots", WITHIN, '[asking]\nstrategy = "random"\n')
    assert live.settings.conditions.arms == ("near>far", "far>near")
    people = People(live, 2)
    people.answer(2 * live.settings.total)
    for person in people.persons:
        asked = [
            one for one in live.store.questions.all(live.record) if one.participant == person.id
        ]
        prompts = [question_page(live, one, person.arm)["prompt"] for one in asked]
        first, second = person.arm.split(">")
        assert prompts == [f"{first}?"] * 14 + [f"{second}?"] * 12
    conditions = Counter(
        row["condition"] for t in Export(live).tables() if t.name == "triplets" for row in t.rows()
    )
    assert conditions == {"near": 24, "far": 24}


def test_a_question_repeats_under_its_own_condition_alone(tmp_path):
    tasks = TASKS.replace("gold_share = 0", "gold_share = 0\nrepeat_share = 0.5")
    without_pages = WITHIN.replace('instructions = "pages/near.md"', "")
    live = study(tmp_path / "dots", without_pages, '[asking]\nstrategy = "random"\n', tasks=tasks)
    people = People(live, 2)
    people.answer(2 * live.settings.total)
    asked = {}
    for one in live.store.answers.after(live.record, 0, 1000):
        condition = live.settings.condition(one.arm, one.place)
        items = frozenset([one.spec["head"], *one.spec["options"]])
        if one.purpose == "main":
            asked.setdefault((one.code, items), set()).add(condition)
        if one.purpose == "repeat":
            assert condition in asked[one.code, items]


def test_the_conditions_of_a_study_that_has_begun_stay(tmp_path):
    live = study(tmp_path / "dots", WITHIN)
    file = live.folder.path / "study.toml"
    before = file.read_text()
    for old, new in (
        ('"far?"', '"further?"'),
        ("task_size = 6", "task_size = 9"),
    ):
        file.write_text(before.replace(old, new))
        with pytest.raises(SettingError, match="start"):
            open_stores(open_folders([live.folder.path]))
    file.write_text(before + "[recruitment]\nmax_participants = 9\n")
    open_stores(open_folders([live.folder.path]))


TIMED = """
[conditions.between.short]
own = {sample_ms = 100}
[conditions.between.long]
[conditions.within.masked]
own = {mask = true}
[conditions.within.blank]
"""


def test_conditions_may_differ_in_timing(tmp_path):
    live = study(tmp_path / "dots", TIMED, kind="match_to_sample")
    timing = {name: live.in_condition(name).settings.own for name in live.settings.conditions.names}
    assert [timing[f"{name}+blank"].sample_ms for name in ("short", "long")] == [100, 200]
    assert timing["short+masked"].model_dump() == timing["short+blank"].model_dump() | {
        "mask": True
    }
    people = People(live, 4)
    people.answer(4 * live.settings.total)
    told = {"short": set(), "long": set()}
    for person in people.persons:
        for one in live.store.questions.all(live.record):
            if one.participant == person.id:
                course = question_page(live, one, person.arm)["timing"]
                told[person.arm.partition("+")[0]].add((course["head_ms"], course["gap"]))
    assert told == {
        "short": {(100, "mask"), (100, "blank")},
        "long": {(200, "mask"), (200, "blank")},
    }


def test_the_order_of_conditions_is_in_the_name_of_the_arm():
    colour, shape = Condition(wording="Colour?"), Condition(wording="Shape?")
    arms = Conditions(within={"colour": colour, "shape": shape}).arms
    assert arms == ("colour>shape", "shape>colour")
    assert [*map(conditions_of, (arms[0], None))] == [["colour", "shape"], [""]]
