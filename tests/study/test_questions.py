"""What a person is asked, and the level of a staircase."""

from random import Random

import pytest

from resemblance.study.kinds.classify import Staircase
from resemblance.study.questions import REPEAT_LAG, break_before, schedule
from resemblance.study.settings import About, Settings, Tasks


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


def test_people_have_courses_of_their_own_that_do_not_change():
    made = settings(repeat_share=0.1)
    assert schedule(made, "P0001") == schedule(made, "P0001")
    assert schedule(made, "P0001") != schedule(made, "P0002")


def test_repeats_come_after_what_they_repeat():
    for person in range(20):
        plan = schedule(settings(task_size=10, repeat_share=0.4, practice=0), f"P{person}")
        assert "repeat" not in plan[:REPEAT_LAG]
        assert plan.count("repeat") == 8


def test_breaks_come_between_tasks():
    made = settings(per_participant=3, task_size=10, practice=2, break_after=1)
    assert [place for place in range(32) if break_before(made, place)] == [12, 22]
    assert not any(break_before(settings(break_after=0), place) for place in range(200))


@pytest.mark.parametrize(("down", "up", "converges"), [(3, 1, 0.794), (2, 1, 0.707), (1, 1, 0.5)])
def test_the_staircase_settles_where_it_should(down, up, converges):
    rule = Staircase(step=1.05, down=down, up=up, start=1.0, least=0.001)
    rng, history, right = Random(1), [], []
    for _ in range(1500):
        signal = rule.level(history)
        is_right = rng.random() < min(1.0, signal)  # an observer who is right with p = signal
        history.append((signal, is_right))
        right.append(is_right)
    assert sum(right[300:]) / len(right[300:]) == pytest.approx(converges, abs=0.03)
