"""Templates of a classification study at the desk, while it runs."""

import asyncio
import base64
import io
import json
from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import resemblance as rs
from resemblance.catalog import CHOSEN_NOISE
from resemblance.cli.app import app
from resemblance.study.export.files import write_export
from resemblance.study.export.tables import Export
from resemblance.study.kinds.classify import pixels_of
from resemblance.study.live import DECIDED
from resemblance.study.participation import Participation
from resemblance.study.worker.templates import MOST, SPARE, chosen_noise
from resemblance.templates import templates_by_observer
from resemblance.web.desk import overview
from resemblance.web.desk.drawing import draw
from resemblance.web.desk.overview import Overview
from resemblance.web.desk.study import TABS
from small_study import Hands, People, make_folder, open_study

SIDE = 4
SETTINGS = f"""
[tasks]
per_participant = 20
practice = 0
gold_share = 0.0
[staircase]
labels = ["top", "bottom"]
pixels = {SIDE}
until_decided = true
chosen_noise = true
"""
STRATEGIES = "prototype", "exemplar"
UNDECIDED = "cannot be told yet"


class Observers(People):
    """People who compare an image with templates of their own."""

    def __init__(self, live):
        super().__init__(live, len(STRATEGIES))
        task = rs.stimuli.FourSquares(side=SIDE // 2)
        self.observers = [
            rs.TemplateObserver(task.signals, task.labels, strategy, noise=0.1, random_state=0)
            for strategy in STRATEGIES
        ]

    def choose(self, number, spec):
        image = pixels_of(spec, self.live.folder.material) / 255.0 - 0.5
        observer = self.observers[number]
        return spec["options"].index(observer.classes[observer.pick(image[None])[0]])


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("templates") / "squares"
    (folder / "stimuli").mkdir(parents=True)
    rows = ["name,file,label"]
    for number, signal in enumerate(rs.stimuli.FourSquares(side=SIDE // 2).signals):
        pixels = np.round(127.5 + 127.5 * signal).astype(np.uint8)
        Image.fromarray(pixels).save(folder / "stimuli" / f"{number}.png")
        rows.append(f"square {number},stimuli/{number}.png,{number // 2}")
    (folder / "items.csv").write_text("\n".join([*rows, ""]))
    make_folder(folder, n_items=None, kind="classify", sections=SETTINGS)
    url = f"sqlite:///{folder}/study.sqlite"
    live = open_study(folder, url, n_items=None, kind="classify", sections=SETTINGS)
    people, hands = Observers(live), Hands(live)
    hands.begin()
    people.answer(150)
    hands.settle()
    assert live.store.spaces.latest(live.record) is None
    for n in (650, 200, 250):
        people.answer(n)
        hands.settle()
    yield live, people
    hands.work.close()
    live.store.close()


def desk_page(live, tab="map"):
    shown = {"live": live, "of": Overview(live), "name": "squares", "owns": True}
    return draw(f"study_{tab}", tab="", tabs=TABS, charts=overview, **shown)


def test_the_desk_shows_the_templates_and_the_verdict_of_each_person(study):
    live, people = study
    space = live.store.spaces.latest(live.record)
    assert Overview(live).failure is None
    assert space.answers == 1250
    shown = space.scores["templates"]
    assert [person["person"] for person in shown["people"]] == sorted(
        person.code for person in people.persons
    )
    for person, strategy in zip(people.persons, STRATEGIES, strict=True):
        (told,) = [one for one in shown["people"] if one["person"] == person.code]
        assert told["words"].startswith((strategy, UNDECIDED))
    assert shown["everybody"]["words"] in desk_page(live, "overview")
    page = desk_page(live)
    for told in (shown["everybody"], *shown["people"]):
        assert told["words"] in page
        for template in told["templates"]:
            assert template["picture"] in page
            data = base64.b64decode(template["picture"].partition(",")[2])
            assert Image.open(io.BytesIO(data)).size == (SIDE, SIDE)


def test_questions_end_when_a_person_is_decided(study):
    live, people = study
    fits = [space.scores["templates"]["decided"] for space in live.store.spaces.all(live.record)]
    agreed = {}
    for now, before in pairwise(fits):  # the latest fit first
        agreed |= {code: verdict for code, verdict in now.items() if before.get(code) == verdict}
    events = live.store.events.audit(live.record, DECIDED)
    assert {event.details["participant"]: event.details["strategy"] for event in events} == agreed
    assert agreed
    for number, person in enumerate(people.persons):
        who = asyncio.run(Participation.find(live, f"{live.folder.name} open {number}"))
        asked = asyncio.run(who.answer([], 1))
        if person.code in agreed:
            assert agreed[person.code] == STRATEGIES[number]
            assert (asked["state"], asked["questions"]) == ("debrief", [])
            assert asked["progress"] == {"done": 625, "total": 625}
        else:
            assert (asked["state"], len(asked["questions"])) == ("tasks", 1)
            assert asked["progress"]["total"] == 1000


def test_the_export_has_the_same_verdicts(study, tmp_path, monkeypatch):
    live, _ = study
    write_export(Export(live), tmp_path / "out")
    monkeypatch.chdir(tmp_path / "out")
    use = json.loads((tmp_path / "out" / "codebook.json").read_text())["use"].split()
    done = CliRunner().invoke(app, [*use[1:], "--by", "observer", "--out", "found"])
    assert done.exit_code == 0, done.output
    people = json.loads((tmp_path / "out" / "found" / "report.json").read_text())["people"]
    shown = live.store.spaces.latest(live.record).scores["templates"]["people"]
    for told in shown:
        (row,) = [row for row in people if row["observer"] == told["person"]]
        assert row["trials"] == told["trials"]
        verdict = UNDECIDED if row["verdict"] == "undecided" else row["verdict"]
        assert told["words"].startswith(verdict)


def test_noise_is_chosen_about_which_strategies_disagree(study):
    """Exemplars seem likelier, and more trials are needed: a comparison that is made up."""
    live, people = study
    material, kind = live.folder.material, live.kind
    answers = [a for a in live.store.answers.of(people.persons[1]) if a.purpose == "main"][:300]
    trials = rs.Classifications(
        np.array([pixels_of(answer.spec, material) for answer in answers]) / 255.0,
        [kind.answered(answer.spec, answer.response) for answer in answers],
    )
    person = templates_by_observer(trials._with(observer=np.full(300, "p"))).people[0]
    compared = replace(person.strategy, verdict="undecided", difference=0.05, interval=(-0.1, 0.2))
    chosen = chosen_noise(replace(person, strategy=compared), trials, answers[-1], material)
    assert len(chosen) == min(75 + SPARE, MOST)
    assert len(set(chosen)) == len(chosen)
    fits = [rs.DecisionTemplates(k, random_state=0).fit(trials) for k in (2, 4)]
    drawn = [(item, seed) for item, _ in chosen for seed in range(5)]
    gaps = []
    for pairs in (chosen, drawn):
        specs = [{**answers[-1].spec, "head": item, "seed": seed} for item, seed in pairs]
        images = np.array([pixels_of(spec, material) for spec in specs]) / 255.0
        first, second = (fitted.predict_proba(images)[:, 0] for fitted in fits)
        gaps.append(np.abs(first - second).mean())
    assert gaps[0] > 1.5 * gaps[1]
    worse = replace(compared, difference=-0.05, interval=(-0.2, 0.1))
    assert chosen_noise(replace(person, strategy=worse), trials, answers[-1], material) == []


def test_chosen_noise_is_asked_once_and_mixed_with_noise_at_random(study):
    live, people = study
    person, items = people.persons[0], live.folder.names
    chosen = [(items[number % 4], 10**6 + number) for number in range(20)]
    event = live.store.events.last(live.record, CHOSEN_NOISE)
    assert event.details.keys() == {person.code for person in people.persons}
    live.store.events.record(live.record, "worker", CHOSEN_NOISE, {person.code: chosen})
    assert live.chosen_noise(person.code) == tuple(chosen)
    material, history = replace(live.folder.material, noise=tuple(chosen)), []
    for number in range(60):
        spec = live.kind.spec(material, Random(number), history)
        history.append((spec, {"chosen": 0}))
    asked = [spec for spec, _ in history if spec["strategy"] == CHOSEN_NOISE]
    assert [(spec["head"], spec["seed"]) for spec in asked] == chosen
    assert [str(spec["label"]) for spec in asked] == [
        material.by_name[item].label for item, _ in chosen
    ]
    first = [spec["strategy"] for spec, _ in history[:24]]
    assert 10 <= first.count(CHOSEN_NOISE) <= 23
