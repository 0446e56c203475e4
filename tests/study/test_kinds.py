"""The promises of every kind of question."""

import ast
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from resemblance import ModelObserver, judgments
from resemblance.asking import Session
from resemblance.catalog import MODELS, STRATEGIES, find
from resemblance.errors import SettingError
from resemblance.study.folder import StudyFolder
from resemblance.study.kinds import KINDS, ResponseError, find_kind
from resemblance.study.kinds.base import drawn_of
from resemblance.study.kinds.picking import are_different
from responses import respond

ROOT = Path(__file__).parents[2]
ROWS = {
    "triplet": ["head", "near", "far"],
    "one_of_n": ["head", "chosen", "options"],
    "odd_one_out": ["odd", "options"],
    "piles": ["a", "b", "rating", "points", "response_id"],
    "pick_k": ["head", "chosen", "options", "response_id"],
    "ranking": ["head", "chosen", "options", "response_id"],
    "match_to_sample": ["a", "b", "sample", "chosen", "correct"],
    "pair_rating": ["a", "b", "rating", "points"],
    "classify": ["label", "shown", "item", "signal", "seed"],
    "arrangement": ["item", "x", "y"],
}
NO_GOLD = ("match_to_sample", "arrangement", "piles")  # but a researcher's


def settings_of(kind):
    stimuli = {"items": "classes.csv"} if KINDS[kind].draws else {}
    options = {"n_options": 4} if KINDS[kind].options.most > 2 else {}
    return {"study": {"kind": kind, **options}, "stimuli": stimuli}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


@pytest.fixture
def study(kind, make_study):
    return StudyFolder.open(make_study(**settings_of(kind.name))).material


def material(make_study, kind="triplet", **sections):
    return StudyFolder.open(make_study(**settings_of(kind), **sections)).material


class TestEveryKind:
    def test_specs_are_plain_and_seeded(self, kind, study):
        first, again = (kind.spec(study, Random(5)) for _ in range(2))
        assert first == again == json.loads(json.dumps(first))
        assert first["kind"] == kind.name
        assert len({json.dumps(kind.spec(study, Random(n))) for n in range(20)}) > 5

    def test_options_are_different_items_unless_gold(self, kind, study):
        for seed in range(20):
            spec = kind.spec(study, Random(seed))
            assert len(set(spec["options"])) == len(spec["options"])

    def test_the_page_names_no_item_and_no_answer(self, kind, study):
        page = kind.page(kind.spec(study, Random(3)), study, "question-id")
        assert set(page) == {"head", "options", "timing", "extra"}
        for item in filter(None, (page["head"], *page["options"])):
            assert set(item) == {"type", "url", "text", "alt", "sides"}
        if not kind.draws:
            assert "item" not in json.dumps(page)
        assert "gold" not in json.dumps(page)

    def test_every_option_is_an_answer(self, kind, study):
        spec = kind.spec(study, Random(0))
        for place in range(len(spec["options"])):
            response = kind.check(spec, respond(kind.name, spec["options"], place))
            assert list(kind.row(spec, response)) == ROWS[kind.name]

    def test_other_responses_are_refused(self, kind, study):
        wrong = [{"chosen": one} for one in (-1, 9, True, "0", 0.0)]
        wrong += [None, {}, [], 1, {"chosen": 0, "more": 1}, {"label": 0}, {"label": None}]
        for response in wrong:
            with pytest.raises(ResponseError, match="send"):
                kind.check(kind.spec(study, Random(0)), response)

    def test_gold_has_one_right_answer(self, kind, study):
        spec = kind.gold(study, Random(1))
        if spec is None:
            assert kind.name in NO_GOLD
            return
        places = range(len(spec["options"]))
        told = [respond(kind.name, spec["options"], place) for place in places]
        right = {place for place in places if kind.right(spec, told[place])}
        before = range(3 if kind.name == "pick_k" else 1)  # where three places begin that have it
        assert right == {(spec["gold"] - n) % len(told) for n in before}
        assert kind.right(spec, None) is False

    def test_a_repeat_asks_the_same(self, kind, study):
        spec = kind.gold(study, Random(1)) or kind.spec(study, Random(1))
        repeats = [kind.again(spec, Random(seed)) for seed in range(8)]
        for repeat in repeats:
            assert sorted(repeat["options"]) == sorted(spec["options"])
            assert repeat["head"] == spec["head"]
            assert repeat["session"] is None
            if spec["gold"] is not None:
                right = repeat["options"][repeat["gold"]]
                assert right == spec["options"][spec["gold"]]
        if not kind.draws:
            spec = kind.spec(study, Random(1))
            again = [kind.again(spec, Random(seed)) for seed in range(8)]
            pages = [kind.page(repeat, study, "question-id") for repeat in again]
            assert len({json.dumps(page) for page in pages}) > 1

    def test_a_session_takes_its_questions(self, kind, study):
        if not kind.fits(study.options):
            return
        spec, place = kind.spec(study, Random(4)), {name: i for i, name in enumerate(study.names)}
        session = Session(len(place), **kind.session(study.options, study.own))
        head = None if spec["head"] is None else place[spec["head"]]
        number = session.note(head, [place[name] for name in spec["options"]]).number
        told = kind.check(spec, respond(kind.name, spec["options"], 1))
        picked = kind.picked(spec, told)
        of_several = [place[name] for name in picked] if isinstance(picked, tuple) else None
        session.tell(number, of_several or place[picked])
        assert type(session.judgments("all")).__name__ == kind.judgment
        assert (head is None) == (not kind.head_apart)

    def test_rows_of_its_tables_have_their_columns(self, kind, study):
        spec = kind.spec(study, Random(6))
        for table in kind.tables:
            told = kind.check(spec, respond(kind.name, spec["options"]))
            rows = kind.exported(spec, told, 12) if table.counts(spec) else []
            chosen_by = {"strategy": spec["strategy"]}
            rows = list(table.pool(row | chosen_by for row in rows)) if table.pool else rows
            assert rows
            assert all(set(row) == set(table.columns) for row in rows)


