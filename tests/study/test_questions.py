"""The questions of a person, and the level of a staircase."""

from collections import Counter, defaultdict
from random import Random

import pytest

import study_folder
from resemblance.store import AnswerIn, Store
from resemblance.study.folder import StudyFolder
from resemblance.study.kinds import KINDS
from resemblance.study.kinds.classify import Staircase
from resemblance.study.live import LiveStudy
from resemblance.study.questions import (
    REPEAT_LAG,
    SHARED,
    TOGETHER,
    break_before,
    next_questions,
    schedule,
)
from resemblance.study.settings import About, Settings, Tasks

make_study = study_folder.make_study


@pytest.fixture
def courses(make_study, tmp_path):
    """Let people go through a study of which a third is gold and a third repeats."""
    stores = []

    def run(n_gold, n_people=8, arm=None, **sections):
        given = {"per_participant": 2, "task_size": 18, "gold_share": 1 / 3, "practice": 1}
        tasks = {**given, "repeat_share": 1 / 3, "gold": "gold.csv"}
        path = make_study(f"ties{len(stores)}", 9, tasks=tasks, **sections)
        pairs = [f"item{n},item{n + 1},item{n + 2}" for n in range(n_gold)]
        (path / "gold.csv").write_text("\n".join(["head,right,wrong", *pairs]) + "\n")
        store = Store.open(f"sqlite:///{tmp_path}/{len(stores)}.sqlite")
        stores.append(store)
        live = LiveStudy.open(StudyFolder.open(path), store)
        for number in range(n_people):
            person = store.people.enter(live.record, "open", None, f"token{number}", {}, arm)
            made = []
            for asked in range(live.settings.total):
                (question,) = store.questions.serve(person, next_questions(live, person, asked, 1))
                kind = KINDS[question.kind]
                response = kind.check(question.spec, {"chosen": 0})
                store.answers.take(person, [AnswerIn(question.id, response, 900, {}, False)])
                made.append(question)
            yield live, person, made

    yield run
    for store in stores:
        store.close()


def settings(**tasks):
    return Settings(study=About(name="ties"), tasks=Tasks(**tasks))


@pytest.mark.parametrize("repeat_share", [0.0, 0.1])
def test_every_task_has_its_fifth_of_gold(repeat_share):
    made = settings(per_participant=3, task_size=50, repeat_share=repeat_share, practice=4)
    plan = schedule(made, "P0007")
    assert len(plan) == made.total == 154
    assert plan[:4] == ("practice",) * 4
    for start in range(4, 154, 50):
        task = plan[start : start + 50]
        assert task.count("gold") == 10
        assert task.count("repeat") == round(repeat_share * 50)


def test_repeats_come_after_what_they_repeat():
    for person in range(20):
        plan = schedule(settings(task_size=10, repeat_share=0.4, practice=0), f"P{person}")
        assert "repeat" not in plan[:REPEAT_LAG]
        assert plan.count("repeat") == 8


def test_breaks_come_between_tasks():
    made = settings(per_participant=3, task_size=10, practice=2)
    assert [place for place in range(32) if break_before(made, place)] == [12, 22]


@pytest.mark.parametrize(("down", "converges"), [(3, 0.794), (2, 0.707), (1, 0.5)])
def test_the_staircase_settles_where_it_should(down, converges):
    rule = Staircase(step=1.05, down=down, start=1.0)
    rng, history, right = Random(1), [], []
    for _ in range(1500):
        signal = rule.level(history)
        is_right = rng.random() < min(1.0, signal)  # an observer who is right with p = signal
        history.append((signal, is_right))
        right.append(is_right)
    assert sum(right[300:]) / len(right[300:]) == pytest.approx(converges, abs=0.03)


@pytest.mark.parametrize("n_gold", [1, 5])
def test_each_gold_question_comes_once_before_any_comes_again(courses, n_gold):
    orders = set()
    for _, _, made in courses(n_gold):
        heads = [q.spec["head"] for q in made if q.purpose == "gold"]
        assert len(heads) == 12
        for start in range(0, 12, n_gold):
            some = heads[start : start + n_gold]
            assert len({*some}) == len(some)
        orders.add(tuple(heads[:n_gold]))
    assert len(orders) > 1 or n_gold == 1


def test_what_was_repeated_least_often_is_repeated_next(courses):
    for live, _, made in courses(3):
        place_of = {str(live.kind.identity(q.spec)): q.place for q in made if q.purpose == "main"}
        mains = [q.place for q in made if q.purpose == "main"]
        if len(place_of) < len(mains):
            continue  # a question was drawn twice
        times = Counter()
        for question in (q for q in made if q.purpose == "repeat"):
            again = place_of[str(live.kind.identity(question.spec))]
            may = [place for place in mains if place < question.place - REPEAT_LAG] or mains[:1]
            assert again in may
            assert times[again] == min(times[place] for place in may)
            times[again] += 1
        assert times.total() == 12


def test_a_question_is_planned_alike_by_every_process(courses):
    for live, person, made in courses(3, n_people=2):
        for purpose in ("gold", "repeat"):
            places = [q.place for q in made if q.purpose == purpose]
            for place in places:
                (wanted,) = next_questions(live, person, place, 1)
                assert live.kind.identity(wanted.spec) == live.kind.identity(made[place].spec)


def test_four_people_in_turn_share_random_questions(courses):
    shared = defaultdict(list)
    for live, person, made in courses(3):
        plan = schedule(live.settings, person.code, live.chance)
        asked = [one for one in made if plan[one.place] == SHARED]
        assert len(asked) == 12
        assert {(one.purpose, one.spec["strategy"]) for one in asked} == {("main", "random")}
        same = [live.kind.identity(one.spec) for one in asked]
        shared[person.id // TOGETHER].append(same)
    assert {len(people) for people in shared.values()} == {1, 3, 4}
    assert all(people.count(people[0]) == len(people) for people in shared.values())
    assert len({str(people[0]) for people in shared.values()}) == 3
