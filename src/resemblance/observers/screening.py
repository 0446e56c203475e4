"""Screening: which participants answered as people who look do."""

import numpy as np
import pandas as pd

from resemblance.errors import JudgmentError, SettingError
from resemblance.fitting import OrdinalEmbedding
from resemblance.judgments import CatchTrials
from resemblance.observers.evidence import Answers
from resemblance.observers.learning import people_of
from resemblance.observers.observer import Asked


def score_participants(
    judgments: Asked,
    gold: Asked | None = None,
    model: OrdinalEmbedding | None = None,
    *,
    catches: CatchTrials | None = None,
    level: float = 0.05,
) -> pd.DataFrame:
    r"""Score participants by gold questions, repeats, sides, a model and catch trials.

    .. math:: p = \Pr(X \le x), \; X \sim Binomial(n, q); \qquad
       \Lambda = \prod_r \frac{1 / N_r}{P_r}

    Gold questions, catch trials and repeats are counted: x of n right, or the same as before,
    where the crowd's share is q. A participant is rejected if p < level / (participants x kinds of
    evidence) and x / n is also nearer to guessing than to q (of repeats, which agree beyond chance
    by the square of care, in the quarter nearest to guessing); so no number of answers rejects
    somebody who is only less careful than others. Sides: the two-sided p of an even choice of
    sides, and three quarters on one side (halfway between even and always). Model: rejected if
    guessing explains the answers better than the model, by a factor :math:`\Lambda` above the
    inverse of that limit, which answers drawn from the model reach at most so often (Markov's
    inequality). P has the noise of the crowd, found as in :func:`fit_observers`. So all honest
    participants together stay with probability 1 - level or more, if they answer like the crowd.

    Parameters
    ----------
    judgments : Triplets, Choices or OddOneOuts
        Answers that name their observer. Each row is one answer: weights do not count.
        ``extra["side"]``, where it is there, says which of the shown options was chosen, 0 for the
        first, with sides drawn evenly; NaN where it is not known.
    gold : judgments of the same kind, optional
        Questions with their right answers: see :func:`gold_questions`.
    model : OrdinalEmbedding, optional
        A fitted model with a likelihood.
    catches : CatchTrials, optional
        Default: those that the judgments carry.
    level : float
        How probable it may be that anybody honest is rejected, between 0 and 1.

    Returns
    -------
    pandas.DataFrame
        A row for each participant: ``observer, answers, gold_answers, gold_correct,
        repeat_answers, repeat_agreement, side_share`` (of the first side) and ``side_p,
        log_loss`` (nats) with ``z_chance`` and ``z_crowd`` (how many standard deviations it is
        above what guessing, and answers like the crowd's, would have), ``catch_answers,
        catch_passed, flags`` (the reasons, in words) and ``rejected``. NaN where there is nothing
        to tell.

    Raises
    ------
    JudgmentError
        If answers, or catch trials, do not name their observer, gold or model have other items, or
        a side is no number.
    SettingError
        If the level is not between 0 and 1.

    References
    ----------
    Tamuz et al. 2011, section 7: "the vast majority of these poor results came from a small number
    of individuals", whom gold questions showed.

    Examples
    --------
    >>> import numpy as np
    >>> import resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> points = 3 * rng.normal(size=(9, 2))
    >>> people = [rs.SpaceObserver(points, random_state=0), rs.PositionBiasObserver(0)]
    >>> questions = np.array([rng.choice(9, 3, replace=False) for _ in range(200)])
    >>> answers = rs.Crowd(people, ["ann", "bob"], random_state=0).answer(questions)
    >>> scores = score_participants(answers)
    >>> scores["rejected"].tolist(), scores["flags"][1]
    ([False, True], 'side: 100% of 101 answers on the first side (p = 8e-31)')
    """
    if not 0 < level < 1:
        raise SettingError(f"level is {level!r}: give a probability between 0 and 1.")
    answers = Answers(judgments)
    checks = getattr(judgments, "catches", None) if catches is None else catches
    found = [
        answers.by_gold(gold),
        answers.by_repeats(),
        answers.by_sides(),
        answers.by_model(model),
        answers.by_catches(checks),
    ]
    limit = level / (answers.n_people * max(sum(np.isfinite(e.p).any() for e in found), 1))
    reasons = [
        [reason for evidence in found if (reason := evidence.reason(i, limit))]
        for i in range(answers.n_people)
    ]
    table = pd.DataFrame({"observer": answers.names.tolist(), "answers": answers.n_answers})
    columns = {name: column for evidence in found for name, column in evidence.columns.items()}
    flags = ["; ".join(told) for told in reasons]
    return table.assign(**columns, flags=flags, rejected=[bool(told) for told in reasons])


def drop_rejected(judgments: Asked, scores: pd.DataFrame, *, keep: bool = False) -> Asked:
    """Leave the answers of rejected participants out, so that no fit sees them.

    Parameters
    ----------
    judgments : Triplets, Choices or OddOneOuts
        Answers that name their observer.
    scores : pandas.DataFrame
        What :func:`score_participants` gave; ``rejected`` may have been changed by hand.
    keep : bool
        Keep them all the same.

    Returns
    -------
    Triplets or Choices

    Raises
    ------
    JudgmentError
        If an observer has no score, or nobody is left.

    Examples
    --------
    >>> from resemblance import Triplets
    >>> answers = Triplets([[0, 1, 2], [0, 2, 1]], observer=["ann", "bob"])
    >>> scores = score_participants(answers).assign(rejected=[False, True])
    >>> drop_rejected(answers, scores).observer.tolist()
    ['ann']
    """
    names, who = people_of(judgments)
    rejected = dict(zip(scores["observer"], scores["rejected"], strict=True))
    unknown = [name for name in names.tolist() if name not in rejected]
    if unknown:
        raise JudgmentError(f"{unknown[0]!r} has no score: score these very judgments")
    if keep:
        return judgments
    kept = ~np.array([rejected[name] for name in names.tolist()], dtype=bool)
    if not kept.any():
        raise JudgmentError(
            "every participant is rejected: look at their flags, correct scores.rejected, or give "
            "keep=True"
        )
    return judgments[kept[who]]