def test_the_guide_names_every_kind():
    guide = (ROOT / "docs/guide/which-kind.md").read_text()
    assert [name for name in KINDS if f"`{name}`" not in guide] == []


def test_unknown_kinds_models_and_strategies_are_refused_with_the_table():
    with pytest.raises(SettingError, match=", ".join(KINDS)):
        find_kind("nothing")
    for table, what in ((MODELS, "model"), (STRATEGIES, "strategy")):
        with pytest.raises(SettingError, match=", ".join(table)):
            find(table, what, "nothing")


MODELS_OF_PEOPLE = {name: ModelObserver([[0.0, 1.0], [1.0, 0.0]]) for name in "ab"}


@pytest.mark.parametrize("entry", [*MODELS.values(), *STRATEGIES.values()], ids=lambda e: e.path)
def test_what_has_a_name_can_be_made_and_is_what_the_table_says(entry):
    made = entry.make(*([MODELS_OF_PEOPLE] if entry.needs_models else []))
    if entry in MODELS.values():
        assert made._choice().one_of_many == entry.has_odds
    else:
        assert made.adaptive == entry.adaptive


def names_in(path):
    """Find the names of kinds that stand as strings in a file."""
    if path.suffix == ".py":
        tree = ast.parse(path.read_text())
        found = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    else:
        found = re.findall(r"[\"'`](\w+)[\"'`]", path.read_text())
    return sorted(set(found) & set(KINDS))


def test_a_kind_has_its_name_in_its_own_file_alone():
    """What else there is to know of a kind follows from its class."""
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.html")]
    files += (ROOT / "frontend/src").rglob("*.ts")
    own = {
        ROOT / "src" / Path(*type(k).__module__.split(".")).with_suffix(".py")
        for k in KINDS.values()
    }
    own |= {ROOT / "frontend/src/plugins" / f"{kind.plugin}.ts" for kind in KINDS.values()}
    own.add(ROOT / "src/resemblance/rdms/files.py")  # what Meadows calls a trial
    own.add(ROOT / "src/resemblance/cli/convert.py")  # a column of files of rankings
    found = {
        str(path.relative_to(ROOT)): names
        for path in files
        if path not in own and "static" not in path.parts and (names := names_in(path))
    }
    assert found == {}


@pytest.mark.parametrize("name", ["match_to_sample", "classify"])
def test_the_right_answer_is_as_often_left_as_right(make_study, name):
    study = material(make_study, name)
    right = [KINDS[name].spec(study, Random(seed))["gold"] for seed in range(400)]
    assert 150 < sum(right) < 250


def test_a_ranking_is_exported_as_the_choices_that_its_session_is_told(make_study):
    study, kind = material(make_study, "ranking"), KINDS["ranking"]
    spec, place = kind.spec(study, Random(4)), {name: n for n, name in enumerate(study.names)}
    told = kind.check(spec, {"picked": [2, 0, 3, 1]})
    rows = kind.exported(spec, told, 7)
    assert [row["chosen"] for row in rows] == [spec["options"][n] for n in (2, 0, 3)]
    assert [len(row["options"]) for row in rows] == [4, 3, 2]
    assert {row["response_id"] for row in rows} == {7}
    session = Session(len(place), **kind.session(study.options))
    asked = session.note(place[spec["head"]], [place[name] for name in spec["options"]])
    session.tell(asked, [place[name] for name in kind.picked(spec, told)])
    options = [[place[n] for n in (*row["options"], None, None)[:4] if n] for row in rows]
    padded = [one + [-1] * (4 - len(one)) for one in options]
    by_hand = judgments.Choices(
        [place[spec["head"]]] * 3, padded, [place[row["chosen"]] for row in rows], len(place)
    )
    assert (session.judgments("all").index == by_hand.index).all()
    assert len(set(session.judgments("all").response_id)) == 1


