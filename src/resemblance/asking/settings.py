"""Check the settings of a session."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.asking.predictive import PredictiveGain
from resemblance.asking.question import Picked, Question, QuestionType
from resemblance.asking.strategies import Strategy
from resemblance.catalog import AUTO_MODEL, HELD_OUT, INFORMED, MODEL, NEW, START, models_of
from resemblance.choice import ChoiceModel
from resemblance.errors import SettingError, UnknownQuestionError
from resemblance.fitting import OrdinalEmbedding
from resemblance.judgments import Items
from resemblance.ranges import WHOLE, check, integers


def seed_of(random_state: Any) -> list[int]:
    """Return one or several seeds as integers."""
    parts = np.atleast_1d(random_state).tolist()
    for part in parts:
        check(random_state=(part, integers(0)))
    return [int(part) for part in parts]


def check_questions(n_items: int, asks: QuestionType) -> None:
    """Refuse questions with more options, or picks, than there are items."""
    check(n_items=(n_items, integers(3)), n_options=(asks.n_options, integers(1)))
    most = n_items - asks.heads
    if not asks.least <= asks.n_options <= most:
        but = " but their heads" if asks.heads else ""
        raise SettingError(
            f"n_options is {asks.n_options}, but these questions have from {asks.least} to {most}, "
            f"all items{but}: give n_options={min(max(asks.n_options, asks.least), most)}."
        )
    if asks.picks != 1 and not (asks.heads and 1 < asks.picks < asks.n_options):
        raise SettingError(
            f"picks is {asks.picks} of {asks.n_options} options: give 1, or fewer than there are "
            "options; of odd ones out one is picked."
        )


def check_strategies(
    strategies: Mapping[str, Strategy], asks: QuestionType, choice: ChoiceModel
) -> None:
    """Refuse strategies that cannot use these questions, or the session's model."""
    for strategy in strategies.values():
        if strategy.needs_head and not asks.heads:
            raise SettingError(
                f"{type(strategy).__name__} weighs questions about a head, and odd ones out have "
                "none: take PredictiveGain, UncertainQuestions or RandomQuestions."
            )
        strategy.check(choice)


def checked_offer(offer: Any, n_items: int, asks: QuestionType) -> NDArray[np.int32]:
    """Check that each row of an offer is a question: different, existing items."""
    needed = f"give whole numbers, a row ({asks.items}) for each time it may be asked."
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
    """Check that a row is a question: the right number of different, existing items."""
    given = tuple(row)
    checked = tuple(int(item) for item in given if item in WHOLE)
    outside = len(checked) < len(given) or any(not 0 <= item < n_items for item in checked)
    if outside or len(checked) != asks.width or len(set(checked)) != len(checked):
        raise UnknownQuestionError(
            f"{given} is no question of this session: give {asks.items}, different items "
            f"numbered from 0 to {n_items - 1}."
        )
    return checked


def checked_picks(chosen: Any, question: Question, asks: QuestionType) -> Picked | None:
    """Check that an answer picks as many different options as the question asks for."""
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
            raise SettingError(f"a strategy cannot be called {name!r}: the session uses the name.")
    return named


def named_models(model: Any, items: Items | None = None) -> dict[str, OrdinalEmbedding]:
    """Return models by name; if there are several, all must give probabilities of answers.

    If the items have features and no model is given, models use the features as far as answers
    confirm them.
    """
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
                f"{name} gives answers no probability, by which models are compared: leave it out, "
                "or give it alone.",
                setting="model",
            )
    return models


def checked_shares(
    strategies: Mapping[str, Strategy], shares: Mapping[str, float] | None
) -> dict[str, float]:
    """Check that shares are of the strategies, not negative, and sum to one."""
    if shares is None:
        return {name: 1.0 / len(strategies) for name in strategies}
    if set(shares) != set(strategies):
        raise SettingError(
            f"the shares are of {sorted(shares)}, the strategies are {sorted(strategies)}: give "
            "each strategy its share."
        )
    total = sum(shares.values())
    if min(shares.values()) < 0 or abs(total - 1.0) > 1e-9:
        raise SettingError(f"the shares {dict(shares)} sum to {total:g}: they must sum to one.")
    return {name: float(share) for name, share in shares.items()}
