"""Reports of the worker at the desk: counts, spaces, small pictures."""

import io
import random
import zlib
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy.spatial.distance import pdist

import resemblance as rs
from resemblance.study.export import Export, write_export
from resemblance.study.quality import Quality
from resemblance.study.thumbnails import Thumbnails, pictures, thumb_of
from resemblance.study.worker.loop import MOST, Activity
from resemblance.web.desk import overview
from resemblance.web.desk.drawing import draw
from resemblance.web.desk.overview import Overview
from resemblance.web.desk.study import TABS
from small_study import Hands, People, open_study

SHARED = """
[tasks]
per_participant = 4
task_size = 40
practice = 1
gold_share = 0.1
repeat_share = 0.1
[asking]
start_per_head = 3
held_out = 0.2
model = "tste"
random_share = 0.5
[[quality.rules]]
measure = "side"
above = 0.9
after = 5
"""


SHARP = """
[tasks]
per_participant = 4
task_size = 150
practice = 1
gold_share = 0.1
[asking]
start_per_head = 10
"""


class TestActivity:
    def test_nothing_is_lost_however_long_it_runs(self):
        rng, activity = random.Random(0), Activity()
        times = sorted(rng.uniform(0, 40 * 86_400) for _ in range(3000))
        for at in times:
            activity.add(at, answers=1)
        bins = activity.plain()["bins"]
        assert len(bins) <= MOST
        assert sum(n["answers"] for _, n in bins) == 3000
        first, last = bins[0][0] * activity.width, (bins[-1][0] + 1) * activity.width
        assert first <= times[0] < first + activity.width
        assert last - activity.width <= times[-1] < last

    def test_what_is_older_than_asked_is_forgotten(self):
        activity = Activity(keep_s=3600.0)
        for minute in range(200):
            activity.add(60.0 * minute, answers=1)
        assert [place for place, _ in activity.plain()["bins"]] == list(range(140, 200))


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A study that a worker has worked on; one of four people always chooses the first."""
    folder = tmp_path_factory.mktemp("told")
    live = open_study(folder / "dots", f"sqlite:///{folder}/dots.sqlite", sections=SHARED)
    people = People(live, 4, guess={0: "first"}, sharp=4)
    people.answer(200)
    hands = Hands(live)
    hands.begin()
    hands.asker._costly.at = 0.0  # what is costly is told again
    people.answer(120)
    hands.settle()
    hands.work._told_at = 0.0
    hands.settle()
    return live, hands


def test_the_counts_are_those_of_the_log(told):
    live, _ = told
    counts = live.store.tallies.pulse(live.record).told
    answers = [one for one in live.store.answers.after(live.record) if one.purpose != "practice"]
    assert counts["answers"] == len(answers)
    assert counts["people"] == 4
    for activity in ("whole", "recent"):
        assert sum(n["answers"] for _, n in counts[activity]["bins"]) == len(answers)
        assert sum(n.get("people", 0) for _, n in counts[activity]["bins"]) == 4


def test_each_person_is_told_as_the_export_counts(told):
    live, _ = told
    quality = Quality.of(live)
    rows, _ = live.store.tallies.people(live.record, "oldest")
    for row in rows:
        expected = quality.row(row.code)
        assert {name: row.figures[name] for name in expected} == expected
        assert row.answers == expected["answers"]
    assert [row.flagged for row in rows] == [True, False, False, False]
    assert "side above 0.9" in rows[0].figures["flags"]


def test_a_space_is_kept_of_each_fit_with_what_is_told_of_it(told, tmp_path):
    live, hands = told
    space = live.store.spaces.latest(live.record)
    fits = live.store.events.audit(live.record, "fit")
    assert len(live.store.spaces.scored(live.record)) == len(fits)
    assert space.answers == fits[-1].details["answers"]
    (tmp_path / "model.npz").write_bytes(space.model)
    model = rs.load(tmp_path / "model.npz")
    kept = 2 * np.sqrt(2) * 5e-6 * np.abs(space.positions).max()  # by the six digits of places
    np.testing.assert_allclose(pdist(space.positions), pdist(model.embedding_), 1e-3, kept)
    assert list(model.items_.names) == list(live.folder.names)
    assert len(space.uncertainty) == 12
    assert min(space.uncertainty) > 0
    scores = space.scores
    assert scores["error"] == pytest.approx(fits[-1].details["held_out_error"], abs=1e-4)
    assert scores["low"] <= scores["error"] <= scores["high"]
    everything = hands.session.judgments("all", space.answers)
    assert sum(scores["shown"]) == everything.index.size
    assert scores["judged_in"] == len(space.positions[0])
    assert scores["another_dimension"] is None or scores["another_dimension"]["dimensions"] == 3


def test_the_desk_and_a_fit_of_the_export_tell_one_error(told, tmp_path):
    live, _ = told
    desk = live.store.spaces.latest(live.record).scores["random"]
    write_export(Export(live), tmp_path)
    answers = rs.read_triplets(tmp_path / "triplets.csv")
    held = rs.evaluate(rs.TSTE(2, penalty="auto", random_state=0), answers, cv=10).held_out
    assert held.of == "random questions"
    assert abs(desk["answers"] - held.n_answers) < 0.3 * held.n_answers  # some came since
    low, high = held.interval
    assert low <= desk["error"] <= high
    assert desk["low"] <= held.error <= desk["high"]


def test_the_desk_lists_the_answers_that_the_map_overrules(told):
    live, _ = told
    overruled = live.store.spaces.latest(live.record).scores["overruled"]
    rows, _ = live.store.tallies.people(live.record, "oldest")
    assert overruled["people"] == [rows[0].code]  # who always chooses the first
    shown = {"live": live, "of": Overview(live), "name": "dots", "owns": True, "charts": overview}
    page = draw("study_map", tab="", tabs=TABS, **shown)
    card = page.partition('id="overruled"')[2].partition("</section>")[0]
    for answer in overruled["most_certain"]:
        cells = "".join(f"<td>{answer[column]}</td>" for column in ("head", "near", "far"))
        assert f"{cells}<td>{answer['observer']}</td>" in card


def test_the_desk_shows_the_shortest_cycles_of_contradictory_answers(told):
    live, hands = told
    found = live.store.spaces.latest(live.record).scores["contradictions"]
    answers = [a for a in hands.session.answers.values() if a.chosen is not None]
    said = Counter()
    for answer in answers:
        head, options = answer.question.head, answer.question.options
        near, far = answer.chosen, next(o for o in options if o != answer.chosen)
        said[tuple(sorted((head, near))), tuple(sorted((head, far)))] += 1
    ways = {frozenset(pair) for pair in said}
    assert found["comparisons"] == len(ways)
    assert found["both_ways"] == len(said) - len(ways) > 0
    assert found["tied"] == sum(said[a, b] == said[b, a] for a, b in said) / 2
    assert found["cycles"]
    for cycle in found["cycles"]:
        for line, after in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
            near, far = tuple(line["near"]), tuple(line["far"])
            assert (line["n"], line["n_opposite"]) == (said[near, far], said[far, near])
            assert line["n"] > line["n_opposite"]
            assert line["far"] == after["near"]
    shown = {"live": live, "of": Overview(live), "name": "dots", "owns": True, "charts": overview}
    page = draw("study_map", tab="", tabs=TABS, **shown)
    card = page.partition('id="contradictions"')[2].partition("</section>")[0]
    assert card.count("<details") == len(found["cycles"])
    assert card.count("<tr>") == sum(1 + len(cycle) for cycle in found["cycles"])


@pytest.fixture(scope="module")
def sharp(tmp_path_factory):
    """A study of people whose answers are the softmax of distances, and nothing says so."""
    folder = tmp_path_factory.mktemp("sharp")
    live = open_study(folder / "dots", f"sqlite:///{folder}/dots.sqlite", sections=SHARP)
    people = People(live, 4, weigh=lambda d: np.exp(-d))
    hands = Hands(live)
    for _ in range(2):
        people.answer(250)
        hands.begin()
    hands.asker._costly.at = 0.0
    people.answer(20)
    hands.settle()
    return live, hands


def test_the_desk_names_the_model_that_a_fit_of_the_export_chooses(sharp, tmp_path):
    live, hands = sharp
    told = Overview(live).model
    assert told["title"] == "STE" == told["losses"][0][0]
    assert [loss for _, loss in told["losses"]] == sorted(loss for _, loss in told["losses"])
    assert hands.session.chosen.name == "ste"
    write_export(Export(live), tmp_path)
    answers = rs.read_triplets(tmp_path / "triplets.csv")
    assert rs.compare_models(answers).chosen == "ste"
    fits = pd.read_csv(tmp_path / "fits.csv")
    assert list(fits["model"])[-1] == "ste"
    held = rs.evaluate(rs.STE(2, penalty="auto", random_state=0), answers, cv=10).held_out
    desk = live.store.spaces.latest(live.record).scores["random"]
    assert abs(desk["error"] - held.error) < desk["high"] - desk["low"]  # some came since
    (tmp_path / "model.npz").write_bytes(live.store.spaces.latest(live.record).model)
    assert isinstance(rs.load(tmp_path / "model.npz"), rs.STE)


def test_strategies_ceiling_and_advice_are_told(told):
    live, hands = told
    space = live.store.spaces.latest(live.record)
    scores, lines = space.scores, space.scores["strategies"]
    assert set(lines) == {"predictive", "random"}
    for name, line in lines.items():
        answers = list(hands.session.answers.values())[: space.answers]
        own = [one for one in answers if one.question.strategy in ("start", name)]
        assert line["answers"] == sum(one.chosen is not None for one in own) < scores["fitted"]
        assert 0 <= line["low"] <= line["error"] <= line["high"] <= 1
    few, many = scores["advice"]
    assert few["more"] < many["more"]
    assert few["low"] <= few["gain"] <= few["high"]
    assert many["hours"] > few["hours"] > 0


def test_a_new_worker_tells_nothing_twice_and_loses_nothing(told):
    live, hands = told
    before = live.store.tallies.pulse(live.record).told
    tallies = live.store.tallies.all(live.record)
    hands.work.close()
    again = Hands(live)
    again.begin()
    likelihood = again.work.quality.figures["likelihood"]  # before it fits
    assert likelihood
    assert likelihood.keys() <= again.work.quality.counts.keys()
    again.work._told_at = 0.0
    again.settle()
    assert live.store.tallies.pulse(live.record).told == before
    after = live.store.tallies.all(live.record)
    assert {t.participant: t.answers for t in after} == {t.participant: t.answers for t in tallies}
    again.work.close()


def test_other_rules_hold_without_a_restart(tmp_path):
    live = open_study(tmp_path / "dots", f"sqlite:///{tmp_path}/dots.sqlite")
    people = People(live, 2, guess={0: "first"})
    people.answer(30)
    hands = Hands(live)
    hands.begin()
    rule = 'measure = "side"\nabove = 0.9\nafter = 5\naction = "exclude"\n'
    text = f"{live.record.settings}\n[[quality.rules]]\n{rule}"
    live.store.studies.set_settings(live.record, text, "researcher", {})
    hands.watch()
    hands.begin()
    people.answer(2)
    hands.settle()
    assert live.store.people.excluded(live.record) == {people.persons[0].id}


def bomb(width, height):
    """A PNG that says it is huge, and is small."""
    small = io.BytesIO()
    Image.new("L", (8, 8)).save(small, "PNG")
    data = bytearray(small.getvalue())
    data[16:24] = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    data[29:33] = zlib.crc32(bytes(data[12:29])).to_bytes(4, "big")
    return bytes(data)


class TestThumbnails:
    SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

    @pytest.fixture
    def folder(self, make_study):
        from resemblance.study.folder import StudyFolder

        path = make_study()
        Image.new("RGB", (900, 300), "red").save(path / "stimuli" / "wide.jpg")
        (path / "stimuli" / "bomb.png").write_bytes(bomb(60_000, 60_000))
        (path / "stimuli" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nand no more")
        (path / "stimuli" / "drawn.svg").write_text(self.SVG)
        return StudyFolder.open(path)

    def test_each_picture_is_made_once_and_small(self, folder):
        made = Thumbnails(folder)
        made.make()
        wide = thumb_of(folder.path, folder.by_name["wide"])
        with Image.open(wide) as small:
            assert small.size == (96, 32)
        written = wide.stat().st_mtime_ns
        made.make()
        assert wide.stat().st_mtime_ns == written

    def test_bombs_and_broken_files_are_told_and_hold_up_nothing(self, folder):
        made = Thumbnails(folder)
        made.make()
        assert set(made.failed) == {"bomb", "broken"}
        assert "pixels" in made.failed["bomb"]
        shown = dict(zip(folder.names, pictures(folder), strict=True))
        assert shown["bomb"] is shown["broken"] is None
        assert shown["item0"].startswith("/desk/ties/thumbnails/")


def test_what_was_put_off_is_told_when_there_is_time(sharp):
    live, hands = sharp
    hands.settle()
    learner = hands.asker
    learner._overdue = True
    hands.settle()
    seen = live.store.spaces.latest(live.record)
    learner._costly.last = seen.scores | {"told_of": seen.answers - 1}
    learner._costly.at = 0.0
    hands.settle()
    latest = live.store.spaces.latest(live.record)
    assert latest.scores["told_of"] == latest.answers == seen.answers


def test_a_few_answers_are_fitted_when_no_more_come(sharp, monkeypatch):
    live, hands = sharp
    hands.settle()
    before = live.store.spaces.latest(live.record).answers
    learner = hands.asker
    learner._begun, learner._heard = before - 1, 1e-9  # as if one had come since, long ago
    learner._costly.at = 0.0
    monkeypatch.setattr("resemblance.study.worker.learner.QUIET_S", 0.0)
    fits = hands.session.n_fits
    hands.settle()
    assert hands.session.n_fits == fits + 1
    assert learner._begun == len(hands.session.answers)
