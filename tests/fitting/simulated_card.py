"""Compare the card's kernels, run by Numba's simulator, with the processor; print the numbers.

Given a folder for a file of answers, compare fits instead.

The simulator has to be chosen before Numba is imported (NUMBA_ENABLE_CUDASIM=1), so this is a
program of its own.
"""

import json
import sys
from functools import cache
from itertools import repeat

import numpy as np

import resemblance as rs
from resemblance.choice import MODELS, Exponential, Relative, Softmax, SquaredHinge
from resemblance.errors import SettingError, UnavailableError
from resemblance.fitting.objective import _kernels, card, stored
from resemblance.fitting.objective.objective import Part, batches
from resemblance.forms import Form

rng = np.random.default_rng(0)


@cache
def the_card():
    return card.Card("cuda")


def rows(kind, n_rows=24, n_items=12):
    at = np.array([rng.permutation(n_items)[:4] for _ in range(n_rows)])
    weight = rng.random(n_rows)
    return {
        "triplets": lambda: rs.Triplets(at[:, :3]),
        "weighted": lambda: rs.Quadruplets(at, weight=weight),
        "odd": lambda: rs.OddOneOuts(at[:, :3], at[:, 2]),
        "choices": lambda: rs.Choices(at[:, 0], at[:, 1:], at[:, 1], weight=weight),
        "confusions": lambda: confusions(at),
    }[kind]()


def confusions(at):
    pairs = np.unique(np.sort(at[:, :2], axis=1), axis=0)
    trials = rng.integers(1, 9, len(pairs))
    return rs.Confusions(pairs, rng.integers(0, trials + 1), trials)


def on_both(data, choice, X):
    loss, gradient = Part(data, choice, Form())(X)
    on_card, slopes = card.CardPart(card.CardRows.in_memory(the_card(), data), choice)(X)
    off = np.abs(slopes - gradient).max() / np.abs(gradient).max()
    return float(abs(on_card / loss - 1.0)), float(off)


def kernels():
    """Return how far loss and gradient of each layout and model are from the processor's."""
    comparing = [model() for model in MODELS]
    several = [model for model in comparing if model.one_of_many]
    confusing = [*(model for model in comparing if model.confuses), Exponential()]
    allowed = {"triplets": comparing, "weighted": comparing, "odd": several, "choices": several}
    allowed["confusions"] = confusing
    return {
        f"{kind} {type(choice).__name__} {n}": on_both(
            batches(rows(kind)), choice, rng.normal(size=(12, n))
        )
        for kind, models in allowed.items()
        for at, choice in enumerate(models)
        for n in ((2, 5) if at == 0 else (2,))
    }


def long_steps():
    """Return the same where a step is longer than the positions suggest."""
    data, X = batches(rows("triplets")), 1e-3 * rng.normal(size=(12, 2))
    return {
        "margin": on_both(data, SquaredHinge(margin=100.0), X),
        "relative": on_both(data, Relative(mu=1e-9), X),
    }


def equal_bits():
    """Return whether rows that are sent at each pass, or after a full memory, give equal bits."""
    data, X = batches(rows("triplets")), rng.normal(size=(12, 2))
    kept = card.CardRows.in_memory(the_card(), data)
    loss, gradient = card.CardPart(kept, Softmax())(X)

    def same(rows):
        again, slopes = card.CardPart(rows, Softmax())(X)
        return again == loss and bool((slopes == gradient).all())

    results = {"again": same(kept)}
    room, card.Card.free = card.Card.free, 0.0
    sent = card.CardRows.in_memory(the_card(), data)
    results["sent"] = same(sent) and not sent.kept
    card.Card.free = room
    full = card.CardRows.in_memory(the_card(), data)
    failures = iter([True])

    def send(batch):
        if next(failures, False):
            raise the_card().cuda.cudadrv.driver.CudaAPIError(2, "CUDA_ERROR_OUT_OF_MEMORY")
        return card.CardRows.send(full, batch)

    full.send = send
    results["after a full memory"] = same(full)
    failures = repeat(True)
    try:
        same(full)
    except UnavailableError:
        results["full for good"] = True
    return results


def not_finite():
    data = batches(rows("triplets"))
    part = card.CardPart(card.CardRows.in_memory(the_card(), data), Softmax())
    loss, gradient = part(np.full((12, 2), np.nan))
    nowhere, still = part(np.zeros((12, 2)))
    return {
        "loss": bool(np.isnan(loss)),
        "gradient": bool(np.isnan(gradient).all()),
        "in one place": bool(
            abs(nowhere / (len(data[0]) * np.log(2.0)) - 1.0) < 1e-12 and not still.any()
        ),
    }


def fits(folder):
    """Return the losses of fits on processor and card, in memory and from a file."""
    card.FEWEST_ROWS, stored.SAMPLE_ROWS, stored.ROWS_PER_ITEM = 1, 100, 1
    triplets, given = rows("triplets", 300), {"max_iter": 4, "random_state": 0, "penalty": 0.1}
    path = f"{folder}/triplets.parquet"
    triplets.to_pandas().to_parquet(path)
    of_file = rs.Triplets.scan(path)
    losses = {}
    for name, judgments in (("memory", triplets), ("file", of_file)):
        models = [rs.STE(2, device=device, **given) for device in ("cpu", "cuda")]
        losses[name] = [model.fit(judgments).loss_ for model in models]
    return losses


def refusals():
    card.FEWEST_ROWS = 1
    at = rows("triplets").index
    tries = {
        "cuda:7": (rs.STE(device="cuda:7"), at),
        "gram": (rs.STE(device="cuda", form="gram"), at),
        "ratings": (rs.STE(device="cuda"), rs.Ratings(at[:, :2], at[:, 2] % 5 + 1, 5)),
    }
    refused = {}
    for name, (model, judgments) in tries.items():
        try:
            model.fit(judgments)
        except SettingError as error:
            refused[name] = error.setting
    return refused


if __name__ == "__main__":
    _kernels.MOST_BLOCKS, _kernels.BLOCK = 2, 8  # the simulator runs each thread by itself
    if folder := sys.argv[1:]:
        print(json.dumps(fits(*folder)))
    else:
        parts = kernels, long_steps, equal_bits, not_finite, refusals
        print(json.dumps({part.__name__: part() for part in parts}))