def test_each_that_is_picked_of_a_grid_is_chosen_from_those_left(make_study):
    study, kind = material(make_study, "pick_k"), KINDS["pick_k"]
    spec = kind.spec(study, Random(4))
    rows = kind.exported(spec, kind.check(spec, {"picked": [3, 1, 0]}), 7)
    a, b, c, d = spec["options"]
    told = [(row["chosen"], row["options"]) for row in rows]
    assert told == [(a, [a, c]), (b, [b, c]), (d, [c, d])]
    assert kind.alike("a|b|c", "c|b|d")
    assert not kind.alike("a|b", "a|c")


class TestPiles:
    """What is sorted together, and what is a rating of it."""

    kind = KINDS["piles"]

    def test_what_is_no_sorting_is_refused(self):
        wrong = [[0, 0], [0, 0, 0, 0], [0, 0, 3], [0, -1, 0], [0, True, 0], [0, "0", 0], "000"]
        for piles in wrong:
            with pytest.raises(ResponseError, match="send"):
                self.kind.check(self.kind.new(None, ["a", "b", "c"]), {"piles": piles})

    def test_pairs_of_one_pile_are_rated_2_of_2_and_piles_are_numbered_anew(self):
        spec = self.kind.new(None, ["a", "b", "c"])
        told = self.kind.check(spec, {"piles": [2, 0, 2]})
        assert told == {"piles": [0, 1, 0]}
        rows = self.kind.exported(spec, told, 7)
        assert [(row["a"], row["b"], row["rating"]) for row in rows] == [
            ("a", "b", 1), ("a", "c", 2), ("b", "c", 1)
        ]  # fmt: skip
        assert {(row["points"], row["response_id"]) for row in rows} == {(2, 7)}

    def test_a_repeat_is_alike_where_the_same_pairs_are_together(self):
        def answered(names, piles):
            return self.kind.answered(self.kind.new(None, list(names)), {"piles": piles})

        first = answered("abcde", [0, 0, 1, 1, 1])
        assert self.kind.alike(first, answered("edcba", [0, 0, 0, 1, 1]))
        assert not self.kind.alike(first, answered("abcde", [0, 1, 0, 1, 2]))
        assert not self.kind.alike(first, answered("abcde", [0] * 5))


def test_what_is_no_ranking_is_refused(make_study):
    study, kind = material(make_study, "ranking"), KINDS["ranking"]
    for picked in ([0, 1, 2], [0, 1, 2, 2], [0, 1, 2, 3, 3], [0, 1, 2, 4], [0, 1, 2, "3"], "0123"):
        with pytest.raises(ResponseError, match="send"):
            kind.check(kind.spec(study, Random(0)), {"picked": picked})


def test_noise_is_drawn_again_from_its_seed(make_study):
    study, kind = material(make_study, "classify"), KINDS["classify"]
    spec = kind.spec(study, Random(0))
    image = kind.draw(spec, study)
    assert kind.draw(spec, study) == image
    assert kind.draw(spec | {"seed": spec["seed"] + 1}, study) != image
    assert kind.draw(spec | {"signal": 0.5}, study) != image


def test_the_staircase_follows_the_answers(make_study):
    study = material(make_study, "classify")
    kind, history = KINDS["classify"], []
    for seed in range(3):
        spec = kind.spec(study, Random(seed), history)
        assert spec["signal"] == 1.0
        history.append((spec, {"chosen": spec["label"]}))
    assert kind.spec(study, Random(9), history)["signal"] == pytest.approx(0.8)
    wrong = (spec | {"signal": 0.8}, {"chosen": 1 - spec["label"]})
    assert kind.spec(study, Random(9), [*history, wrong])["signal"] == pytest.approx(1.0)
    skipped = (spec | {"signal": 0.8}, None)
    assert kind.spec(study, Random(9), [*history, skipped])["signal"] == pytest.approx(0.8)


