"""Choose penalties, and the share of features in a prior, by held-out log loss."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator
from scipy.special import logsumexp
from sklearn.base import clone

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.errors import EmptyError, SettingError, quiet
from resemblance.fitting.estimator import Embeds
from resemblance.fitting.folds import Units
from resemblance.fitting.objective.objective import Batch, batches
from resemblance.fitting.objective.starts import Kept, keeping, signed_laplacian
from resemblance.forms import Coordinates, FeatureMap, FeaturePrior, Form
from resemblance.geometry import some_eigenvectors
from resemblance.judgments import (
    AnyJudgments,
    Judgments,
    OneKind,
    are_answers,
    join_judgments,
    one_kind,
)
from resemblance.scores import weighted_mean

T = TypeVar("T", bound=Embeds)
Folds: TypeAlias = list[tuple[NDArray[np.intp], NDArray[np.intp]]]

AUTO = "auto"
STEP = 3.0  # ratio of consecutive penalties
MOST_STEPS = 14  # maximum number of penalties on a path
FEW_ITEMS = 300  # up to this many items, all eigenvalues are computed
PATIENCE = 2  # a path ends after this many weaker penalties without gain
MANY, PLENTY = 2000, 20  # with this many answers, and this many per item, two folds are enough
FOLDS, FEW_FOLDS = 5, 2
FINER = 3  # maximum number of times that steps are halved
CLEARLY = 5e-3  # a step is halved if the log loss rises by more than this share
UNEVEN_STEPS = 4  # number of penalties to try for coordinates with an extent
LEAST_DIMENSIONS = 3  # an extent is tried with this many dimensions or more
EXTENT = 0.3  # extent of a coordinate that halves its shrinkage; the choice model sets the unit
# a fit counts as a map if its log loss is lower than the loss of guessing by at least this share
LEAST_GAIN = 1e-3
SHARES = 0.0, 0.25, 0.5, 0.75, 1.0  # candidates for the share of features
SAYS_NOTHING = 1e-9  # features with a smaller maximum count as 0


def refuse_auto(choice: ChoiceModel, form: Form, judgments: AnyJudgments) -> None:
    if not (isinstance(form, Coordinates) and choice.one_of_many and choice.reads == "squared"):
        raise SettingError(
            'penalty="auto" needs coordinates and a likelihood of squared distances '
            "(CKL, STE, TSTE): give a number here, and compare some by cross_validate or "
            "GridSearchCV.",
            setting="penalty",
        )
    if not are_answers(judgments):
        raise SettingError(
            f'penalty="auto" needs comparisons, and these are {judgments!r}: give a '
            "number, and compare some by cross_validate.",
            setting="penalty",
        )


def strongest_penalty(
    data: list[Batch], choice: ChoiceModel, n_items: int, form: FeatureMap | None = None
) -> float:
    r"""Return the approximate penalty above which all positions collapse.

    .. math:: \lambda_0 = \ell' \, \max_{|v| = 1} v' L v

    Here L is the Laplacian of far pairs minus near pairs, and l' the slope of the loss at distance
    0. For a map of features with parameters v and positions A v, A'LA replaces L.
    """
    L, _ = signed_laplacian(data, n_items)
    if not np.abs(L.data).sum():  # all answers cancel each other out
        return 0.0
    if form is not None:
        most = _largest(_seen_through(form, L))
    elif n_items <= FEW_ITEMS:
        most = float(np.linalg.eigvalsh(L.toarray()).max())
    else:
        most = _largest(L)
    return _slope(choice) * max(most, 0.0)


def extent_of(choice: ChoiceModel) -> float:
    """Return the mean squared coordinate at which a dimension is shrunk half as much.

    This extent is proportional to the squared distance at which answers become certain: 1 for the
    softmax of squared distances, mu for relative distances.
    """
    return EXTENT / (2.0 * _slope(choice))


def _slope(choice: ChoiceModel) -> float:
    return float(choice.slopes(0.0, 0.0)[0])


def _largest(L: csr_array | LinearOperator) -> float:
    rng = np.random.default_rng(0)
    return float(some_eigenvectors(L, 1, rng, which="LA", tol=1e-2, return_eigenvectors=False)[0])


def _seen_through(form: FeatureMap, L: csr_array) -> LinearOperator:
    size = len(form.start(np.zeros((L.shape[0], 1))))

    def product(v: Floats) -> Floats:
        params = np.reshape(v, (size, 1))
        return form.pull_back(params, L @ form.expand(params))[:, 0]

    return LinearOperator((size, size), matvec=product, dtype=np.float64)


def settled(estimator: T, judgments: AnyJudgments) -> T:
    """Return an estimator whose "auto" penalty is replaced by the value that a fit chooses."""
    if getattr(estimator, "penalty", None) != AUTO:
        return estimator
    if not hasattr(estimator, "penalty_"):
        with quiet():
            estimator = clone(estimator).fit(judgments)
    made: T = clone(estimator).set_params(**estimator.chosen_)
    return made


def choose_penalty(
    estimator: Embeds, form: Form, judgments: OneKind, data: list[Batch], choice: ChoiceModel
) -> tuple[Form, float, Floats]:
    r"""Choose the penalty by cross-validated log loss, on a path from strong to weak.

    The path begins at the penalty under which all positions collapse, and each next penalty is a
    third, until two bring no gain. The fits of a fold continue each other. Steps near the best
    penalty are halved while a neighbour is clearly worse. Then a parabola through the best three
    penalties gives the minimum. If guessing is best, the result is the strongest penalty under
    which positions differ in any fold.

    With three or more dimensions and no given form, penalties that shrink long dimensions less
    (:class:`~resemblance.forms.Coordinates` with an extent), up to five times as strong, are tried
    next. If they are better, :func:`grown` gives the penalty for all answers. Return the form, the
    penalty, and the log losses of the folds at the best penalty tried, (n_folds,).
    """
    first = strongest_penalty(data, choice, judgments.n_items)
    folds = folds_of(judgments)
    search = Search.of(estimator, judgments, folds)
    if not first > 0 or not folds:
        return form, max(first, 0.0), np.array([path.guess for path in search.paths])
    search.walk(first)
    penalty = search.refined()
    plain = isinstance(form, Coordinates) and not form.unit_norm
    uneven = plain and estimator.n_components >= LEAST_DIMENSIONS
    if uneven and estimator.form == "coordinates" and search.maps:
        long = Coordinates(extent=extent_of(choice))
        other = search.under(long)
        for stronger in range(UNEVEN_STEPS):
            other.look(penalty * STEP ** (stronger / 2))
        if other.maps and other.losses[other.best].mean() < search.losses[search.best].mean():
            form, search, penalty = long, other, grown(other.refined(), len(folds))
    return form, penalty, search.losses[search.best]


def grown(penalty: float, n_folds: int) -> float:
    r"""Return the penalty for all answers: :math:`\sqrt{k / (k - 1)}` times the k folds' penalty.

    The penalty that suppresses noise grows with the square root of the number of answers, and a fit
    without a fold has fewer answers.
    """
    return penalty * float(np.sqrt(n_folds / (n_folds - 1))) if n_folds > 1 else penalty


def folds_of(judgments: OneKind) -> Folds:
    plenty = len(judgments) >= max(MANY, PLENTY * judgments.n_items)
    return Units(judgments, n_splits=FEW_FOLDS if plenty else FOLDS).folds()


class Search:
    """A search for the penalty with the lowest held-out log loss."""

    def __init__(self, paths: list[_Path]) -> None:
        self.paths = paths
        self.losses: dict[float, Floats] = {}  # penalty to log losses of the folds
        self.maps: set[float] = set()  # penalties under which positions differ in any fold

    @classmethod
    def of(cls, estimator: Embeds, judgments: OneKind, folds: Folds) -> Search:
        return cls([_Path(estimator, judgments[train], judgments[test]) for train, test in folds])

    def walk(self, first: float, near: float | None = None) -> None:
        """Try weaker and weaker penalties until there is no gain."""
        start = first if near is None else min(first, STEP * near)
        for weaker in range(MOST_STEPS):
            self.look(start * STEP**-weaker)
            if self.ended:
                break
        while self.best == max(self.losses) < first:
            self.look(STEP * self.best)

    def look(self, penalty: float) -> None:
        # Strong penalties may shrink all dimensions to 0. The search expects this, so no warning.
        with quiet():
            results = [path.loss(penalty) for path in self.paths]
        self.losses[penalty] = np.array([loss for loss, _ in results])
        if any(has_map for _, has_map in results):
            self.maps.add(penalty)

    @property
    def best(self) -> float:
        return min(self.losses, key=lambda penalty: float(self.losses[penalty].mean()))

    @property
    def ended(self) -> bool:
        return sum(penalty < self.best for penalty in self.maps) >= PATIENCE

    def under(self, form: Form) -> Search:
        """Return a search with another form, whose fits start from the fits of this search."""
        return Search([path.under(form) for path in self.paths])

    def beside(self, extra: OneKind) -> Search:
        """Return a search whose fits also use extra answers, and start from this one's fits."""
        return Search([path.beside(extra) for path in self.paths])

    @property
    def least(self) -> Floats:
        return self.losses[self.best]

    def is_clearly_likelier_than(self, other: Search) -> bool:
        gain = other.least - self.least
        return bool(gain.mean() > gain.std(ddof=1) / np.sqrt(len(gain)))

    def refined(self) -> float:
        """Return the best penalty, after halving steps while a neighbour is clearly worse."""
        if not self.maps:
            return 0.0
        for _ in range(FINER):
            tried, losses = self._sorted()
            at = int(losses.argmin())
            beside = [k for k in (at - 1, at + 1) if 0 <= k < len(tried)]
            if max(losses[beside], default=0.0) <= (1 + CLEARLY) * losses[at]:
                break
            for k in beside:
                self.look(float(np.sqrt(tried[at] * tried[k])))
        return min(least_between(*self._sorted()), max(self.maps))

    def _sorted(self) -> tuple[Floats, Floats]:
        strongest = max(self.maps)
        guess = min((penalty for penalty in self.losses if penalty > strongest), default=strongest)
        tried = sorted((penalty for penalty in self.losses if penalty <= guess), reverse=True)
        return np.array(tried), np.array([self.losses[penalty].mean() for penalty in tried])


