"""Count how often the true one of twenty models is identified, by number of answers.

Simulated people follow each model in turn. Their accuracy is the noise ceiling of real people, with
some lapses. They answer odd-one-out questions: random ones, those of a session for the best map at
its start, or those on which the models disagree most. The identified model is the one with the
highest likelihood of the answers, with temperature and lapse rate fitted to other answers.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import softmax
from settings import CEILING, Run, command_line

import resemblance as rs
from resemblance.asking import Belief, ControversialQuestions
from resemblance.asking.question import OddOneOut
from resemblance.errors import quiet

LAPSE = 0.03
MARKS, QUICK = (100, 250, 500, 1000, 2000, 5000), (90,)
CROWD = 20_000  # number of questions for setting people's noise
Asked = Callable[[np.ndarray], np.ndarray]  # maps questions to answers


def spaces(run: Run) -> dict[str, tuple[np.ndarray, str]]:
    """Make the twenty: network features, published dimensions, parts, noisy ones and mixtures."""
    clip, spose = run.array("clip_vit_b32"), run.array("spose49")
    clip = (clip - clip.mean(axis=0)) / clip.std()
    rng = np.random.default_rng(0)
    left, sizes, _ = np.linalg.svd(clip, full_matrices=False)
    n, near, likes = spose.shape[1], _unit(clip), _unit(spose)

    def noisy(table: np.ndarray, noise: float) -> np.ndarray:
        return table + noise * table.std() * rng.normal(size=table.shape)

    def projected(table: np.ndarray, share: float) -> np.ndarray:
        width = table.shape[1]
        return table @ rng.normal(size=(width, max(2, int(share * width))))

    tables = {
        "CLIP": clip,
        **{f"CLIP, {k} axes": (left * sizes)[:, :k] for k in (5, 15, 50)},
        "CLIP, 50 axes alike": left[:, :50],
        **{f"CLIP, projected {k}": projected(clip, 0.06) for k in (1, 2, 3)},
        **{f"CLIP, noise {noise}": noisy(clip, noise) for noise in (0.5, 1.0)},
        "SPoSE": spose,
        **{f"SPoSE, {k} dimensions": spose[:, :k] + 1e-3 for k in (max(1, n // 4), max(2, n // 2))},
        "SPoSE, projected": projected(spose, 0.5),
        **{f"SPoSE, noise {noise}": noisy(spose, noise) for noise in (0.5, 1.0)},
        **{
            f"{share:.0%} CLIP": np.hstack([share**0.5 * near, (1 - share) ** 0.5 * likes])
            for share in (0.25, 0.5, 0.75)
        },
    }
    return {name: (table, "cosine") for name, table in tables.items()} | {"dot": (spose, "dot")}


def _unit(table: np.ndarray) -> np.ndarray:
    return table / np.linalg.norm(table, axis=1, keepdims=True)


def person(space: tuple[np.ndarray, str], seed: int) -> rs.ModelObserver:
    """Make somebody who follows a model and is right as often as people are."""
    rows = OddOneOut(3).random(np.random.default_rng(1), CROWD, len(space[0]))
    likes = rs.ModelObserver(*space).utilities(rs.OddOneOuts(rows, rows[:, 0], len(space[0])))

    def too_often(log_temperature: float) -> float:
        right = softmax(likes / np.exp(log_temperature), axis=1).max(axis=1).mean()
        return float((1 - LAPSE) * right + LAPSE / 3) - CEILING

    temperature = float(np.exp(brentq(too_often, -12.0, 8.0)))
    return rs.ModelObserver(*space, temperature=temperature, lapse=LAPSE, random_state=seed)


def at_random(candidates: dict, n_items: int, answered: Asked, most: int) -> np.ndarray:
    """Ask any questions."""
    return answered(OddOneOut(3).random(np.random.default_rng(2), most, n_items))


def controversial(candidates: dict, n_items: int, answered: Asked, most: int) -> np.ndarray:
    """Ask what models disagree about, weighed anew after each third more answers."""
    strategy, rng = ControversialQuestions(candidates), np.random.default_rng(3)
    rows = np.empty((0, 3), np.int32)
    while len(rows) < most:
        n = min(max(100, len(rows) // 3), most - len(rows))
        belief = Belief(np.zeros((n_items, 1)), answered=rows, asks=OddOneOut(3))
        rows = np.vstack([rows, answered(strategy.propose(belief, n, rng))])
    return rows


WAYS = {"random": at_random, "controversial": controversial}


def found(
    candidates: dict[str, rs.ModelObserver], rows: np.ndarray, n_items: int, marks: Sequence[int]
) -> Iterator[tuple[int, str]]:
    """Say after each number of answers which model makes them most likely."""
    for mark in marks:
        answers = rs.OddOneOuts(rows[:mark], rows[:mark, 0], n_items)
        losses = {k: rs.explained(one, answers).log_loss for k, one in candidates.items()}
        yield mark, min(losses, key=lambda name: losses[name])


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the shares of models that were found, and which were taken for which."""
    run = Run.of(command_line(__doc__ or "").parse_args(arguments))
    marks = QUICK if run.quick else MARKS
    made = spaces(run)
    if run.quick:
        made = dict(list(made.items())[::10])
    candidates = {name: rs.ModelObserver(*space) for name, space in made.items()}
    n_items, looked = len(run.array("spose49")), []
    for number, (name, space) in enumerate(made.items()):
        for way in WAYS:
            somebody = person(space, number)

            def answered(rows: np.ndarray, who: rs.ModelObserver = somebody) -> np.ndarray:
                return who.answer(rs.OddOneOuts(rows, rows[:, 0], n_items)).index

            with quiet():
                rows = WAYS[way](candidates, n_items, answered, marks[-1])
                for mark, best in found(candidates, rows, n_items, marks):
                    looked.append({"way": way, "answers": mark, "true": name, "found": best})
    table = pd.DataFrame(looked)
    table["right"] = table["true"] == table["found"]
    shares = table.groupby(["way", "answers"], sort=False)["right"].mean().unstack()
    run.write("apart", shares.reset_index().to_dict("records"))
    wrong = table[~table["right"]].drop(columns="right")
    run.write("taken_for", wrong.to_dict("records"))


if __name__ == "__main__":
    main()
