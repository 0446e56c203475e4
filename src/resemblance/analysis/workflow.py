"""Analyse answers: fit, choose model and dimensions, score, and advise."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
from sklearn.base import clone

from resemblance.analysis.advice import HANG_ON_DIMENSIONS
from resemblance.analysis.analysis import Analysis
from resemblance.analysis.comparison import (
    ModelComparison,
    features_alone,
    features_as_space,
    in_turn_by_loss,
    is_better,
    spreads,
    without_each_view,
)
from resemblance.analysis.exclusions import Guessing, guessing, looked_at, without_gold
from resemblance.analysis.machine import check_weighing, machine_rows
from resemblance.arrays import Floats
from resemblance.catalog import (
    AUTO_MODEL,
    MEASURED_MODEL,
    MODEL,
    PRIOR_ALONE,
    Entry,
    choices_in,
)
from resemblance.errors import ResemblanceWarning, SettingError
from resemblance.fitting import (
    DimensionCurve,
    GroupedKFold,
    HeldOut,
    JudgmentsLike,
    OrdinalEmbedding,
)
from resemblance.fitting.answers import share_seen
from resemblance.fitting.dimension import AnotherDimension
from resemblance.fitting.folds import Units, splitter_of
from resemblance.fitting.held_out import FOLDS, ceiling_of, joined, kept_whole, scored_rows
from resemblance.fitting.machine_weight import WeighedMachine, choose_weight
from resemblance.fitting.penalty import settled
from resemblance.judgments import Judgments, OneKind
from resemblance.judgments.convert import of_one_kind
from resemblance.progress import Steps, Told, Watch
from resemblance.recipe import AUTO, Recipe

MOST_DIMS = 10  # dims="auto" tries 1 to 10
FIRST_DIMS = 2  # dims="auto" begins with a fit in 2 dimensions
SEARCH_FOLDS = 5
UNCOMPARED = "one response cannot be held out to choose the model, so this is t-STE"
Fitted = tuple[OrdinalEmbedding, float, tuple[str, ...]]  # model, seconds and warnings of a fit


@dataclass
class Workflow:
    """The steps of :func:`analyse`, which report progress and can be stopped early.

    The model is fitted to all answers first, so that a map exists even if the analysis is stopped.
    Then open settings are chosen on held-out answers. ``extra`` answers, and those of a
    ``machine``, are never held out. ``when_fitted`` is called after each fit.
    """

    answers: OneKind
    recipe: Recipe
    cv: Any = None
    by: str | None = None
    extra: OneKind | None = None
    watch: Watch = field(default_factory=Watch)
    when_fitted: Callable[[], object] = bool
    settings: dict[str, Any] = field(default_factory=dict)
    gold: int = 0
    people: Guessing | None = None
    machine: Judgments | None = None

    model: OrdinalEmbedding = field(init=False)
    stage: str = "fitting"
    seconds: float | None = None
    notes: tuple[str, ...] = ()
    held_out: dict[int, HeldOut] = field(default_factory=dict)  # keys are numbers of dimensions
    without_views: dict[str, HeldOut] = field(default_factory=dict)
    compared: ModelComparison | None = None
    tuning: dict[str, Any] | None = None
    weighed: WeighedMachine | None = None

    def __post_init__(self) -> None:
        self.recipe.need_held_out(self.cv is not None)
        self.clicks = self.extra
        if self.recipe.informed:
            self._check_features()
        self._chooses_model = self.recipe.chooses_model and self.answers.scoring.of_answers
        if self.recipe.chooses_model:  # start with one of the models to compare
            first = MODEL if self._chooses_model else MEASURED_MODEL
            self.recipe = replace(self.recipe, model=first)
        self.ceiling = ceiling_of(self.answers)
        if self.machine is not None:
            model = self._estimator(self.recipe, self.first_dims, None)
            check_weighing(model, self.recipe.described.sparse, self.cv is not None)
        if "bandwidth" in self.open_settings:
            self.unit = float(np.sqrt((spreads(self.answers) ** 2).mean())) or 1.0
            self.settings["bandwidth"] = self.unit

    @property
    def open_settings(self) -> list[str]:
        """The settings that are not chosen yet. Without features there is no "bandwidth"."""
        plain = self.answers.items.features is None
        return [name for name in self.recipe.open if not (plain and name == "bandwidth")]

    def _check_features(self) -> None:
        if self.answers.items.features is None:
            raise SettingError("the items have no features: give some.", setting="features")
        if not self.answers.scoring.of_answers:
            raise SettingError(
                f"features are a prior for comparisons, and these are {self.answers!r}: leave the "
                "features out.",
                setting="features",
            )

    def run(self) -> Analysis:
        self.fit(self.first_dims)
        self.hold_out()
        return self.analysis

    @property
    def first_dims(self) -> int | None:
        if self.recipe.dims == AUTO:
            return min(FIRST_DIMS, self.answers.n_items - 1)
        asked = self.recipe.dims
        return self.recipe.described.n_components if asked is None else int(asked)

    def fit(self, dims: int | None) -> None:
        self.stage = "fitting"
        self._keep(self.recipe, *self._fitted(self.recipe, dims))
        self.watch.check()

    def _fitted(self, recipe: Recipe, dims: int | None) -> Fitted:
        start = time.perf_counter()
        callback = self.watch.iterations(f"fitting {recipe.described.title}")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = self._estimator(recipe, dims, callback).fit(joined(self.answers, self.extra))
        notes = tuple(dict.fromkeys(self.watch.words(warning.message) for warning in caught))
        return model, time.perf_counter() - start, notes

    def _keep(
        self, recipe: Recipe, model: OrdinalEmbedding, seconds: float, notes: tuple[str, ...]
    ) -> None:
        self.recipe, self.model, self.seconds, self.notes = recipe, model, seconds, notes
        if recipe.described.sparse:
            self.settings |= model.chosen_
        self.when_fitted()

    def hold_out(self) -> None:
        self._choose_and_validate()
        if self.people is not None and (held := self._measured()) is not None and held.n_folds:
            estimator = self._estimator(self.recipe, self.model.n_components, self.watch.ending)
            self.people = self.people.measured(estimator, self.answers, self.cv, self.extra)

    def _choose_and_validate(self) -> None:
        if self._chooses_model:
            self._choose_model()
        if self.machine is not None:
            self._choose_weight(self.machine)
        if self.recipe.dims == AUTO:
            self._choose_dimension()
            self._hold_out_people()
            return
        if self.open_settings and (self._counted or self.cv is not None):
            self._choose_settings()
        self._cross_validate([self.model.n_components])
        self._try_features_alone()
        self._try_without_views()
        self._try_another_dimension()
        self._hold_out_people()

    def _hold_out_people(self) -> None:
        n, held = self.model.n_components, self.held_out.get(self.model.n_components)
        if held is not None and held.n_folds and len(held.errors) == held.n_folds:
            self.held_out[n] = held.of_whole_people(self._of_folds(n), self.answers, self.extra)

    @property
    def analysis(self) -> Analysis:
        return Analysis(
            self.model,
            self.answers,
            self._measured(),
            self.ceiling,
            self.clicks,
            self.curve,
            self.seconds,
            self.notes,
            self.compared,
            self.another,
            gold=self.gold,
            people=self.people,
            features_alone=self.features_alone,
            without_views=self.without_views,
            machine=self.weighed,
        )

    @property
    def curve(self) -> DimensionCurve | None:
        return self._errors_of_dims if self.recipe.dims == AUTO else None

    @property
    def another(self) -> AnotherDimension | None:
        curve = self._errors_of_dims
        return None if curve is None else AnotherDimension.of(curve, self.model.n_components)

    @property
    def _errors_of_dims(self) -> DimensionCurve | None:
        done = {n: run for n, run in self.held_out.items() if len(run.errors) == run.n_folds}
        if not done:
            return None
        dims = sorted(done)
        errors = np.array([done[n].errors for n in dims])
        return DimensionCurve.of(np.array(dims), errors, self.answers, self.ceiling)

    @property
    def _counted(self) -> bool:
        return not self.answers.scoring.is_error

    def _estimator(self, recipe: Recipe, dims: int | None, callback: Any) -> OrdinalEmbedding:
        own = recipe.described.settings.keys() - recipe.settings.keys()
        none = "penalty" in own and not self.answers.scoring.of_answers
        more = {"penalty": None} if none else {}  # confusions and ratings cannot choose a penalty
        made: OrdinalEmbedding = recipe.estimator(dims, callback, **(more | self.settings))
        return made

    def _cross_validate(self, dims: Sequence[Any]) -> None:
        if self.cv is None:
            return
        auto = self.recipe.dims == AUTO
        self.stage = "choosing the number of dimensions" if auto else "cross-validating"
        advance = self.watch.folds(self.stage, len(dims) * self._n_folds)
        for n in dims:
            model = self._of_folds(n)
            self.held_out[n] = HeldOut.of_folds(model, self.answers, self.cv, self.extra, advance)
            self.watch.check()

    def _of_folds(self, dims: Any) -> OrdinalEmbedding:
        is_fitted, ending = dims == self.model.n_components, self.watch.ending
        model = self.model if is_fitted else self._estimator(self.recipe, dims, ending)
        copy = clone(settled(model, joined(self.answers, self.extra)))
        return copy if ending is None else copy.set_params(callback=ending)

    def _choose_dimension(self) -> None:
        tried = range(1, min(MOST_DIMS, self.answers.n_items - 1) + 1)
        self._cross_validate(sorted(tried, key=lambda n: n != self.model.n_components))
        curve = self.curve
        if curve is not None and curve.chosen != self.model.n_components:
            self.fit(curve.chosen)

    def _try_another_dimension(self) -> None:
        free = self.recipe.informed or getattr(self.model, "form", None) == "coordinates"
        n = self.model.n_components
        if self.recipe.base is not None or self.recipe.described.sparse or not free or n is None:
            return
        # Scores without folds are scores of features as positions.
        if (held := self._measured()) is not None and not held.n_folds:
            return
        code = self.analysis.next["code"]
        if code in HANG_ON_DIMENSIONS and n + 1 < self.answers.n_items:
            self._cross_validate([n + 1])

    @cached_property
    def features_alone(self) -> HeldOut | None:
        used = self.recipe.informed or self.recipe.described.features
        of_answers = self.answers.scoring.of_answers
        return features_alone(self.answers, self.by) if used and of_answers else None

    def _try_features_alone(self) -> None:
        held, n = self._measured(), self.model.n_components
        if held is None or not (self.recipe.informed and is_better(self.features_alone, held)):
            return
        before = self.recipe, self.model, self.seconds or 0.0, self.notes
        self.settings["form"] = PRIOR_ALONE.make()
        self.fit(n)
        self._cross_validate([n])
        if not is_better(self._measured(), held):
            del self.settings["form"]
            self._keep(*before)
            self.held_out[n] = held
        if self.recipe.dims is None and self.analysis.next["code"] == "features_alone":
            self._take_features()

    def _try_without_views(self) -> None:
        if self.cv is None or len(getattr(self.model, "kernel_weights_", ())) < 2:
            return
        self.stage = "leaving out each view"
        model = self._of_folds(self.model.n_components)
        callback = self.watch.steps(self.stage)
        self.without_views = without_each_view(model, self.answers, self.cv, self.extra, callback)
        self.watch.check()

    def _take_features(self) -> None:
        fitted, n = self.held_out[self.model.n_components], self.model.n_components
        space = features_as_space(self.model, self.answers)
        if space is None:
            return
        held = HeldOut.of_new(space, self.answers, kept_whole(self.answers, self.by))
        self.held_out[space.n_components] = held
        note = (
            f"distances between the features predict better than a fit in {n} dimensions (error "
            f"{held.error:.3f}, not {fitted.error:.3f}): the space is the {space.n_components} "
            f"features, and a map shows their first principal axes. dims={n} keeps the fit."
        )
        note = self.watch.words(ResemblanceWarning(note, setting="dims"))
        self._keep(self.recipe, space, self.seconds or 0.0, (*self.notes, note))

    def _choose_model(self) -> None:
        self.stage, n = "choosing the model", self.model.n_components
        if not len(self.model.penalty_losses_):
            self.notes += (UNCOMPARED,)
            return
        choices, plain = choices_in(n), self.recipe
        steps = Steps(self.watch.steps(self.stage), len(choices))
        fits = {plain.model: (plain, self.model, self.seconds or 0.0, self.notes)}
        losses: dict[str, Floats] = {}  # on the same folds for all models
        for name in steps.each(in_turn_by_loss(n, losses)):
            if name not in fits:
                model, settings = choices[name]
                recipe = replace(plain, model=model, settings={**plain.settings, **settings})
                fits[name] = (recipe, *self._fitted(recipe, n))
                self.watch.check()
            losses[name] = fits[name][1].penalty_losses_
        self.compared = ModelComparison(tuple(losses), np.array(list(losses.values())))
        if self.compared.chosen != plain.model:
            self._keep(*fits[self.compared.chosen])

    def _choose_weight(self, machine: Judgments) -> None:
        self.stage, n = "weighing the machine's answers", self.model.n_components
        people = cast("Judgments", self.answers)
        model = clone(settled(self.model, people)).set_params(callback=self.watch.ending)
        is_open = self.model.penalty == AUTO
        self.weighed = choose_weight(model, people, machine, is_open, self.watch.steps(self.stage))
        self.watch.check()
        if self.weighed.weighted is None:
            return
        self.extra = joined(self.weighed.weighted, self.extra)
        if is_open and self.recipe.dims != AUTO:
            self.settings |= self.model.chosen_ | {"penalty": self.weighed.penalty}
        self.fit(n)

    def _choose_settings(self) -> None:
        asked, described, n = self.open_settings, self.recipe.described, self.model.n_components
        self.stage = f"choosing {' and '.join(asked)}"
        estimator = self._estimator(self.recipe, n, lambda now: self.watch.check())
        kind = Entry("", described.search).load()
        grids: dict[str, Any] = {
            grid: np.asarray(getattr(kind(), grid)) if name in asked else [getattr(estimator, name)]
            for name, grid in described.searched.items()
        }
        if "bandwidth" in asked:
            grids["bandwidths"] *= self.unit
        search = kind(estimator, **grids, cv=self._search_folds(), random_state=self.recipe.seed)
        search.choose(self.answers, self.watch.steps(self.stage))
        chosen = {name: getattr(search, f"best_{name}_") for name in asked}
        # scores of counts are already averaged over folds
        scores = search.scores_ if self._counted else search.scores_.mean(axis=1)
        self.tuning = {"chosen": chosen, **grids, "scores": scores}
        self.settings |= chosen
        self.fit(n)

    def _search_folds(self) -> Any:
        if self._counted:
            return min(SEARCH_FOLDS, len(self.answers))
        n_splits = min(SEARCH_FOLDS, self.cv.n_splits)
        n_splits = Units(self.answers, self.cv.by, n_splits).n_folds
        return GroupedKFold(n_splits, by=self.cv.by, random_state=self.recipe.seed)

    @property
    def _n_folds(self) -> int:
        return int(self.cv.get_n_splits(self.answers[scored_rows(self.answers)[0]]))

    def _measured(self) -> HeldOut | None:
        if self.cv is None:
            return None
        kept, rows = kept_whole(self.answers, self.by), scored_rows(self.answers)[0]
        name = Units(self.answers[rows], kept, self._n_folds).name
        return self.held_out.get(self.model.n_components, HeldOut(name, self._n_folds))


def analyse(
    judgments: JudgmentsLike,
    model: str | OrdinalEmbedding = AUTO_MODEL,
    *,
    dims: int | Literal["auto"] | None = None,
    folds: int | None = None,
    by: str | None = None,
    extra: OneKind | None = None,
    machine: JudgmentsLike | None = None,
    features: bool = False,
    keep_gold: bool = False,
    screen: bool = False,
    random_state: int = 0,
    callback: Told | None = None,
) -> Analysis:
    """Analyse answers: fit, choose open settings, score held-out answers, and advise.

    ``resemblance fit`` prints the result, and the desk of a study shows it.

    Parameters
    ----------
    judgments : judgments of one kind, or array
        The answers.
    model : str or estimator
        The model to fit: a name as in ``resemblance fit --model``, or an estimator. "auto" chooses
        the model with the lowest log loss on held-out answers (:func:`compare_models`).
    dims : int or "auto", optional
        The number of dimensions. "auto" chooses from 1 to 10 by :func:`select_dimension`. Default:
        the default of the model, mostly 2. For an estimator, only "auto" is allowed.
    folds : int, optional
        The number of folds; default 10, or the number of units if smaller. 0 is no
        cross-validation.
    by : {"question", "response_id", "observer"}, optional
        The unit that folds do not divide, as in :class:`~resemblance.GroupedKFold`. Default:
        "question".
    extra : judgments, optional
        Answers that are fitted too and never held out.
    machine : judgments or array, optional
        A machine's answers of the same kind, about the same items, fitted with the weight that best
        predicts people's held-out answers. Scores are of people's answers alone. An extra column
        "confidence" has the machine's probabilities of its answers.
    features : bool
        Whether a named model uses standardised features of the items as a prior
        (:class:`FeaturePrior`).
    keep_gold : bool
        Whether to fit answers to gold questions (strategy "gold" in exports of studies). By default
        they are left out, because their answer is prescribed.
    screen : bool
        Whether to leave out people who seem to guess. The analysis names them in either case.
    random_state : int
        The seed of the folds and the model.
    callback : callable, optional
        Called with (fits done, number of fits) in each step.

    Raises
    ------
    SettingError
        If a name is unknown, ``dims="auto"`` has no folds, or ``dims`` differs from the estimator's
        number of dimensions.
    JudgmentError
        If the judgments have no column for ``by``, or the machine answered about other items, in
        another kind of question, or with confidences outside 0 to 1.

    Examples
    --------
    >>> import resemblance as rs
    >>> triplets = rs.datasets.digits_triplets(n_triplets=1000, n_items=60, random_state=0)
    >>> analysis = rs.analyse(triplets, "ste", folds=5)
    >>> analysis.held_out.n_folds, analysis.as_dict()["next"]["code"]
    (5, 'repeat_questions')
    """
    answers, gold = without_gold(of_one_kind(judgments), keep_gold)
    recipe = Recipe.of(model, dims, random_state, features)
    answers, people = looked_at(answers, screen, random_state)
    cv = splitter(answers, folds, by, random_state)
    rows = None if machine is None else machine_rows(machine, answers)
    work = Workflow(
        answers, recipe, cv, by, extra, Watch(callback), gold=gold, people=people, machine=rows
    )
    return work.run()


def evaluate(
    estimator: OrdinalEmbedding,
    judgments: JudgmentsLike,
    *,
    cv: Any = None,
    by: str | None = None,
    extra: OneKind | None = None,
    random_state: int = 0,
    callback: Told | None = None,
) -> Analysis:
    r"""Estimate the error of a model, and the least possible error.

    .. math:: \bar e = \frac{1}{F} \sum_f e_f

    where e_f is the share of answers in fold f of F that a fit to the other folds predicts wrongly.
    A tie counts one half. The interval is from :func:`~resemblance.scores.mean_interval`. If random
    questions are known (:attr:`~resemblance.Triplets.at_random`), only their answers are held out
    and scored, because strategies choose hard questions.

    Parameters
    ----------
    estimator : OrdinalEmbedding
        An embedding or map of features. Without ``cv``, it must be fitted to other judgments. With
        ``cv``, it is fitted to these judgments if it is not fitted yet.
    judgments : Triplets, Quadruplets, Choices, OddOneOuts, Confusions, Ratings or array
        The answers. Answers to gold questions are left out, as in :func:`analyse`.
    cv : int or splitter, optional
        The number of folds, or a splitter. 0 is no cross-validation.
    by, extra
        Settings of :func:`analyse`.
    random_state : int
        The seed of the folds.
    callback : callable, optional
        Called with (folds done, number of folds) after each fit. If it returns a true value, the
        analysis contains only the folds so far.

    Raises
    ------
    SettingError
        If the estimator is no embedding, folds are impossible, or the estimator was fitted to these
        answers and there is no ``cv``.
    JudgmentError
        If the judgments are about other items than the fit, or have no column for ``by``.

    Examples
    --------
    >>> import resemblance as rs
    >>> triplets = rs.datasets.digits_triplets(n_triplets=2000, n_items=60, random_state=0)
    >>> analysis = rs.evaluate(rs.STE(2, random_state=0), triplets, cv=5)
    >>> analysis.held_out.n_folds, analysis.guessing["error"]
    (5, 0.5)
    >>> later = rs.datasets.digits_triplets(n_triplets=500, n_items=60, random_state=1)
    >>> low, high = rs.evaluate(analysis.model, later).held_out.interval
    >>> low < high
    True
    """
    if not isinstance(estimator, OrdinalEmbedding):
        raise SettingError(
            f"{type(estimator).__name__} cannot be evaluated: give an embedding or a map, such as "
            "TSTE, Yada or POE, fitted or not."
        )
    answers, gold = without_gold(of_one_kind(judgments))
    whole = kept_whole(answers, by)
    if cv is None:
        if extra is not None:
            raise SettingError("extra is fitted with the folds: give cv, or leave extra out.")
        if "embedding_" not in vars(estimator):
            raise SettingError(
                "the estimator is not fitted, and no cv is given: give cv, such as 10, or fit it "
                "to other answers first.",
                setting="cv",
            )
        analysis = on_new(estimator, of_one_kind(judgments), by)
        if analysis.seen == 1.0:
            raise SettingError(
                "each of these rows equals one that the estimator was fitted to, so this would be "
                "its training error: give new answers, or cv, such as 10. If other people gave "
                "these answers, name the observers here and in the fit.",
                setting="cv",
            )
        return analysis
    folds = splitter_of(cv, whole, random_state) if cv else None
    recipe = Recipe.of(estimator, None, random_state)
    people = guessing(answers, random_state) if cv else None
    work = Workflow(answers, recipe, folds, by, extra, Watch(callback), gold=gold, people=people)
    if "embedding_" not in vars(estimator):
        return work.run()
    work.model = estimator
    work.hold_out()
    return work.analysis


def on_new(estimator: OrdinalEmbedding, answers: OneKind, by: str | None = None) -> Analysis:
    answers, gold = without_gold(answers)
    new = HeldOut.of_new(estimator, answers, kept_whole(answers, by))
    seen = share_seen(answers, getattr(estimator, "_fitted_rows", None))
    return Analysis(estimator, answers, new, ceiling_of(answers), seen=seen, gold=gold)


def splitter(
    answers: OneKind, folds: int | None, by: str | None, random_state: int
) -> GroupedKFold | None:
    scored = answers[scored_rows(answers)[0]]
    whole = kept_whole(answers, by)
    most = Units(scored, whole, FOLDS).n_folds
    n_splits = most if folds is None else folds
    if n_splits == 0 or (folds is None and most < 2):
        return None
    made = GroupedKFold(n_splits, by=whole, random_state=random_state)
    next(made.split(scored))  # raises an error if folds are impossible
    return made


def scored(
    model: OrdinalEmbedding, judgments: OneKind, report: Mapping[str, Any], by: str | None = None
) -> dict[str, Any]:
    """Return the scores of a fit on answers, as in :meth:`Analysis.as_dict`.

    Scores are of rows that were not fitted; "seen" has the share of fitted rows. If all rows were
    fitted, the scores are those of ``report``.
    """
    new = replace(on_new(model, judgments, by), door="command").as_dict()
    if (new["seen"] or {}).get("share") != 1.0:
        return new
    return {name: report.get(name) for name in new} | {"seen": new["seen"]}
