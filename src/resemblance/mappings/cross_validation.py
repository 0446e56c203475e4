"""Choose settings of mappings by cross-validation along a path of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, fields
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.errors import quiet
from resemblance.fitting import GroupedKFold, JudgmentsLike, OrdinalEmbedding
from resemblance.fitting.estimator import Estimator
from resemblance.fitting.objective.checks import one_view
from resemblance.judgments import Confusions, as_judgments, of_kind
from resemblance.judgments.convert import refuse_y
from resemblance.mappings.poe import MKPOE, POE, PartialOrderMapping
from resemblance.mappings.yada import Yada
from resemblance.progress import Steps, Told

PENALTIES = tuple((10.0 ** np.arange(-7, 3)).tolist())
DESCENTS = 2  # smallest number of starts for the first fit in a fold; the first start is not random
WALK_TOL = 1e-5  # relative tolerance of fits on the grid
BANDWIDTHS = tuple((2.0 ** np.arange(-2.0, 3.5, 0.5)).tolist())
BETAS = tuple((10.0 ** np.arange(-2, 8)).tolist())


class SettingSearch(Estimator):
    estimator: Any = field(default=None, kw_only=False)
    cv: Any = 5
    n_jobs: int | None = None
    random_state: int = 0

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Map features into the space of the best estimator."""
        check_is_fitted(self, "best_estimator_")
        return np.asarray(self.best_estimator_.transform(X))

    def score(self, X: Any, y: None = None) -> float:
        """Return the score that the best estimator's ``score`` returns."""
        check_is_fitted(self, "best_estimator_")
        return float(self.best_estimator_.score(X))

    def _folds(self) -> Any:
        if isinstance(self.cv, int):
            return GroupedKFold(self.cv, random_state=self.random_state)
        return check_cv(self.cv)

    def _walks(
        self, makes: Sequence[Any], X: Any, folds: Any, name: str, values: Floats, callback: Any
    ) -> list[list[float]]:
        tasks = [delayed(_walk)(make, X, fold, name, values) for make in makes for fold in folds]
        walks = Parallel(n_jobs=self.n_jobs, return_as="generator")(tasks)
        return list(Steps(callback, len(tasks)).each(walks))


