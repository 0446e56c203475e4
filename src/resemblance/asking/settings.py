"""Check the settings of a session, and turn an earlier space into a prior."""

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Floats
from resemblance.asking.gain import PredictiveGain
from resemblance.asking.question import Picked, Question, QuestionType
from resemblance.asking.strategies import Strategy
from resemblance.catalog import AUTO_MODEL, HELD_OUT, INFORMED, MODEL, NEW, START, models_of
from resemblance.choice import ChoiceModel
from resemblance.errors import SettingError, UnknownQuestionError, UnmentionedWarning, quiet
from resemblance.fitting import OrdinalEmbedding
from resemblance.forms import FeatureMap, FeaturePrior
from resemblance.judgments import Items, Judgments
from resemblance.ranges import SHARE, WHOLE, check, integers


def seed_of(random_state: Any) -> list[int]:
    parts = np.atleast_1d(random_state).tolist()
    for part in parts:
        check(random_state=(part, integers(0)))
    return [int(part) for part in parts]


def check_questions(n_items: int, asks: QuestionType) -> None:
    check(n_items=(n_items, integers(3)), n_options=(asks.n_options, integers(1)))
    most = n_items - asks.heads
    if not asks.least <= asks.n_options <= most:
        but = " but their heads" if asks.heads else ""
        raise SettingError(
            f"n_options is {asks.n_options}, but these questions have {asks.least} to {most} (all "
            f"items{but}): give n_options={min(max(asks.n_options, asks.least), most)}."
        )
    if asks.picks != 1 and not (asks.heads and 1 < asks.picks < asks.n_options):
        raise SettingError(
            f"picks is {asks.picks} of {asks.n_options} options: give 1, or fewer than there are "
            "options; odd-one-out questions take 1."
        )


def check_strategies(
    strategies: Mapping[str, Strategy], asks: QuestionType, choice: ChoiceModel
) -> None:
    for strategy in strategies.values():
        if strategy.needs_head and not asks.heads:
            raise SettingError(
                f"{type(strategy).__name__} needs questions with a head, and odd-one-out questions "
                "have none: take PredictiveGain, UncertainQuestions or RandomQuestions."
            )
        strategy.check(choice)


def checked_offer(offer: Any, n_items: int, asks: QuestionType) -> NDArray[np.int32]:
    needed = f"give integers, a row ({asks.items}) for each time a question may be asked."
    try:
        rows = np.asarray(offer)
    except ValueError as error:
        raise SettingError(f"the offer's rows differ in length: {needed}") from error
    if rows.ndim != 2 or rows.shape[1] != asks.width or rows.dtype.kind not in "iu":
        raise SettingError(f"the offer is an array of {rows.dtype}, {rows.shape}: {needed}")
    outside = ((rows < 0) | (rows >= n_items)).any(axis=1)
    twice = (np.diff(np.sort(rows, axis=1), axis=1) == 0).any(axis=1)
    if (bad := outside | twice).any():
        row = int(bad.argmax())
        raise SettingError(
            f"row {row} of the offer is {rows[row].tolist()}: name different items, numbered from "
            f"0 to {n_items - 1}."
        )
    return rows.astype(np.int32)


def checked_row(row: Iterable[Any], n_items: int, asks: QuestionType) -> tuple[int, ...]:
    given = tuple(row)
    checked = tuple(int(item) for item in given if item in WHOLE)
    outside = len(checked) < len(given) or any(not 0 <= item < n_items for item in checked)
    if outside or len(checked) != asks.width or len(set(checked)) != len(checked):
        raise UnknownQuestionError(
            f"{given} is not a question of this session: give {asks.items}, different items "
            f"numbered from 0 to {n_items - 1}."
        )
    return checked


def checked_picks(chosen: Any, question: Question, asks: QuestionType) -> Picked | None:
    if chosen is None:
        return None
    given = np.atleast_1d(chosen)
    picked = tuple(map(int, given)) if given.ndim == 1 and given.dtype.kind in "iu" else ()
    if len({*picked} & {*question.options}) != asks.picks or len(picked) != asks.picks:
        wanted = "one of them" if asks.picks == 1 else f"{asks.picks} of them"
        raise UnknownQuestionError(
            f"question {question.number} has the options {question.options}, not {chosen!r}: tell "
            f"{wanted}, or None for a skip."
        )
    return picked[0] if asks.picks == 1 else picked


