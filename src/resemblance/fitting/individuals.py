"""Fit one space in which each person weighs the dimensions in their own way."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, SettingError, quiet
from resemblance.fitting.answers import PredictsAnswers
from resemblance.fitting.embedding import OrdinalEmbedding
from resemblance.fitting.estimator import Estimator
from resemblance.fitting.folds import GroupedKFold
from resemblance.fitting.objective.checks import check_same_items
from resemblance.fitting.objective.threads import in_turn
from resemblance.fitting.penalty import settled
from resemblance.fitting.weight_descent import Weighed, WeighedFold, weighed_probabilities
from resemblance.forms import Known, Stretched
from resemblance.judgments import Judgments, as_judgments
from resemblance.judgments.checks import first_few
from resemblance.judgments.convert import JudgmentsLike, refuse_y
from resemblance.judgments.joining import people_of
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.ranges import POSITIVE, integers, setting
from resemblance.scores import mean_interval

# Prior standard deviations of log weights are .03 to 1.2 for these strengths.
STRENGTHS = tuple((500.0 * 0.4 ** np.arange(9)).tolist())
CLARITY = 2.0  # rho: strength for clarity, in units of tau_t
FOLDS = 5
TURNS = 4  # number of random rotations of the axes, from which the last descent also starts
COMPARED = "shared", "clarity", "own", "shuffled"


class IndividualSpaces(PredictsAnswers, Estimator):
    r"""One space, with weights of its dimensions for each person or group.

    .. math:: \min_{X, v} \; \sum_r -w_r \log p_r(d^{g(r)}) + \lambda \, \mathrm{size}(X)
       + \sum_g \Big( \tau \sum_k (v_{gk} - t_g)^2 + \rho \tau_t \, t_g^2 \Big), \qquad
       d^g_{ij} = \sum_k e^{v_{gk}} (x_{ik} - x_{jk})^2

    where :math:`v_{gk}` is the log weight of dimension k for person g. The mean of :math:`v_g` is
    :math:`t_g`, the log clarity of g's answers; clarity is one over the temperature. If the space
    is fitted, the mean of v over people is 0 in each dimension. Inner products are weighted in the
    same way. Space and weights are fitted together, so that the axes are those along which people
    differ. Coordinates start from several sets of axes, and the lowest minimum is kept. The
    strengths :math:`\tau` and :math:`\tau_t \le \tau` shrink the weights of people with few answers
    towards the crowd's (v = 0). Cross-validation chooses the strengths. It also compares personal
    weights with personal clarity alone, :math:`v_{gk} = t_g`, and with a control in which answers
    are shuffled among people.

    Source: Carroll & Chang 1970 (INDSCAL), with the likelihood of a choice model.

    Parameters
    ----------
    estimator : OrdinalEmbedding, optional
        The model that is first fitted to all people together: a likelihood with coordinates,
        loadings or a map of features. Default: :class:`~resemblance.STE` in two dimensions with
        ``penalty="auto"``.
    by : str
        "observer" for weights of people, or the name of an extra column with a group per row.
    keep_space : bool
        Keep the space of an estimator that is already fitted, and fit only weights along its axes.
        The mean of people's weights then need not be 1.
    strength : float or "auto"
        :math:`\tau`; "auto" chooses it by cross-validation.
    clarity : float
        :math:`\rho`: the strength for each person's clarity, in units of :math:`\tau_t`.
    cv : int
        The number of cross-validation folds. 0 is no cross-validation and needs a numeric strength.
    random_state : int, RandomState or None
        Seed of folds, shuffled answers and rotations of axes.
    callback : callable, optional
        Called after each fit with (fits done, largest possible number of fits).

    Attributes
    ----------
    embedding_ : array (n_items, d)
        The positions for the crowd, whose weights are 1.
    weights_ : array (G, d)
        The weights :math:`e^{v_{gk}}` of each person.
    people_ : tuple of str
        The people, in the order of the rows of ``weights_``.
    answers_ : array (G,)
        The sum of the row weights of each person.
    strength_ : float
        :math:`\tau`; infinite if personal weights predicted no better than personal clarity. All
        weights of a person are then equal.
    clarity_strength_ : float
        The strength for clarity; :math:`\tau_t` is the minimum of this strength and ``strength_``.
        Infinite if all people have the weights of the crowd.
    comparison_ : DataFrame or None
        The held-out log loss, with a row per fold and the columns "shared" (no differences),
        "clarity" (only clarity differs), "own" (weights differ) and "shuffled" (the control). None
        without cross-validation.
    items_, choice_
        The items and the choice model, as in :class:`~resemblance.fitting.OrdinalEmbedding`.

    Raises
    ------
    JudgmentError
        If there are fewer than two observers.
    SettingError
        If a setting is out of range, or the estimator's form or choice model has no weights.

    Examples
    --------
    >>> import resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> points = rng.normal(size=(12, 2))
    >>> tall, wide = (rs.SpaceObserver(points, weights=w, random_state=0) for w in ([1, 4], [4, 1]))
    >>> questions = np.array([rng.choice(12, 3, replace=False) for _ in range(1200)])
    >>> crowd = rs.Crowd([tall, wide], ["tall", "wide"], random_state=0)
    >>> spaces = IndividualSpaces(random_state=0).fit(crowd.answer(questions))
    >>> bool(spaces.comparison_["own"].mean() < spaces.comparison_["shared"].mean())
    True
    """

    estimator: OrdinalEmbedding | None = field(default=None, kw_only=False)
    by: str = "observer"
    keep_space: bool = False
    strength: float | str = setting(POSITIVE.besides("auto", np.inf), default="auto")
    clarity: float = setting(POSITIVE, default=CLARITY)
    cv: int = setting(integers(0), default=FOLDS)
    random_state: Any = None
    callback: Told | None = None

    def fit(self, X: JudgmentsLike, y: ArrayLike | None = None) -> Self:
        """Fit the space and the weights of all people, from judgments with observers."""
        refuse_y(y, X)
        answers = as_judgments(X)
        names, who = people_of(answers, self.by)
        people = tuple(names.tolist())
        if len(people) < 2:
            raise JudgmentError(
                f"all rows are of {people[0]!r}, who has nobody to differ from: fit the "
                "estimator itself"
            )
        self._check()
        shared = self._shared(answers)
        self.people_, self.items_, self.choice_ = people, shared.items_, shared.choice_
        self.answers_ = np.bincount(who, answers.weights, len(people))
        self.held_out_: Floats = np.empty((0, len(COMPARED)))
        given = np.inf if isinstance(self.strength, str) else float(self.strength)
        self.strength_ = self.clarity_strength_ = given
        if self.cv:
            self._compare(shared, answers, who)
        fit, own = self._start(shared, answers), np.isfinite(self.strength_)
        if np.isfinite(of_clarity := self.clarity_strength_):
            pull, even = self.strength_ if own else of_clarity, not own
            turned = fit.turned(TURNS, check_random_state(self.random_state)) if own else []
            starts = (fit, *turned)
            ends = [start.descended(answers, who, pull, of_clarity, even) for start in starts]
            fit = min(ends, key=lambda end: end.loss)
        self.embedding_, self.weights_ = fit.points, fit.weights
        return self

    def space(self, person: str) -> Floats:
        r"""Return the positions for one person, (n_items, d), :math:`x_{ik} \sqrt{w_{gk}}`."""
        return np.asarray(self.embedding_ * np.sqrt(self.weights_[self._who(person)]))

    def rdm(self, person: str) -> Floats:
        """Return the distances of all pairs for one person, (n_items, n_items)."""
        return np.asarray(squareform(pdist(self.space(person))))

    def predict_proba(self, X: JudgmentsLike) -> Floats:
        """Return the probability of every possible answer, (m, K); column 0 is the given answer."""
        answers, who = self._judged(X)
        return weighed_probabilities(self.embedding_, self.weights_, self.choice_, answers, who)

    @property
    def comparison_(self) -> pd.DataFrame | None:
        """The held-out log loss, with a row for each fold; None without folds."""
        return pd.DataFrame(self.held_out_, columns=list(COMPARED)) if len(self.held_out_) else None

    @property
    def gain_(self) -> tuple[float, float]:
        """The fall of the held-out log loss due to personal weights, and its standard error.

        The standard error is the larger of the standard errors over people and over folds.
        """
        return self._gain("own")

    @property
    def relative_gain_(self) -> tuple[float, float]:
        """The fall of held-out log loss from clarity to personal weights, and its standard error.

        If the fall exceeds two standard errors, people weigh the dimensions differently.
        """
        return self._gain("own", "clarity")

    @property
    def shuffled_gain_(self) -> tuple[float, float]:
        """The same as ``gain_`` for the control: weights fitted to shuffled answers."""
        return self._gain("shuffled")

    @property
    def table_(self) -> pd.DataFrame:
        """A table with a row for each person: number of answers, clarity, and weights."""
        columns = {f"weight_{k}": w for k, w in enumerate(self.weights_.T, 1)}
        clarity = np.exp(np.log(self.weights_).mean(axis=1))
        named = {self.by: self.people_, "answers": self.answers_, "clarity": clarity}
        return pd.DataFrame(named | columns)

    def reliability(self, X: JudgmentsLike, random_state: Any = None) -> Floats:
        """Return the split-half reliability of people's relative weights in each dimension, (d,).

        It is 2 r / (1 + r) (Spearman-Brown), where r is the correlation over people between log
        weights from two halves of ``X``, the judgments of the fit. Weights are divided by their
        geometric mean first. NaN if all weights are equal.
        """
        answers, who = self._judged(X)
        if not np.isfinite(self.strength_) or self.embedding_.shape[1] < 2:
            return np.full(self.embedding_.shape[1], np.nan)
        logs = [
            np.log(weights_in(self, answers[rows], who[rows]))
            for rows, _ in GroupedKFold(2, random_state=random_state).split(answers)
        ]
        halves = [(own - own.mean(axis=1, keepdims=True)).T for own in logs]
        with np.errstate(invalid="ignore", divide="ignore"):
            r = np.array([np.corrcoef(*both)[0, 1] for both in zip(*halves, strict=True)])
        return np.asarray(2 * r / (1 + r))

    def _check(self) -> None:
        self._check_settings()
        if self.cv == 1 or (self.strength == "auto" and not self.cv):
            raise SettingError(
                f"cv is {self.cv!r}: give 2 folds or more, or 0 where the strength is given.",
                setting="cv",
            )

    def _shared(self, answers: Judgments) -> OrdinalEmbedding:
        if not self.keep_space:
            return clone(shared_model(self.estimator)).fit(answers)
        if self.estimator is None:
            raise SettingError("keep_space needs a fitted estimator: give it", setting="estimator")
        check_is_fitted(self.estimator, "embedding_")
        check_same_items(answers, self.estimator.items_)
        return self.estimator

    def _start(self, shared: OrdinalEmbedding, answers: Judgments) -> Weighed:
        n_people = len(self.people_)
        if self.keep_space:
            form = Stretched(shared.embedding_)
            start = Weighed.kept(form, shared.choice_, n_people, self.clarity)
        else:
            start = Weighed.shared(shared, n_people, self.clarity)
        return start.of_crowd(answers)

    def _compare(self, space: OrdinalEmbedding, answers: Judgments, who: NDArray[np.intp]) -> None:
        rng = check_random_state(self.random_state)
        splitter = GroupedKFold(self.cv, random_state=rng.randint(2**31 - 1))
        begun = [(space, answers, who, fold) for fold in splitter.split(answers)]
        mute = copy(self)  # without its callback, the model can be sent to another machine
        mute.callback = None
        folds = list(in_turn(mute._fold, begun))
        strengths = STRENGTHS if isinstance(self.strength, str) else (self.strength,)
        steps = Steps(self.callback, self.cv * (2 * len(strengths) + 1))
        shared = [fold.shared for fold in folds]
        even = [replace(fold, even=True) for fold in folds]
        clarity, of_clarity = _path(even, shared, strengths, steps)
        folds = [replace(fold, of_clarity=of_clarity) for fold in folds]
        own, of_own = _path(folds, shared, strengths, steps)
        if isinstance(self.strength, str):
            least = [_means(folds, losses).mean() for losses in (shared, clarity, own)]
            self.strength_ = of_own if least[2] < min(least[:2]) else np.inf
            self.clarity_strength_ = of_clarity if min(least[1:]) < least[0] else np.inf
        others = [replace(fold, who=who[rng.permutation(len(who))]) for fold in folds]
        shuffled = _step(others, of_own, steps)
        losses_of = shared, clarity, own, shuffled
        self.held_out_ = np.column_stack([_means(folds, losses) for losses in losses_of])
        self.gain_errors_ = np.array(
            [[_gain_error(folds, first, second) for second in losses_of] for first in losses_of[:2]]
        )

    def _fold(
        self,
        shared: OrdinalEmbedding,
        answers: Judgments,
        who: NDArray[np.intp],
        fold: tuple[NDArray[np.intp], NDArray[np.intp]],
    ) -> WeighedFold:
        with quiet():
            part = answers[fold[0]]
            again = shared if self.keep_space else clone(settled(shared, answers)).fit(part)
            return WeighedFold(self._start(again, part), answers, fold, who)

    def _gain(self, column: str, over: str = "shared") -> tuple[float, float]:
        check_is_fitted(self, "embedding_")
        comparison = self.comparison_
        if comparison is None:
            raise SettingError("nothing was held out (cv=0): fit with folds", setting="cv")
        gain = float((comparison[over] - comparison[column]).mean())
        return gain, float(self.gain_errors_[COMPARED.index(over), COMPARED.index(column)])

    def _who(self, person: str) -> int:
        check_is_fitted(self, "embedding_")
        if str(person) not in self.people_:
            raise JudgmentError(
                f"the fit had no answers of {person!r}: name one of {first_few(self.people_)}"
            )
        return self.people_.index(str(person))

    def _judged(self, X: JudgmentsLike) -> tuple[Judgments, NDArray[np.intp]]:
        check_is_fitted(self, "embedding_")
        answers = as_judgments(X)
        check_same_items(answers, self.items_)
        people, who = people_of(answers, self.by)
        return answers, np.array([self._who(person) for person in people])[who]


def shared_model(estimator: OrdinalEmbedding | None) -> OrdinalEmbedding:
    return OrdinalEmbedding(penalty="auto", random_state=0) if estimator is None else estimator


def weights_in(model: IndividualSpaces, answers: Judgments, who: NDArray[np.intp]) -> Floats:
    form = (Stretched if model.keep_space else Known)(model.embedding_)
    start = Weighed.kept(form, model.choice_, len(model.people_), model.clarity)
    return start.descended(answers, who, model.strength_, model.clarity_strength_).weights


def _path(
    folds: list[WeighedFold], shared: list[Floats], strengths: Sequence[float], steps: Steps
) -> tuple[list[Floats], float]:
    best: list[Floats] = []
    least, of_best = np.inf, float(strengths[0])
    bound = _means(folds, shared).mean()
    for strength in strengths:
        losses = _step(folds, float(strength), steps)
        mean = _means(folds, losses).mean()
        if mean < least:
            best, least, of_best = losses, mean, float(strength)
        if mean > min(least, bound):
            break
    return best, of_best


def _step(folds: list[WeighedFold], strength: float, steps: Steps) -> list[Floats]:
    losses_of_folds = []
    pairs = in_turn(_stepped, [(fold, strength) for fold in folds])
    for at, (fold, losses) in enumerate(pairs):
        folds[at] = fold
        losses_of_folds.append(losses)
        steps.take()
    return losses_of_folds


def _stepped(fold: WeighedFold, strength: float) -> tuple[WeighedFold, Floats]:
    loss = fold.next(strength)
    return fold, loss


def _means(folds: list[WeighedFold], losses: list[Floats]) -> Floats:
    return np.array([fold.mean(loss) for fold, loss in zip(folds, losses, strict=True)])


def _gain_error(folds: list[WeighedFold], shared: list[Floats], own: list[Floats]) -> float:
    tests = np.concatenate([fold.rows[1] for fold in folds])
    gain = np.concatenate(shared) - np.concatenate(own)
    weights, who = folds[0].answers.weights[tests], folds[0].who[tests]
    of_folds = (_means(folds, shared) - _means(folds, own)).tolist()
    error, _ = mean_interval(gain, weights, who, fold_means=of_folds, share=False)
    return np.nan if error is None else error
