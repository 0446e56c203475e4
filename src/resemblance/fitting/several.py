from __future__ import annotations

from copy import copy
from dataclasses import field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.errors import quiet
from resemblance.fitting.answers import most_probable, probabilities
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.fitting.estimator import Estimator
from resemblance.fitting.objective.descent import descend
from resemblance.fitting.objective.objective import Batch, Objective, Part, batches
from resemblance.forms import Coordinates, SeveralMaps, Tabled
from resemblance.judgments import Judgments, as_judgments

MAX_ITER, TOL = 300, 1e-5
WIDTH = 0.25
ROUNDS = 3


class Scan:
    def __init__(self, form, params, answers, choice):
        self.form, self.choice, self.answers = form, choice, answers
        maps, self.logs = form.parts(form.expand(params))
        squares = ((maps[:, :, None] - maps[:, None]) ** 2).sum(axis=3)
        own = self.logs.T[:, None, :] + choice.log_similarity(squares)
        self.whole = logsumexp(own + self.logs.T[:, :, None], axis=0)
        self.places = np.concatenate([maps[0], *(m[form.split] for m in maps[1:])])
        squares = ((self.places[:, None] - maps[:, None]) ** 2).sum(axis=3)
        # log similarity of an item at a place with others, in each map, (M, C, n)
        self.kernels = self.logs.T[:, None, :] + choice.log_similarity(squares)

    def gains(self, i, rows):
        """losses (K,) of answers about item i for rows of log similarity (K, n)."""
        total = np.zeros(len(rows))
        for batch in self.answers:
            pairs = np.array(batch.pairs)  # (P, 2, m)
            hit = (pairs == i).any(axis=(0, 1))
            if not hit.any():
                continue
            a, b = pairs[:, :, hit].swapaxes(0, 1)
            log_s = np.broadcast_to(self.whole[a, b], (len(rows), *a.shape)).copy()
            at, r = np.nonzero((a == i) | (b == i))
            log_s[:, at, r] = rows[:, np.where(a[at, r] == i, b[at, r], a[at, r])]
            utility = log_s[:, batch.layout.members].mean(axis=2)
            loss = logsumexp(utility, axis=1) - utility[:, 0]
            total += loss @ batch.weight[hit] if batch.weight.size else loss.sum(axis=1)
        return total

    def single(self, i):
        rows = logsumexp(self.kernels - np.log(len(self.kernels)), axis=0)
        losses = self.gains(i, np.vstack([rows, self.whole[i]]))
        return losses[:-1].min(), losses[-1]

    def of_item(self, i, spread):
        K = self.kernels - np.log(self.form.n_maps)
        n = len(self.whole)
        C = len(self.places)
        pairs = np.logaddexp(K[0][spread][:, None], K[1][None]).reshape(-1, n)
        two = self.gains(i, pairs)
        best = two.min()
        places = [spread[int(two.argmin()) // C], int(two.argmin()) % C]
        for m in (0, 1, 0, 1):
            losses = self.gains(i, np.logaddexp(K[1 - m][places[1 - m]], K[m]))
            places[m] = int(losses.argmin())
            if m and losses.min() > best - 1e-6: break
            best = losses.min()
        return best, places


def spread_out(X, k):
    chosen, distance = [0], np.full(len(X), np.inf)
    for _ in range(min(k, len(X)) - 1):
        distance = np.minimum(distance, ((X - X[chosen[-1]]) ** 2).sum(axis=1))
        chosen.append(int(distance.argmax()))
    return np.array(chosen)


class MultipleMaps(Estimator):
    estimator: OrdinalEmbedding | None = field(default=None, kw_only=False)
    n_maps: int = 2
    cost: float | str = "auto"
    rounds: int = 2

    def fit(self, X, y=None):
        answers = as_judgments(X)
        single = self.estimator if hasattr(self.estimator, "embedding_") and getattr(self, "_keep", False) else clone(self.estimator).fit(answers)
        self.single_ = single
        self.items_, self.choice_ = single.items_, single.choice_
        X = single.embedding_
        n, d = X.shape
        data = batches(answers)
        per_item = 3 * len(answers) / n
        cost = np.log(9 * n) if self.cost == "auto" else self.cost
        self.cost_ = cost
        self.width_ = WIDTH * np.sqrt((X**2).sum(axis=1).mean())
        split = np.zeros(n, bool)
        def formed(): return SeveralMaps(Coordinates(extent=single.extent_), self.n_maps, self.choice_, single.penalty_, split.copy())
        form = formed()
        params = form.start(X)
        self.gains_ = []
        pruned = np.zeros(n, bool)
        def fitted(params):
            form = formed()
            solution = descend(Objective(data, self.choice_, form, 1.0), params, MAX_ITER, TOL, None)
            return form, form.joined(*form._tied(solution.x)), solution
        for round in range(self.rounds):
            scan = Scan(form, params, data, self.choice_)
            maps, logs = (part.copy() for part in form.parts(params))
            spread = spread_out(maps[0], 12)
            gains, new = np.zeros(n), maps.copy()
            for i in np.flatnonzero(~split & ~pruned):
                one, now = scan.single(i)
                best, places = scan.of_item(i, spread)
                gains[i] = min(one, now) - best
                if gains[i] > cost / 2:
                    new[:, i] = scan.places[places]
                    new[:, i] += 0.1 * self.width_ * np.random.default_rng(i).normal(size=new[:, i].shape)
            self.gains_.append(gains)
            moved = gains > cost / 2
            if not moved.any(): break
            split |= moved
            form, params, solution = fitted(form.joined(new, logs))
            while True:
                scan = Scan(form, params, data, self.choice_)
                left = np.full(n, np.inf)
                for i in np.flatnonzero(split):
                    one, now = scan.single(i); left[i] = one - now
                self.left_ = left
                if left.min() >= cost: break
                i = left.argmin()
                split[i] = False; pruned[i] = True
                form, params, solution = fitted(params)
        self.split_ = split
        form, params, solution = fitted(params)
        self.loss_ = solution.loss
        maps, logs = form.parts(params)
        self.params_, self.form_ = params, form
        self.maps_, self.weights_ = maps, softmax(logs, axis=1)
        self.gap_ = np.sqrt(((maps[1:] - maps[0])**2).sum(axis=2)).max(axis=0)
        self.two_ = np.flatnonzero(split)
        return self

    def predict_proba(self, X):
        answers = as_judgments(X)
        state = self.form_.expand(self.params_)
        return probabilities(answers, self.choice_, lambda c, pair, out: self.form_.distances(state, *pair, 0, out))
