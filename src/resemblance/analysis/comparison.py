"""Compare choice models, and fits with features, on held-out answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from resemblance.arrays import Floats, by_view
from resemblance.catalog import MODELS, choices_in, compared_in
from resemblance.embeddings import STE
from resemblance.errors import SettingError, quiet
from resemblance.fitting import HeldOut, OrdinalEmbedding
from resemblance.fitting.estimator import Embeds
from resemblance.fitting.folds import splitter_of
from resemblance.fitting.held_out import held_out, kept_whole, log_loss_of
from resemblance.fitting.objective.checks import one_view
from resemblance.fitting.objective.threads import in_turn
from resemblance.fitting.penalty import AUTO, folds_of, settled
from resemblance.forms import Coordinates
from resemblance.geometry import principal_axes
from resemblance.judgments import Items, Judgments, OneKind, as_judgments
from resemblance.judgments.convert import JudgmentsLike
from resemblance.notebook import Card, Shown
from resemblance.optional import pd
from resemblance.progress import Steps, Told
from resemblance.ranges import check, integers

TIE = 0.005  # models within this difference (nats) are considered equal


@dataclass(frozen=True)
class ModelComparison(Shown):
    """Held-out log losses (k, n_folds) of several models on the same folds, in nats."""

    names: tuple[str, ...]
    log_losses: Floats

    @property
    def log_loss(self) -> Floats:
        """The mean over folds, (k,)."""
        return np.asarray(self.log_losses.mean(axis=1))

    @property
    def chosen(self) -> str:
        """The first model whose log loss is within 0.005 nats of the lowest."""
        return self.names[int((self.log_loss <= self.log_loss.min() + TIE).argmax())]

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with a row for each model, best first.

        ``behind`` is the log loss minus the log loss of the best model, with its ``standard_error``
        over folds. A model behind by less than two standard errors cannot be distinguished from the
        best. For models farther behind, :func:`~resemblance.model_recovery` tests whether these
        answers can distinguish them.
        """
        best = self.log_losses[int(self.log_loss.argmin())]
        behind = self.log_losses - best
        rows = {
            "log_loss": self.log_loss,
            "behind": behind.mean(axis=1),
            "standard_error": behind.std(axis=1, ddof=1) / behind.shape[1] ** 0.5,
        }
        return pd.DataFrame(rows, index=pd.Index(self.names, name="model")).sort_values("log_loss")

    def _card(self) -> Card:
        facts = {"chosen": self.chosen, "folds": self.log_losses.shape[1]}
        return Card("Held-out log loss of each model", facts, self.to_pandas())


def in_turn_by_loss(n_components: int, losses: Mapping[str, Floats]) -> Iterator[str]:
    """Yield the names of models to fit, given the ``losses`` of models fitted so far.

    First come t-STE, STE, and CKL if it differs from t-STE; then t-STE with other degrees of
    freedom, until the loss rises.
    """
    plain = compared_in(n_components)
    yield from plain
    between = [name for name in choices_in(n_components) if name not in plain]
    ends = [float(losses[name].mean()) for name in ("tste", "ste")]
    least = min(ends)
    for name in between if ends[0] < ends[1] else reversed(between):
        yield name
        loss = float(losses[name].mean())
        if loss >= least:
            return
        least = loss


