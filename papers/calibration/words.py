"""Measure how far the directions of words can be trusted, in studies that ask "in which way?".

20 to 40 items in two or three dimensions; people choose the odd one of three, or triplets, and say
a word after a share of the questions. Three directions have names. A person names the direction in
which the odd one differs most, nearly; words have a sense ("louder", "quieter") or none ("size"),
each has a synonym, a tenth of the words are of no direction, people lapse and skip. Maps are fitted
to the answers. Words without a direction are drawn at random, by the odd item, by any of the items
shown, or by the person.
"""

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.linalg import orthogonal_procrustes
from table import main, row
from worlds import scale

import resemblance as rs

STUDIES = {  # number of people, questions of each, share of questions with a word
    "20 people, 30 words each": (20, 100, 0.4),
    "40 people, 22 words each": (40, 100, 0.3),
    "60 people, 30 words each": (60, 100, 0.4),
}
NAMED = {"a sense": True, "no sense": False}
UNNAMED = ("at random", "the odd item", "any item", "the person")
N_NAMED, N_OTHER = 3, 15
NEAR = 0.1  # largest difference of a correlation from the true one


@dataclass(frozen=True)
class Study:
    """Answers with words, and the truth behind them.

    Attributes
    ----------
    answers : OddOneOuts or Triplets
        The answers, with the extra column "reason".
    points : array (n_items, k)
        The true positions.
    named : array (3, k)
        The true directions with names, as unit vectors.
    contrasts : array (m, k)
        The odd item of each answer minus the mean of the others, in truth.
    """

    answers: rs.OddOneOuts | rs.Triplets
    points: np.ndarray
    named: np.ndarray
    contrasts: np.ndarray

    @property
    def words(self) -> np.ndarray:
        return self.answers.extra["reason"]

    def true_correlation(self, word: str, has_sense: bool) -> float:
        """Return the correlation of a word with the true contrast along its direction."""
        given = self.words != ""
        along = self.contrasts[given] @ self.named[int(word[1])]
        along = along * (-1 if "-" in word else 1) if has_sense else np.abs(along)
        return float(np.corrcoef(self.words[given] == word, along)[0, 1])


def answered(seed: int, n_people: int, n_each: int, triplets: bool):
    """Let a crowd answer random questions; return answers and true positions."""
    rng = np.random.default_rng([seed, 91])
    n, k = int(rng.integers(20, 41)), int(rng.integers(2, 4))
    points, lapse = rng.normal(size=(n, k)), rng.uniform(0.0, 0.1)
    size = scale(points, "softmax", lapse, rng.uniform(0.68, 0.85))
    person = rs.SpaceObserver(size * points, lapse=lapse, random_state=seed)
    shown = rng.random((n_people * n_each, n)).argpartition(3, axis=1)[:, :3]
    asked = rs.Triplets(shown, n) if triplets else rs.OddOneOuts(shown, shown[:, 0], n)
    return person.answer(asked), points


def directions(k: int, rng: np.random.Generator) -> np.ndarray:
    """Draw three directions, none nearly along another."""
    while True:
        named = rng.normal(size=(N_NAMED, k))
        named /= np.linalg.norm(named, axis=1, keepdims=True)
        if np.abs(named @ named.T - np.eye(N_NAMED)).max() < 0.7:
            return named


def study(
    seed: int, n_people: int, n_each: int, share: float, words_of: str, triplets: bool = False
) -> Study:
    """Draw a study whose words have directions with or without a sense, or no direction."""
    answers, points = answered(seed, n_people, n_each, triplets)
    rng, m = np.random.default_rng([seed, 92]), len(answers)
    index = answers.index[:, ::-1] if triplets else answers.index
    contrasts = points[index[:, 0]] - points[index[:, 1:]].mean(axis=1)
    who = np.repeat(np.arange(n_people), n_each)
    named = directions(points.shape[1], rng)
    if words_of in NAMED:
        words = named_words(contrasts @ named.T, NAMED[words_of], who, rng)
    else:
        words = other_words(words_of, index, who, rng)
    skips = rng.uniform(0.0, 0.5, n_people)[who]
    words[(rng.random(m) > share) | (rng.random(m) < skips)] = ""
    extra = {"reason": words.astype(str)}
    if triplets:
        kept = rs.Triplets(answers.index, len(points), observer=who.astype(str), extra=extra)
    else:
        odd = answers.index[:, 0]
        kept = rs.OddOneOuts(answers.index, odd, len(points), observer=who.astype(str), extra=extra)
    return Study(kept, points, named, contrasts)


