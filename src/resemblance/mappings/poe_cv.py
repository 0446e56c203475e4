"""Partial order embedding with its beta chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import ClassVar, Self

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.errors import quiet
from resemblance.fitting import GroupedKFold, JudgmentsLike
from resemblance.judgments import Judgments, as_judgments
from resemblance.mappings.poe import MKPOE, POE, PartialOrderMapping
from resemblance.mappings.walks import SettingSearch, Told

BETAS = tuple((10.0 ** np.arange(-2, 8)).tolist())


class POECV(SettingSearch):
    """Choose beta of :class:`POE` by the held-out comparisons that distances agree with.

    For each fold one map is fitted with the least beta, and from there with each larger one in
    turn. The mean score of the folds decides; of equal ones, the smaller beta.

    Parameters
    ----------
    estimator : POE, optional
        Whose other settings are taken; default: ``POE()``.
    betas : sequence of float
        The path; default: 0.01 to 10,000,000, as in the paper.
    cv : int, splitter, or iterable of (train, test) rows
        An int is that many folds of whole groups (:class:`GroupedKFold`); :class:`ItemKFold` holds
        out items instead, which tests how well new ones are placed.
    n_jobs : int, optional
        Folds at a time (processes), as in joblib.
    random_state : int
        Of the folds.

    Attributes
    ----------
    best_estimator_ : POE
        Fitted to everything with the best beta.
    best_beta_ : float
        That beta.
    best_score_ : float
        Its mean share of held-out comparisons that the distances agree with.
    scores_ : array (n_betas, n_folds)
        That share for each beta and fold.

    References
    ----------
    McFee & Lanckriet 2011, Learning multi-modal similarity, JMLR 12: sections 5.1 and 5.2.2.

    Examples
    --------
    >>> import resemblance as rs
    >>> x = np.random.default_rng(0).normal(size=(20, 2))
    >>> asked = [np.random.default_rng(s).choice(20, 3, replace=False) for s in range(200)]
    >>> answered = rs.SpaceObserver(x, random_state=0).answer(asked)
    >>> triplets = rs.Triplets(answered.index, items=rs.Items(features=x))
    >>> search = rs.POECV(betas=[0.1, 10, 1000], cv=3).fit(triplets)
    >>> search.best_beta_, search.scores_.shape
    (10.0, (3, 3))
    """

    _kind: ClassVar[type[POE] | type[MKPOE]] = POE

    estimator: PartialOrderMapping | None = field(default=None, kw_only=False)
    betas: Sequence[float] = BETAS

    def fit(self, X: JudgmentsLike, y: ArrayLike | None = None) -> Self:
        """Fit every beta to every fold, then the best one to everything."""
        judgments = as_judgments(X, y)
        self.choose(judgments)
        self.best_estimator_ = clone(self._model()).set_params(beta=self.best_beta_).fit(judgments)
        return self

    def choose(self, X: JudgmentsLike, callback: Told | None = None) -> Self:
        """Fit every beta to every fold, and leave the best one unfitted.

        The callback is called with (folds done, folds in all) after each fold.
        """
        judgments, betas = as_judgments(X), np.sort(np.asarray(self.betas, float))
        tasks = [
            delayed(_walk)(clone(self._model()), judgments, train, test, betas)
            for train, test in self._folds(GroupedKFold).split(judgments)
        ]
        self.scores_ = np.array(self._walks(tasks, callback)).T
        means = self.scores_.mean(axis=1)
        self.best_score_ = float(means.max())
        self.best_beta_ = float(betas[int(means.argmax())])
        return self

    def predict(self, X: JudgmentsLike) -> NDArray[np.int64]:
        """Say which compared pair of each row is the nearest, as the best estimator has it."""
        check_is_fitted(self, "best_estimator_")
        return np.asarray(self.best_estimator_.predict(X))

    def _model(self) -> PartialOrderMapping:
        return self._kind() if self.estimator is None else self.estimator


class MKPOECV(POECV):
    """Choose beta of :class:`MKPOE`; all as in :class:`POECV`.

    Parameters
    ----------
    estimator : MKPOE, optional
        Whose other settings are taken; default: ``MKPOE()``.
    betas, cv, n_jobs, random_state
        As in :class:`POECV`, which also lists the learned attributes.

    Examples
    --------
    >>> import resemblance as rs
    >>> rs.MKPOECV(rs.MKPOE(kernels={"tags": "tfidf", "sound": "rbf"}), cv=10).cv
    10
    """

    _kind = MKPOE


def _walk(
    model: PartialOrderMapping,
    judgments: Judgments,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    betas: Floats,
) -> list[float]:
    """Fit from the least beta to the largest, each from the one before; score what is held out."""
    model.warm_start = True
    fitted, held_out = judgments[train], judgments[test]
    scores = []
    with quiet():
        for beta in betas:
            model.beta = float(beta)
            scores.append(model.fit(fitted).score(held_out))
    return scores
