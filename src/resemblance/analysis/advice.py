"""What to do next, after what is known of a fit: one table of conditions, the first that holds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Part = Mapping[str, Any]
FEW_QUESTIONS = 10  # different ones
LEAST_REPEATED = 25  # questions asked more than once, below which the ceiling says nothing


@dataclass(frozen=True)
class Step:
    """Something to do, and when.

    Attributes
    ----------
    code : str
        Its name in reports.
    holds : callable
        Whether to do it, of the dictionary of an evaluation.
    text : str
        What to do, in a sentence.
    """

    code: str
    holds: Callable[[Part], bool]
    text: str


def next_step(found: Part) -> dict[str, str]:
    """Return the first step that what is known asks for: its code, and a sentence.

    Parameters
    ----------
    found : dict
        As :meth:`Analysis.as_dict` has it.

    Examples
    --------
    >>> next_step({"held_out": None})["code"]
    'hold_out'
    """
    step = next(step for step in STEPS if step.holds(found))
    return {"code": step.code, "text": step.text}


def _counted(found: Part) -> bool:
    return "trials" in found["data"]


def _untested(found: Part) -> bool:
    held = found["held_out"]
    return held is None or held["log_likelihood" if _counted(found) else "error"] is None


def _few_questions(found: Part) -> bool:
    questions = found["data"]["questions"]
    return questions is not None and questions < FEW_QUESTIONS


def _like_guessing(found: Part) -> bool:
    held = found["held_out"]
    if _counted(found):
        return bool(held["log_likelihood"] <= held["guessing"]["log_likelihood"])
    worst = held["error"] if held["interval"] is None else held["interval"][1]
    return bool(worst >= held["guessing"]["error"])


def _unlikely(found: Part) -> bool:
    """Say whether a guess gives the answers a higher probability."""
    held = found["held_out"]
    loss = held.get("log_loss")
    return loss is not None and loss > held["guessing"]["log_loss"]


def _dishonest(found: Part) -> bool:
    return found["held_out"].get("calibration") not in (None, "honest")


def _unbounded(found: Part) -> bool:
    return found["noise_ceiling"]["error"] is None


def _above(found: Part) -> bool:
    held = found["held_out"]
    least = held["error"] if held["interval"] is None else held["interval"][0]
    return bool(least > found["noise_ceiling"]["error"])


STEPS = (
    Step(
        "hold_out",
        _untested,
        "Hold answers out (cv=10, --folds 10): nothing is known yet of how well the map predicts.",
    ),
    Step(
        "other_questions",
        _few_questions,
        f"Ask other questions too: of fewer than {FEW_QUESTIONS} different ones nobody can say how "
        "well the map predicts others.",
    ),
    Step(
        "above_chance",
        _like_guessing,
        "Collect more answers, and look at who gives them (score_participants, resemblance clean): "
        "nothing shows yet that the map predicts better than a guess.",
    ),
    Step(
        "penalty",
        _unlikely,
        'Choose the penalty on held-out answers (penalty="auto"), or collect more: the map '
        "predicts, but a guess gives the answers a higher probability.",
    ),
    Step(
        "other_model",
        lambda found: _dishonest(found) and not found["models"],
        "Compare choice models (--model auto, compare_models): probabilities do not mean what they "
        "say.",
    ),
    Step(
        "other_dimensions",
        lambda found: _dishonest(found) and not found["dimensions"],
        "Choose the number of dimensions (--dims auto, select_dimension), or collect more answers: "
        "probabilities do not mean what they say under the likeliest of the choice models.",
    ),
    Step("counts", _counted, "Use the map: it predicts how often pairs are confused, or rated."),
    Step(
        "more_trials",
        lambda found: found["data"]["questions"] is None,
        "Use the map: more trials make it surer (ArrangementSession), and this error says which "
        "number of dimensions is best.",
    ),
    Step(
        "repeat_questions",
        _unbounded,
        f"Ask some {LEAST_REPEATED} random questions again, of other people: then the noise "
        "ceiling tells whether more answers can help.",
    ),
    Step(
        "more_answers",
        _above,
        "Collect more answers: the error is above the least possible.",
    ),
    Step(
        "probabilities",
        _dishonest,
        "Use the map, but not its probabilities: the error is as low as it gets, and they do not "
        "mean what they say.",
    ),
    Step(
        "use_it",
        lambda found: True,
        "Use the map: its error is as low as people's agreement allows.",
    ),
)
