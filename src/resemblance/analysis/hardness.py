"""Detect whether an active strategy probably chose the questions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.judgments import OneKind, Triplets
from resemblance.judgments.base import one_of

DRAWN = 4000  # number of random questions
LEAST = 0.015  # minimum difference of expected errors between hard and random questions
SURE = 4.0  # minimum difference in standard errors


@dataclass(frozen=True)
class Hardness:
    """The expected error of a fit, mean of 1 - max p, on asked and on random questions."""

    asked: float
    random: float
    chosen: bool  # whether asked questions are significantly harder


def hardness(model: OrdinalEmbedding, judgments: OneKind) -> Hardness | None:
    r"""Compare the expected error on the questions asked with the error on random questions.

    .. math:: \frac{1}{m} \sum_r (1 - \max_k p_{rk})

    is the expected error on m rows r with answer probabilities p_rk. A fit is usually more certain
    about questions to which it was fitted. If it is less certain, a strategy probably chose
    questions with p close to .5. Returns None unless judgments are triplets and the model has a
    likelihood, or if the origin of the questions is known.
    """
    layouts = [compared.layout for compared in judgments.comparisons()]
    if layouts != [one_of(2)] or judgments.at_random is not None:
        return None
    mentioned = np.unique(judgments.index)
    if not model.choice_.one_of_many or len(mentioned) < 4 or len(judgments) < 2:
        return None
    rng = np.random.default_rng(0)
    order = np.argsort(rng.random((DRAWN, len(mentioned))), axis=1)[:, :3]
    drawn = Triplets(mentioned[order], judgments.items)
    asked, random = (1 - model.predict_proba(rows).max(axis=1) for rows in (judgments, drawn))
    excess = float(asked.mean() - random.mean())
    error = float(np.sqrt(asked.var() / len(asked) + random.var() / DRAWN))
    return Hardness(
        float(asked.mean()), float(random.mean()), excess > LEAST and excess > SURE * error
    )
