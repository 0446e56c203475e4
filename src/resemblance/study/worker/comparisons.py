"""What an answer says, as comparisons with a head that a session can be told."""

from hashlib import blake2b
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.store import Answer
from resemblance.study.kinds import KINDS, Comparison, Spec
from resemblance.study.settings import Settings

Ints = NDArray[np.int32]
TESTS = 3.0  # questions that test fits, at least, in the mean
MOST_TESTS = 1 / 3  # of all questions


def per_answer(settings: Settings) -> int:
    """Count the comparisons of one answer.

    Examples
    --------
    >>> from resemblance.study.settings import Study
    >>> per_answer(Settings(study=Study(name="ties")))
    1
    """
    study = settings.study
    return KINDS[study.kind].per_answer(study.options)


def comparisons(answer: Answer, settings: Settings, n_items: int) -> list[Comparison]:
    """Give what an answer says; where questions are random, some of them are for tests alone.

    `n_items` are those that the study began with.
    """
    spec = answer.spec
    if not settings.adaptive:
        held_out = spec["held_out"] or is_test(spec, settings, n_items)
        spec = spec | {"held_out": held_out, "session": None}
    place = None if answer.skipped else answer.response["chosen"]
    return KINDS[answer.kind].comparisons(spec, place)


def is_test(spec: Spec, settings: Settings, n_items: int) -> bool:
    """Say whether a question tests fits: a share of all that can be asked, the same for ever.

    What is asked decides, not who answers or when: all answers to one question test, or none does.
    The share is `held_out`, or more where so few questions can be asked that hardly one would test.

    Examples
    --------
    >>> from resemblance.study.settings import Asking, Study
    >>> half = Settings(study=Study(name="ties"), asking=Asking(held_out=0.5))
    >>> sum(is_test({"head": head, "options": [1, 2]}, half, 1000) for head in range(1000))
    483
    """
    others = n_items - (spec["head"] is not None)
    possible = comb(others, len(spec["options"])) * (1 if spec["head"] is None else n_items)
    share = max(settings.asking.held_out, min(MOST_TESTS, TESTS / max(possible, 1)))
    words = repr((settings.study.seed, spec["head"], sorted(spec["options"]))).encode()
    number = int.from_bytes(blake2b(words, digest_size=8).digest(), "big")
    return number < share * 2.0**64


def answered_sets(index: Ints, per: int) -> Ints:
    """Give the items of each answer, from its rows: of an odd one out, the odd one first."""
    if per == 1:
        return index
    others = round((1 + np.sqrt(1 + 4 * per)) / 2)  # per = others (others - 1)
    rows = index.reshape(-1, per, 3)
    return np.column_stack([rows[:, 0, 2], rows[:, :: others - 1, 0]])


def odd_ones_found(points: NDArray[Any], sets: Ints) -> NDArray[np.bool_]:
    r"""Say of which sets a map finds the odd one, which is first: the farthest from the others.

    .. math:: \hat o = \arg\max_i \sum_j \lVert x_i - x_j \rVert^2

    Of three items, that is the one which is not of the closest pair.

    Examples
    --------
    >>> odd_ones_found(np.array([[0.0], [1.0], [9.0]]), np.array([[2, 0, 1], [0, 1, 2]]))
    array([ True, False])
    """
    x = points[sets]
    apart = ((x[:, :, None] - x[:, None]) ** 2).sum(axis=(2, 3))
    return np.asarray(apart[:, 0] > apart[:, 1:].max(axis=1))