class YadaCV(SettingSearch):
    """Choose the penalty and the bandwidth of :class:`Yada` by the likelihood of held-out pairs.

    For each bandwidth and fold, a map is fitted with the smallest penalty. The fit with each larger
    penalty starts from the previous fit, and takes a few iterations. The setting with the highest
    mean log-likelihood of held-out trials is chosen; if settings tie, the setting with the larger
    penalty. Only the final fit uses random starts (except for the exponential in one dimension),
    because random starts double the time and change scores little. Source: Xu, Zhu & Rogers 2012
    (Yada), section 4.3: the grid and the criterion.

    Parameters
    ----------
    estimator : Yada, optional
        The model that gives all other settings; default: ``Yada()``.
    penalties, bandwidths : sequence of float
        The grid. Default: the paper's grid. Its bandwidths are for features between -1 and 1; for
        other features, multiply them by the features' standard deviation.
    cv : int or splitter
        The number of folds of whole pairs (:class:`GroupedKFold`), or a splitter.
    n_jobs : int, optional
        The number of processes, as in joblib.
    random_state : int
        The seed of the folds, and of the descents if the estimator has no seed.

    Attributes
    ----------
    best_estimator_ : Yada
        The model fitted to all rows with the best settings.
    best_penalty_, best_bandwidth_ : float
        The best settings.
    best_score_ : float
        The mean log-likelihood of a held-out trial with the best settings.
    scores_ : array (n_bandwidths, n_penalties)
        The mean log-likelihood of a held-out trial for each cell of the grid.

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
        """Fit every cell of the grid to every fold, then the best cell to all rows."""
        refuse_y(y, X)
        self.choose(X)
        best = {"penalty": self.best_penalty_, "bandwidth": self.best_bandwidth_}
        self.best_estimator_ = clone(self._model()).set_params(**best).fit(X)
        return self

    def choose(self, X: Confusions, callback: Told | None = None) -> Self:
        """Find the best cell of the grid by cross-validation, without the final fit.

        The callback is called with (paths done, paths in all) after each path along the penalties.
        """
        of_kind(X, Confusions, "YadaCV")
        yada = self._model()
        penalties = np.sort(np.asarray(self.penalties, float))
        bandwidths = np.asarray(self.bandwidths, float)
        folds = list(self._folds().split(X))
        models = [
            clone(yada).set_params(bandwidth=float(bandwidth), penalty=penalties[0])
            for bandwidth in bandwidths
        ]
        makes = [partial(_bound, model, X) for model in models]
        walks = self._walks(makes, X, folds, "penalty", penalties, callback)
        self.scores_ = np.reshape(walks, (len(bandwidths), len(folds), len(penalties))).mean(axis=1)
        flat = self.scores_[:, ::-1].argmax()  # The larger penalty wins a tie.
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


def _bound(yada: Yada, confusions: Confusions) -> OrdinalEmbedding:
    settings = {setting.name: getattr(yada, setting.name) for setting in fields(OrdinalEmbedding)}
    form = yada._form_of(confusions.items)
    form = form.bound(one_view(confusions.items), yada._penalty(form))
    settings |= {"choice": yada._choice(), "form": form, "n_init": yada._n_descents(DESCENTS)}
    settings["tol"] = max(yada.tol, WALK_TOL)
    return OrdinalEmbedding(**settings)


class POECV(SettingSearch):
    """Choose beta of :class:`POE` by the agreement of held-out comparisons with distances.

    For each fold, a map is fitted with the smallest beta. The fit with each larger beta starts from
    the previous fit. The beta with the highest mean score is chosen; if scores tie, the smaller
    beta. Source: McFee & Lanckriet 2011, Learning multi-modal similarity, JMLR 12: sections 5.1 and
    5.2.2.

    Parameters
    ----------
    estimator : POE, optional
        The model that gives all other settings; default: ``POE()``.
    betas : sequence of float
        The path. Default: 0.01 to 10,000,000, as in the paper.
    cv : int, splitter, or iterable of (train, test) rows
        An int is the number of folds of whole groups (:class:`GroupedKFold`). :class:`ItemKFold`
        holds out items instead, which tests how well new items are placed.
    n_jobs : int, optional
        The number of processes, as in joblib.
    random_state : int
        The seed of the folds.

    Attributes
    ----------
    best_estimator_ : POE
        The model fitted to all rows with the best beta.
    best_beta_ : float
        The best beta.
    best_score_ : float
        The mean share of held-out comparisons that agree with the distances, for the best beta.
    scores_ : array (n_betas, n_folds)
        This share for each beta and fold.

    Examples
    --------
    >>> import resemblance as rs
    >>> x = np.random.default_rng(0).normal(size=(20, 2))
    >>> asked = [np.random.default_rng(s).choice(20, 3, replace=False) for s in range(200)]
    >>> answered = rs.SpaceObserver(x, random_state=0).answer(asked)
    >>> triplets = rs.Triplets(answered.index, items=rs.Items(features=x))
    >>> search = rs.POECV(betas=[0.1, 10, 1000], cv=3).fit(triplets)
    >>> search.best_beta_, search.scores_.shape
    (1000.0, (3, 3))
    """

    _kind: ClassVar[type[POE] | type[MKPOE]] = POE

    estimator: PartialOrderMapping | None = field(default=None, kw_only=False)
    betas: Sequence[float] = BETAS

    def fit(self, X: JudgmentsLike, y: ArrayLike | None = None) -> Self:
        """Fit every beta to every fold, then the best beta to all rows."""
        judgments = as_judgments(X, y)
        self.choose(judgments)
        self.best_estimator_ = clone(self._model()).set_params(beta=self.best_beta_).fit(judgments)
        return self

    def choose(self, X: JudgmentsLike, callback: Told | None = None) -> Self:
        """Find the best beta by cross-validation, without the final fit.

        The callback is called with (folds done, folds in all) after each fold.
        """
        judgments, betas = as_judgments(X), np.sort(np.asarray(self.betas, float))
        folds = list(self._folds().split(judgments))
        makes = [partial(clone, self._model())]
        self.scores_ = np.array(self._walks(makes, judgments, folds, "beta", betas, callback)).T
        means = self.scores_.mean(axis=1)
        self.best_score_ = float(means.max())
        self.best_beta_ = float(betas[int(means.argmax())])
        return self

    def predict(self, X: JudgmentsLike) -> NDArray[np.int64]:
        """Return the index of the nearest pair of each row, predicted by the best estimator."""
        check_is_fitted(self, "best_estimator_")
        return np.asarray(self.best_estimator_.predict(X))

    def _model(self) -> PartialOrderMapping:
        return self._kind() if self.estimator is None else self.estimator


class MKPOECV(POECV):
    """Choose beta of :class:`MKPOE`, in the same way as :class:`POECV`.

    Parameters
    ----------
    estimator : MKPOE, optional
        The model that gives all other settings; default: ``MKPOE()``.
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
    make: Callable[[], Any], judgments: Any, fold: Sequence[Any], name: str, values: Floats
) -> list[float]:
    """Return scores of held-out rows along a path; each fit starts from the previous fit."""
    fitted, held_out = (judgments[rows] for rows in fold)
    scores = []
    with quiet():
        model = make().set_params(warm_start=True)
        for value in values:
            model.set_params(**{name: float(value)})
            scores.append(model.fit(fitted).score(held_out))
            if "n_init" in model.get_params():
                model.set_params(n_init=1)
    return scores
