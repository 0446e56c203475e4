"""Follow the advice of reports, and count how often it leads to a right verdict, and its cost.

A study starts with 600 answers of eight people to random questions about 30 items, in the worlds of
``verdicts.py``. The report's advice is followed: more answers to random questions, repeats of
random questions, a choice of the model or of the number of dimensions. This continues until the
advice is to use the map, or 6,000 answers are spent. "Use the map" is right if its true error is at
most .05 above the least possible. The reference is the same number of answers to random questions.
"""

import warnings
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import verdicts
from joblib import Parallel, delayed
from table import main, row
from worlds import World

import resemblance as rs

FIRST, BUDGET, STEPS, NEAR = 600, 6000, 14, 0.05
REPEATS = "repeat_questions", "more_repeats"
USE = "use_it", "probabilities"
AUTO = {
    "other_model": {"model": "auto"},
    "penalty": {"model": "auto"},
    "more_dimensions": {"dims": "auto"},
    "features_alone": {"dims": "auto"},
}


@dataclass
class Study:
    """The answers so far, each to a question of its own or to one asked again."""

    world: World
    people: list
    rng: np.random.Generator
    asked: np.ndarray = field(default_factory=lambda: np.empty((0, 3), int))
    given: np.ndarray = field(default_factory=lambda: np.empty((0, 3), int))
    n_repeats: int = 0

    def ask(self, n: int, again: bool = False) -> None:
        """Ask random questions, or some of those that were asked once more."""
        n = min(n, BUDGET - len(self.asked))
        if again:
            new = self.asked[self.rng.choice(len(self.asked), n, replace=n > len(self.asked))]
            self.n_repeats += n
        else:
            new = self.world.random(n, self.rng)
        who = (len(self.asked) + np.arange(n)) % len(self.people)
        given = np.empty_like(new)
        for k, person in enumerate(self.people):
            given[who == k] = person.answer(new[who == k]).index
        self.asked = np.concatenate([self.asked, new])
        self.given = np.concatenate([self.given, given])

    @property
    def answers(self) -> rs.Triplets:
        """All answers."""
        who = np.arange(len(self.given)) % len(self.people)
        return rs.Triplets(self.given, self.world.n_items, observer=[f"p{k}" for k in who])


def followed(name: str, seed: int) -> dict[str, float | str]:
    """Do what each report says, from the first answers to a verdict."""
    warnings.simplefilter("ignore")
    world, people, _ = verdicts.world(name, seed)
    study = Study(world, people, np.random.default_rng([seed, 56]))
    study.ask(FIRST)
    settings, codes = {"model": "ste", "dims": 2}, []
    for _ in range(STEPS):
        found = rs.analyse(study.answers, **settings, folds=5, random_state=0)
        step = found.next
        codes.append(step["code"])
        is_spent = len(study.asked) >= BUDGET
        if step["code"] in USE or (is_spent and step["code"] not in AUTO):
            break
        if step["code"] in AUTO:
            settings |= AUTO[step["code"]]
        else:
            n = step["n"] or len(study.asked) // 2
            study.ask(n, again=step["code"] in REPEATS)
    error, n = world.error(found.model), len(study.asked)
    plain = Study(world, people, np.random.default_rng([seed, 57]))
    plain.ask(n)
    beside = rs.analyse(plain.answers, **settings, folds=5, random_state=0)
    return {
        "world": name,
        "codes": " ".join(codes),
        "answers": n,
        "repeats": study.n_repeats / n,
        "used": codes[-1] in USE,
        "excess": error - world.best,
        "right": codes[-1] in USE and error - world.best <= NEAR,
        "false": codes[-1] in USE and error - world.best > NEAR,
        "above random": error - world.error(beside.model),
    }


def table(n_worlds: int = 24, n_jobs: int = 2) -> pd.DataFrame:
    """Return a row for each claim; worlds are shared out among the shapes."""
    names = list(verdicts.WORLDS)
    jobs = (delayed(followed)(names[k % len(names)], 900 + k) for k in range(n_worlds))
    found = pd.DataFrame(Parallel(n_jobs)(jobs))
    return pd.DataFrame(
        [
            row("advice followed", "a right verdict", "83 %", found["right"], share=True),
            row("advice followed", "a false verdict", "at most 5 %", found["false"], share=True),
            row("advice followed", "repeats, of all answers", "", found["repeats"], share=True),
            row("advice followed", "answers", "", found["answers"]),
            row(
                "advice followed", "error above as many random answers", "0", found["above random"]
            ),
        ]
    )


if __name__ == "__main__":
    main(table, __doc__)