class _Path:
    def __init__(self, estimator: Embeds, train: OneKind, test: OneKind) -> None:
        self.model = clone(estimator).set_params(init="spectral", n_init=1)
        self.train, self.test = train, test
        self.own = train  # training answers without extra answers
        self.starts: Kept = {}  # cached spectral starts
        self.guess = weighted_mean(train.guesses()["log_loss"], train.weights)

    def under(self, form: Form) -> _Path:
        path = copy(self)
        path.model, path.starts = copy(self.model).set_params(form=form), {}
        return path

    def beside(self, extra: OneKind) -> _Path:
        path = copy(self)
        path.model, path.starts = copy(self.model), {}
        path.train = join_judgments([self.own, extra])
        path.guess = weighted_mean(path.train.guesses()["log_loss"], path.train.weights)
        return path

    def loss(self, penalty: float) -> tuple[float, bool]:
        with keeping(self.starts):
            model = self.model.set_params(penalty=penalty).fit(self.train)
        has_map = model.log_loss(self.train) <= (1 - LEAST_GAIN) * self.guess
        model.set_params(warm_start=has_map)
        return model.log_loss(self.test), has_map


def least_between(penalties: Floats, losses: Floats) -> float:
    """Return the minimum of a parabola through the best log penalty and its neighbours."""
    at = int(losses.argmin())
    if at in (0, len(losses) - 1) or not np.isfinite(losses[at - 1 : at + 2]).all():
        return float(penalties[at])
    before, least, after = losses[at - 1 : at + 2]
    bend = before - 2 * least + after
    shift = 0.5 * (before - after) / bend if bend > 0 else 0.0
    return float(penalties[at] * (penalties[at] / penalties[at - 1]) ** shift)