def compare_models(
    judgments: JudgmentsLike,
    models: Mapping[str, Embeds] | None = None,
    n_components: int | None = None,
    *,
    cv: Any = None,
    callback: Told | None = None,
) -> ModelComparison:
    """Compare choice models, with their best penalties, by held-out log loss.

    Choose the model before the number of dimensions, because a wrong choice model needs too many
    dimensions. If several models are within 0.005 nats of the best, the first is chosen.
    :func:`~resemblance.model_recovery` simulates whether the answers can distinguish the models.

    Parameters
    ----------
    judgments : Triplets, Quadruplets, Choices, OddOneOuts or array
        The answers.
    models : dict of str to estimator, optional
        Models with a likelihood, by name. Default: "tste", "ste" and t-STE with 3 and 10 degrees of
        freedom, with an automatic penalty; in three dimensions or more also "ckl", which otherwise
        equals t-STE except for the scale.
    n_components : int
        The number of dimensions of the default models; default 2.
    cv : splitter or int, optional
        Default: the folds of ``penalty="auto"``, which are 5, or 2 with many answers. Models with
        an automatic penalty then need no further fits.
    callback : callable, optional
        Called with (steps done, number of steps) after each model.

    Raises
    ------
    SettingError
        If there is no model, a model has no probabilities, there is only one response, or both
        ``models`` and ``n_components`` are given.

    Examples
    --------
    >>> import resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> person = rs.SpaceObserver(2 * rng.normal(size=(12, 2)), random_state=0)
    >>> answers = person.answer([rng.choice(12, 3, replace=False) for _ in range(1500)])
    >>> rs.compare_models(answers).chosen
    'ste'
    """
    answers = as_judgments(judgments)
    if models is None:
        d = 2 if n_components is None else n_components
        check(n_components=(d, integers(1)))
        models = {
            name: MODELS[model].load()(d, penalty=AUTO, random_state=0, **settings)
            for name, (model, settings) in choices_in(d).items()
        }
    elif n_components is not None:
        raise SettingError(
            "models are given, with dimensions of their own: leave n_components out.",
            setting="n_components",
        )
    folds = folds_of(answers) if cv is None else list(splitter_of(cv).split(answers))
    if not (models and isinstance(models, Mapping)):
        raise SettingError("models: give at least one by name, or none.", setting="models")
    if not folds:
        raise SettingError("models cannot be compared on a single response: collect more.")
    for name, model in models.items():
        if not (hasattr(model, "_choice") and model._choice().one_of_many):
            raise SettingError(
                f"{name} predicts no probabilities: compare models such as CKL, STE and TSTE."
            )
    steps, own = Steps(callback, len(models)), cv is None
    losses = [_held_out_losses(model, answers, folds, own) for model in steps.each(models.values())]
    return ModelComparison(tuple(models), np.array(losses))


def _held_out_losses(
    model: Embeds,
    answers: Judgments,
    folds: list[tuple[NDArray[np.intp], NDArray[np.intp]]],
    own: bool,
) -> Floats:
    if own and model.penalty == AUTO and isinstance(model._form(), Coordinates):
        with quiet():
            return clone(model).fit(answers).penalty_losses_
    chosen = settled(model, answers)
    tasks = [(chosen, answers, fold, log_loss_of) for fold in folds]
    return np.array(list(in_turn(held_out, tasks)))


MOST_FEATURES = 100  # maximum number of features that are used as positions
SCALES = 2.0 ** np.arange(-6.0, 4.0, 0.5)  # candidates for the scale of features as positions


def standardised(features: Any) -> Floats:
    Z = np.concatenate([np.asarray(X, float) for X in by_view(features).values()], axis=1)
    deviation = Z.std(axis=0)
    return np.asarray((Z - Z.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0))


def features_alone(answers: OneKind, by: str | None) -> HeldOut:
    answers = answers.of_mentioned_items()
    Z = standardised(answers.items.features)
    space = STE(Z.shape[1]).set_positions(Z, answers.items)
    return HeldOut.of_new(space, answers, kept_whole(answers, by))


def without_each_view(
    estimator: OrdinalEmbedding,
    answers: OneKind,
    cv: Any,
    extra: OneKind | None = None,
    callback: Told | None = None,
) -> dict[str, HeldOut]:
    """Return, by name of each view of the items, the held-out scores of a fit without this view."""
    views, held = by_view(answers.items.features), {}
    advance = Steps(callback, len(views))
    for left_out in advance.each(views):
        kept = {name: features for name, features in views.items() if name != left_out}
        items = Items(answers.items.names, kept)
        of_view = {
            name: {view: value for view, value in setting.items() if view != left_out}
            for name, setting in estimator.get_params(deep=False).items()
            if name in ("kernels", "bandwidth") and isinstance(setting, Mapping)
        }
        others = None if extra is None else extra._with(items=items)
        model = clone(estimator).set_params(**of_view)
        held[left_out] = HeldOut.of_folds(model, answers._with(items=items), cv, others)
    return held


def features_as_space(model: OrdinalEmbedding, answers: OneKind) -> OrdinalEmbedding | None:
    """Return the model with scaled features as positions; None with too many features."""
    axes = principal_axes(standardised(model.items_.features))
    if axes.shape[1] > MOST_FEATURES:
        return None
    space = clone(model).set_params(n_components=axes.shape[1], form="coordinates")
    losses = [space.set_positions(s * axes, model.items_).log_loss(answers) for s in SCALES]
    space.set_positions(SCALES[int(np.argmin(losses))] * axes, model.items_)
    space.parts_, space.unmentioned_ = model.parts_, model.unmentioned_
    return space


def is_better(one: HeldOut | None, other: HeldOut | None) -> bool:
    if one is None or other is None or one.error is None or other.error is None:
        return False
    return one.error < other.error


def spreads(answers: OneKind) -> Floats:
    features = one_view(answers.items)
    assert features is not None
    return np.asarray(features.std(axis=0))
