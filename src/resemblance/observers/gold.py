"""Gold questions: questions with a certain answer that check attention."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from scipy.stats import beta
from sklearn.utils.validation import check_is_fitted

from resemblance.errors import JudgmentError, ResemblanceWarning
from resemblance.fitting import OrdinalEmbedding
from resemblance.judgments import Triplets, as_judgments, of_kind
from resemblance.observers.observer import refuse_other_items
from resemblance.optional import pd
from resemblance.ranges import Range, check, integers

Ints = NDArray[np.integer[Any]]

TAIL = 0.05  # posterior probability below the lower bound


def gold_questions(
    judgments: Triplets | ArrayLike,
    n: int = 20,
    *,
    least_agreement: float = 0.9,
    least_answers: int = 5,
    model: OrdinalEmbedding | None = None,
) -> Triplets:
    r"""Pick questions "for which there was tremendous agreement", to check attention.

    .. math:: q \mid k, m \sim Beta(a + k, a + m - k), \qquad a = (1 - A) / (2 A - 1)

    is the posterior probability q of the more frequent answer to a question, which k of m people
    gave. A is the share of pairs of answers to one question that agree, over all these judgments.
    The prior lets agreement vary between questions as much as it does here: where all questions are
    toss-ups, five equal answers count as luck. Agreement is overwhelming if the mean of q is at
    least ``least_agreement``, and its lower 5% bound is nearer to that than to 1/2. Questions with
    the highest bounds come first, in turn from different heads. Only a person's first answer to a
    question counts.

    Where too few questions qualify, a fitted model adds those that it is surest of: for each head,
    its nearest item against its farthest, then the second nearest and farthest, and so on. It adds
    no question that already has ``least_answers`` answers.

    Parameters
    ----------
    judgments : Triplets
        Answers, some of them to the same questions.
    n : int
        The number of gold questions.
    least_agreement : float
        The required share of people who agree, above 1/2 and below 1.
    least_answers : int
        The number of answers that a question needs.
    model : OrdinalEmbedding, optional
        A fitted model, which adds the missing questions.

    Returns
    -------
    Triplets
        At most n, as (head, right answer, wrong answer). ``extra["source"]`` says "answers" or
        "model", ``extra["agreement"]`` gives the mean of q or the model's probability, and
        ``extra["answers"]`` counts the answers.

    Raises
    ------
    JudgmentError
        If the judgments are no triplets, none of them is gold and there is no model, or the model
        has other items.
    SettingError
        If a setting is out of range.

    Warns
    -----
    ResemblanceWarning
        If there are fewer than n.

    References
    ----------
    Tamuz et al. 2011, section 7: 20% of the triplets of a task were gold.

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
    """Return a of the prior Beta(a, a) that fits the agreement of pairs of answers."""
    pairs = float((m * (m - 1)).sum())
    agreeing = float((k * (k - 1) + (m - k) * (m - k - 1)).sum())
    # half a pair of each kind keeps a finite, and above 0, where all or few pairs agree
    share = (agreeing + 0.5) / (pairs + 1.0)
    return (1 - share) / max(2 * share - 1, 1e-3)


def _in_turn(questions: pd.DataFrame) -> pd.DataFrame:
    """Sort questions by certainty, one of each head before the second of any."""
    questions = questions.sort_values("bound", ascending=False, kind="stable")
    turn = questions.groupby("head").cumcount()
    return questions.iloc[np.argsort(turn.to_numpy(), kind="stable")]


def _certain(model: OrdinalEmbedding, judged: Triplets, n: int) -> pd.DataFrame:
    """Return up to n questions, or slightly more, of which a model is most certain."""
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
    """Return the questions of triplets regardless of their answers."""
    return pd.DataFrame(
        {"head": head, "one": np.minimum(near, far), "other": np.maximum(near, far)}
    )


def _tell_lack(n_found: int, wanted: int, criterion: str, first: str) -> None:
    remedy = f"{first}lower least_agreement, or ask some questions of everybody"
    if n_found == 0:
        raise JudgmentError(f"no question has {criterion} beyond doubt: {remedy}")
    if n_found < wanted:
        message = f"{n_found} questions are gold, not {wanted}: {remedy}."
        warnings.warn(message, ResemblanceWarning, stacklevel=3)
