"""Samplers of Salmon: each line names one to begin, or brings answers; the next questions go out.

    {"sampler": "ARR", "n_items": 30, "seed": 0}    begins
    {"answers": [[head, near, far], ...]}           asks for the next

Salmon asks at random until it has an answer an item, then what scored best since its last update.
"""

import json
import logging
import sys
from contextlib import redirect_stdout
from typing import Any

import numpy as np
from salmon.triplets import samplers

logging.disable(logging.CRITICAL)
Questions = list[list[int]]


def begin(sampler: str, n_items: int, seed: int) -> Any:
    """Make a sampler with its own defaults, in two dimensions."""
    np.random.seed(seed)  # noqa: NPY002  (from which Salmon draws)
    return getattr(samplers, sampler)(n=n_items, d=2, ident=sampler, random_state=seed)


def questions(sampler: Any) -> Questions:
    """Return as many questions as there are items, the first to be asked first."""
    asked = [sampler.get_query()[0] for _ in range(sampler.n)]
    if None not in asked:
        return [[q["head"], q["left"], q["right"]] for q in asked]
    rows, scores, _ = sampler.get_queries(num=20_000)
    return np.asarray(rows)[np.argsort(-np.asarray(scores))[: sampler.n]].tolist()


def answered(answers: Questions) -> list[dict[str, int]]:
    """Lay answers out as Salmon keeps them."""
    return [{"head": h, "left": near, "right": far, "winner": near} for h, near, far in answers]


sampler: Any = None
for line in sys.stdin:
    told = json.loads(line)
    with redirect_stdout(sys.stderr):
        if "answers" in told:
            sampler.process_answers(answered(told["answers"]))
        else:
            sampler = begin(**told)
        rows = questions(sampler)
    print(json.dumps(rows), flush=True)