def named_strategies(strategies: Strategy | Mapping[str, Strategy] | None) -> dict[str, Strategy]:
    if strategies is None:
        return {"adaptive": PredictiveGain()}
    if isinstance(strategies, Strategy):
        return {"adaptive" if strategies.adaptive else "random": strategies}
    named = dict(strategies)
    for name in named:
        if name in (START, INFORMED, HELD_OUT, NEW):
            raise SettingError(f"the session itself uses {name!r}: rename the strategy.")
    return named


def named_models(model: Any, items: Items | None = None) -> dict[str, OrdinalEmbedding]:
    if model is None or model == AUTO_MODEL:
        informed = items is not None and items.features is not None
        return models_of(model or MODEL, informed=informed)
    if isinstance(model, OrdinalEmbedding):
        return {type(model).__name__.lower(): model}
    if not isinstance(model, Mapping) or not model:
        raise SettingError(
            f"model is {model!r}: give an embedding such as TSTE(2), a dict of names and "
            f'embeddings, or "{AUTO_MODEL}".',
            setting="model",
        )
    models = dict(model)
    for name, candidate in models.items():
        if len(models) > 1 and not candidate._choice().one_of_many:
            raise SettingError(
                f"{name} predicts no probabilities, by which models are compared: leave it out, or "
                "give it alone.",
                setting="model",
            )
    return models


def checked_shares(
    strategies: Mapping[str, Strategy], shares: Mapping[str, float] | None
) -> dict[str, float]:
    if shares is None:
        return {name: 1.0 / len(strategies) for name in strategies}
    if set(shares) != set(strategies):
        raise SettingError(
            f"shares are given for {sorted(shares)}, the strategies are {sorted(strategies)}: give "
            "each strategy a share."
        )
    total = sum(shares.values())
    if min(shares.values()) < 0 or abs(total - 1.0) > 1e-9:
        raise SettingError(f"the shares {dict(shares)} sum to {total:g}: they must sum to one.")
    return {name: float(share) for name, share in shares.items()}


class Earlier:
    """An earlier space of named items, used as features with the share ``trust``."""

    def __init__(self, prior: Any, trust: float | Literal["auto"]) -> None:
        check(trust=(trust, SHARE.besides("auto")))
        if isinstance(prior, Judgments):
            with quiet():
                prior = models_of(MODEL)[MODEL].fit(prior)
        if not isinstance(prior, OrdinalEmbedding) or not hasattr(prior, "embedding_"):
            raise SettingError(
                f"prior is {type(prior).__name__}: give a fitted model, or answers.",
                setting="prior",
            )
        self.names, self.positions = prior.items_.names, prior.embedding_
        self.form = FeaturePrior(share=trust)

    def believed_by(
        self, models: dict[str, OrdinalEmbedding], given: bool
    ) -> dict[str, OrdinalEmbedding]:
        if not given:
            return {name: model.set_params(form=self.form) for name, model in models.items()}
        for name, model in models.items():
            if self.form.share != "auto" or not isinstance(model._form(), FeatureMap):
                raise SettingError(
                    f"the model {name!r} takes its trust in the prior from its form: give it "
                    "form=FeaturePrior(share=...) and leave trust out, or leave model out.",
                    setting="model",
                )
        return models

    def of(self, names: tuple[str, ...]) -> Floats:
        place = {name: row for row, name in enumerate(self.names)}
        X = np.tile(self.positions.mean(axis=0), (len(names), 1))
        for row, name in enumerate(names):
            if name in place:
                X[row] = self.positions[place[name]]
        return X

    def informed(self, items: Items) -> Items:
        """Return items with positions as features; warn about items without a position."""
        if items.features is not None:
            raise SettingError(
                "the items have features, which a prior would replace: leave out either.",
                setting="prior",
            )
        names = set(self.names)
        lacking = [name for name in items.names if name not in names]
        if len(lacking) == len(items):
            raise SettingError(
                f"the prior is about other items, such as {self.names[0]!r}: give the same names, "
                "by which items are matched.",
                setting="prior",
            )
        if lacking:
            listed = f"{', '.join(lacking[:5])}{' ...' if len(lacking) > 5 else ''}"
            warnings.warn(
                f"the prior lacks {len(lacking)} items: {listed}.",
                UnmentionedWarning,
                stacklevel=4,
            )
        parts = {name: getattr(items, name) for name in ("labels", "images", "titles")}
        return Items(items.names, self.of(items.names), **parts)
