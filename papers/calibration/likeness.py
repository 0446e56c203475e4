"""Count how often `analysis.benchmark` tells networks apart that are equally like people.

In each world people with slightly different spaces, some of whom lapse, answer random questions
about the items. The features of a network are the people's space, turned at random, with noise of
its own. *Equal*: all networks have as much noise, so only chance of items, people and answers can
make them differ. *Unequal*: one network has less noise. A statement is *false* if it tells equal
networks apart, or names the worse one as the better one.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row

import resemblance as rs


@dataclass(frozen=True)
class Study:
    """A kind of worlds."""

    n_items: int
    n_people: int
    n_answers: int
    width: int  # number of features of a network
    n_networks: int = 2
    kind: Callable = rs.Triplets
    has_people: bool = True
    level: float = 1.0  # noise of features, relative to the spread of the space


STUDIES = {
    "30 items, 20 people, 2,000 triplets, 64 features": Study(30, 20, 2000, 64),
    "30 items, 20 people, 2,000 triplets, 4 features": Study(30, 20, 2000, 4),
    "30 items, 20 people, 20,000 triplets, 4 features": Study(30, 20, 20000, 4),
    "100 items, 50 people, 5,000 odd ones out, 64 features": Study(
        100, 50, 5000, 64, kind=rs.OddOneOuts
    ),
    "four networks, 60 items, 8 people, 3,000 triplets, 16 features": Study(60, 8, 3000, 16, 4),
    "200 items, 4,000 triplets of unknown people, 16 features": Study(
        200, 30, 4000, 16, has_people=False
    ),
}
BETTER = 0.5  # noise of the better network, relative to the other ones


def look(seed: int, study: Study, better: float = 1.0) -> dict[str, float]:
    """Compare networks in one world; the noise of the first is multiplied by ``better``."""
    rng = np.random.default_rng([seed, study.n_items, study.width])
    n, d = study.n_items, int(rng.choice([2, 3, 4]))
    space = rng.normal(size=(n, d)) * rng.uniform(0.7, 1.5)
    people = [
        rs.SpaceObserver(
            space,
            lapse=float(rng.choice([0.0, 0.1])),
            weights=np.exp(0.3 * rng.normal(size=d)),
            temperature=float(np.exp(0.3 * rng.normal())),
            random_state=int(rng.integers(2**31)),
        )
        for _ in range(study.n_people)
    ]
    asked = np.array([rng.choice(n, 3, replace=False) for _ in range(study.n_answers)])
    who = np.array([f"p{k:02d}" for k in rng.integers(study.n_people, size=len(asked))])
    crowd = rs.Crowd(people, [f"p{k:02d}" for k in range(study.n_people)], random_state=seed)
    if study.kind is rs.Triplets:
        answers = crowd.answer(rs.Triplets(asked, n, observer=who))
    else:
        answers = crowd.answer(rs.OddOneOuts(asked, asked[:, 0], n, observer=who))
    if not study.has_people:
        answers = rs.Triplets(answers.index, n)
    noise = np.r_[better, np.ones(study.n_networks - 1)] * study.level
    spread = space.std()
    networks = {
        f"network {k}": {
            "world": space @ np.linalg.qr(rng.normal(size=(study.width, d)))[0].T
            + level * spread * np.sqrt(d / study.width) * rng.normal(size=(n, study.width))
        }
        for k, level in enumerate(noise)
    }
    result = rs.analysis.benchmark({"world": answers}, networks, random_state=seed)
    table = result.differences
    first = table["network_a"] == "network 0"
    apart, ahead = table["verdict"] == "apart", table["difference"] > 0
    is_equal = ~first | (better == 1.0)
    as_is, learned = (table["measure"] == measure for measure in ("as_is", "learned"))
    z = (table["difference"] / table["standard_error"])[first]
    return {
        "z as is": float(z[as_is].iloc[0]),
        "z learned": float(z[learned].iloc[0]),
        "false": float((apart & (is_equal | ~ahead)).any()),
        "false as is": float((apart & as_is & (is_equal | ~ahead)).any()),
        "false learned": float((apart & learned & (is_equal | ~ahead)).any()),
        "told": float((apart & first & ahead).any()),
        "told as is": float((apart & first & ahead & as_is).any()),
        "told learned": float((apart & first & ahead & learned).any()),
        "detectable": float(table.loc[as_is, "detectable"].max()),
        "difference": float(table.loc[as_is & first, "difference"].mean()),
        "detectable learned": float(table.loc[learned, "detectable"].max()),
        "difference learned": float(table.loc[learned & first, "difference"].mean()),
    }


def make(n_worlds: int, n_jobs: int) -> pd.DataFrame:
    """Compare networks in the worlds of all studies."""
    rows = []
    for name, study in STUDIES.items():
        for about, better in (("equal", 1.0), ("unequal", BETTER)):
            looks = (delayed(look)(seed, study, better) for seed in range(n_worlds))
            seen = pd.DataFrame(Parallel(n_jobs)(looks))
            shares = ["false", "false as is", "false learned"]
            if better != 1.0:
                shares += ["told", "told as is", "told learned"]
            for what in shares:
                claimed = "5 % at most" if what == "false" else ""
                rows.append(row(f"{name}; {about}", what, claimed, seen[what], share=True))
            for what in ("difference", "detectable", "difference learned", "detectable learned"):
                rows.append(row(f"{name}; {about}", what, "", seen[what].dropna()))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(make, __doc__)
