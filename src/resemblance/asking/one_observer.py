"""How one observer weighs the dimensions of a space, each answer choosing the next question."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from resemblance.arrays import Floats, Ints
from resemblance.asking.question import Pending, Picked, Question, QuestionType, question_type
from resemblance.asking.settings import check_questions, checked_picks, seed_of
from resemblance.catalog import OWN, RANDOM
from resemblance.errors import JudgmentError, SettingError, UnknownQuestionError
from resemblance.fitting.laplace.answer_slopes import information_slopes, likelihood_slopes
from resemblance.fitting.laplace.noise import Noise
from resemblance.fitting.laplace.uncertainty import likely_space
from resemblance.judgments import Judgments, of_kind
from resemblance.observers.learning import CROWD_LAPSE
from resemblance.ranges import POSITIVE, WHOLE, check, checks_bools

SPREAD = 0.4  # of log weights and log temperatures, as people are expected to differ
QUESTIONS = 1024  # weighed for the next one
STEPS, LONGEST, NEAR = 20, 0.5, 1e-8  # of the estimate: at most so many, so long, until so short


class ObserverSession:
    r"""Ask how one observer weighs the dimensions of a space that is known.

    .. math:: G(q) = \operatorname{tr}\Big( (I + J_q \Sigma J_q')^{-1}
       J_q \Sigma C \Sigma J_q' \Big), \qquad
       \Sigma = \Big( \tfrac{1}{\sigma^2} \big( C + (I - C) / d \big) + \sum_r J_r' J_r \Big)^{-1}

    is how much the answer to q is expected to lower the variance of the relative log weights, those
    over their mean (C takes the mean away; of one dimension C is 1). The observer's squared
    distances are :math:`\sum_k e^{v_k} (x_{ik} - x_{jk})^2`, J is the root of the expected
    information of an answer about v, at the most probable v so far. The prior of v is normal: log
    weights before their mean is taken away, and that mean, which is how clearly somebody answers,
    have the deviation :math:`\sigma`. Questions that are out count as if they were answered.

    What is asked so is about this observer: the error of a map on such questions says nothing about
    others, nor do they tell a careless observer from one who differs from the crowd. The weights of
    many observers are learned together by :func:`fit_observers`, not by models that take people
    together, which refuse such answers.

    Parameters
    ----------
    model : OrdinalEmbedding or IndividualSpaces
        A fitted model with a likelihood. Its axes are those that are weighed.
    observer : str
        Who is asked: named in the judgments.
    n_options : int
        How many options a question has.
    odd_one_out : bool
        Whether questions ask for the odd one of three or more options.
    adaptive : bool
        Whether questions are chosen by gain, or at random.
    spread : float
        :math:`\sigma`, above 0.
    noise : Noise, optional
        Temperature and lapses that are expected; default: lapses of .05.
    random_state : int or sequence of int
        One number gives one course of questions for one course of answers.

    Attributes
    ----------
    log_weights : array (d,)
        The most probable v.
    weights : array (d,)
        Those over their geometric mean, which is 1: what the crowd has in every dimension.
    deviation : array (d,)
        The standard deviation of the log of these weights, given the lapses that are expected; of
        one dimension, whose weight is 1 always, that of v.
    questions : list of Question
        All that were asked.
    pending : dict of number to Question
        Those still out.

    Raises
    ------
    SettingError
        For a model without a likelihood, or of which a dimension has no extent, or a number out of
        range.

    Notes
    -----
    Such questions tell far more of the weights than as many random ones, and less of how clearly
    somebody answers (``papers/calibration/README.md``). After a break, ask a new session
    with the same arguments and tell it the answers so far, in turn: its questions are the same.

    References
    ----------
    Weighted dimensions: Carroll, Chang (1970), Psychometrika 35. Questions that lower a variance
    most (A-optimal designs): Chaloner, Verdinelli (1995), Statistical Science 10.

    Examples
    --------
    >>> import resemblance as rs
    >>> points = np.random.default_rng(0).normal(size=(20, 2))
    >>> ann = rs.SpaceObserver(3 * points, weights=[2.0, 0.5], random_state=0)
    >>> session = ObserverSession(rs.STE().set_positions(3 * points), "ann")
    >>> for _ in range(60):
    ...     question = session.ask()
    ...     session.tell(question, question.answered_by(ann))
    >>> bool(session.weights[0] > 1.3), len(session.judgments())
    (True, 60)
    """

    @checks_bools
    def __init__(
        self,
        model: Any,
        observer: str = "",
        *,
        n_options: int = 2,
        odd_one_out: bool = False,
        adaptive: bool = True,
        spread: float = SPREAD,
        noise: Noise | None = None,
        random_state: Any = 0,
    ) -> None:
        likely_space(model)
        check(spread=(spread, POSITIVE))
        if not (extent := np.ptp(model.embedding_, axis=0)).all():
            raise SettingError(
                f"all items are at one place of dimension {extent.argmin() + 1}: no answer tells "
                "what it weighs: fit fewer dimensions.",
                setting="model",
            )
        self.asks: QuestionType = question_type(n_options, odd_one_out)
        check_questions(len(model.embedding_), self.asks)
        self.points, self.choice, self.items = model.embedding_, model.choice_, model.items_
        self.observer, self.adaptive, self.spread = str(observer), adaptive, spread
        self.noise = Noise(lapse=CROWD_LAPSE) if noise is None else noise
        of_kind(self.noise, Noise, "noise", error=SettingError)
        self.questions: list[Question] = []
        self.pending, self._choices = Pending(), list[tuple[int, ...]]()
        d = self.points.shape[1]
        even = np.full((d, d), 1.0 / d)
        self._contrast = np.eye(d) - even if d > 1 else np.eye(1)
        self._prior = (np.eye(d) - even + even / d) / spread**2
        self.log_weights = np.zeros(d)
        self._strategy = OWN if adaptive else RANDOM
        self._seed = seed_of(random_state)

    @property
    def weights(self) -> Floats:
        """The weights over their geometric mean."""
        return np.asarray(np.exp(self.log_weights - self.log_weights.mean()))

    @property
    def deviation(self) -> Floats:
        """The standard deviation of the log of the weights."""
        covariance = np.linalg.inv(self._precision(self._rows()))
        return np.sqrt(np.diag(self._contrast @ covariance @ self._contrast))

    def ask(self) -> Question:
        """Return the next question; several may be out at a time.

        A question comes again only where all that were drawn are out or were asked.
        """
        number = len(self.questions)
        rng = np.random.default_rng([*self._seed, number])
        n = len(self.points)
        rows, past = self.asks.random(rng, QUESTIONS, n), self._array(self.questions)
        fresh = ~np.isin(self.asks.keys(rows, n), self.asks.keys(past, n))
        rows = rows[fresh] if fresh.any() else rows
        head, options = self.asks.parts(rows[self._best(rows)].tolist())
        shuffled = tuple(rng.permutation(options).tolist())
        self.questions.append(Question(number, head, shuffled, self._strategy))
        self.pending.put(self.questions[-1])
        return self.questions[-1]

    def tell(self, question: Question | int, chosen: Picked | None) -> None:
        """Take an answer: the item chosen, or None for a question that was skipped.

        Raises
        ------
        UnknownQuestionError
            For a question that is not out, or an answer that is not among its options.
        """
        number = question.number if isinstance(question, Question) else question
        if number not in WHOLE or number not in self.pending:
            raise UnknownQuestionError(f"question {number} is not out: tell one that was asked.")
        asked = self.pending[int(number)]
        picked = checked_picks(chosen, asked, self.asks)
        self.pending.take(asked)
        if picked is not None:
            self._choices += self.asks.choices(asked.head, picked, asked.options)
            self._estimate()

    def judgments(self) -> Judgments:
        """Return the answers so far as judgments of the observer, with what chose the questions.

        Raises
        ------
        JudgmentError
            Where there is none yet.
        """
        if not self._choices:
            raise JudgmentError("there is no answer yet: tell some that are no skips.")
        rows = self._rows()
        named = {"observer": [self.observer] * len(rows)} if self.observer else {}
        asked = {"strategy": [self._strategy] * len(rows)}
        return self.asks.judgments(rows, self.items, extra=asked, **named)

    def _rows(self) -> Ints:
        """Return what was told, the one chosen first of the options."""
        return np.array(self._choices, np.int32).reshape(-1, self.asks.width)

    def _array(self, questions: Iterable[Question]) -> Ints:
        """Return questions as rows."""
        rows = np.array([question.row for question in questions], np.int32)
        return rows.reshape(-1, self.asks.width)

    def _best(self, rows: Ints) -> int:
        """Return the place of the question that tells most, given those that are out."""
        if not self.adaptive:
            return 0
        answered = np.concatenate([self._rows(), self._array(self.pending.values())])
        S, J = np.linalg.inv(self._precision(answered)), self._information(rows)  # J is (m, R, d)
        block = J @ S @ J.transpose(0, 2, 1)
        inner = J @ (S @ self._contrast @ S) @ J.transpose(0, 2, 1)
        gain = np.linalg.solve(np.eye(J.shape[1]) + block, inner)
        return int(np.trace(gain, axis1=1, axis2=2).argmax())

    def _seen(self) -> Floats:
        """Return the positions as the observer sees them."""
        return np.asarray(self.points * np.exp(self.log_weights / 2))

    def _information(self, rows: Ints) -> Floats:
        """Return the root of what each answer tells of v, (m, R, d)."""
        seen = self._seen()
        J = information_slopes(seen, self.choice, self.noise, self.asks.asked(rows))
        return np.asarray((J * seen[rows][:, None]).sum(axis=2) / 2)

    def _precision(self, rows: Ints) -> Floats:
        """Return the inverse covariance of v, given answers to questions."""
        J = self._information(rows)
        return self._prior + np.einsum("mra,mrb->ab", J, J)

    def _estimate(self) -> None:
        """Find the most probable v, from where it was, by Fisher's scoring."""
        rows = self._rows()
        asked = self.asks.asked(rows)
        for _ in range(STEPS):
            seen = self._seen()
            slopes = likelihood_slopes(seen, self.choice, self.noise, asked)
            slope = (slopes * seen[rows]).sum(axis=(0, 1)) / 2 - self._prior @ self.log_weights
            step = np.linalg.solve(self._precision(rows), slope)
            self.log_weights = self.log_weights + np.clip(step, -LONGEST, LONGEST)
            if np.abs(step).max() < NEAR:
                break
