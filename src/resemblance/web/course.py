"""The course of a person through a study: why each question is asked, place by place."""

from functools import lru_cache
from random import Random

from resemblance.web.settings import Settings, Tasks

LAG = 5  # answers at least between a question and its repeat, where there are so many


def course(settings: Settings, code: str) -> tuple[str, ...]:
    """Plan a person's questions: practice, then tasks with gold and repeats among them.

    Every task has its share of gold questions and of repeats, at random places that the person's
    pseudonym and the study's seed decide, so that any process plans the same.

    Examples
    --------
    >>> from resemblance.web.settings import Study, Tasks
    >>> tasks = Tasks(per_participant=2, task_size=5, gold_share=0.2, practice=1)
    >>> plan = course(Settings(study=Study(name="ties"), tasks=tasks), "P0001")
    >>> len(plan), plan[0], plan[1:6].count("gold"), plan[6:].count("gold")
    (11, 'practice', 1, 1)
    """
    return _course(settings.study.seed, code, settings.tasks)


@lru_cache(4096)
def _course(seed: int, code: str, tasks: Tasks) -> tuple[str, ...]:
    rng = Random(f"{seed} {code} course")
    planned = ["practice"] * tasks.practice
    for number in range(tasks.per_participant):
        planned += _task(tasks, number == 0, rng)
    return tuple(planned)


def _task(tasks: Tasks, first: bool, rng: Random) -> list[str]:
    """Plan one task; repeats come late in the first, so that there is something to repeat."""
    size = tasks.task_size
    planned = ["main"] * size
    start = min(3 * LAG, size // 2) if first else 0
    n_repeats = min(round(tasks.repeat_share * size), size - start)
    for place in rng.sample(range(start, size), n_repeats):
        planned[place] = "repeat"
    left = [place for place in range(size) if planned[place] == "main"]
    for place in rng.sample(left, min(round(tasks.gold_share * size), len(left))):
        planned[place] = "gold"
    return planned


def break_before(settings: Settings, place: int) -> bool:
    """Say whether a break is offered before the question of a place."""
    tasks = settings.tasks
    done = place - tasks.practice
    every = tasks.break_after * tasks.task_size
    return every > 0 and done > 0 and done % every == 0
