"""What every kind of question promises."""

import ast
import json
import re
from pathlib import Path
from random import Random

import pytest

from resemblance import judgments
from resemblance.asking import Session
from resemblance.catalog import MODELS, STRATEGIES, find
from resemblance.errors import SettingError
from resemblance.study.folder import StudyFolder
from resemblance.study.kinds import KINDS, ResponseError, find_kind
from resemblance.study.settings import Settings

ROOT = Path(__file__).parents[2]
ROWS = {
    "triplet": ["head", "near", "far"],
    "one_of_n": ["head", "chosen", "options"],
    "odd_one_out": ["odd", "options"],
    "match_to_sample": ["a", "b", "sample", "chosen", "correct"],
    "pair_rating": ["a", "b", "rating", "points"],
    "classify": ["label", "shown", "item", "signal", "seed"],
}


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


def respond(place):
    return {"chosen": place}


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
            assert set(item) == {"type", "url", "text", "alt"}
        if not kind.draws:
            assert "item" not in json.dumps(page)
        assert "gold" not in json.dumps(page)

    def test_every_option_is_an_answer(self, kind, study):
        spec = kind.spec(study, Random(0))
        for place in range(len(spec["options"])):
            response = kind.check(spec, respond(place))
            assert list(kind.row(spec, response)) == ROWS[kind.name]

    @pytest.mark.parametrize(
        "response",
        [None, {}, [], 1, {"chosen": -1}, {"chosen": 9}, {"chosen": True}, {"chosen": "0"},
         {"chosen": 0.0}, {"chosen": 0, "more": 1}, {"label": 0}, {"label": None}],
    )  # fmt: skip
    def test_other_responses_are_refused(self, kind, study, response):
        with pytest.raises(ResponseError, match="send"):
            kind.check(kind.spec(study, Random(0)), response)

    def test_gold_has_one_right_answer(self, kind, study):
        spec = kind.gold(study, Random(1))
        if spec is None:
            assert (
                kind.name == "match_to_sample"
            )  # only the researcher knows which pairs nobody confuses
            return
        places = range(len(spec["options"]))
        right = [place for place in places if kind.right(spec, respond(place))]
        assert right == [spec["gold"]]
        assert kind.right(spec, None) is False

    def test_a_repeat_asks_the_same(self, kind, study):
        spec = kind.gold(study, Random(1)) or kind.spec(study, Random(1))
        repeats = [kind.again(spec, Random(seed)) for seed in range(8)]
        for repeat in repeats:
            assert sorted(repeat["options"]) == sorted(spec["options"])
            assert repeat["head"] == spec["head"]
            assert repeat["session"] is None
            right = repeat["options"][repeat["gold"]]
            assert right == spec["options"][spec["gold"]]
        if not kind.draws:
            spec = kind.spec(study, Random(1))
            again = [kind.again(spec, Random(seed)) for seed in range(8)]
            pages = [kind.page(repeat, study, "question-id") for repeat in again]
            assert len({json.dumps(page) for page in pages}) > 1

    def test_it_declares_all_that_others_need(self, kind):
        assert all((kind.about, kind.wording, kind.plugin, kind.command))
        assert kind.instructions.startswith("# ")
        assert issubclass(getattr(judgments, kind.judgment), object)
        least, default, most = kind.options
        assert 2 <= least <= default <= most
        assert (ROOT / "frontend/src/plugins" / f"{kind.plugin}.ts").is_file()
        assert kind.tables[0].name in kind.command

    def test_its_own_section_is_one_of_the_settings(self, kind, study):
        if kind.section is None:
            assert study.own is None
        else:
            name, section = kind.section
            assert Settings.model_fields[name].annotation is section
            assert isinstance(study.own, section)

    def test_a_session_takes_its_questions(self, kind, study):
        if not kind.fits(study.options):
            return
        spec, place = kind.spec(study, Random(4)), {name: i for i, name in enumerate(study.names)}
        session = Session(len(place), **kind.session(study.options))
        head = None if spec["head"] is None else place[spec["head"]]
        number = session.note(head, [place[name] for name in spec["options"]]).number
        session.tell(number, place[spec["options"][1]])
        assert type(session.judgments("all")).__name__ == kind.judgment
        assert (head is None) == (not kind.head_apart)

    def test_rows_of_its_tables_have_their_columns(self, kind, study):
        spec = kind.spec(study, Random(6))
        for table in kind.tables:
            rows = [kind.exported(spec, respond(0), 12)] if table.counts(spec) else []
            rows = list(table.pool(rows)) if table.pool else rows
            assert rows
            assert all(set(row) == set(table.columns) for row in rows)

    def test_docs_name_it(self, kind):
        for page in ("first-study", "command-line"):
            assert f"`{kind.name}`" in (ROOT / f"docs/guide/{page}.md").read_text()


def test_unknown_kinds_models_and_strategies_are_refused_with_the_table():
    with pytest.raises(SettingError, match=", ".join(KINDS)):
        find_kind("nothing")
    for table, what in ((MODELS, "model"), (STRATEGIES, "strategy")):
        with pytest.raises(SettingError, match=", ".join(table)):
            find(table, what, "nothing")


@pytest.mark.parametrize("entry", [*MODELS.values(), *STRATEGIES.values()], ids=lambda e: e.path)
def test_what_has_a_name_can_be_made_and_is_what_the_table_says(entry):
    made = entry.make()
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


def test_triplets_say_near_and_far(make_study):
    kind, study = KINDS["triplet"], material(make_study)
    spec = kind.spec(study, Random(0))
    left, right = spec["options"]
    assert kind.row(spec, {"chosen": 0}) == {"head": spec["head"], "near": left, "far": right}
    assert kind.row(spec, {"chosen": 1}) == {"head": spec["head"], "near": right, "far": left}


def test_researchers_gold_is_asked(make_study):
    path = make_study(tasks={"gold": "gold.csv"})
    (path / "gold.csv").write_text("head,right,wrong\nitem0,item1,item5\n")
    study, kind = StudyFolder.open(path).material, KINDS["triplet"]
    for seed in range(5):
        spec = kind.gold(study, Random(seed))
        assert spec["head"] == "item0"
        assert spec["options"][spec["gold"]] == "item1"


def test_match_to_sample_is_right_where_the_sample_is(make_study):
    study = material(make_study, "match_to_sample")
    kind = KINDS["match_to_sample"]
    spec = kind.spec(study, Random(0))
    row = kind.row(spec, {"chosen": spec["options"].index(spec["head"])})
    assert row["correct"]
    assert row["a"] < row["b"]
    timing = kind.page(spec, study, "x")["timing"]
    assert timing == {
        "fixation_ms": 500, "head_ms": 200, "gap_ms": 500, "gap": "blank", "options_ms": None
    }  # fmt: skip


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
        study.shown(name, place)["url"] for place, name in enumerate(spec["pair"])
    ]
    a, b = spec["pair"]
    row = {"a": a, "b": b, "rating": 5, "points": 5}
    assert kind.row(spec, {"chosen": 4}) == row
    assert kind.tables[0].counts(spec)
    known = kind.gold(study, Random(0))
    assert len(set(known["pair"])) == 1
    assert kind.right(known, {"chosen": 4})
    assert not kind.tables[0].counts(known)


def test_gold_of_the_researcher_is_refused_for_ratings(make_study):
    path = make_study(study={"kind": "pair_rating"}, tasks={"gold": "gold.csv"})
    (path / "gold.csv").write_text("head,right,wrong\nitem0,item1,item5\n")
    with pytest.raises(SettingError, match=r"gold\.csv"):
        StudyFolder.open(path)
