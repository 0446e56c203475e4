"""Run one fit of a study in the background."""

import time
from collections.abc import Set
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from resemblance.asking import Session
from resemblance.asking.fit_job import FitJob, FitResult
from resemblance.asking.log import fit_line
from resemblance.errors import quiet
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.choosing.held_out import error_of
from resemblance.judgments import Judgments
from resemblance.observers.evidence import Answers
from resemblance.observers.observer import as_questions

JUDGED = 20_000  # the last answers whose likelihood is told; more would only cost time
People = dict[str, dict[str, tuple[float, int]]]
DIGITS = 6  # digits of stored positions and losses


@dataclass(frozen=True)
class Fitted:
    """A fit with its report."""

    result: FitResult
    held_out: int  # number of test answers
    error: float | None  # share of wrong predictions among them
    people: People  # figures of people by code, with their numbers of answers
    seconds: float

    @property
    def answers(self) -> int:
        return self.result.n_answers

    def event(self, session: Session) -> dict[str, Any]:
        event = fit_event(
            session.n_fits, session.chosen.name, self.answers, session.left_out, self.seconds
        )
        return event | {
            "held_out_answers": self.held_out,
            "held_out_error": self.error,
            "held_out_log_loss": fmean(loss) if (loss := self.result.held_out_loss).size else None,
            "trust": 1.0 if session.guard is None else session.guard.trust,
        }

    def map(self, session: Session) -> dict[str, Any]:
        line = fit_line(self.result, session.guard)
        del line["event"]
        line["positions"] = [[short(x) for x in row] for row in line["positions"]]
        line["held_out_loss"] = [short(x) for x in line["held_out_loss"]]
        return {**line, "left_out": sorted(session.left_out), **self.people}


def fit_event(
    number: int, model: str, answers: int, left_out: Set[str], seconds: float
) -> dict[str, Any]:
    return {
        "number": number,
        "model": model,
        "answers": answers,
        "held_out_answers": 0,
        "held_out_error": None,
        "held_out_log_loss": None,
        "trust": 1.0,
        "left_out": sorted(left_out),
        "seconds": round(seconds, 3),
    }


def fit(job: FitJob, answers: Judgments) -> Fitted:
    """Run a fit, test it, and compute how well it explains each person."""
    start = time.perf_counter()
    result = job.run()
    error = error_of(result.model, job.held_out) if len(job.held_out) else None
    people = of_people(answers[-JUDGED:], result.model)
    seconds = time.perf_counter() - start
    return Fitted(result, len(job.held_out), error, people, seconds)


def of_people(answers: Judgments, model: OrdinalEmbedding) -> People:
    if not model.choice_.one_of_many or not len(answers):
        return {"likelihood": {}}
    with quiet():
        people = Answers(as_questions(answers, "person"))
        likelihoods = np.exp(-people.by_model(model, None).columns["log_loss"])
    of = answers.response_id  # an answer may be several choices, of all as many
    choices = 1 if of is None else round(len(answers) / len(np.unique(of)))
    each = zip(people.names, likelihoods, people.n_answers // choices, strict=True)
    return {"likelihood": {str(code): (short(x), int(n)) for code, x, n in each}}


def short(x: float) -> float:
    return float(f"{x:.{DIGITS}g}")
