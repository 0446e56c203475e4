"""Measure the coverage of intervals of compared RDMs, for other people and other items.

Items are normal in three dimensions. People's weights of these vary by .3 (in logarithms), and
their dissimilarities have noise of .5. A model has two of the dimensions and another one; a second
model has one of them. The truth is the value for very many people and items; for one person, with
that person's weights; if only people are resampled, with the same items. The truth of a noise
ceiling is the mean over as many other people and items.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from table import main, row

import resemblance as rs

DIMS, SPREAD, NOISE = 3, 0.3, 0.5
MODELS = [0, 1, 3], [0, 3, 4]  # dimensions 0 to 2 are those of people
MANY_ITEMS, MANY_PEOPLE = 600, 1000
TRUTHS, TOLD = 24, 8  # draws of many items, and of people for each
RESAMPLES = 300
SIZES = (8, 15), (10, 40), (20, 20), (40, 40)


def items(n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw items: three dimensions that people see, and two that only models have."""
    return rng.normal(size=(n, DIMS + 2))


def weights(n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw how people weigh the dimensions."""
    return np.exp(SPREAD * rng.normal(size=(n, DIMS)))


def people(points: np.ndarray, weights: np.ndarray, rng: np.random.Generator) -> rs.RDMs:
    """Let people tell all dissimilarities, each with an error."""
    seen = [rs.rdm(points[:, :DIMS] * np.sqrt(w)).dissimilarities[0] for w in weights]
    return rs.RDMs(seen + NOISE * rng.normal(size=(len(seen), len(seen[0]))))


def models(points: np.ndarray) -> rs.RDMs:
    """Return the RDMs of both models."""
    return rs.RDMs([rs.rdm(points[:, dims]).dissimilarities[0] for dims in MODELS])


def shown(told: rs.RDMs, of: rs.RDMs, method: str) -> np.ndarray:
    """Return the mean similarity to each model, and the difference."""
    first, second = rs.rdms.similarity.similarities(
        told.dissimilarities, of.dissimilarities, method
    ).mean(axis=0)
    return np.array([first, second, first - second])


def truth(method: str) -> np.ndarray:
    """Return what very many people and items show."""
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(TRUTHS):
        points = items(MANY_ITEMS, rng)
        told = people(points, weights(TOLD, rng), rng)
        drawn.append(shown(told, models(points), method))
    return np.mean(drawn, axis=0)


def look(
    seed: int,
    n_people: int,
    n_items: int,
    method: str,
    over: tuple[str, ...],
    true: np.ndarray | None = None,
) -> dict[str, float]:
    """Compare in one world, and see which intervals hold the truth."""
    rng = np.random.default_rng([seed, n_people, n_items])
    points, own = items(n_items, rng), weights(n_people, rng)
    told, of = people(points, own, rng), models(points)
    true = known(points, own, over, method, rng) if true is None else true
    found = rs.compare_rdms(told, of, method, over=over, n_resamples=RESAMPLES, random_state=seed)
    table = pd.concat([found.table, found.differences.rename(columns={"difference": "estimate"})])
    held = (table["low"] <= true) & (true <= table["high"])
    bias = table["estimate"] - true
    return {
        "held": float(held.iloc[:2].mean()),
        "held difference": float(held.iloc[2]),
        "bias": float(bias.iloc[0]),
        "error": float(table["standard_error"].iloc[0]),
        "width": float((table["high"] - table["low"]).iloc[0]),
    }


def known(
    points: np.ndarray,
    own: np.ndarray,
    over: tuple[str, ...],
    method: str,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return what many items show of these people, or many people of these items."""
    if over == ("items",):
        points = items(MANY_ITEMS, rng)
    else:
        own = weights(MANY_PEOPLE, rng)
    return shown(people(points, own, rng), models(points), method)


def ceiling(seed: int, n_people: int, n_items: int, method: str) -> dict[str, float]:
    """Return both bounds of a noise ceiling and the ends of their intervals."""
    rng = np.random.default_rng([seed, n_people, n_items, 1])
    told = people(items(n_items, rng), weights(n_people, rng), rng)
    lower, upper, (a, b), (c, d) = rs.rdm_noise_ceiling(told, method)
    return {"lower": lower, "upper": upper, "a": a, "b": b, "c": c, "d": d}


def ceilings(about: str, n_people: int, n_items: int, method: str, n_worlds: int, n_jobs: int):
    """Return how often intervals hold the mean of as many other people and items."""
    worlds = (delayed(ceiling)(seed, n_people, n_items, method) for seed in range(4 * n_worlds))
    drawn = pd.DataFrame(Parallel(n_jobs)(worlds))
    found, mean = drawn[:n_worlds], drawn[n_worlds:].mean()
    for bound, low, high in (("lower", "a", "b"), ("upper", "c", "d")):
        held = (found[low] <= mean[bound]) & (mean[bound] <= found[high])
        yield row(about, f"{bound} bound of the ceiling in its interval", "95 %", held, share=True)


CONDITIONS = (
    *((n_people, n_items, "spearman", ("items", "people")) for n_people, n_items in SIZES),
    *((20, 20, method, ("items", "people")) for method in ("pearson", "cosine")),
    (1, 20, "spearman", ("items",)),
    (1, 40, "spearman", ("items",)),
    (20, 20, "spearman", ("people",)),
)


def table(n_worlds: int = 200, n_jobs: int = 2, conditions: tuple = CONDITIONS) -> pd.DataFrame:
    """Return rows for each condition."""
    rows = []
    methods = {method for _, _, method, over in conditions if len(over) == 2}
    of_all = {method: truth(method) for method in sorted(methods)}
    for n_people, n_items, method, over in conditions:
        true = of_all[method] if len(over) == 2 else None
        found = pd.DataFrame(
            Parallel(n_jobs)(
                delayed(look)(seed, n_people, n_items, method, over, true)
                for seed in range(n_worlds)
            )
        )
        about = f"{n_people} people, {n_items} items, {method}, over {' and '.join(over)}"
        rows.append(row(about, "similarity in its interval", "95 %", found["held"], share=True))
        rows.append(
            row(about, "difference in its interval", "95 %", found["held difference"], share=True)
        )
        rows.append(row(about, "bias of the similarity", "0", found["bias"]))
        rows.append(row(about, "width of its interval", "", found["width"]))
        if len(over) == 2:
            rows += ceilings(about, n_people, n_items, method, n_worlds, n_jobs)
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
