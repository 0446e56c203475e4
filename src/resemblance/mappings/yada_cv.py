"""Yada with its penalty and bandwidth chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, fields
from typing import Self

import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, quiet
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.checks import one_view
from resemblance.fitting.estimator import refuse_y
from resemblance.judgments import Confusions
from resemblance.mappings.walks import SettingSearch, Told
from resemblance.mappings.yada import Yada

PENALTIES = tuple((10.0 ** np.arange(-7, 3)).tolist())
DESCENTS = 2  # of the first fit of a fold at least, so that none is from a random start
WALK_TOL = 1e-5  # of the fits of the grid, whose scores need be no more exact
BANDWIDTHS = tuple((2.0 ** np.arange(-2.0, 3.5, 0.5)).tolist())


class YadaCV(SettingSearch):
    """Choose the penalty and the bandwidth of :class:`Yada` by the likelihood of held-out pairs.

    For each bandwidth and fold one map is fitted with the least penalty, and from there with each
    larger one in turn: a few iterations each. The mean log-likelihood of a trial over the folds
    decides; of equal ones, the larger penalty. Random starts are left to the last fit (but for the
    exponential on a line): here they cost twice the time, and scores differ little by them.

    Parameters
    ----------
    estimator : Yada, optional
        Whose other settings are taken; default: ``Yada()``.
    penalties, bandwidths : sequence of float
        The grid; default: that of the paper, whose bandwidths are meant for features within -1 and
        1 (multiply them by the standard deviation of others).
    cv : int or splitter
        The number of folds of pairs, shuffled by ``random_state``, or a splitter.
    n_jobs : int, optional
        Bandwidths and folds at a time (processes), as in joblib.
    random_state : int
        Of the folds, and of the descents where the estimator says nothing of its own.

    Attributes
    ----------
    best_estimator_ : Yada
        Fitted to everything with the best settings.
    best_penalty_, best_bandwidth_ : float
        Those settings.
    best_score_ : float
        Their mean log-likelihood of a held-out trial.
    scores_ : array (n_bandwidths, n_penalties)
        That of every cell.

    References
    ----------
    Xu, Zhu & Rogers 2012 (Yada), section 4.3: the grid and the criterion.

    Examples
    --------
    >>> import resemblance as rs
    >>> x = np.linspace(-1, 1, 8)[:, None]
    >>> pairs = np.column_stack(np.triu_indices(8, 1))
    >>> gap = np.abs(x[pairs[:, 0]] - x[pairs[:, 1]]).ravel()
    >>> errors = np.random.default_rng(0).binomial(50, np.exp(-(gap**2)) / 2)
    >>> counts = rs.Confusions(pairs, errors, 50, rs.Items(features=x))
    >>> search = YadaCV(Yada(1), bandwidths=[0.5, 2.0], penalties=[0.01, 100.0]).fit(counts)
    >>> search.best_penalty_
    0.01
    """

    estimator: Yada | None = field(default=None, kw_only=False)
    penalties: Sequence[float] = PENALTIES
    bandwidths: Sequence[float] = BANDWIDTHS

    def fit(self, X: Confusions, y: None = None) -> Self:
        """Fit every cell of the grid to every fold, then the best one to everything."""
        refuse_y(y, X)
        self.choose(X)
        best = {"penalty": self.best_penalty_, "bandwidth": self.best_bandwidth_}
        self.best_estimator_ = clone(self._model()).set_params(**best).fit(X)
        return self

    def choose(self, X: Confusions, callback: Told | None = None) -> Self:
        """Fit every cell of the grid to every fold, and leave the best one unfitted.

        The callback is called with (walks done, walks in all) after each walk along the penalties.
        """
        if not isinstance(X, Confusions):
            raise JudgmentError(f"YadaCV takes Confusions, not {type(X).__name__}.")
        yada = self._model()
        penalties = np.sort(np.asarray(self.penalties, float))
        bandwidths = np.asarray(self.bandwidths, float)
        folds = list(self._folds(KFold, shuffle=True).split(np.zeros((len(X), 1))))
        tasks = [
            delayed(_walk)(yada, X, train, test, float(bandwidth), penalties)
            for bandwidth in bandwidths
            for train, test in folds
        ]
        walks = self._walks(tasks, callback)
        self.scores_ = np.reshape(walks, (len(bandwidths), len(folds), len(penalties))).mean(axis=1)
        flat = self.scores_[:, ::-1].argmax()  # the larger penalty first
        row, column = divmod(int(flat), len(penalties))
        self.best_bandwidth_ = float(bandwidths[row])
        self.best_penalty_ = float(penalties[::-1][column])
        self.best_score_ = float(self.scores_.max())
        return self

    def _model(self) -> Yada:
        yada = clone(Yada() if self.estimator is None else self.estimator)
        if yada.random_state is None:
            yada.random_state = self.random_state
        return yada


def _walk(
    yada: Yada,
    confusions: Confusions,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    bandwidth: float,
    penalties: Floats,
) -> list[float]:
    """Fit from the least penalty to the largest, each from the one before; score held-out pairs."""
    fitted, held_out = confusions[train], confusions[test]
    scores = []
    with quiet():
        first = clone(yada).set_params(bandwidth=bandwidth, penalty=penalties[0])
        model = _bound(first, confusions)
        for penalty in penalties:
            model.penalty = float(penalty)
            scores.append(model.fit(fitted).score(held_out))
            model.set_params(warm_start=True, n_init=1)
    return scores


def _bound(yada: Yada, confusions: Confusions) -> OrdinalEmbedding:
    """Return the same model with its map bound to the features, which it is then only once."""
    settings = {known.name: getattr(yada, known.name) for known in fields(OrdinalEmbedding)}
    form = yada._form()
    form = form.bound(one_view(confusions.items), yada._penalty(form))
    settings |= {"choice": yada._choice(), "form": form, "n_init": yada._n_descents(DESCENTS)}
    settings["tol"] = max(yada.tol, WALK_TOL)
    return OrdinalEmbedding(**settings)
