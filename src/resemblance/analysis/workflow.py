"""From answers to a verdict: which model, how many dimensions, how good, and what to do next."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from sklearn.base import clone

from resemblance.analysis.analysis import Analysis, evaluate
from resemblance.catalog import AUTO_MODEL, COMPARED, MODELS, STUDY_MODELS, find
from resemblance.errors import SettingError
from resemblance.fitting import (
    GroupedKFold,
    JudgmentsLike,
    OrdinalEmbedding,
    compare_models,
    select_dimension,
)
from resemblance.fitting.held_out import FOLDS, kept_whole, scored_rows
from resemblance.judgments import OneKind
from resemblance.judgments.taking import of_one_kind
from resemblance.progress import Told

MOST_DIMS = 10  # that are tried where the number is chosen


def analyse(
    judgments: JudgmentsLike,
    model: str | OrdinalEmbedding = AUTO_MODEL,
    *,
    dims: int | Literal["auto"] = 2,
    folds: int | None = None,
    by: str | None = None,
    extra: OneKind | None = None,
    random_state: int = 0,
    callback: Told | None = None,
) -> Analysis:
    """Judge answers once: fit, choose what is left open, hold out, and say what to do next.

    It is what ``resemblance fit`` prints and the desk of a study shows of the same answers.

    Parameters
    ----------
    judgments : judgments of one kind, or array
        The answers.
    model : {"auto", "tste", "ste", "ckl", "gnmds", "soe"} or estimator
        What is fitted. "auto" is the model under which answers held out are most likely: see
        :func:`compare_models`.
    dims : int or "auto"
        The number of dimensions; "auto" is that of :func:`select_dimension` among 1 to 10. An
        estimator has its own, unless it is "auto".
    folds : int, optional
        How many are held out in turn; default 10, or as many as there are units; 0 holds out
        nothing.
    by : {"response_id", "observer"}, optional
        What stays whole. Default: "response_id" where the judgments have it, else rows.
    extra : judgments, optional
        Answers that are fitted each time and never held out.
    random_state : int
        Of the folds and of the model.
    callback : callable, optional
        Called with (fits done, fits in all) of each step in turn.

    Returns
    -------
    Analysis
        It prints itself.

    Raises
    ------
    SettingError
        If a name is unknown, or something is to be chosen and no answers are held out.
    JudgmentError
        If the judgments lack what ``by`` names.

    Examples
    --------
    >>> import resemblance as rs
    >>> triplets = rs.datasets.digits_triplets(n_triplets=1000, n_items=60, random_state=0)
    >>> found = rs.analyse(triplets, "ste", folds=5)
    >>> found.held_out.n_folds, found.as_dict()["next"]["code"]
    (5, 'repeat_questions')
    """
    answers = of_one_kind(judgments)
    cv = splitter(answers, folds, by, random_state)
    left_open = [name for name, one in (("model", model), ("dims", dims)) if _is_auto(one)]
    if cv is None and left_open:
        raise SettingError(
            f"{' and '.join(left_open)} cannot be chosen where no answers are held out: give a "
            "model and a number, or folds=2 or more."
        )
    offered = _offered(model, 2 if dims == "auto" else int(dims), random_state)
    compared = curve = None
    if len(offered) > 1:
        compared = compare_models(answers, offered, cv=cv, callback=callback)
    estimator = offered[compared.chosen] if compared else next(iter(offered.values()))
    if dims == "auto":
        tried = range(1, min(MOST_DIMS, answers.n_items - 1) + 1)
        curve = select_dimension(estimator, answers, tried, cv=cv, callback=callback)
        estimator = estimator.set_params(n_components=curve.chosen)
    found = evaluate(estimator, answers, cv=cv or 0, by=by, extra=extra, callback=callback)
    return replace(found, models=compared, curve=curve)


def splitter(
    answers: OneKind, folds: int | None, by: str | None, random_state: int
) -> GroupedKFold | None:
    """Return what makes the folds, or None where nothing is to be or can be held out."""
    scored = answers[scored_rows(answers)[0]]
    whole = kept_whole(answers, by)
    units = len(scored) if whole == "row" else len(np.unique(getattr(scored, whole)))
    n_splits = min(FOLDS, units) if folds is None else folds
    if n_splits == 0 or (folds is None and units < 2):
        return None
    kept = "observer" if whole == "observer" else "response_id"
    made = GroupedKFold(n_splits, by=kept, random_state=random_state)
    next(made.split(scored))  # settings that make no folds are refused here
    return made


def _is_auto(setting: object) -> bool:
    return isinstance(setting, str) and setting == "auto"


def _offered(
    model: str | OrdinalEmbedding, dims: int, random_state: int
) -> dict[str, OrdinalEmbedding]:
    """Make the models to choose among, by name; one, where one is given."""
    if isinstance(model, OrdinalEmbedding):
        return {type(model).__name__.lower(): clone(model)}
    find(STUDY_MODELS, "model", model)
    names = COMPARED if model == AUTO_MODEL else (model,)
    return {name: MODELS[name].make(dims, random_state=random_state) for name in names}
