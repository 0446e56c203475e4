"""Does the advice on stopping foretell what more answers bring?

In each world a study asks 300 to 3,000 questions, at random and, in another study, chosen. Then
``rs.stopping_advice`` says what a quarter more, as many more, and twice as many more would bring;
they are asked, and the true error on random questions says what came.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from worlds import world

import resemblance as rs

MORE = (0.25, 1.0, 2.0)
FIRST = 1000  # other worlds than those in which the rule was found
FEWEST, MOST = 300, 3000


def studied(seed: int, chosen: bool, fewest: int = FEWEST, most: int = MOST) -> list[dict]:
    """Foretell what more answers of one study bring, ask for them, and see."""
    warnings.simplefilter("ignore")
    found = world(seed)
    n = int(np.exp(np.random.default_rng([seed, 5]).uniform(np.log(fewest), np.log(most))))
    rule = {"refit_every": 3 * found.n_items}
    if not chosen:
        rule = {"strategies": rs.RandomQuestions(), "refit_every": 10**6}
    session = found.study(n, seed, **rule)
    session.refit()
    advice = {share: rs.stopping_advice(session, round(share * n)) for share in MORE}
    before = found.error(session.model_)
    rows = []
    for share, told in advice.items():
        while len(session.answers) < n + told.n_more:
            question = session.ask()
            picked = found.person.pick([[question.head, *question.options]])[0]
            session.tell(question, question.options[picked])
        session.refit()
        came = before - found.error(session.model_)
        low, high = told.interval
        rows.append(
            {
                "world": seed,
                "kind": found.kind,
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


def table(n_worlds: int = 18, n_jobs: int = 1, **sizes: int) -> pd.DataFrame:
    """Run both studies of each world, three forecasts in each."""
    todo = [(FIRST + seed, chosen) for seed in range(n_worlds) for chosen in (False, True)]
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
            "width": (found["high"] - found["low"]).mean(),
        }
    )


def main(arguments: list[str] | None = None) -> None:
    """Print the table in Markdown, all and by kind of study."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--worlds", type=int, default=18)
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args(arguments)
    found = table(chosen.worlds, chosen.jobs)
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
