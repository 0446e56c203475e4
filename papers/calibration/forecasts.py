"""Compare the forecasts of stopping advice with the true gain of more answers.

In each world one study asks 300 to 3,000 random questions, and another as many chosen ones. Then
``rs.stopping_advice`` forecasts the gain of a quarter more, as many more, and twice as many more
answers. These are asked, and the true error on random questions is measured. Every other world is
one of ``verdicts.py``: lines, rings, clusters, heavy tails, more dimensions than the map has,
lapses, the wrong model, people who differ.
"""

import argparse
import warnings
from typing import Any

import numpy as np
import pandas as pd
import verdicts
from joblib import Parallel, delayed
from worlds import World, world

import resemblance as rs
from resemblance.fitting import OrdinalEmbedding

MORE = (0.25, 1.0, 2.0)
FIRST = 20_000  # first seed, to avoid the worlds in which the rule was found
FEWEST, MOST = 300, 3000


def drawn(seed: int) -> tuple[World, list, OrdinalEmbedding]:
    """Draw a world, its people, and the model that a study fits to their answers."""
    if seed % 2 == 0:
        found = world(seed // 2)
        return found, [found.person], found.model(penalty="auto")
    name = list(verdicts.WORLDS)[seed // 2 % len(verdicts.WORLDS)]
    found, people, _ = verdicts.world(name, seed)
    return found, people, rs.STE(2, penalty="auto", tol=1e-3, random_state=0)


def ask(session: rs.Session, people: list, n: int) -> None:
    """Let a session ask until there are so many answers, people in turn; fit."""
    while len(session.answers) < n:
        question = session.ask()
        person = people[len(session.answers) % len(people)]
        session.tell(question, question.answered_by(person))
    session.refit()


def studied(
    seed: int, chosen: bool, fewest: int = FEWEST, most: int = MOST, more: tuple = MORE
) -> list[dict]:
    """Foretell what more answers of one study bring, ask for them, and see."""
    warnings.simplefilter("ignore")
    found, people, model = drawn(seed)
    n = int(np.exp(np.random.default_rng([seed, 5]).uniform(np.log(fewest), np.log(most))))
    rule = {} if chosen else {"strategies": rs.RandomQuestions(), "refit_every": 10**6}
    session = rs.Session(found.n_items, model=model, random_state=seed, keep_log=False, **rule)
    ask(session, people, n)
    advice = {share: rs.stopping_advice(session, round(share * n)) for share in more}
    before = found.error(session.model_)
    rows = []
    for share, told in advice.items():
        ask(session, people, n + told.n_more)
        came = before - found.error(session.model_)
        low, high = told.interval
        rows.append(
            {
                "world": seed,
                "kind": found.kind if seed % 2 == 0 else "other shapes",
                "chosen": chosen,
                "answers": n,
                "more": share,
                "foretold": told.gain,
                "came": came,
                "low": low,
                "high": high,
                "inside": low <= came <= high,
            }
        )
    return rows


def table(
    n_worlds: int = 18, n_jobs: int = 1, kinds: tuple[bool, ...] = (False, True), **sizes: Any
) -> pd.DataFrame:
    """Run studies of each world, by random questions and by chosen ones; all forecasts of each."""
    todo = [(FIRST + seed, chosen) for seed in range(n_worlds) for chosen in kinds]
    found = Parallel(n_jobs=n_jobs)(delayed(studied)(*which, **sizes) for which in todo)
    return pd.DataFrame([row for rows in found for row in rows])


def summary(found: pd.DataFrame) -> pd.Series:
    """Say how near the forecasts were."""
    return pd.Series(
        {
            "forecasts": len(found),
            "foretold": found["foretold"].mean(),
            "came": found["came"].mean(),
            "correlation": found["foretold"].corr(found["came"]),
            "inside": found["inside"].mean(),
            "less came": (found["came"] < found["low"]).mean(),
            "width": (found["high"] - found["low"]).mean(),
        }
    )


def main(arguments: list[str] | None = None) -> None:
    """Print the table in Markdown, all and by kind of study."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--worlds", type=int, default=18)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--chosen", action="store_true", help="adaptive studies alone")
    parser.add_argument("--answers", type=int, nargs=2, default=(FEWEST, MOST))
    parser.add_argument("--more", type=float, nargs="+", default=MORE)
    chosen = parser.parse_args(arguments)
    kinds = (True,) if chosen.chosen else (False, True)
    fewest, most = chosen.answers
    sizes = {"fewest": fewest, "most": most, "more": tuple(chosen.more)}
    found = table(chosen.worlds, chosen.jobs, kinds, **sizes)
    parts = {"all": summary(found)}
    for column in ("kind", "chosen", "more"):
        parts |= {f"{column} {of}": summary(part) for of, part in found.groupby(column)}
    early = found["answers"] < 1000
    parts |= {"below 1,000": summary(found[early]), "from 1,000": summary(found[~early])}
    print(markdown(parts))


def markdown(parts: dict[str, pd.Series]) -> str:
    """Lay summaries out as a table in Markdown."""
    names = next(iter(parts.values())).index
    lines = ["| |" + "|".join(f" {name} " for name in names) + "|", "|---" * (len(names) + 1) + "|"]
    for part, numbers in parts.items():
        lines.append(f"| {part} | " + " | ".join(f"{x:.3g}" for x in numbers) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
