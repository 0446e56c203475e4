"""`resemblance rehearse`: an imagined crowd goes through a copy of a study, by the real server."""

import csv
import json
from itertools import pairwise
from math import dist
from random import Random

import pytest
from PIL import Image

from resemblance.cli.rehearse import is_too_random, places_of
from resemblance.study.creation import create_study
from resemblance.study.folder import StudyFolder
from resemblance.study.kinds import KINDS
from resemblance.study.preregistration import preregistration
from resemblance.study.rehearsal import copied, summary
from resemblance.web.simulated_people import crowd
from small_study import People, make_folder, open_study
from study_folder import all_settings

N_ITEMS = 10
TASKS = {"per_participant": 1, "task_size": 30, "practice": 1, "gold_share": 0.3}
ASKING = {"start_per_head": 4, "model": "tste"}


def pictures(folder):
    folder.mkdir()
    for number in range(N_ITEMS):
        shade = Image.new("RGB", (16, 16), (20 * number, 90, 255 - 20 * number))
        shade.save(folder / f"p{number}.png")
    return folder


@pytest.fixture
def study(tmp_path):
    settings = {"tasks": TASKS, "asking": ASKING, "recruitment": {"pay": 2.0}}
    return create_study(tmp_path / "ties", images=pictures(tmp_path / "pics"), settings=settings)