def choose_share(
    estimator: Embeds,
    forms: Sequence[FeaturePrior],
    judgments: AnyJudgments,
    data: list[Batch],
    choice: ChoiceModel,
    given: float | None = None,
) -> tuple[FeaturePrior, float, Floats]:
    r"""Choose the penalty, map and share of features by held-out log loss.

    A given share or penalty is used as it is. For "auto", the shares 0, 1/4, 1/2, 3/4 and 1 are
    tried, each on a path of penalties as in :func:`~resemblance.fitting.penalty.choose_penalty`.
    The first path begins at the penalty under which all items collapse; each other path begins near
    the best penalty of the previous share. A share above 0 must lower the log loss by more than one
    standard error. Return the form, the penalty and its log losses, (n_folds,).
    """
    _refuse(judgments, choice)
    whole, judgments = forms, one_kind(judgments)
    forms, judgments, data = _of_mentioned(forms, judgments, data)
    folds, without = folds_of(judgments), forms[0].with_share(0.0)
    first = given or strongest_penalty(data, choice, judgments.n_items, without)
    if not folds or not first > 0:
        share = 0.5 if isinstance(forms[0].share, str) else forms[0].share
        return whole[0].with_share(share), max(first, 0.0) if given is None else given, np.empty(0)
    tried: list[tuple[Search, FeaturePrior]] = []
    for form, of_all in zip(forms, whole, strict=True):
        search, bound = Search.of(estimator, judgments, folds), form.decomposed()
        for share in _shares(bound):
            shared = bound.with_share(share)
            before, search = search, search.under(shared)
            if given is not None:
                search.look(given)
            else:
                strongest = strongest_penalty(data, choice, judgments.n_items, shared)
                search.walk(strongest, before.best if before.maps else None)
            tried.append((search, of_all.with_share(share)))
    best, form = min(tried, key=lambda each: each[0].least.mean())
    if tried[0][1].share == 0.0 and not best.is_clearly_likelier_than(tried[0][0]):
        best, form = tried[0]
    penalty = best.best if given is not None else best.refined()
    return form, penalty, best.least


