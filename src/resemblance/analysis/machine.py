"""Check a machine's answers before they are fitted beside people's answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from resemblance.arrays import Floats
from resemblance.errors import JudgmentError, SettingError, first_few
from resemblance.fitting import JudgmentsLike, OrdinalEmbedding
from resemblance.fitting.answers import fingerprints, share_seen
from resemblance.judgments import Items, Judgments, OneKind, as_judgments
from resemblance.judgments.checks import RowError
from resemblance.judgments.items import are_numbered
from resemblance.judgments.joining import Joined, refuse_machines_among_people

CONFIDENCE = "confidence"  # extra column with a machine's probability of its answer


def machine_rows(machine: JudgmentsLike, people: OneKind) -> Judgments:
    """Return a machine's answers about people's items, without observers and further columns.

    An answer with the confidence p among K options gets the weight (p - 1/K) / (1 - 1/K), at least
    0.
    """
    if isinstance(machine, Joined | list | tuple):
        raise JudgmentError("a machine's answers are of several kinds: give one kind")
    answers = as_judgments(machine)
    if type(answers) is not type(people):
        raise JudgmentError(
            f"the machine answered as {type(answers).__name__}, and people as "
            f"{type(people).__name__}: give a machine's answers to comparisons of the same kind"
        )
    refuse_machines_among_people(answers)
    _refuse_other_items(answers.items, people.items)
    _refuse_answers_of_people(answers, people)
    kind: Any = type(answers)
    place = np.append(people.items.positions(answers.items.names), -1)  # -1 fills shorter rows
    rows: Judgments = kind._filled(
        place[answers.index],
        people.items,
        weight=answers.weights * _trust(answers),
        response_id=answers.response_id,
    )
    return rows


def check_weighing(model: OrdinalEmbedding, is_sparse: bool, is_held_out: bool) -> None:
    if not is_held_out:
        raise SettingError(
            "the weight of a machine's answers is chosen on held-out answers: give 2 folds or "
            "more, or leave the machine out.",
            setting="machine",
        )
    if is_sparse or not model._choice().one_of_many:
        raise SettingError(
            f"a machine's answers can be weighed for STE, TSTE and CKL, not for {model!r}: choose "
            "one of these models, or leave the machine out.",
            setting="machine",
        )


def _refuse_other_items(items: Items, of_people: Items) -> None:
    if are_numbered(items) != are_numbered(of_people):
        numbered, named = ("machine", "people") if are_numbered(items) else ("people", "machine")
        raise JudgmentError(
            f"the answers of the {numbered} number the items, and those of the {named} name them: "
            "give both the same names"
        )
    others = [name for name in items.names if name not in set(of_people.names)]
    if others:
        raise JudgmentError(
            f"the machine's answers are about items that people's are not about: "
            f"{first_few(others)}. Leave these answers out, or correct the names"
        )


def _refuse_answers_of_people(machine: Judgments, people: Judgments) -> None:
    if machine.observer is not None and people.observer is not None:
        both = np.intersect1d(machine.observer.astype(str), people.observer.astype(str))
        if both.size:
            raise JudgmentError(
                f"{first_few(both.tolist())} answered in both files: a machine's answers contain "
                "none of people's, whose held-out answers would be fitted"
            )
    if share_seen(people, fingerprints((machine,))) == 1.0 and len(machine) == len(people):
        raise JudgmentError(
            "the machine's answers equal those of people: give the answers of the machine",
        )


def _trust(answers: Judgments) -> Floats:
    if CONFIDENCE not in answers.extra:
        return np.ones(len(answers))
    try:
        p = np.asarray(answers.extra[CONFIDENCE], dtype=float)
    except ValueError:
        raise JudgmentError("the machine's confidences are not numbers: give 0 to 1") from None
    wrong = np.flatnonzero(~((p >= 0) & (p <= 1)))
    if len(wrong):
        row = int(wrong[0])
        raise RowError(
            row, f"the machine's confidence is {p[row]:g}: give its probability of the answer"
        )
    chance = 1.0 / answers.answers_possible()
    return np.asarray(np.maximum((p - chance) / (1.0 - chance), 0.0))
