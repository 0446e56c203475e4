"""Choose gold questions, and flag participants who seem to guess or see differently."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from scipy.stats import beta
from sklearn.utils.validation import check_is_fitted

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, ResemblanceWarning
from resemblance.fitting import OrdinalEmbedding
from resemblance.judgments import CatchTrials, Triplets, as_judgments, of_kind
from resemblance.judgments.joining import people_of
from resemblance.observers.evidence import (
    LEAST_CARE,
    LEVEL,
    ONE_OF_THEM,
    Answers,
    Bools,
    Evidence,
    Ints,
    look_again,
)
from resemblance.observers.observer import Asked, refuse_other_items
from resemblance.optional import pd
from resemblance.ranges import LEVEL as A_LEVEL, Range, check, checks_bools, integers

TAIL = 0.05  # posterior probability that q is below its lower bound


def gold_questions(
    judgments: Triplets | ArrayLike,
    n: int = 20,
    *,
    least_agreement: float = 0.9,
    least_answers: int = 5,
    model: OrdinalEmbedding | None = None,
) -> Triplets:
    r"""Choose questions on which people almost certainly agree, to check attention.

    .. math:: q \mid k, m \sim Beta(a + k, a + m - k), \qquad a = (1 - A) / (2 A - 1)

    is the posterior distribution of q, the probability of the more frequent answer to a question,
    if k of m people gave this answer. A is the share of equal answers among all pairs of answers to
    the same question: if A is near 1/2, even five equal answers are weak evidence. A question is
    gold if the posterior mean of q is at least ``least_agreement`` and its lower 5 % bound is
    closer to ``least_agreement`` than to 1/2. Questions with the highest bounds come first; each
    head is used once before any is used twice. Only a person's first answer to a question counts.

    If too few questions qualify, a fitted model adds the questions with its most certain answers:
    for each head, the nearest item against the farthest, then the second nearest against the second
    farthest, and so on. Questions with ``least_answers`` answers are not added. Source: Tamuz et
    al. 2011, section 7: 20% of the triplets of a task were gold.

    Parameters
    ----------
    judgments : Triplets
        Answers, with several answers to some questions.
    n : int
        The number of gold questions.
    least_agreement : float
        The required share of people who agree, above 1/2 and below 1.
    least_answers : int
        The number of answers that a question needs.
    model : OrdinalEmbedding, optional
        A fitted model, which adds questions if too few qualify.

    Returns
    -------
    Triplets
        Up to n questions as (head, right answer, wrong answer). ``extra["source"]`` is "answers" or
        "model", ``extra["agreement"]`` the mean of q or the model's probability, and
        ``extra["answers"]`` the number of answers.

    Raises
    ------
    JudgmentError
        If the judgments are not triplets, no question qualifies, or the model has other items.
    SettingError
        If a setting is out of range.

    Warns
    -----
    ResemblanceWarning
        If there are fewer than n gold questions.

    Examples
    --------
    >>> answers = Triplets([[0, 1, 2]] * 20 + [[3, 1, 0]] * 9 + [[3, 0, 1]] * 11)
    >>> gold = gold_questions(answers, 1)
    >>> gold.index, gold.extra["source"].tolist()
    (array([[0, 1, 2]], dtype=int32), ['answers'])
    """
    check(n=(n, integers(1)), least_answers=(least_answers, integers(1)))
    check(least_agreement=(least_agreement, Range(0.5, 1, above=True, below=True)))
    judged = of_kind(as_judgments(judgments), Triplets, "choosing gold questions")
    judged = judged[judged.weights > 0]
    asked = agreement(judged)
    asked = asked[asked["answers"] >= least_answers]
    sure = asked["agreement"].ge(least_agreement) & asked["bound"].gt((0.5 + least_agreement) / 2)
    gold = _in_turn(asked[sure])
    if len(gold) < n and model is not None:
        rows = _certain(model, judged, n + len(asked))
        unjudged = pd.concat([asked, rows]).drop_duplicates(["head", "one", "other"])
        rows = unjudged[
            (unjudged["source"] == "model") & (unjudged["agreement"] >= least_agreement)
        ]
        gold = pd.concat([gold, rows])
    criterion = f"{least_answers} answers of which {least_agreement:.0%} agree"
    _tell_lack(len(gold), n, criterion, "" if model is not None else "give a fitted model=, ")
    extra = {name: gold[name].to_numpy()[:n] for name in ("agreement", "answers")}
    extra["source"] = gold["source"].to_numpy(dtype=str)[:n]
    return Triplets(gold[["head", "near", "far"]].to_numpy()[:n], judged.items, extra=extra)


def agreement(judged: Triplets) -> pd.DataFrame:
    head, near, far = judged.index.T
    who = np.arange(len(judged)) if judged.observer is None else judged.observer
    answers = _unordered(head, near, far).assign(first=near < far, who=who)
    question = ["head", "one", "other"]
    votes = answers.drop_duplicates([*question, "who"]).groupby(question)["first"]
    table = votes.agg(k="sum", answers="size").reset_index()
    k, m = table["k"], table["answers"]
    table["near"] = table["one"].where(2 * k >= m, table["other"])
    table["far"] = table["other"].where(2 * k >= m, table["one"])
    k, a = k.where(2 * k >= m, m - k), prior_count(k, m)
    table["agreement"] = (a + k) / (2 * a + m)
    table["bound"] = beta.ppf(TAIL, a + k, a + m - k)
    return table.assign(source="answers")


def prior_count(k: pd.Series, m: pd.Series) -> float:
    """Return the parameter a of the prior Beta(a, a), from the agreement of pairs of answers."""
    pairs = float((m * (m - 1)).sum())
    agreeing = float((k * (k - 1) + (m - k) * (m - k - 1)).sum())
    # Half a pair that agrees and half a pair that does not keep a finite and positive.
    share = (agreeing + 0.5) / (pairs + 1.0)
    return (1 - share) / max(2 * share - 1, 1e-3)


def _in_turn(questions: pd.DataFrame) -> pd.DataFrame:
    """Sort questions by certainty; use each head once before any head is used twice."""
    questions = questions.sort_values("bound", ascending=False, kind="stable")
    turn = questions.groupby("head").cumcount()
    return questions.iloc[np.argsort(turn.to_numpy(), kind="stable")]


def _certain(model: OrdinalEmbedding, judged: Triplets, n: int) -> pd.DataFrame:
    check_is_fitted(model, "embedding_")
    refuse_other_items("the model", model.items_, judged.items)
    seen = np.setdiff1d(np.arange(len(model.items_)), getattr(model, "unmentioned_", []))
    X = model.embedding_[seen]
    inner = model.choice_.reads == "inner"
    distance = -X @ X.T if inner else cdist(X, X)
    np.fill_diagonal(distance, -np.inf)
    order = seen[distance.argsort(axis=1, kind="stable")[:, 1:]]
    turns = min(-(-n // len(seen)), order.shape[1] // 2)
    index = np.vstack(
        [np.column_stack([seen, order[:, turn], order[:, -1 - turn]]) for turn in range(turns)]
    )
    head, near, far = index.T
    p = model.predict_proba(Triplets(index, model.items_))[:, 0]
    cells = {"near": near, "far": far, "agreement": p, "bound": p, "answers": 0, "source": "model"}
    return _in_turn(_unordered(head, near, far).assign(**cells))


def _unordered(head: Ints, near: Ints, far: Ints) -> pd.DataFrame:
    return pd.DataFrame(
        {"head": head, "one": np.minimum(near, far), "other": np.maximum(near, far)}
    )


def _tell_lack(n_found: int, wanted: int, criterion: str, first: str) -> None:
    remedy = f"{first}lower least_agreement, or ask some questions of everybody"
    if n_found == 0:
        raise JudgmentError(f"no question certainly has {criterion}: {remedy}")
    if n_found < wanted:
        message = f"{n_found} questions are gold, not {wanted}: {remedy}."
        warnings.warn(message, ResemblanceWarning, stacklevel=3)


LEAST_ANSWERS = 100  # People with fewer answers are not rejected because of a model alone.
ROUNDS = 3  # largest number of times that likely guessers are removed from the crowd


@dataclass(frozen=True)
class Findings:
    columns: dict[str, Floats]
    bound: Floats  # upper bound of care, (people,)
    likely: Floats  # median of care, (people,)
    # evidence of guessing, by person; people who see differently may have such evidence, too
    reasons: list[list[str]]
    hints: list[list[str]]  # differences from the answers of other people, by person
    by_model: Evidence
    level: Floats  # significance level of each person's bounds, (people,)


def score_participants(
    judgments: Asked,
    gold: Asked | None = None,
    model: OrdinalEmbedding | None = None,
    *,
    catches: CatchTrials | None = None,
    level: float = LEVEL,
    least_care: float = LEAST_CARE,
    folds: int | None = None,
) -> pd.DataFrame:
    r"""Score participants by gold questions, repeats, sides, a model and catch trials.

    .. math:: P_c = c \, P + (1 - c) / N, \qquad
       \bar c = \max \{ c : \Pr(T \ge t \mid c) \ge \alpha / k \}

    The care c of a person is the share of answers that are not guesses, relative to the crowd's
    share. Each of k kinds of evidence gives an upper bound :math:`\bar c`: the greatest care at
    which answers at least as bad have a probability of at least :math:`\alpha / k`, where
    :math:`\alpha` is ``level``. Repeats and catch trials do not depend on how a person sees, so a
    person is rejected if the bound from them is below ``least_care``. A person with at least this
    care is therefore rejected with probability ``level`` at most, for any number of answers. A
    person as careful as the crowd is almost never rejected.

    Gold and the model reflect how most people see. A person whose bound from gold or the model is
    below .78 of ``least_care`` may guess, or may see differently. Such a person is rejected as a
    guesser, with two exceptions: the person's repeats agree better than guesses (p < .02, each
    repeated question counted once), or a map fitted to the answers of all such people predicts the
    person's held-out answers. The noise of this map is that of a map of as many careful people. If
    the map predicts 3 nats better than guesses and than the crowd's map, the person *differs* and
    is not excluded. Without gold, a model rejects nobody with fewer than 100 answers. Gold
    questions that half or more of at least five people get wrong are ignored, with a warning.

    For gold questions, catch trials and repeats, T is the number of wrong (or changed) answers. The
    share of right answers beyond chance is proportional to c; the share of equal repeats beyond
    chance is proportional to c squared. For a model, T is the log likelihood ratio of guesses to
    answers of the least care, where P has the noise of the crowd (one temperature, one lapse rate).
    T is a sum of independent terms; the first three moments approximate its distribution
    (Edgeworth). Sides give no bound of care: a person who chose one side in at least three quarters
    of the answers is rejected if the two-sided p-value of even choices is below level /
    (participants x kinds). At first the crowd is everybody; later it is the people whose care is
    probably at least ``least_care``.

    Parameters
    ----------
    judgments : Triplets, Choices or OddOneOuts
        Answers that name their observer. Each row is one answer; weights are ignored.
        An optional ``extra["side"]`` has the position of the chosen option, 0 for the first, or NaN
        if unknown; positions must have been random.
    gold : judgments of the same kind, optional
        Questions with their right answers: see :func:`gold_questions`.
    model : OrdinalEmbedding, optional
        A fitted model with a likelihood.
    catches : CatchTrials, optional
        Default: the catch trials of the judgments.
    level : float
        Greatest probability of rejecting a person with the least care, between 0 and 1.
    least_care : float
        Sufficient care, as a share of the crowd's, between 0 and 1.
    folds : int, optional
        Number of groups of people. Each group is scored by a model fitted to the other groups. Give
        5 or more if the model was fitted to these answers: such a model also fits the guesses, and
        with 50 answers each, half of the guessers would pass.

    Returns
    -------
    pandas.DataFrame
        One row per participant, with NaN if there is no evidence: ``observer, answers,
        gold_answers, gold_correct, repeat_answers, repeat_agreement, side_share`` (share of the
        first side), ``side_p, log_loss`` (nats), ``z_chance`` and ``z_crowd`` (log loss minus the
        expected loss of guesses, or of the crowd's answers, in standard deviations),
        ``catch_answers, catch_passed, most_care`` (the lowest bound; 1 without evidence), ``flags``
        (the reasons, in words), ``differs`` (sees differently from most people) and ``rejected``.

    Raises
    ------
    JudgmentError
        If answers or catch trials do not name their observer, gold or the model have other items,
        gold has two right answers to one question, or a side is not a number.
    SettingError
        If the level or the least care is not between 0 and 1.

    Warns
    -----
    ResemblanceWarning
        For each gold question that at least half of the people get wrong.

    Notes
    -----
    In simulated studies of 25 people with 200 answers each and ``folds=5``, 88 to 96 % of the
    guessers were found, and 0 to 7 % of the people who see differently were rejected. A single
    person who sees another space was rejected in 15 of 24 studies without repeats, and in 4 of
    24 with 40 repeats. See ``papers/calibration/screening.py``.

    References
    ----------
    Gold questions: Tamuz et al. 2011, section 7. Bounds by inverting tests: Clopper, Pearson
    (1934), Biometrika 26.

    Examples
    --------
    >>> import numpy as np
    >>> import resemblance as rs
    >>> rng = np.random.default_rng(0)
    >>> points = 3 * rng.normal(size=(9, 2))
    >>> people = [rs.SpaceObserver(points, random_state=0), rs.observers.PositionBiasObserver(0)]
    >>> questions = np.array([rng.choice(9, 3, replace=False) for _ in range(200)])
    >>> answers = rs.Crowd(people, ["ann", "bob"], random_state=0).answer(questions)
    >>> scores = score_participants(answers)
    >>> scores["rejected"].tolist(), scores["flags"][1]
    ([False, True], 'side: 100% of 101 answers on the first side (p = 8e-31)')
    """
    check(level=(level, A_LEVEL), least_care=(least_care, A_LEVEL))
    check(folds=(folds, integers(2).besides(None)))
    answers = Answers(judgments, level, least_care)
    right = answers.right(gold)
    answers.ordinary = right < 0
    checks = getattr(judgments, "catches", None) if catches is None else catches
    for _ in range(ROUNDS):  # Compare everybody with the people who probably do not guess.
        findings = _look(answers, right, model, checks, folds)
        crowd = findings.likely >= answers.least_care
        if not crowd.any() or (crowd == answers.crowd).all():
            break
        answers.crowd = crowd
    table = pd.DataFrame({"observer": answers.names.tolist(), "answers": answers.n_answers})
    table = table.assign(**findings.columns, most_care=findings.bound)
    return table.assign(**_judged(answers, findings, model))


def _judged(
    answers: Answers, findings: Findings, model: OrdinalEmbedding | None
) -> dict[str, list[str] | Bools]:
    against = np.array([bool(reasons) for reasons in findings.reasons])
    unlike, unsteady = (np.array([bool(said) for said in of]) for of in findings.hints)
    suspected = unlike & ~against
    doubtful = ~against & (findings.likely < (1 + answers.least_care) / 2)
    careful = ~(against | unlike | unsteady) & answers.crowd
    again = look_again(
        answers, suspected, doubtful, careful, findings.by_model, model, findings.level
    )
    differs = suspected & ((again.steady & ~unsteady) | again.predicted)
    has_gold = np.bincount(answers.who, ~answers.ordinary, answers.n_people) > 0
    enough = has_gold | (answers.n_answers >= LEAST_ANSWERS)
    guesses = suspected & ~differs & (again.bound < ONE_OF_THEM) & enough
    rejected = against | guesses | (unsteady & ~differs)
    flags = []
    for i, reasons in enumerate(findings.reasons):
        said = "; ".join(filter(None, (of[i] for of in findings.hints)))
        if differs[i]:
            how = "a map of such people predicts them" if again.predicted[i] else "repeats agree"
            said = f"differs from the others ({how}): {said}"
        elif said and not rejected[i]:
            said = f"sees differently or guesses (too few answers to tell): {said}"
        flags.append("; ".join([*filter(None, [said]), *reasons]))
    return {"flags": flags, "differs": differs, "rejected": rejected}


def _look(
    answers: Answers,
    right: Ints,
    model: OrdinalEmbedding | None,
    catches: CatchTrials | None,
    folds: int | None,
) -> Findings:
    by_gold, by_model = answers.by_gold(right), answers.by_model(model, folds)
    first = by_gold if model is None else answers.by_both(right, by_gold, by_model)
    care = [first, answers.by_repeats(), answers.by_catches(catches)]
    kinds = np.sum([evidence.seen for evidence in care], axis=0)
    level = answers.level / np.maximum(kinds, 1)
    sides = answers.by_sides(answers.level / (answers.n_people * (1 + int(kinds.max()))))
    bounds = np.array([evidence.bound(level) for evidence in care])
    least = answers.least_alike, answers.least_care, answers.least_care
    *hints, failed = (
        [
            f"{evidence.words(i)} (care at most {bound[i]:.2f})" if bound[i] < enough else ""
            for i in range(answers.n_people)
        ]
        for evidence, bound, enough in zip(care, bounds, least, strict=True)
    )
    reasons = [
        [*filter(None, [failed[i]]), *([sides.words(i)] if sides.seen[i] else [])]
        for i in range(answers.n_people)
    ]
    order = [by_gold, care[1], sides, by_model, care[2]]
    columns = {name: column for evidence in order for name, column in evidence.columns.items()}
    half = np.full(answers.n_people, 0.5)
    likely = np.where(sides.seen, 0.0, np.min([sign.bound(half) for sign in care], axis=0))
    return Findings(columns, bounds.min(axis=0), likely, reasons, hints, by_model, level)


@checks_bools
def drop_rejected(judgments: Asked, scores: pd.DataFrame, *, keep: bool = False) -> Asked:
    """Leave out the answers of rejected participants.

    Parameters
    ----------
    judgments : Triplets, Choices or OddOneOuts
        Answers that name their observer.
    scores : pandas.DataFrame
        The result of :func:`score_participants`; you may change ``rejected`` by hand.
    keep : bool
        Whether to keep the answers of rejected participants.

    Raises
    ------
    JudgmentError
        If an observer has no score or several scores, if ``rejected`` is neither True nor False, or
        if nobody is left.

    Examples
    --------
    >>> from resemblance import Triplets
    >>> answers = Triplets([[0, 1, 2], [0, 2, 1]], observer=["ann", "bob"])
    >>> scores = score_participants(answers).assign(rejected=[False, True])
    >>> drop_rejected(answers, scores).observer.tolist()
    ['ann']
    """
    names, who = people_of(judgments)
    if lacking := {"observer", "rejected"} - {*scores}:
        raise JudgmentError(f"scores lack the column {min(lacking)!r}: score the participants")
    scored = scores["observer"].astype(str)
    rejected = dict(zip(scored, scores["rejected"], strict=True))
    for name, said in rejected.items():
        if not isinstance(said, bool | np.bool_):
            raise JudgmentError(f"rejected is {said!r} of {name!r}: say True or False")
    if len(rejected) < len(scores):
        twice = scored[scored.duplicated()].iloc[0]
        raise JudgmentError(f"{twice!r} has two rows of scores: leave one out")
    unknown = [name for name in names.tolist() if name not in rejected]
    if unknown:
        raise JudgmentError(f"{unknown[0]!r} has no score: score the same judgments")
    if keep:
        return judgments
    kept = ~np.array([rejected[name] for name in names.tolist()], dtype=bool)
    if not kept.any():
        raise JudgmentError(
            "every participant is rejected: look at their flags, correct scores.rejected, or give "
            "keep=True"
        )
    return judgments[kept[who]]