def _shares(form: FeaturePrior) -> tuple[float, ...]:
    if not isinstance(form.share, str):
        return (form.share,)
    return SHARES if np.abs(form.design).max() > SAYS_NOTHING else SHARES[:1]


def _of_mentioned(
    forms: Sequence[FeaturePrior], judgments: OneKind, data: list[Batch]
) -> tuple[Sequence[FeaturePrior], OneKind, list[Batch]]:
    part = judgments.of_mentioned_items()
    if part is judgments:
        return forms, judgments, data
    return [form.of_part(part.items.features) for form in forms], part, batches(part)


def _refuse(judgments: AnyJudgments, choice: ChoiceModel) -> None:
    if not are_answers(judgments) or not (choice.one_of_many and choice.reads == "squared"):
        raise SettingError(
            'penalty="auto" and share="auto" of a FeaturePrior need comparisons and a '
            "likelihood of squared distances (CKL, STE, TSTE): give numbers here.",
            setting="penalty",
        )


# first penalties of paths, tried in turn until the best penalty is not the first of its path
STARTS = 2.0, 0.3, 0.05
SPARSITY_STEP, MOST_SPARSITY_STEPS = 1.5, 14  # ratio of consecutive penalties; their maximum number
MANY_HELD_OUT = 50_000  # with this many answers, one held-out tenth is enough
SPARSITY_FOLDS, PARTS = 5, 10
# tolerance and maximum number of iterations of fits that only compare penalties
ROUGH_TOL, MOST_ITERATIONS = 3e-4, 60
SCALES = np.log(0.25), np.log(4.0)


@dataclass(frozen=True)
class Strength:
    penalty: float  # best penalty, by a parabola through the tried penalties
    scale: float  # factor on inner products with the lowest held-out log loss
    loadings: Floats  # (n_items, n_kept), fitted to the first fold at scale 1
    tried: Floats  # (k, 2), penalty and held-out log loss