def named_words(
    along: np.ndarray, has_sense: bool, who: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Name the direction in which the odd one differs most, with noise, lapses and synonyms."""
    m = len(along)
    along = along / along.std(axis=0)
    noticed = rng.uniform(1.0, 2.5) * np.abs(along) + rng.gumbel(size=along.shape)
    lapse = rng.random(m) < rng.uniform(0.1, 0.2)
    concept = np.where(lapse, rng.integers(N_NAMED, size=m), noticed.argmax(axis=1))
    rises = np.where(lapse, rng.random(m) < 0.5, along[np.arange(m), concept] > 0)
    own = rng.random((who.max() + 1, N_NAMED)) < 0.3  # who says the synonym
    synonym = own[who, concept] ^ (rng.random(m) < 0.1)
    ends = np.where(rises, "+", "-") if has_sense else np.full(m, "")
    words = [f"w{c}{e}{'s' if s else ''}" for c, e, s in zip(concept, ends, synonym, strict=True)]
    other = rng.random(m) < 0.1
    return np.where(other, [f"n{v}" for v in rng.integers(N_OTHER, size=m)], words)


def other_words(
    words_of: str, index: np.ndarray, who: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Draw words that depend on no direction."""
    m = len(index)
    of_item = rng.integers(N_OTHER, size=index.max() + 1)
    of_person = rng.integers(N_OTHER, size=(who.max() + 1, 3))
    drawn = {
        "at random": (N_OTHER * rng.random(m) ** 2).astype(int),
        "the odd item": of_item[index[:, 0]],
        "any item": of_item[index[np.arange(m), rng.integers(3, size=m)]],
        "the person": of_person[who, rng.integers(3, size=m)],
    }[words_of]
    other = rng.random(m) < rng.choice([0.0, 0.1])
    number = np.where(other, rng.integers(N_OTHER, size=m), drawn)
    return np.array([f"n{v}" for v in number], dtype=object)


def fitted(drawn: Study) -> np.ndarray:
    """Fit a map to the answers of a study."""
    k = drawn.points.shape[1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.errors.ResemblanceWarning)
        return rs.STE(k, tol=1e-3, random_state=0).fit(drawn.answers).embedding_


def look(seed: int, n_people: int, n_each: int, share: float, words_of: str, triplets: bool):
    """Return a row for each true name (its synonyms left out), or for the study without names."""
    drawn = study(seed, n_people, n_each, share, words_of, triplets)
    points = fitted(drawn)
    found = rs.scores.word_directions(points, drawn.answers)
    if words_of in UNNAMED:
        return [{"false": len(found.shown) > 0}]
    turn = orthogonal_procrustes(drawn.points - drawn.points.mean(0), points - points.mean(0))[0]
    rows = []
    for word in [
        f"w{c}{end}" for c in range(N_NAMED) for end in ("+-" if NAMED[words_of] else [""])
    ]:
        true, one = drawn.true_correlation(word, NAMED[words_of]), word in found.names
        at = found.names.index(word) if one else 0
        shown = one and at in found.shown
        told = found.correlation[at] if shown else np.nan
        u = drawn.named[int(word[1])] @ turn
        rows.append(
            {
                "shown": shown,
                "near": abs(told - true) <= NEAR,
                "true": true,
                "error": told - true,
                "cosine": abs(found.direction[at] @ u) if shown else np.nan,
                "sense": found.one_way[at] == NAMED[words_of] if shown else np.nan,
                "other": any(found.names[k].startswith("n") for k in found.shown),
            }
        )
    return rows


def table(n_worlds: int = 60, n_jobs: int = 2, first: int = 4000) -> pd.DataFrame:
    """Return a row for each number."""
    rows = []
    for triplets in (False, True):
        for about, settings in STUDIES.items():
            about = f"{'triplets' if triplets else 'odd one out'}, {about}"
            for words_of in (*NAMED, *UNNAMED):
                jobs = (
                    delayed(look)(seed, *settings, words_of, triplets)
                    for seed in range(first, first + n_worlds)
                )
                found = pd.DataFrame([one for world in Parallel(n_jobs)(jobs) for one in world])
                if words_of in UNNAMED:
                    name = f"any direction told, words by {words_of}"
                    rows.append(row(about, name, "at most 5 %", found["false"], share=True))
                    continue
                name = f"{words_of}: r within .1 of the truth"
                rows.append(row(about, name, "8 of 10", found["near"], share=True))
                rows.append(row(about, f"{words_of}: told", "", found["shown"], share=True))
                for what in ("true", "error", "cosine"):
                    rows.append(row(about, f"{words_of}: {what}", "", found[what].dropna()))
                rows.append(row(about, f"{words_of}: rightly", "", found["sense"].dropna(), True))
                rows.append(row(about, f"{words_of}: others told", "", found["other"], share=True))
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main(table, __doc__)
