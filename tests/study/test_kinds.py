"""What every kind of question promises."""

import json
from random import Random

import pytest

from resemblance.study.folder import StudyFolder
from resemblance.study.kinds import KINDS, ResponseError
from resemblance.study.kinds.noise import noisy_png

ROWS = {
    "triplet": ["head", "near", "far"],
    "one_of_n": ["head", "chosen", "options"],
    "odd_one_out": ["odd", "options"],
    "match_to_sample": ["a", "b", "sample", "chosen", "correct"],
    "classify": ["item", "label", "shown", "seed", "signal", "correct"],
}


def settings_of(kind):
    stimuli = {"items": "classes.csv"} if kind == "classify" else {}
    options = {"n_options": 4} if kind in ("one_of_n", "odd_one_out") else {}
    return {"study": {"kind": kind, **options}, "stimuli": stimuli}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


@pytest.fixture
def study(kind, make_study):
    return StudyFolder.open(make_study(**settings_of(kind.name)))


def respond(kind, place):
    return {kind.answer: place}


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
        assert set(page) == {"head", "options", "timing"}
        for item in filter(None, (page["head"], *page["options"])):
            assert set(item) == {"type", "url", "text", "alt"}
        if kind.name != "classify":
            assert "item" not in json.dumps(page)
        assert "gold" not in json.dumps(page)

    def test_every_option_is_an_answer(self, kind, study):
        spec = kind.spec(study, Random(0))
        for place in range(len(spec["options"])):
            response = kind.check(spec, respond(kind, place))
            assert list(kind.row(spec, response)) == ROWS[kind.name]

    @pytest.mark.parametrize(
        "response",
        [None, {}, [], 1, {"chosen": -1}, {"chosen": 9}, {"chosen": True}, {"chosen": "0"},
         {"chosen": 0.0}, {"chosen": 0, "more": 1}, {"label": 2}, {"label": None}],
    )  # fmt: skip
    def test_other_responses_are_refused(self, kind, study, response):
        with pytest.raises(ResponseError, match="send"):
            kind.check(kind.spec(study, Random(0)), response)

    def test_gold_has_one_right_answer(self, kind, study):
        spec = kind.gold(study, Random(1))
        if kind.name == "match_to_sample":
            assert spec is None  # only the researcher knows which pairs nobody confuses
            return
        places = range(len(spec["options"]))
        right = [place for place in places if kind.right(spec, respond(kind, place))]
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
        if kind.name != "classify":
            assert len({tuple(repeat["options"]) for repeat in repeats}) > 1


@pytest.mark.parametrize("name", ["match_to_sample", "classify"])
def test_the_right_answer_is_as_often_left_as_right(make_study, name):
    study = StudyFolder.open(make_study(**settings_of(name)))
    right = [KINDS[name].spec(study, Random(seed))["gold"] for seed in range(400)]
    assert 150 < sum(right) < 250


def test_triplets_say_near_and_far(make_study):
    kind, study = KINDS["triplet"], StudyFolder.open(make_study())
    spec = kind.spec(study, Random(0))
    left, right = spec["options"]
    assert kind.row(spec, {"chosen": 0}) == {"head": spec["head"], "near": left, "far": right}
    assert kind.row(spec, {"chosen": 1}) == {"head": spec["head"], "near": right, "far": left}


def test_researchers_gold_is_asked(make_study):
    path = make_study(tasks={"gold": "gold.csv"})
    (path / "gold.csv").write_text("head,right,wrong\nitem0,item1,item5\n")
    study, kind = StudyFolder.open(path), KINDS["triplet"]
    for seed in range(5):
        spec = kind.gold(study, Random(seed))
        assert spec["head"] == "item0"
        assert spec["options"][spec["gold"]] == "item1"


def test_match_to_sample_is_right_where_the_sample_is(make_study):
    study = StudyFolder.open(make_study(**settings_of("match_to_sample")))
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
    study = StudyFolder.open(make_study(**settings_of("classify")))
    spec = KINDS["classify"].spec(study, Random(0))
    assert noisy_png(study, spec) == noisy_png(study, spec)
    assert noisy_png(study, spec) != noisy_png(study, spec | {"seed": spec["seed"] + 1})
    assert noisy_png(study, spec) != noisy_png(study, spec | {"signal": 0.5})


def test_the_staircase_follows_the_answers(make_study):
    study = StudyFolder.open(make_study(**settings_of("classify")))
    kind, history = KINDS["classify"], []
    for seed in range(3):
        spec = kind.spec(study, Random(seed), history)
        assert spec["signal"] == 1.0
        history.append((spec, {"label": spec["label"]}))
    assert kind.spec(study, Random(9), history)["signal"] == pytest.approx(0.8)
    wrong = (spec | {"signal": 0.8}, {"label": 1 - spec["label"]})
    assert kind.spec(study, Random(9), [*history, wrong])["signal"] == pytest.approx(1.0)
    skipped = (spec | {"signal": 0.8}, None)
    assert kind.spec(study, Random(9), [*history, skipped])["signal"] == pytest.approx(0.8)
