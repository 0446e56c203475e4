"""Measure clicks of a search that learns, in the generated worlds of figure 2.

A study has asked about 225 objects, with 20 answers per object. Then visitors search its newest map
for four days, 500 searches a day, and share their clicks; each night the session fits these beside
the answers. Honest visitors answer by the true space, with its noise, until they see their target.
Others click at random, and stop at random. Printed are the mean clicks of 300 honest searches in
the map of each day, and the weight of the clicks.
"""

import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from search_study import SEARCH, TILES
from settings import command_line, results_folder
from twenty import EACH, mixed_world

import resemblance as rs
from resemblance.study.settings import Settings
from resemblance.study.worker.session import session_settings

ANSWERS, DAYS, SEARCHES, MEASURED, MOST = 20, 4, 500, 300, 20
FOUND = 0.2  # probability that a visitor who clicks at random stops at a page


class Visitors:
    """People who search a map; the clicks that they share are choices about the item found."""

    def __init__(self, X: np.ndarray, choice: rs.choice.ChoiceModel, seed: int) -> None:
        self.person = rs.SpaceObserver(X, choice, random_state=seed)
        self.n, self.rng = len(X), np.random.default_rng(seed)
        self.heads: list[int] = []
        self.pages: list[tuple[int, ...]] = []

    def search(self, model: rs.OrdinalEmbedding, honest: bool = True) -> int:
        """Search once, keep the clicks, and return their number."""
        target, search = int(self.rng.integers(self.n)), rs.Search(model, TILES)
        while len(search.answers) < MOST:
            shown = search.show()
            if not honest and self.rng.random() < FOUND:
                target = int(self.rng.choice(shown))
            if target in shown:
                break
            clicked = int(self.rng.choice(shown))
            if honest:
                answer = self.person.answer(rs.Choices([target], [shown], [shown[0]]))
                clicked = int(answer.index[0, 1])
            search.choose(clicked)
        pages = [page for page in search.answers if target not in page]
        self.heads += [target] * len(pages)
        self.pages += pages
        return len(search.answers)

    def clicks(self, items: rs.Items) -> rs.Choices:
        return rs.Choices(self.heads, self.pages, [page[0] for page in self.pages], items)


def learn(honest: bool, seed: int, each: int, answers: int, searches: int) -> list[dict]:
    """Run a study and four days of searches; return a row for each map."""
    warnings.simplefilter("ignore")
    X, choice = mixed_world(seed, each)
    n, crowd = len(X), rs.SpaceObserver(X, choice, random_state=seed)
    settings = Settings.model_validate({"study": {"name": "world"}, "asking": SEARCH})
    session = rs.Session(n, **session_settings(settings, n, {}) | {"auto_refit": True})
    for _ in range(answers * n):
        question = session.ask()
        session.tell(question, question.answered_by(crowd))
    session.refit()
    visitors, rows = Visitors(X, choice, 1000 + seed), []
    for day in range(DAYS + 1):
        test = Visitors(X, choice, 2000 + seed)
        mean = np.mean([test.search(session.model_) for _ in range(MEASURED)])
        row = {"world": seed, "visitors": "honest" if honest else "at random"}
        rows.append(row | {"day": day, "clicks": mean, "weight": session.clicks.weight})
        for _ in range(searches):
            visitors.search(session.model_, honest)
        session.adopt(session.fit_job(clicks=visitors.clicks(session.items)).run())
    return rows


def main(arguments: list[str] | None = None) -> None:
    """Let both kinds of visitors search in each world; write and print the table."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--worlds", type=int, default=10)
    parser.add_argument("--answers", type=int, default=ANSWERS, help="answers an object")
    chosen = parser.parse_args(arguments)
    chosen.out = results_folder(chosen)
    each, searches, worlds = (6, 40, 1) if chosen.quick else (EACH, SEARCHES, chosen.worlds)
    runs = Parallel(n_jobs=chosen.jobs, verbose=5)(
        delayed(learn)(honest, seed, each, chosen.answers, searches)
        for seed in range(worlds)
        for honest in (True, False)
    )
    table = pd.DataFrame([row for run in runs for row in run])
    table.to_csv(chosen.out / "learning_search.csv", index=False)
    means = table.groupby(["visitors", "day"])[["clicks", "weight"]].agg(["mean", "sem"])
    print(means.round(2).to_string())


if __name__ == "__main__":
    main()
