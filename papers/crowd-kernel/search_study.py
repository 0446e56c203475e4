"""Compare searches after studies with different settings, in the generated worlds of figure 2.

A study's session asks about 225 objects, with 10 to 35 answers per object. Then 75 of them are
searched for: by twenty adaptive questions, and by clicks on pages of nine pictures, chosen like the
search page or by the exact information of all tiles. The settings are the defaults of `resemblance
new`, those of `new --purpose search`, random questions, and intermediate steps between the first
two, which show the effect of each setting. People follow the relative model, as in the paper, or
the softmax of squared distances, with the same agreement.
"""

import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.optimize import brentq
from scipy.special import entr
from settings import command_line, results_folder
from twenty import AGREEMENT, EACH, mixed_world

import resemblance as rs
from resemblance.study.creation import PURPOSES
from resemblance.study.settings import Settings
from resemblance.study.worker.session import session_settings

MARKS, TILES, MOST = (10, 20, 35), 9, 40
DEFAULTS = {"strategy": "predictive", "n_components": 2}
SEARCH = PURPOSES["search"]["asking"]
STUDIES = {
    "defaults": DEFAULTS,
    "random questions": DEFAULTS | {"strategy": "random"},
    "three dimensions": DEFAULTS | {"n_components": 3},
    "the paper's rule": DEFAULTS | {"strategy": "information"},
    "search": SEARCH,
    "search, random in three": SEARCH | {"strategy": "random"},
    "search, CKL": SEARCH | {"model": "ckl"},
    "search, t-STE": SEARCH | {"model": "tste"},
    "search, a fifth random": SEARCH | {"random_share": 0.2},
}


def world_of(people: str, seed: int, each: int) -> tuple[np.ndarray, rs.choice.ChoiceModel]:
    """Give the positions of the objects and the choice model of the people."""
    X, relative = mixed_world(seed, each)
    if people == "relative":
        return X, relative
    softmax, rng = rs.choice.Softmax(), np.random.default_rng(seed)
    triples = np.array([rng.choice(len(X), 3, replace=False) for _ in range(20000)])
    near, far = (((X[triples[:, 0]] - X[triples[:, c]]) ** 2).sum(axis=1) for c in (1, 2))

    def excess(scale: float) -> float:
        p = softmax.probability(scale**2 * near, scale**2 * far)
        return float(np.mean(p**2 + (1 - p) ** 2) - AGREEMENT)

    return brentq(excess, 1e-3, 10.0) * X, softmax


def train(name: str, people: str, seed: int, each: int, marks: tuple[int, ...]) -> list[dict]:
    """Run a study's session in a world; return its scores after so many answers an object."""
    warnings.simplefilter("ignore")
    X, choice = world_of(people, seed, each)
    n = len(X)
    crowd = rs.SpaceObserver(X, choice, random_state=seed)
    settings = Settings.model_validate({"study": {"name": "world"}, "asking": STUDIES[name]})
    session = rs.Session(n, **session_settings(settings, n, {}) | {"auto_refit": True})
    targets = np.random.default_rng(seed).choice(n, min(n, 75), replace=False)
    scores = []
    for asked in range(1, max(marks) * n + 1):
        question = session.ask()
        session.tell(question, question.answered_by(crowd))
        if asked in [mark * n for mark in marks]:
            session.refit()
            model, person = session.model_, rs.SpaceObserver(X, choice, random_state=seed)
            scores.append(
                {
                    "study": name,
                    "people": people,
                    "world": seed,
                    "answers": asked // n,
                    "log rank": rs.asking.twenty_questions(model, person, targets).mean(),
                    "clicks": clicks(model, person, targets, rs.Search.show),
                    "exhaustive": clicks(model, person, targets, exhaustive),
                }
            )
    return scores


def clicks(model, person: rs.SpaceObserver, targets: np.ndarray, page) -> float:
    """Search for each target on pages of nine; give the mean number of clicks."""
    given = []
    for turn, target in enumerate(targets):
        search = rs.Search(model, min(TILES, len(model.embedding_)), random_state=turn)
        while target not in (shown := page(search)) and len(search.answers) < MOST:
            answer = person.answer(rs.Choices([target], [shown], [shown[0]]))
            search.choose(int(answer.index[0, 1]), shown)
        given.append(len(search.answers))
    return float(np.mean(given))


def exhaustive(search: rs.Search) -> tuple[int, ...]:
    """Take tile after tile, over all items, by the exact information of the answer."""
    X, tau = search.model.embedding_, search.posterior()
    s = np.exp(search.model.choice_.log_similarity(((X[:, None] - X) ** 2).sum(axis=2)))
    page: list[int] = []
    while len(page) < search.n_options:
        gains = information(s, tau, page)
        gains[page] = -np.inf
        page.append(int(gains.argmax()))
    return tuple(page)


def information(s: np.ndarray, tau: np.ndarray, page: list[int]) -> np.ndarray:
    """Give the information of a page with each one more item; s (heads, items).

    The answer is "this is it", or else which tile is most similar.
    """
    unseen = tau[:, None] * (1.0 - np.eye(len(tau)))
    unseen[page] = 0.0
    total = s[:, page].sum(axis=1)[:, None] + s
    share = unseen / total
    by_tile = np.vstack([s[:, page].T @ share, (s * share).sum(axis=0)])
    logs = s * np.log(s)
    known = unseen * np.log(total) - (logs[:, page].sum(axis=1)[:, None] + logs) * share
    return entr(by_tile).sum(axis=0) + entr(tau) + entr(tau[page]).sum() - known.sum(axis=0)


def main(arguments: list[str] | None = None) -> None:
    """Run each study in each world; write and print the table."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--worlds", type=int, default=10)
    parser.add_argument("--studies", nargs="+", choices=STUDIES, default=list(STUDIES))
    parser.add_argument("--people", choices=("relative", "softmax"), default="relative")
    chosen = parser.parse_args(arguments)
    chosen.out = results_folder(chosen)
    each, marks, worlds = (6, (10, 12), 1) if chosen.quick else (EACH, MARKS, chosen.worlds)
    runs = Parallel(n_jobs=chosen.jobs, verbose=5)(
        delayed(train)(name, chosen.people, seed, each, marks)
        for seed in range(worlds)
        for name in chosen.studies
    )
    table = pd.DataFrame([row for run in runs for row in run])
    table.to_csv(chosen.out / f"search_study_{chosen.people}.csv", index=False)
    scores = ["log rank", "clicks", "exhaustive"]
    means = table.groupby(["study", "answers"], sort=False)[scores].agg(["mean", "sem"])
    print(means.round(2).to_string())


if __name__ == "__main__":
    main()