def with_gold(study):
    """A gold question whose right answer looks wrong to whoever looks."""
    rows = [("head", "right", "wrong"), ("p0", "p9", "p1"), ("p9", "p8", "p0")]
    with (study.path / "gold.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    toml = study.path / "study.toml"
    toml.write_text(all_settings(study.path).replace("# gold =", 'gold = "gold.csv"  # ', 1))


@pytest.mark.server
def test_a_crowd_shows_what_breaks_and_nothing_reaches_the_study(run, study, tmp_path):
    with_gold(study)
    with (tmp_path / "line.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("item", "x"), *((f"p{i}", i) for i in range(N_ITEMS))])
    (tmp_path / "ties-rehearsal" / "answers").mkdir(parents=True)
    (tmp_path / "ties-rehearsal" / "answers" / "old.csv").write_text("of an earlier one")
    before = {path: path.read_bytes() for path in study.path.rglob("*") if path.is_file()}
    run("rehearse", "ties", "--people", 10, "--space", "line.csv", "--seed", 1)
    told = json.loads((tmp_path / "ties-rehearsal" / "rehearsal.json").read_text())
    assert told["people"]["honest"] >= 7
    assert sum(told["people"].values()) == sum(told["states"].values()) == 10
    assert told["states"]["finished"] == 9
    assert told["refused"] == {}
    assert (told["cost"], told["currency"]) == (18.0, "USD")
    assert 2 < told["minutes"] < 10
    (missed,) = told["gold"]
    assert missed["question"][0] == "p0"
    assert missed["missed"] > 0.8 * missed["asked"]
    rules = {one["rule"]: one["applies_to"] for one in told["rules"]}
    assert set(rules["fast above 0.5"]) <= {"guesses", "first place"}
    assert told["map_agrees"] > 0.5
    assert sum(told["questions"].values()) > 100
    assert told["conditions"] == {}
    fitted = json.loads((tmp_path / "ties-rehearsal" / "map" / "report.json").read_text())
    assert 0 < told["held_out"]["error"] == fitted["held_out"]["error"] < 0.5
    assert told["noise_ceiling"] == fitted["noise_ceiling"]
    assert told["next"]["code"] == fitted["next"]["code"]
    report = (tmp_path / "ties-rehearsal" / "rehearsal.md").read_text()
    assert "- 10 simulated people" in report
    expected = [f"- {name}: {text}" for name, text in fitted["lines"]]
    assert [one for one in expected if one in report][-1] == expected[-1]  # what to do next
    assert [one for one in expected if "noise ceiling" in one and one in report]
    assert {path: path.read_bytes() for path in study.path.rglob("*") if path.is_file()} == before


def test_a_gold_answer_fits_its_kind_and_is_right():
    for kind, n in (
        ("triplet", 2),
        ("one_of_n", 4),
        ("ranking", 4),
        ("pick_k", 5),
        ("odd_one_out", 3),
    ):
        asks = KINDS[kind]
        for place in range(n):
            spec = asks.new("a", list("bcdef")[:n], place, picks=2)
            question = {"kind": kind, "options": spec["options"], "extra": {"picks": 2}}
            if kind == "ranking":
                question["extra"]["picks"] = n
            question["facts"] = {"gold": place}
            honest = next(one for one in crowd(30, 2, Random(place)) if one.kind == "honest")
            seen = [(0.0, float(k)) for k in range(n + 1)]
            answers = [honest.answer(question, seen, Random(k)) for k in range(60)]
            right = [asks.right(spec, asks.check(spec, answer)) for answer in answers]
            assert sum(right) > 50, kind


def test_the_signal_of_a_noisy_image_is_seen_as_far_as_it_goes():
    asks, rng = KINDS["classify"], Random(0)
    for signal, share in ((1.0, 1.0), (0.2, 0.788), (0.05, 0.579), (0.01, 0.516)):
        known = {"facts": {"label": 1, "signal": signal}}
        right = [asks.imagined(known, [], rng, 1.0)["chosen"] for _ in range(4000)]
        assert sum(right) / 4000 == pytest.approx(share, abs=0.03)
    assert 0.4 < sum(asks.imagined({}, [], rng, 1.0)["chosen"] for _ in range(400)) / 400 < 0.6


def test_people_see_the_features_of_a_study(study, tmp_path):
    rows = [("item", "grey", "size"), *((f"p{i}", i, (3 * i) % 7) for i in range(N_ITEMS))]
    with (tmp_path / "features.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    made = create_study(
        tmp_path / "f", images=tmp_path / "pics", features=tmp_path / "features.csv"
    )
    places, seen = places_of(made, None, None, 0)
    assert seen == "by the features of the study"
    grey = [places[made.by_name[f"p{i}"].digest][0] for i in range(N_ITEMS)]
    steps = [b - a for a, b in pairwise(grey)]
    assert steps == pytest.approx([steps[0]] * (N_ITEMS - 1))
    assert sum(x * x for place in places.values() for x in place) / N_ITEMS == pytest.approx(2.0)


def test_the_copy_lets_in_simulated_people_alone_in_a_database_of_its_own(study, tmp_path):
    toml = study.path / "study.toml"
    text = all_settings(study.path).replace('# source = "open"', 'source = "prolific"')
    text = text.replace("# signed = false", "signed = true")
    server, rest = text.split("[server]", 1)
    rest = rest.replace("# address =", 'address = "https://lab.example"  #', 1)
    text = f"{server}[server]{rest}"
    toml.write_text(text.replace("# database =", 'database = "postgresql://there/study"  #'))
    (study.path / "study.sqlite").write_bytes(b"answers")
    (study.path / "secret").write_bytes(b"accounts")
    copy = copied(StudyFolder.open(study.path), tmp_path / "home" / "ties", at_once=True)
    settings = copy.settings
    assert settings.recruitment.simulated == "count"
    assert (settings.recruitment.source, settings.recruitment.pay) == ("open", 2.0)
    assert copy.database.endswith("/home/ties/study.sqlite")
    assert settings.server.address is None
    assert settings.tasks == study.settings.tasks
    assert [rule.measure for rule in settings.quality.rules] == [
        rule.measure for rule in study.settings.quality.rules if rule.measure != "answered"
    ]
    assert sorted(path.name for path in copy.path.iterdir()) == ["pages", "stimuli", "study.toml"]
    assert copy.digests == study.digests


@pytest.mark.parametrize("kind", KINDS)
def test_an_imagined_answer_fits_its_question(kind, tmp_path):
    rows = [
        ("item", "image", "label"),
        *((f"p{i}", f"pics/p{i}.png", i % 2) for i in range(N_ITEMS)),
    ]
    pictures(tmp_path / "pics")
    with (tmp_path / "items.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    study = create_study(tmp_path / "study", kind, items=tmp_path / "items.csv")
    material, asks, rng = study.material, study.kind, Random(0)
    for person in crowd(20, 2, rng):
        spec = asks.spec(material, rng)
        page = {"kind": kind, **asks.page(spec, material, "q")}
        shown = [one for one in [page["head"], *page["options"]] if one]
        seen = [(rng.gauss(0, 1), rng.gauss(0, 1)) for _ in shown]
        asks.check(spec, person.answer(page, seen, rng))


def test_the_preregistration_tells_conditions_display_and_stopping(tmp_path):
    within = {"near": {"wording": "near?"}, "far": {"wording": "far?"}}
    settings = {
        "tasks": TASKS | {"per_participant": 2},
        "asking": {"strategy": "random"},
        "conditions": {"within": within},
        "display": {"background": "dark"},
        "stopping": {"answers": 500},
    }
    text = preregistration(
        create_study(tmp_path / "t", images=pictures(tmp_path / "p"), settings=settings)
    )
    told = ("near?", "far?", "near, then far", "background: dark", "answers 500", "at random")
    assert [one for one in told if one not in text] == []
    assert text.count("## ") == 9


def test_of_a_pilot_people_see_what_it_found(study, tmp_path):
    rng, rows = Random(0), []
    for _ in range(300):
        head, a, b = rng.sample(range(N_ITEMS), 3)
        near, far = sorted((a, b), key=lambda one: abs(one - head))
        rows.append((f"p{head}", f"p{near}", f"p{far}"))
    with (tmp_path / "pilot.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("head", "near", "far"), *rows])
    places, _ = places_of(study, None, tmp_path / "pilot.csv", 0)
    assert set(places) == {one.digest for one in study.stimuli}
    apart = {
        (a.name, b.name): dist(places[a.digest], places[b.digest])
        for a in study.stimuli
        for b in study.stimuli
    }
    assert apart["p0", "p9"] > 2 * apart["p0", "p3"] > 2 * apart["p0", "p1"]


def test_a_space_of_other_items_is_refused(run, study, tmp_path):
    (tmp_path / "few.csv").write_text("item,x\np0,1\np1,2\n")
    assert "p2" in run("rehearse", "ties", "--space", "few.csv", code=1).output
    assert (
        "--pilot"
        in run("rehearse", "ties", "--space", "few.csv", "--pilot", "few.csv", code=1).output
    )


def test_answers_are_counted_by_condition(tmp_path):
    levels = "".join(f"[conditions.between.{name}]\nwording = '{name}?'\n" for name in "ab")
    live = open_study(tmp_path / "dots", f"sqlite:///{tmp_path}/study.sqlite", sections=levels)
    people = People(live, 4)
    people.answer(40)
    outcome = summary(live, {person.code: "honest" for person in people.persons})
    counts = outcome["conditions"].values()
    assert set(outcome["conditions"]) == {"a", "b"}
    assert [of["people"] for of in counts] == [2, 2]
    assert sum(of["answers"] for of in counts) == sum(outcome["questions"].values()) > 20
    live.store.close()


@pytest.mark.parametrize(
    ("asking", "questions", "too_random"),
    [
        ("", {"random": 500, "predictive": 100}, True),
        ("", {"random": 120, "predictive": 100}, False),  # the first 120 are random in any study
        ("random_share = 0.5", {"random": 320, "predictive": 200}, False),
        ('strategy = "random"', {"random": 500}, False),
    ],
)
def test_random_questions_are_too_many_beyond_the_start_and_the_share(
    asking, questions, too_random, tmp_path
):
    folder = make_folder(tmp_path / "dots", sections=f"[asking]\nstart_per_head = 10\n{asking}\n")
    assert folder.settings.first_fit(len(folder.names)) == 120
    assert is_too_random(folder, questions) is too_random
