"""Recommend a next step, and forecast how much more answers would improve a map."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from resemblance.errors import SettingError, count
from resemblance.fitting import OrdinalEmbedding, PositionUncertainty
from resemblance.fitting.answers import answer_probabilities
from resemblance.fitting.laplace import MAX_PARAMETERS
from resemblance.judgments import Judgments, OneKind, Triplets
from resemblance.scores.ceiling import LEAST_REPEATED

POWER = 1.5  # exponent of m / (m + k) in the forecast of the excess error
REMOVED = 0.85  # correction factor of the forecast, from simulated studies
LESS, MORE = 0.9, 2.4  # factors on the spread below and above the gain, for its interval
# Numbers of random questions, and of maps drawn from the posterior, from which the excess error is
# estimated.
N_QUESTIONS, N_DRAWS = 400, 60


def expected_gain(excess: float, n_answers: int, n_more: int) -> tuple[float, tuple[float, float]]:
    r"""Forecast how much more answers will lower the error on random questions.

    .. math:: g = 0.85 \, E (1 - r^{3/2}), \qquad r = \frac{m}{m + k}, \qquad
       \big[ g - 0.9 \, E (1 - r)^{1/4}, \; g + 2.4 \, E (1 - r)^{1/4} \big]

    The exponent 3/2 was estimated from 83 simulated studies, and the factor .85 from 82 adaptive
    studies, half of them with items that are not normally distributed. The interval contained 37 of
    the 40 gains from which its width was set, and 40 of 40 new gains
    (``papers/calibration/forecasts.py``).

    Parameters
    ----------
    excess : float
        E, the error of the map on random questions minus the error of the true space.
    n_answers : int
        m, the number of fitted answers.
    n_more : int
        k, the number of further answers.

    Returns
    -------
    float, tuple of float
        The gain, and its interval.

    Examples
    --------
    >>> gain, (low, high) = expected_gain(0.04, 1000, 1000)
    >>> round(gain, 3), round(low, 3), round(high, 3)
    (0.022, -0.008, 0.103)
    """
    left = n_answers / (n_answers + n_more)
    gain, spread = REMOVED * excess * (1.0 - left**POWER), excess * (1.0 - left) ** 0.25
    return gain, (gain - LESS * spread, gain + MORE * spread)


def expected_excess(model: OrdinalEmbedding, judgments: OneKind) -> float | None:
    r"""Estimate the error of a map on random questions minus the error of the true space.

    .. math:: E = \frac{1}{S T} \sum_{s, t} \max_j p_{tj}(X_s) - p_{t, \hat\jmath_t}(X_s), \qquad
       \hat\jmath_t = \arg\max_j p_{tj}(\hat X)

    where X_s are S maps drawn from the Laplace approximation around the fit, t are T random
    triplets, and p_tj is the probability of option j. Returns None if the uncertainty of the map is
    unknown.
    """
    points, choice = model.embedding_, model.choice_
    if not isinstance(judgments, Judgments) or not choice.one_of_many:
        return None
    mentioned = np.unique(judgments.index[judgments.index >= 0])
    if len(mentioned) < 3 or points.size > MAX_PARAMETERS:
        return None
    try:
        root = PositionUncertainty.of_fit(model, judgments).root()
    except SettingError:
        return None
    rng = np.random.default_rng(0)
    order = np.argsort(rng.random((N_QUESTIONS, len(mentioned))), axis=1)[:, :3]
    questions = Triplets(mentioned[order], judgments.items)
    says = model.predict_proba(questions).argmax(axis=1)[:, None]
    lost = []
    for _ in range(N_DRAWS):
        moved = (root @ rng.normal(size=points.size)).reshape(points.shape)
        p = answer_probabilities(points + moved, questions, choice)
        lost.append((p.max(axis=1) - np.take_along_axis(p, says, axis=1)[:, 0]).mean())
    return float(np.mean(lost))


Part = Mapping[str, Any]
FEW_QUESTIONS = 10  # with fewer distinct questions, the first advice is to ask other questions
NEAR = 0.05  # a map with a smaller excess error is good enough
LEAST_WANTED = 0.004  # minimum half width of the ceiling's interval that repeats can reach
MARGIN = 1.25  # factor on the computed number of repeats, which is a rough estimate
FEW_PER_ITEM = 15  # with fewer answers per item, the first advice is to collect more
MOST_REPEATS = 0.3  # maximum share of repeats among all answers
DOORS = "python", "command", "desk"
HANG_ON_DIMENSIONS = "more_answers", "more_repeats", "cannot_tell"


@dataclass(frozen=True)
class Step:
    """A piece of advice, and the condition for giving the advice.

    ``holds`` tests the condition on the dict of an analysis. In ``text``, {n} is the result of
    ``n``, {dims} the number of dimensions, {gain} the gain from n answers, and {do} the function,
    command or setting to use.
    """

    code: str
    holds: Callable[[Part], bool]
    text: str
    do: tuple[str, str, str]
    n: Callable[[Part], int | None] | None = None


def next_step(report: Part, door: str = "python") -> dict[str, Any]:
    """Return the code, the text and the number n of the first step whose condition is met."""
    step = next(step for step in STEPS if step.holds(report))
    n = None if step.n is None else step.n(report)
    d = report.get("fit", {}).get("dimensions")
    dims = "these dimensions" if d is None else count(d, "dimension")
    do = step.do[DOORS.index(door)].format(more=3 if d is None else d + 1)
    text = step.text.format(n=n and f"{n:,}", dims=dims, do=do, gain=_gain(report, n))
    return {"code": step.code, "text": text, "n": n}


def _gain(report: Part, n: int | None) -> str:
    excess = report.get("expected_excess")
    if n is None or excess is None:
        return ""
    answers = report["data"]["answers"]
    gain, (low, high) = expected_gain(excess, answers, n)
    return f"; {n:,} are expected to lower the error by {gain:.3f} ({low:.3f} to {high:.3f})"


def _few_answers(report: Part) -> bool:
    return _missing(report) > 0


def _missing(report: Part) -> int:
    data = report["data"]
    if data.get("answers") is None:
        return 0
    return FEW_PER_ITEM * (data["items"] - len(data["unmentioned"])) - int(data["answers"])


def _half_as_many(report: Part) -> int | None:
    answers = report["data"].get("answers")
    return None if answers is None else _rounded(0.5 * answers)


def _rounded(n: float) -> int:
    unit = 10 ** max(0, int(np.log10(max(n, 1.0))) - 1)
    return int(np.ceil(n / unit)) * unit


def _counted(report: Part) -> bool:
    return "trials" in report["data"]


def _score(report: Part) -> float | None:
    held: Part = report["held_out"]
    score: float | None = held["log_likelihood" if _counted(report) else "error"]
    return score


def _untested(report: Part) -> bool:
    held = report["held_out"]
    return held is None or (_score(report) is None and not held.get("answers"))


def _few_questions(report: Part) -> bool:
    questions = report["data"]["questions"]
    return questions is not None and questions < FEW_QUESTIONS


def _like_guessing(report: Part) -> bool:
    held, score = report["held_out"], _score(report)
    low, high = held["widest_interval"] or (score, score)
    if _counted(report):  # the score is None if an answer has probability 0
        return score is None or bool(low <= held["guessing"]["log_likelihood"])
    return bool(high >= held["guessing"]["error"])


def _worse_than_features(report: Part) -> bool:
    alone, held = report.get("features_alone"), report["held_out"]
    if not alone or alone["interval"] is None:
        return False
    return bool(alone["interval"][1] < min(held["error"], held["guessing"]["error"]))


def _unlikely(report: Part) -> bool:
    held = report["held_out"]
    loss = held.get("log_loss")
    return loss is not None and loss > held["guessing"]["log_loss"]


def _dishonest(report: Part) -> bool:
    return report["held_out"].get("calibration") in ("too sure", "not sure enough")


def _unbounded(report: Part) -> bool:
    return "interval" not in report["noise_ceiling"]


def _no_agreement(report: Part) -> bool:
    return report["noise_ceiling"].get("agreement") == 0


def _copied(report: Part) -> bool:
    return (report["data"].get("copies") or 1) > 1


@dataclass(frozen=True)
class Excess:
    middle: float  # middle of the error's interval minus middle of the least error's interval
    of_error: float  # half the width of the error's interval
    of_least: float  # half the width of the interval of the least error, minus ``bounds``
    bounds: float  # half the distance between the least error's bounds

    @classmethod
    def of(cls, report: Part) -> Self:
        low, high = report["held_out"]["interval"] or (0.0, 1.0)
        ceiling = report["noise_ceiling"]
        least, most = ceiling["interval"]
        bounds = float(np.ptp(ceiling.get("bounds", (0.0, 0.0)))) / 2
        spread = max((most - least) / 2 - bounds, 0.0)
        return cls((low + high - least - most) / 2, (high - low) / 2, spread, bounds)

    @property
    def doubt(self) -> float:
        """Half the width of the 95 % interval of the excess, for independent errors."""
        return float(np.hypot(self.of_error, self.of_least)) + self.bounds


def _above(report: Part) -> bool:
    excess = Excess.of(report)
    return excess.middle - excess.doubt > 0.0


def _close(report: Part) -> bool:
    excess = Excess.of(report)
    return excess.middle + excess.doubt < NEAR


def _gains_surely(report: Part) -> bool:
    another = report["another_dimension"]
    gains = another is not None and not report["dimensions"] and another["interval"][0] > 0.0
    return gains and not _close(report)


def repeats_needed(report: Part) -> int | None:
    r"""Return the number of further repeats for a precise estimate of the least error.

    .. math:: N = 1.25 \, n \left( (h / h^*)^2 - 1 \right), \qquad h^{*2} = (\max(0.05 - \delta, \;
       \delta) - b)^2 - s^2

    where n questions are repeated now, :math:`\delta` is the middle of the excess, and h, s and b
    are half widths of intervals: of the least error (proportional to :math:`n^{-1/2}`), of the
    error and of the bounds. The result is limited so that three tenths of the answers are repeats.
    It is None if three tenths are repeats already.
    """
    excess, n = Excess.of(report), report["noise_ceiling"]["repeated_questions"]
    room = max(max(NEAR - excess.middle, excess.middle) - excess.bounds, 0.0)
    wanted = room**2 - excess.of_error**2
    reachable = wanted > LEAST_WANTED**2
    more = MARGIN * n * (excess.of_least**2 / wanted - 1) if reachable else np.inf
    answers, questions = report["data"]["answers"], report["data"]["questions"]
    most = MOST_REPEATS * answers - (answers - questions)
    return None if most < LEAST_REPEATED else _rounded(min(max(more, LEAST_REPEATED), most))


def _repeats(report: Part) -> bool:
    return repeats_needed(report) is not None


# Function, command or setting for a step: one entry for each interface in DOORS.
ASK = "Session", "in your experiment, or resemblance new STUDY", "recruitment.max_participants"
ASK_AGAIN = "noise_ceiling", ASK[1], "tasks.repeat_share = 0.1"
ASK_AT_RANDOM = "RandomQuestions", ASK[1], 'asking.strategy = "random"'
WHO = "score_participants", "resemblance clean ANSWERS", "resemblance export STUDY"
LOOK = "SimilarityGraph", "resemblance convert ANSWERS table.csv", "resemblance export STUDY"
USE = "save", "resemblance search MODEL", "resemblance export STUDY"
DIMS = 'dims="auto"', "--dims auto", "asking.n_components = {more}"
MODEL = 'model="auto"', "--model auto", 'asking.model = "auto"'
STEPS = (
    Step(
        "hold_out",
        _untested,
        "Hold answers out ({do}): nobody knows yet how well the map predicts.",
        ("folds=10", "--folds 10", "asking.held_out = 0.1"),
    ),
    Step(
        "other_questions",
        _few_questions,
        f"Ask other questions too ({{do}}): with fewer than {FEW_QUESTIONS} different ones, the "
        "error on others is unknown.",
        ASK,
    ),
    Step(
        "copied",
        _copied,
        "Every row appears several times: remove duplicates, or name who gave each answer ({do}).",
        ('by="observer"', "--by observer", "resemblance export STUDY"),
    ),
    Step(
        "features_alone",
        _worse_than_features,
        "Use the features themselves, or fit more dimensions ({do}): distances between them, with "
        "nothing fitted, predict better than the map.",
        DIMS,
    ),
    Step(
        "above_chance",
        _like_guessing,
        "Collect more answers, and check who gives them ({do}): the widest interval of the map's "
        "score still includes guessing.",
        WHO,
    ),
    Step(
        "few_answers",
        _few_answers,
        f"Collect {{n}} more answers ({{do}}): fewer than {FEW_PER_ITEM} an item say little about "
        "a map{gain}.",
        ASK,
        _missing,
    ),
    Step(
        "penalty",
        _unlikely,
        "Choose model and penalty on held-out answers ({do}), or collect more: the map "
        "predicts, but a guess gives the answers a higher probability.",
        MODEL,
    ),
    Step(
        "other_model",
        lambda report: _dishonest(report) and not report["models"],
        "Compare choice models ({do}): the predicted probabilities are not calibrated.",
        MODEL,
    ),
    Step(
        "counts",
        _counted,
        "Use the map ({do}): it predicts how often pairs are confused, or rated.",
        USE,
    ),
    Step(
        "more_trials",
        lambda report: report["data"]["questions"] is None,
        "Use the map: more trials make it more precise, and its held-out error shows which number "
        "of dimensions is best ({do}).",
        DIMS,
    ),
    Step(
        "duplicates_removed",
        _no_agreement,
        "Check the answers ({do}): no two answers to the same question agree, as if repeated rows "
        "had been removed, and without them the least possible error is unknown.",
        LOOK,
    ),
    Step(
        "repeat_questions",
        _unbounded,
        "Ask some {n} random questions again, or more ({do}): then the noise "
        "ceiling tells whether more answers can help.",
        ASK_AGAIN,
        lambda report: LEAST_REPEATED,
    ),
    Step(
        "more_dimensions",
        _gains_surely,
        "Choose the number of dimensions ({do}): a map with one more than {dims} predicts better.",
        DIMS,
    ),
    Step(
        "more_answers",
        _above,
        "Collect {n} more answers ({do}), or try another model: the error in {dims} is above the "
        "least possible{gain}.",
        ASK,
        _half_as_many,
    ),
    Step(
        "probabilities",
        lambda report: _close(report) and _dishonest(report),
        "Use the map in {dims} ({do}), but not its probabilities: the error is near the least "
        "possible, but the probabilities are not calibrated.",
        USE,
    ),
    Step(
        "use_it",
        _close,
        f"Use the map in {{dims}} ({{do}}): its error is within {NEAR:g} of the least possible.",
        USE,
    ),
    Step(
        "more_repeats",
        _repeats,
        "Ask {n} random questions again ({do}): there are too few repeats to tell whether "
        "more answers can lower the error.",
        ASK_AGAIN,
        repeats_needed,
    ),
    Step(
        "cannot_tell",
        lambda report: True,
        "Collect {n} more answers to random questions ({do}): the error is not known well enough "
        "to tell whether it can get lower{gain}.",
        ASK_AT_RANDOM,
        _half_as_many,
    ),
)