def choose_strength(estimator: Embeds, judgments: Judgments) -> Strength:
    r"""Choose the penalty of non-negative loadings, and the scale of inner products.

    Penalties lambda_k rise, because a dimension whose loadings are all 0 stays 0:

    .. math:: \lambda_k = \lambda_0 \, 1.5^k, \quad k = 0, 1, \dots

    Each fit continues the previous one, until there is no gain. One tenth of the answers is held
    out; with fewer than 50,000 answers, each of five folds. The scale s corrects for the shrinkage:
    answer probabilities are proportional to exp(s x_a . x_b).
    """
    folds = [(judgments[train], judgments[test]) for train, test in _folds(judgments)]
    for weakest in STARTS:
        trials = _trials(estimator, folds, weakest)
        losses = [trial.log_loss for trial in trials]
        if losses and (np.argmin(losses) > 0 or weakest == STARTS[-1]):
            break
    else:
        raise SettingError(
            f"even a penalty of {STARTS[-1]:g} leaves no dimension: inner products do not "
            "explain these answers. Collect more answers, or use another model.",
            setting="penalty",
        )
    tried = np.array([[trial.penalty, trial.log_loss] for trial in trials])
    penalty = least_between(*tried.T)
    scales = [trial.scale for trial in trials]
    scale = float(np.exp(np.interp(np.log(penalty), np.log(tried[:, 0]), np.log(scales))))
    return Strength(penalty, scale, trials[int(np.argmin(losses))].loadings, tried)


class _Trial(NamedTuple):
    penalty: float
    log_loss: float
    scale: float
    loadings: Floats


def _trials(
    estimator: Embeds, folds: list[tuple[Judgments, Judgments]], weakest: float
) -> list[_Trial]:
    paths = [_SparsityPath(estimator, *fold) for fold in folds]
    trials: list[_Trial] = []
    for penalty in (weakest * SPARSITY_STEP ** np.arange(MOST_SPARSITY_STEPS)).tolist():
        with quiet():
            logs = [path.log_probabilities(penalty) for path in paths]
        if any(log is None for log in logs):
            break
        scale, loss = best_scale(np.concatenate([log for log in logs if log is not None]))
        trials.append(_Trial(penalty, loss, scale, paths[0].loadings))
        if loss > min(trial.log_loss for trial in trials):
            break
    return trials


def _folds(judgments: Judgments) -> list[tuple[np.ndarray, np.ndarray]]:
    few = len(judgments) < MANY_HELD_OUT
    folds = Units(judgments, n_splits=SPARSITY_FOLDS if few else PARTS).folds()
    if not folds:
        raise SettingError(
            "one response cannot be held out to choose the penalty: give a number.",
            setting="penalty",
        )
    return folds if few else folds[:1]


class _SparsityPath:
    def __init__(self, estimator: Embeds, train: Judgments, test: Judgments) -> None:
        self.model = clone(estimator).set_params(n_init=1, tol=ROUGH_TOL, max_iter=MOST_ITERATIONS)
        self.train, self.test = train, test

    @property
    def loadings(self) -> Floats:
        return self.model.embedding_

    def log_probabilities(self, penalty: float) -> Floats | None:
        try:
            model = self.model.set_params(penalty=penalty).fit(self.train)
        except EmptyError:
            return None
        model.set_params(init=model.embedding_, n_components=model.embedding_.shape[1])
        with np.errstate(divide="ignore"):  # missing options have probability 0
            logs = np.log(model.predict_proba(self.test))
        return np.column_stack([self.test.weights, logs])


def best_scale(logs: Floats) -> tuple[float, float]:
    """Return the factor on inner products with the lowest log loss, and this log loss.

    ``logs`` is (m, 1 + K): weights, then log probabilities at factor 1, the given answer first.
    """
    weight, log_p = logs[:, 0], logs[:, 1:]

    def loss(log_scale: float) -> float:
        scaled = np.exp(log_scale) * log_p
        return float(np.average(logsumexp(scaled, axis=1) - scaled[:, 0], weights=weight))

    result = minimize_scalar(loss, bounds=SCALES, method="bounded")
    return float(np.exp(result.x)), float(result.fun)