def test_a_rating_is_a_point_of_the_scale(make_study):
    path = make_study(
        study={"kind": "pair_rating", "n_options": 5}, scale={"low": "no", "high": "yes"}
    )
    study, kind = StudyFolder.open(path).material, KINDS["pair_rating"]
    spec = kind.spec(study, Random(0))
    page = kind.page(spec, study, "x")
    assert page["extra"] == {"labels": [*"12345"], "low": "no", "high": "yes"}
    assert [one["url"] for one in page["options"]] == [
        study.for_page(name, place)["url"] for place, name in enumerate(spec["pair"])
    ]
    a, b = spec["pair"]
    row = {"a": a, "b": b, "rating": 5, "points": 5}
    assert kind.row(spec, {"chosen": 4}) == row
    assert kind.tables[0].counts(spec)
    known = kind.gold(study, Random(0))
    assert len(set(known["pair"])) == 1
    assert kind.right(known, {"chosen": 4})
    assert not kind.tables[0].counts(known)


class TestArrangement:
    """What is a set, and what is an answer."""

    kind = KINDS["arrangement"]

    @staticmethod
    def told(*sets):
        return [({"options": list(names)}, {"places": []}) for names in sets]

    def test_all_items_come_first_where_there_are_30_at_most(self, make_study):
        few = material(make_study, "arrangement", n_items=30)
        assert sorted(self.kind.spec(few, Random(0))["options"]) == sorted(few.names)
        history = self.told(few.names)
        assert len(self.kind.spec(few, Random(0), history)["options"]) == 4
        assert len(self.kind.practice(few, Random(0))["options"]) == 4
        many = replace(few, stimuli=(*few.stimuli, replace(few.stimuli[0], name="one more")))
        assert len(self.kind.spec(many, Random(0))["options"]) == 4

    def test_pairs_that_were_seldom_together_come_next(self, make_study):
        study = material(make_study, "arrangement")
        history = self.told(["item0", "item1", "item2", "item3"])
        for seed in range(10):
            shown = self.kind.spec(study, Random(seed), history)["options"]
            assert {"item4", "item5"} < set(shown)
        skipped = [(history[0][0], None)]
        sets = {tuple(self.kind.spec(study, Random(n), skipped)["options"]) for n in range(20)}
        assert len({frozenset(one) & {"item4", "item5"} for one in sets}) > 1

    def test_places_are_rounded_and_stay_in_the_circle(self, make_study):
        spec = self.kind.new(None, ["a", "b", "c"])
        rim = [math.cos(0.7), math.sin(0.7)]
        sent = {"places": [[0.123456, -0.99], rim, [1, 0]]}
        places = self.kind.check(spec, sent)["places"]
        assert places[0] == [0.1235, -0.99]
        assert math.dist(places[1], rim) < 2e-4
        assert all(math.hypot(*place) <= 1 for place in places)
        assert self.kind.exported(spec, {"places": places}, 7)[0] == {
            "trial": 7, "item": "a", "x": 0.1235, "y": -0.99
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("places", "problem"),
        [
            ([[0, 0], [0.1, 0]], "item 3 has no place"),
            ([[0, 0], [0.1, 0], [0.2, 0], [0.3, 0]], "too many"),
            ([[0, 0], [0.1, 0], [0.8, 0.7]], "item 3 lies outside"),
            ([[0, 0], [10**400, 0], [0.8, 0]], "item 2 lies outside"),
            ([[0, 0], [float("nan"), 0], [0.8, 0]], "item 2 lies outside"),
            ([[0, 0], None, [0.8, 0]], "item 2 has no place"),
            ([[0, 0], [True, 0], [0.8, 0]], "item 2 has no place"),
            ([[0, 0], ["0", 0], [0.8, 0]], "item 2 has no place"),
            ([[0, 0, 0], [0.1, 0], [0.8, 0]], "item 1 has no place"),
            ([[0.1, 0], [0.10001, 0], [0.1, 0]], "all lie in one place"),
        ],
    )
    def test_an_item_that_lies_nowhere_is_named(self, places, problem):
        with pytest.raises(ResponseError, match=f"{problem}.*send"):
            self.kind.check(self.kind.new(None, ["a", "b", "c"]), {"places": places})

    def test_a_repeat_is_alike_where_distances_go_together(self):
        def answered(names, places):
            return self.kind.answered(self.kind.new(None, names), {"places": places})

        first = answered(["a", "b", "c", "d"], [[0, 0], [0.1, 0], [0.9, 0], [0.8, 0]])
        turned = answered(["d", "c", "b", "a"], [[0, 0.4], [0, 0.5], [0, 0.1], [0, 0]])
        other = answered(["a", "b", "c", "d"], [[0, 0], [0.9, 0], [0, 0.1], [0.9, 0.1]])
        assert self.kind.alike(first, turned)
        assert not self.kind.alike(first, other)


def test_what_is_impossible_is_not_drawn():
    assert drawn_of([0.0, -1000.0], Random(0)) == 0


def test_places_are_different_numbers_of_those_shown():
    places = [2, 0], [0, 0], [0, True]
    assert [are_different(each, 3) for each in places] == [True, False, False]
