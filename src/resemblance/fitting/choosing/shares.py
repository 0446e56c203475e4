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
    r"""Choose the penalty, the map and the share of features by log loss, where they are "auto".

    Shares are 0, 1/4, 1/2, 3/4 and 1. Each has a path of penalties of its own, on the folds and by
    the rule of :func:`~resemblance.fitting.choosing.penalty.choose_penalty`; the first path goes
    down from the penalty under which all items fall together, the others go on from the best
    penalty of the share before, from where its fits ended. Features are believed only where they
    make the answers of the folds likelier than a share of 0 does by more than one standard error.

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
        With its map and its share.
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
    """Return the shares that are tried; 0 alone where features are alike for all items."""
    if not isinstance(form.share, str):
        return (form.share,)
    return SHARES if np.abs(form.design).max() > SAYS_NOTHING else SHARES[:1]


def _of_mentioned(
    forms: Sequence[FeaturePrior], judgments: OneKind, data: list[Batch]
) -> tuple[Sequence[FeaturePrior], OneKind, list[Batch]]:
    """Return the same for the items that answers mention.

    Others lie where the features put them, and do not change the fit.
    """
    part = judgments.of_mentioned_items()
    if part is judgments:
        return forms, judgments, data
    return [form.of_part(part.items.features) for form in forms], part, batches(part)


def _refuse(judgments: AnyJudgments, choice: ChoiceModel) -> None:
    """Refuse to choose where log losses do not say which is best."""
    if not are_answers(judgments) or not (choice.one_of_many and choice.reads == "squared"):
        raise SettingError(
            'penalty="auto" and share="auto" of a FeaturePrior are for comparisons and likelihoods '
            "of squared distances (CKL, STE, TSTE): give numbers here.",
            setting="penalty",
        )
