"""Choose the share of features in a fit, with penalty and map, on held-out answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.errors import SettingError
from resemblance.fitting.choosing.penalty import Search, folds_of, strongest_penalty
from resemblance.fitting.estimator import Embeds
from resemblance.fitting.objective.objective import Batch, batches
from resemblance.forms import FeaturePrior
from resemblance.judgments import AnyJudgments, OneKind, are_answers, one_kind

SHARES = 0.0, 0.25, 0.5, 0.75, 1.0  # shares of features to choose from
SAYS_NOTHING = 1e-9  # columns of the map, whose rows have a length of 1 on average


def choose_share(
    estimator: Embeds,
    forms: Sequence[FeaturePrior],
    judgments: AnyJudgments,
    data: list[Batch],
    choice: ChoiceModel,
    given: float | None = None,
) -> tuple[FeaturePrior, float, Floats]:
    r"""Choose the penalty, map and share of features that are "auto", by log loss.

    Shares are 0, 1/4, 1/2, 3/4 and 1, each with its own path of penalties, as in
    :func:`~resemblance.fitting.choosing.penalty.choose_penalty`. The first path begins where all
    items collapse, the others at the best penalty and fits of the share before. A share above 0
    must lower the log loss by more than one standard error. Returns form, penalty and the log
    losses of the folds, (n_folds,).
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
    """Return the same for the mentioned items.

    Other items lie where their features put them, and do not change the fit.
    """
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
