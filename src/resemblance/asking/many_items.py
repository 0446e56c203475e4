"""Information gain where items are many, with the uncertainty of each item alone."""

from collections.abc import Iterator

import numpy as np

from resemblance.arrays import Floats, Ints
from resemblance.asking.belief import Belief
from resemblance.asking.strategies import expected
from resemblance.fitting.laplace.item_uncertainty import ItemUncertainty, seen_through
from resemblance.judgments import Comparison

ONE_OF = 16  # one of 16 candidates is asked before others are drawn


def telling_questions(
    belief: Belief, rng: np.random.Generator, limit: int, n_targets: int, repeats: bool
) -> Iterator[Ints]:
    """Yield the best of ``limit`` candidates, then the best of others, and so on.

    Gains are those of :class:`PredictiveGain`, with one block of Sigma per item, equally frequent
    targets, and the choices of one answer added up. A pool's cost does not depend on the number of
    items. Each yielded question lowers the blocks; positions are current, as the session lets them
    follow the answers.
    """
    sure = belief.item_uncertainty().planned()
    for part in expected(belief, belief.pending):
        sure.expect(part)
    smallest = belief.asks.smallest
    weight = target_weight(sure, smallest.asked(smallest.random(rng, n_targets, belief.n_items)))
    given: set[int] = set()
    while True:
        rows = belief.candidates(rng, limit, repeats)
        rows = rows[[key not in given for key in belief.keys(rows).tolist()]]
        if not len(rows):
            return
        parts = [item_gain(sure, weight, part) for part in expected(belief, rows)]
        gain = np.sum([part.reshape(len(rows), -1).sum(axis=1) for part in parts], axis=0)
        best = rows[np.argsort(-gain, kind="stable")[: -(-len(rows) // ONE_OF)]]
        given.update(belief.keys(best).tolist())
        for part in expected(belief, best):
            sure.expect(part)
        yield from best


def target_weight(sure: ItemUncertainty, targets: Comparison) -> Floats:
    """Return the mean of J'J over targets and the places of an item in them, (d, d)."""
    J = sure.slopes(targets)
    return np.asarray(np.einsum("mrta,mrtb->ab", J, J) / max(len(J) * J.shape[2], 1))


def item_gain(sure: ItemUncertainty, weight: Floats, questions: Comparison) -> Floats:
    r"""Return the fall of the targets' variance by each answer, all items equally frequent.

    .. math:: G(q) = \text{tr} \Big((I + J_q \Sigma J_q')^{-1} \textstyle\sum_i J_{qi} \Sigma_i M
       \Sigma_i J_{qi}'\Big)

    with M the weight (d, d) of an item's variance in a target.
    """
    u, seen = seen_through(sure.slopes(questions), sure.covariance(questions.index))
    inner = np.einsum("mrta,ab,mstb->mrs", u, weight, u, optimize=True)
    return np.asarray(np.trace(np.linalg.solve(seen, inner), axis1=1, axis2=2))
