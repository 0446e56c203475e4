"""How far features are believed: penalty and share of a feature prior, by answers held out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import clone

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.errors import SettingError, quiet
from resemblance.fitting.choosing.evidence import ODDS, STEP, ShareEvidence, can_be_had
from resemblance.fitting.choosing.folds import Units
from resemblance.fitting.choosing.penalty import LEAST_GAIN, choose_penalty, strongest_penalty
from resemblance.fitting.choosing.weights import likely_weights
from resemblance.fitting.estimator import Embeds
from resemblance.fitting.objective.objective import Batch, batches
from resemblance.forms import Coordinates, FeaturePrior
from resemblance.judgments import AnyJudgments, OneKind, are_answers, one_kind
from resemblance.scores import weighted_mean
from resemblance.solvers import Progress

FIRST_STEPS = 2  # at a time, until answers held out are less likely
MOST_STEPS = 24  # of penalties; the last is four million times weaker than the first
HALFWAY = 12  # of these, where there is one to begin with
CLEARLY = 2.0  # standard errors, by which the best of many shares must make answers more likely
ONCE = 1.0  # the same, of one share
MOST_ODDS = max(ODDS)
FAR = -6, -3, 3, 6  # steps of the log odds of the share, where no neighbour is better
FEW, MANY = 5_000, 50_000  # answers: up to which all of 5 folds are held out, from which one tenth
FOLDS, TENTHS, SOME_TENTHS = 5, 10, 3
MOST_ITERATIONS = 200  # of fits that only compare; fits that stop early look better than they are


@dataclass(frozen=True)
class _Cell:
    """A penalty, first / 2^weaker, and a share, of log odds ``odds``."""

    first: float
    weaker: int
    share: float | None  # where it is given
    odds: int = 0

    @property
    def penalty(self) -> float:
        return self.first * STEP**-self.weaker

    @property
    def rho(self) -> float:
        return float(expit(self.odds)) if self.share is None else self.share

    @property
    def listed(self) -> bool:
        return 0 <= self.weaker <= MOST_STEPS and abs(self.odds) <= MOST_ODDS


def choose_share(
    estimator: Embeds,
    forms: Sequence[FeaturePrior],
    judgments: AnyJudgments,
    data: list[Batch],
    choice: ChoiceModel,
    given: float | None = None,
) -> tuple[FeaturePrior, float, Floats]:
    r"""Choose the penalty, the map, the share of features and the weights of views, where "auto".

    Views are weighed by evidence, for each map among which is chosen (:func:`likely_weights`); the
    map is taken whose best cell makes answers held out most likely. Of up to 600 coordinates the
    share is the one of the highest evidence, too (see :class:`ShareEvidence`). Evidence asks for
    weaker penalties than answers held out do; by the same factor with features as without, so that
    the penalty is that of the share's evidence times this factor, unless another makes answers held
    out more likely by a standard error. Of more coordinates, answers held out choose share and
    penalty over a grid of penalties (steps of a factor of 2) and shares (steps of 1 in log odds):
    they go down from a penalty at which positions have all but collapsed, and then to whichever
    neighbour makes answers held out more likely, until none does. So is the penalty of a given
    share found. Features are believed only where they make these answers more likely than a share
    of 1 in 150 does, under the penalty that plain coordinates get: by more than one standard error
    of the difference, or two where the share was the best of many; of much evidence it is enough
    that they are not less likely by one.

    Parameters
    ----------
    estimator : Embeds
        Its settings count.
    forms : sequence of FeaturePrior
        Its form with each map among which is chosen, bound to the features of the items.
    judgments : Judgments
        What it is to be fitted to; folds keep questions and responses whole.
    data : list of Batch
        The same, laid out.
    choice : ChoiceModel
        Of the estimator.
    given : float, optional
        The penalty, where it is not to be chosen.

    Returns
    -------
    form : FeaturePrior
        With its map, its share and its weights.
    penalty : float
    log_losses : array (n_folds,)
        Of the answers held out; empty where there are no folds.

    Raises
    ------
    SettingError
        If the choice model is no likelihood of squared distances, or the judgments are counts.
    """
    _refuse(judgments, choice)
    whole, judgments = forms, one_kind(judgments)
    forms, judgments, data = _of_mentioned(forms, judgments, data)
    forms = [form.decomposed() for form in forms]
    folds = [(judgments[a], judgments[b]) for a, b in _folds(judgments)]
    first = given
    if first is None:
        mixed = forms[0].with_share(_first_share(forms[0]))
        first = strongest_penalty(data, choice, judgments.n_items, mixed)
    if (given is None and not first > 0) or not folds:
        return whole[0].with_share(_first_share(forms[0])), max(first, 0.0), np.empty(0)
    without = _Cell(first, 0, float(expit(-MOST_ODDS)))
    if given is None and (forms[0].is_open or not forms[0].is_weighed):
        plain = clone(estimator).set_params(form=Coordinates(), callback=None, warm_start=False)
        _, alone, _ = choose_penalty(plain, Coordinates(), judgments, data, choice)
        without = replace(without, first=(alone or first) * STEP**HALFWAY, weaker=HALFWAY)
    weigh = partial(likely_weights, estimator, judgments=judgments, penalty=without.penalty)
    forms = [form if form.is_weighed else form.weighed(weigh(form)) for form in forms]
    searches = [_Search(estimator, form, judgments, folds) for form in forms]
    bests = [search.best(first, without, moves=given is None) for search in searches]
    tried = zip(whole, searches, bests, strict=True)
    form, search, best = min(tried, key=lambda each: each[1].losses[each[2]])
    form = form if form.is_weighed else form.weighed(search.form.weights or {})
    return form.with_share(best.rho, search.interval), best.penalty, search.of_folds[best]


def _of_mentioned(
    forms: Sequence[FeaturePrior], judgments: OneKind, data: list[Batch]
) -> tuple[Sequence[FeaturePrior], OneKind, list[Batch]]:
    """Return the same for the items that answers mention.

    Others lie where the features put them, and change neither the fit nor the evidence.
    """
    part = judgments.of_mentioned_items()
    if part is judgments:
        return forms, judgments, data
    return [form.of_part(part.items.features) for form in forms], part, batches(part)


class _Search:
    """The log loss of answers held out in the cells that have been looked at."""

    def __init__(
        self,
        estimator: Embeds,
        form: FeaturePrior,
        judgments: OneKind,
        folds: list[tuple[OneKind, OneKind]],
    ) -> None:
        settings = {"n_init": 1, "max_iter": MOST_ITERATIONS, "callback": None}
        self.model = clone(estimator).set_params(**settings, warm_start=False)
        self.form, self.judgments, self.folds = form.decomposed(), judgments, folds
        self.guess = sum(weighted_mean(a.guesses()["log_loss"], a.weights) for a, _ in folds)
        self.losses: dict[_Cell, float] = {}
        self.of_folds: dict[_Cell, Floats] = {}
        self.rows: dict[_Cell, Floats] = {}  # the log loss of each row held out
        self.positions: dict[_Cell, list[str | Floats]] = {}
        self.interval: tuple[float, float] | None = None
        self.callback, self.is_stopped = estimator.callback, False

    def best(self, first: float, without: _Cell, moves: bool) -> _Cell:
        """Return the best cell; penalties are tried where they move, shares where none is given."""
        share = None if isinstance(self.form.share, str) else self.form.share
        cell = _Cell(first, 0, share)
        if share is not None:
            return self.at_best_penalty(cell, moves)
        if can_be_had(self.model, self.judgments):
            return self.by_evidence(without, moves)
        self.loss(without, without)
        return self.believed(self.at_best_penalty(cell, moves), without, CLEARLY)

    def at_best_penalty(self, cell: _Cell, moves: bool) -> _Cell:
        """Return the best cell from one of the strongest penalty on."""
        return self.climbed(self.first(cell) if moves else cell, moves)

    def by_evidence(self, without: _Cell, moves: bool) -> _Cell:
        """Return the best cell of the most likely share, if features are to be believed."""
        self.loss(without, without)
        evidence = ShareEvidence(self.model, self.form, self.judgments, without.penalty, moves)
        if not evidence.fits:
            return without
        least = evidence.fits[min(evidence.fits)].penalty
        weaker = without.weaker + round(np.log(least / evidence.penalty) / np.log(STEP))
        likely = replace(without, weaker=max(0, min(MOST_STEPS, weaker)), share=evidence.share)
        best = without if likely.share == without.share else likely
        if best is likely:
            self.loss(likely, without)
            best = self.believed(self.climbed(likely, moves), likely, ONCE)
        low, high = evidence.interval
        convincing = evidence.is_convincing
        best = self.believed(best, without, -ONCE if convincing else ONCE)
        self.interval = low if convincing else 0.0, high
        return best

    def believed(self, best: _Cell, without: _Cell, errors: float) -> _Cell:
        """Return the best cell, or another one where that is not clearly worse.

        Of the many cells that are tried one looks better by chance.
        """
        if best == without or not {best, without} <= self.rows.keys():
            return best if best in self.rows else without
        gain = self.rows[without] - self.rows[best]
        error = gain.std(ddof=1) / np.sqrt(len(gain))
        return best if gain.mean() > errors * error else without

    def first(self, cell: _Cell) -> _Cell:
        """Go down from the strongest penalty until there is no gain."""
        best = cell
        while cell.listed:
            if self.loss(cell, best) <= self.loss(best, best):
                best = cell
            elif np.isfinite(self.losses[best]):
                break
            cell = replace(cell, weaker=cell.weaker + FIRST_STEPS)
        return best

    def climbed(self, best: _Cell, moves: bool) -> _Cell:
        """Go to the neighbour of least loss while there is one with less, at last a far one."""
        while True:
            for neighbours in (_around, _across):
                least = min(
                    neighbours(best, moves), key=lambda cell: self.loss(cell, best), default=best
                )
                if self.loss(least, best) < self.loss(best, best):
                    best = least
                    break
            else:
                return best

    def loss(self, cell: _Cell, near: _Cell) -> float:
        """Return the loss in a cell; fits start where those of another ended, if they did."""
        if cell not in self.losses and self.is_stopped:
            return np.inf
        if cell not in self.losses:
            spectral: list[str | Floats] = ["spectral"] * len(self.folds)
            starts = self.positions.get(near, spectral)
            with quiet():
                fits = [self._fitted(cell, *at) for at in zip(self.folds, starts, strict=True)]
            of_train, of_test, of_rows, places = zip(*fits, strict=True)
            there = sum(of_train) < (1 - LEAST_GAIN) * self.guess  # else all lie in one point
            self.of_folds[cell] = np.array(of_test)
            self.losses[cell] = float(np.mean(of_test)) if there else np.inf
            if there:
                self.positions[cell], self.rows[cell] = list(places), np.concatenate(of_rows)
            if self.callback is not None:
                now = Progress(len(self.losses), self.losses[cell], places[0])
                self.is_stopped = bool(self.callback(now))
        return self.losses[cell]

    def _fitted(
        self, cell: _Cell, fold: tuple[OneKind, OneKind], start: str | Floats
    ) -> tuple[float, float, Floats, Floats]:
        """Fit one part; return its log loss, that of the other part and its rows, and positions."""
        train, test = fold
        form = self.form.with_share(cell.rho)
        model = self.model.set_params(form=form, penalty=cell.penalty, init=start).fit(train)
        losses = model.log_loss(train), model.log_loss(test), test.log_losses(model._space)
        return *losses, model.embedding_


def _first_share(form: FeaturePrior) -> float:
    """Return the share at which the search begins."""
    return 0.5 if isinstance(form.share, str) else form.share


def _around(cell: _Cell, moves: bool) -> Iterator[_Cell]:
    """Yield the neighbours of a cell."""
    for step in (-1, 1):
        if moves:
            yield from _listed(replace(cell, weaker=cell.weaker + step))
        if cell.share is None:
            yield from _listed(replace(cell, odds=cell.odds + step))


def _across(cell: _Cell, moves: bool) -> Iterator[_Cell]:
    """Yield shares further off: losses have a valley at few features, and one at many.

    What is each item's own is held by penalty / (1 - share): the penalty moves along.
    """
    if cell.share is None:
        for step in FAR:
            yield from _listed(_moved(cell, cell.odds + step, moves))


def _moved(cell: _Cell, odds: int, moves: bool) -> _Cell:
    """Return a cell of another share, the penalty along with it."""
    moved = replace(cell, odds=max(-MOST_ODDS, min(MOST_ODDS, odds)))
    weaker = cell.weaker - round(np.log((1 - moved.rho) / (1 - cell.rho)) / np.log(STEP))
    return replace(moved, weaker=max(0, min(MOST_STEPS, weaker))) if moves else moved


def _listed(cell: _Cell) -> list[_Cell]:
    return [cell] if cell.listed else []


def _folds(judgments: OneKind) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return the rows to fit and to hold out: all of some folds, or some tenths."""
    few = len(judgments) < FEW
    folds = Units(judgments, n_splits=FOLDS if few else TENTHS).folds()
    return folds if few else folds[: SOME_TENTHS if len(judgments) < MANY else 1]


def _refuse(judgments: AnyJudgments, choice: ChoiceModel) -> None:
    """Refuse to choose where log losses do not say which is best."""
    if not are_answers(judgments) or not (choice.one_of_many and choice.reads == "squared"):
        raise SettingError(
            'penalty="auto" and share="auto" of a FeaturePrior are for comparisons and likelihoods '
            "of squared distances (CKL, STE, TSTE): give numbers here.",
            setting="penalty",
        )
