"""Conditions between people and within them: who is in which, what is asked there, what is kept."""

import csv
import json
from collections import Counter
from functools import partial
from itertools import pairwise

import pytest

from resemblance.cli.source import Source
from resemblance.cli.studies import summary
from resemblance.errors import SettingError
from resemblance.failures import Failure
from resemblance.judgments.people import people_of
from resemblance.store import Store
from resemblance.store.backup import read_rows, write_rows
from resemblance.study.conditions import latin_square
from resemblance.study.entry import assign
from resemblance.study.export import Export, write_export
from resemblance.study.export.bids import write_bids
from resemblance.study.export.published import card_of
from resemblance.study.folder import StudyFolder
from resemblance.study.kinds import KINDS
from resemblance.study.live import LiveStudy, open_folders, open_stores
from resemblance.study.questions import page_before, question_page
from resemblance.study.recruit.offer import offer_of
from resemblance.study.worker.report import cost
from small_study import Hands, People, open_study

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
FACTORS = """
[conditions.between.colour.red]
wording = "Which is as red?"
[conditions.between.colour.blue]
wording = "Which is as blue?"
[conditions.between.frame.gain]
[conditions.between.frame.loss]
instructions = "pages/shape.md"
[conditions.within.distance.near]
wording = "near?"
[conditions.within.distance.far]
"""
GROUPS = """
[conditions]
groups = {young = 6, old = 0}
group_by = "consent"
group = "age"
"""
OWN = """
[conditions]
space = "own"
[conditions.between.dots]
labels = ["dot"]
[conditions.between.lines]
labels = ["line"]
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


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
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
        (OWN.replace('"own"', '"shared"'), ["labels", "space"]),
        (OWN.replace('["line"]', '["circle"]'), ["lines", "circle"]),
        (WITHIN + "[conditions.within.third]\n", ["per_participant", "3"]),
        (BETWEEN + "[quality]\ngold_from_agreement = 0.9\n", ["gold_from_agreement"]),
        (OWN + "[stopping]\nerror = 0.2\n", ["error"]),
        (OWN + "[search]\npublic = true\n", ["public"]),
        ("[conditions.between.A]\n[conditions.between.b]\n", ["A"]),
        (BETWEEN.replace("wording", "wordng"), ["wordng", "wording"]),
        (BETWEEN + "own = {sample_ms = 100}\n", ["shape", "own"]),
        ("[conditions]\ngroups = {young = 0}\n", ["groups"]),
        (FACTORS + "[conditions.between.late]\n", ["late", "colour"]),
        (FACTORS.replace("instructions", "wording"), ["two factors", "wording"]),
        (FACTORS + "[conditions.between.time.late]\n", ["time", "late"]),
        (FACTORS + "[conditions.between.time.late]\n[conditions.between.time.far]\n", ["far"]),
        (FACTORS + "[conditions.within.colour.a]\n[conditions.within.colour.b]\n", ["colour"]),
        (FACTORS.replace("instructions", "instructons"), ["instructons", "instructions"]),
        ("[conditions]\ngroups = {young = 20, old = 1}\n" + BETWEEN, ["old", "1", "2 courses"]),
        (GROUPS + 'assign = "address"\n' + BETWEEN, ["assign", "group_by"]),
        (GROUPS + BETWEEN, ["consent", "age", "young, old"]),
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


def test_each_group_is_balanced_in_itself_and_may_be_full(tmp_path):
    live = study(tmp_path / "dots", "[conditions]\ngroups = {young = 4, old = 0}\n" + BETWEEN)

    def enter(n, group):
        one = partial(assign, live, {"group": group})
        return live.store.people.enter(live.record, "open", None, f"{group} {n}", assign=one)

    people = [enter(n, group) for n, group in enumerate(["old", "young", "old"] * 4)]
    assert Counter(one.arm for one in people) == {
        **dict.fromkeys(["old/colour", "old/shape"], 4),
        **dict.fromkeys(["young/colour", "young/shape"], 2),
    }
    with pytest.raises(Failure) as refused:
        enter(12, "young")
    assert refused.value.code == "full"
    gone = next(one for one in people if one.arm == "young/shape")
    live.store.people.set_state(gone, "stopped")
    assert enter(13, "young").arm == "young/shape"
    assert enter(14, "old").arm.startswith("old/")
    with pytest.raises(Failure, match="young, old") as refused:
        enter(15, "OLD")
    assert refused.value.code == "unknown_condition"


def test_each_reads_the_question_of_the_condition(tmp_path):
    live = study(tmp_path / "dots", BETWEEN, "[asking]\nadaptive = false\n")
    people = People(live, 4)
    for person, question in zip(people.persons, people.answer(4), strict=True):
        assert person.arm in question_page(live, question, person.arm)["prompt"]
    rows = {table.name: list(table.rows()) for table in Export(live).tables()}
    arms = {person.code: person.arm for person in people.persons}
    assert {row["observer"]: row["condition"] for row in rows["answers"]} == arms
    assert {row["observer"]: row["arm"] for row in rows["participants"]} == arms


def test_within_people_one_condition_comes_after_the_other(tmp_path):
    live = study(tmp_path / "dots", WITHIN, "[asking]\nadaptive = false\n")
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


def test_several_factors_are_crossed(tmp_path):
    path = tmp_path / "dots"
    live = study(path, FACTORS, "[asking]\nadaptive = false\n")
    people = People(live, 8)
    assert Counter(person.arm for person in people.persons) == Counter(
        f"{of}+{one}>{of}+{other}"
        for of in ("red+gain", "red+loss", "blue+gain", "blue+loss")
        for one, other in (("near", "far"), ("far", "near"))
    )
    people.answer(8 * live.settings.total)
    prompts = {"red+far": "Which is as red?", "blue+far": "Which is as blue?"}
    arms = {person.id: person.arm for person in people.persons}
    for one in live.store.questions.all(live.record):
        condition = live.settings.condition(arms[one.participant], one.place)
        colour, _, distance = condition.split("+")
        asked = question_page(live, one, arms[one.participant])["prompt"]
        assert asked == prompts.get(f"{colour}+{distance}", "near?")
    assert page_before(live, people.persons[0].arm, 0).name == (
        "instructions-loss" if "loss" in people.persons[0].arm else "instructions"
    )
    write_export(Export(live), tmp_path / "out", "csv")
    rows = list(csv.DictReader((tmp_path / "out" / "triplets.csv").open()))
    factors = ("factor_colour", "factor_frame", "factor_distance")
    assert {"+".join(row[name] for name in factors) for row in rows} == set(
        live.settings.conditions.names
    )
    assert all("+".join(row[name] for name in factors) == row["condition"] for row in rows)
    answers = Source(tmp_path / "out" / "triplets.csv").read()
    assert list(people_of(answers, "factor_frame")[0]) == ["gain", "loss"]  # compare --by


def test_a_question_repeats_under_its_own_condition_alone(tmp_path):
    tasks = TASKS.replace("gold_share = 0", "gold_share = 0\nrepeat_share = 0.5")
    without_pages = WITHIN.replace('instructions = "pages/near.md"', "")
    live = study(tmp_path / "dots", without_pages, "[asking]\nadaptive = false\n", tasks=tasks)
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
    live = study(tmp_path / "dots", "[conditions]\ngroups = {a = 9, b = 9}\n" + WITHIN)
    file = live.folder.path / "study.toml"
    before = file.read_text()
    for old, new in (
        ('"far?"', '"further?"'),
        ("task_size = 6", "task_size = 9"),
        ("a = 9", "a = 8"),
    ):
        file.write_text(before.replace(old, new))
        with pytest.raises(SettingError, match="start"):
            open_stores(open_folders([live.folder.path]), live.folder.database)
    file.write_text(before + "[recruitment]\nmax_participants = 9\n")
    open_stores(open_folders([live.folder.path]), live.folder.database)


class TestSpacesOfTheirOwn:
    def test_each_condition_has_its_questions_and_its_map(self, tmp_path):
        live = study(tmp_path / "dots", OWN, "[asking]\nstart_per_head = 3\n")
        hands, people = Hands(live), People(live, 4)
        hands.begin()
        for _ in range(16):
            people.answer(5)
            hands.settle()
        of = {person.id: person.arm for person in people.persons}
        label = {one.name: one.label for one in live.folder.stimuli}
        asked = [one for one in live.store.questions.all(live.record) if one.purpose == "main"]
        for one in asked:
            names = {one.spec["head"], *one.spec["options"]}
            assert {label[name] + "s" for name in names} == {of[one.participant]}
        assert {of[one.participant] for one in asked if one.spec["strategy"] == "predictive"} == {
            "dots",
            "lines",
        }
        assert live.store.spaces.latest(live.record) is None
        for condition in live.parts:
            part = live.part(condition)
            space = part.store.spaces.latest(part.record)
            assert len(space.positions) == len(part.folder.names) == 8
            assert 24 <= space.answers <= sum(one.arm == condition for one in main_answers(live))
        hands.work.close()

    def test_a_worker_goes_on_where_the_last_one_ended(self, tmp_path):
        live = study(tmp_path / "dots", OWN, "[asking]\nstart_per_head = 3\n")
        hands, people = Hands(live), People(live, 4)
        hands.begin()
        for _ in range(14):
            people.answer(4)
            hands.settle()
        before = {name: len(one.session.answers) for name, one in hands.work._learners.items()}
        hands.work.close()
        again = Hands(live)
        again.begin()
        after = {name: len(one.session.answers) for name, one in again.work._learners.items()}
        assert after == before
        assert set(after) == {"dots", "lines"}
        people.answer(8)
        again.settle()
        told = sum(len(one.session.answers) for one in again.work._learners.values())
        main = [
            one for one in live.store.answers.after(live.record, 0, 1000) if one.purpose == "main"
        ]
        assert told == len(main)
        again.work.close()

    def test_a_backup_holds_the_spaces_too(self, tmp_path):
        live = study(tmp_path / "dots", OWN, "[asking]\nstart_per_head = 3\n")
        hands, people = Hands(live), People(live, 4)
        hands.begin()
        for _ in range(12):
            people.answer(5)
            hands.settle()
        hands.work.close()
        rows = list(read_rows(live.store, "dots"))
        with Store.open(f"sqlite:///{tmp_path}/other.sqlite") as other:
            other.studies.add("other", "", {})  # numbers are others there
            write_rows(other, "dots", lambda: rows, "test")
            again = LiveStudy.open(live.folder, other)
            for condition in live.parts:
                kept, there = live.part(condition), again.part(condition)
                assert there.record.id != kept.record.id
                space = other.spaces.latest(there.record)
                assert space.positions == live.store.spaces.latest(kept.record).positions
                assert other.pool.size(there.record) == live.store.pool.size(kept.record)


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


@pytest.mark.parametrize(("own", "named"), [("sampl_ms = 1", "sampl_ms"), ("mask = 3", "mask")])
def test_what_the_kind_does_not_have_is_refused(tmp_path, own, named):
    with pytest.raises(SettingError, match=f"short.*{named}"):
        study(tmp_path / "dots", TIMED.replace("sample_ms = 100", own), kind="match_to_sample")


KINDS_APART = """
[conditions]
space = "own"
[conditions.{how}.rated]
kind = "pair_rating"
wording = "How alike are they?"
instructions = "pages/near.md"
own = {{low = "unlike"}}
[conditions.{how}.odd]
kind = "odd_one_out"
instructions = "pages/shape.md"
[conditions.{how}.compared]
n_options = 3
"""
PAGED = """
[conditions.within.first]
instructions = "pages/near.md"
[conditions.within.second]
wording = "And now?"
"""
PUBLISHED = '[publication]\ntitle = "Dots"\nauthors = ["Doe, A."]\nlicense = "CC0-1.0"\n'
OF = {"rated": "pair_rating", "odd": "odd_one_out", "compared": "one_of_n"}


class TestKindsOfTheirOwn:
    def test_each_condition_asks_checks_fits_and_files_its_own_kind(self, tmp_path):
        sections = KINDS_APART.format(how="between")
        more = "[asking]\nstart_per_head = 3\n" + PUBLISHED
        live = study(tmp_path / "dots", sections, more, kind="one_of_n", study="n_options = 4")
        hands, people = Hands(live), People(live, 9)
        hands.begin()
        for _ in range(4):
            people.answer(54)
            hands.settle()
        arm = {person.id: person.arm for person in people.persons}
        asked = list(live.store.questions.all(live.record))
        assert {(arm[one.participant], one.kind) for one in asked} == set(OF.items())
        options = {(arm[one.participant], len(one.spec["options"])) for one in asked}
        usual = KINDS["pair_rating"].options.default
        assert options == {("rated", usual), ("odd", 3), ("compared", 3)}
        pages = {
            one.kind: question_page(live, one, arm[one.participant])
            for one in asked
            if one.purpose == "main"
        }
        assert pages["pair_rating"]["prompt"] == "How alike are they?"
        assert len({page["plugin"] for page in pages.values()}) == 3
        for condition in live.parts:
            part = live.part(condition)
            assert part.kind.name == OF[condition]
            space = part.store.spaces.latest(part.record)
            assert len(space.positions) == 16
            assert space.answers <= sum(one.arm == condition for one in main_answers(live))
        hands.work.close()
        write_export(Export(live), tmp_path / "export", "csv")
        files = {"ratings": "rated", "odd_one_outs": "odd", "choices": "compared"}
        for name, condition in files.items():
            with (tmp_path / "export" / f"{name}.csv").open(encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            assert rows
            assert {row["condition"] for row in rows} == {condition}
        codebook = json.loads((tmp_path / "export" / "codebook.json").read_text())
        asked = [live.part(name).settings.study.prompt for name in live.parts]
        assert codebook["question"] == " / ".join(asked)
        rows = list(csv.DictReader((tmp_path / "export" / "fits.csv").open()))
        fits = Counter(row["condition"] for row in rows)
        made = {name: live.part(name).record for name in live.parts}
        assert fits == {name: len(live.store.events.audit(made[name], "fit")) for name in made}
        assert set(fits) == set(OF)
        write_bids(Export(live, published=True), tmp_path / "bids")
        sidecar = json.loads((tmp_path / "bids" / "task-dots_events.json").read_text())
        card = card_of(Export(live, published=True))
        assert {sidecar["Instructions"], card.asked} == {codebook["question"]}
        assert [card.use.count(f"read_{name}(") for name in files] == [1, 1, 1]
        for file in (tmp_path / "bids").glob("sub-*/beh/*.tsv"):
            told = list(csv.DictReader(file.open(), delimiter="\t"))
            assert {OF[row["condition"]] for row in told} == {row["kind"] for row in told}
            assert set(told[0]) <= set(sidecar)

    def test_each_kind_is_explained_before_it_is_asked(self, tmp_path):
        sections = KINDS_APART.format(how="within")
        tasks = TASKS.replace("= 4", "= 3")
        live = study(tmp_path / "dots", sections, kind="one_of_n", tasks=tasks)
        page = {"rated": "instructions-rated", "odd": "instructions-odd"}
        for arm in live.settings.conditions.arms:
            before = [page_before(live, arm, place) for place in range(live.settings.total)]
            assert [one.name for one in before if one] == [
                page.get(name, "instructions") for name in arm.split(">")
            ]

    def test_the_next_kind_waits_for_answers_where_it_has_to(self, tmp_path):
        sections = KINDS_APART.format(how="within").replace("odd_one_out", "match_to_sample")
        tasks = TASKS.replace("= 4", "= 3")
        live = study(tmp_path / "dots", sections, kind="one_of_n", tasks=tasks)
        (person,) = People(live, 1).persons
        kinds = [KINDS[OF[name] if name != "odd" else "match_to_sample"] for name in OF]
        assert live.settings.adaptive  # then a page holds one at most
        assert live.ahead(person.arm) == min(1, *(one.ahead for one in kinds))
        assert live.settings.seconds == sum(one.seconds for one in kinds) / 3

    @pytest.mark.parametrize(
        ("old", "new", "names"),
        [
            ('space = "own"', 'space = "shared"', ["kind", "space"]),
            ('"odd_one_out"', '"piles"', ["ratings", "piles", "pair_rating"]),
            ('instructions = "pages/shape.md"', "", ["odd", "instructions"]),
            ("n_options = 3", "n_options = 99", ["compared", "99"]),
            ('"odd_one_out"', '"odd"', ["odd", "odd_one_out"]),
            ('"odd_one_out"', '"ranking"', ["ranking and one_of_n make", "choices"]),
            ("low =", "lowest =", ["rated", "lowest"]),
            ("n_options = 3", f"n_options = 3\n{PAGED}", ["rated", "first", "instructions"]),
        ],
    )
    def test_what_does_not_go_together_is_refused(self, tmp_path, old, new, names):
        sections = KINDS_APART.format(how="between").replace(old, new)
        with pytest.raises(SettingError) as refused:
            study(tmp_path / "dots", sections, kind="one_of_n")
        assert all(name in str(refused.value) for name in [*names, "study.toml, line"])

    @pytest.mark.parametrize(
        ("told", "names"),
        [
            ({"tasks": {"gold": "gold.csv"}}, ["gold", "triplet", "no condition"]),
            ({"conditions.between.rated": {"own": {"low": "unlike"}}}, ["rated", "low"]),
            ({"scale": {"high": "alike"}}, ["rated", "high"]),
        ],
    )
    def test_what_no_condition_would_use_or_translate_is_refused(self, make_study, told, names):
        kinds = {
            "study": {"name": "ties", "translations": {"de": {}}},
            "conditions": {"space": "own"},
            "conditions.between.rated": {"kind": "pair_rating", "instructions": "pages/a.md"},
            "conditions.between.odd": {"kind": "odd_one_out", "instructions": "pages/a.md"},
        }
        for key, values in told.items():
            kinds[key] = kinds.get(key, {}) | values
        folder = make_study(**kinds)
        (folder / "gold.csv").write_text("head,right,wrong\n,item0,item1\n")
        for page in ("a", "a.de", "consent.de", "instructions.de", "debrief.de"):
            (folder / "pages" / f"{page}.md").write_text("# Look\n")
        with pytest.raises(SettingError) as refused:
            StudyFolder.open(folder)
        assert len(str(refused.value).splitlines()) == 1
        assert all(name in str(refused.value) for name in [*names, "study.toml, line"])


def test_people_are_told_and_paid_by_the_longest_course(tmp_path):
    recruited = (
        '[recruitment]\nsource = "prolific"\npay = 2.0\nmax_participants = 9\n'
        'completion_code = "C"\n'
    )
    live = study(tmp_path / "a", KINDS_APART.format(how="between"), recruited, kind="one_of_n")
    settings = live.settings
    assert settings.course_minutes == {"rated": 4, "odd": 4, "compared": 5}
    assert settings.minutes == 5
    assert settings.exact_minutes == pytest.approx(13 / 3)
    offer = offer_of(live.folder, address="https://a.org")
    assert (offer.minutes, offer.hourly) == (5, 24)
    assert cost(100, settings)["hours"] == pytest.approx(100 * 13 / 3 / 60 / 26, abs=0.01)
    assert any("4 in rated, 4 in odd, 5 in compared" in line for line in summary(live.folder))
    within = study(
        tmp_path / "b",
        KINDS_APART.format(how="within"),
        tasks=TASKS.replace("4", "6"),
        kind="one_of_n",
    )
    assert set(within.settings.course_minutes.values()) == {within.settings.exact_minutes}
    said = settings.recruitment.model_copy(update={"minutes": 2.5})
    told = settings.model_copy(update={"recruitment": said})
    assert set(told.course_minutes.values()) == {2.5}
