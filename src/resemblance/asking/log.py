"""The log of a session, and sessions that go on from one."""

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.base import clone

from resemblance.asking.guard import WINDOW, Guard
from resemblance.asking.learning import FitResult
from resemblance.asking.newcomers import first_items
from resemblance.asking.question import Question
from resemblance.asking.settings import HELD_OUT, NEW, START
from resemblance.errors import UnknownQuestionError
from resemblance.fitting.noise import Noise

if TYPE_CHECKING:
    from resemblance.asking.session import Session

Line = dict[str, Any]
SessionLike = TypeVar("SessionLike", bound="Session")

REMEMBERED = WINDOW + 1  # fits whose held-out losses are kept: what the guard looks back on


class Log(list[Line]):
    """What happened to a session, line by line, as plain numbers and text.

    The last fit is there whole, so that a session can go on from it; of those before, only what
    the guard looks back on.

    Parameters
    ----------
    keep : bool
        Whether to keep anything.
    """

    def __init__(self, keep: bool = True) -> None:
        super().__init__()
        self.keep = keep
        self._fits: deque[Line] = deque(maxlen=REMEMBERED)

    def add(self, event: str, **fields: Any) -> None:
        """Write a line."""
        if self.keep:
            self.append({"event": event, **fields})

    def add_fit(self, result: FitResult, guard: Guard | None) -> None:
        """Write a fit down."""
        if self._fits:
            self._fits[-1].pop("positions", None)
        self.take_fit(fit_line(result, guard))

    def take_fit(self, line: Line) -> None:
        """Take the line of a fit."""
        if not self.keep:
            return
        if len(self._fits) == REMEMBERED:
            self._fits[0].pop("held_out_loss", None)
        self._fits.append(line)
        self.append(line)


def fit_line(result: FitResult, guard: Guard | None) -> Line:
    """Tell a fit as plain numbers: what a session needs to go on from it."""
    return {
        "event": "fit",
        "told": result.told,
        "items": len(result.model.embedding_),
        "trust": 1.0 if guard is None else guard.trust,
        "noise": [result.noise.temperature, result.noise.lapse],
        "held_out_loss": result.held_out_loss.tolist(),
        "positions": result.model.embedding_.tolist(),
    }


def replay(session: SessionLike, log: Iterable[Line]) -> SessionLike:
    """Do again all that a log says; refuse what does not follow from the settings."""
    with _fitting_by_hand(session):
        for number, line in enumerate(log):
            if line["event"] == "ask" and (asked := session.ask().as_dict()) != _fields(line):
                raise UnknownQuestionError(
                    f"line {number} of the log asks {line}, but these settings ask {asked}: "
                    "replay with the settings and the version that wrote the log."
                )
            if line["event"] == "fit":
                session.adopt(session.fit_job(line["told"], line.get("items")).run())
            _redo(session, line)
    return session


def resume(session: SessionLike, log: Iterable[Line]) -> SessionLike:
    """Take on trust all that a log says."""
    told = 0
    with _fitting_by_hand(session):
        for line in log:
            if line["event"] == "ask":
                _trust_question(session, line)
            if line["event"] == "fit":
                told = line["told"]
                _trust_fit(session, line)
            _redo(session, line)
        if told and not hasattr(session, "model_"):
            session.n_fits -= 1  # the last of them is made again
            session.adopt(session.fit_job(told).run())
    return session


@contextmanager
def _fitting_by_hand(session: "Session") -> Iterator[None]:
    """Let no answer start a fit."""
    automatic, session.auto_refit = session.auto_refit, False
    yield
    session.auto_refit = automatic


def _redo(session: "Session", line: Line) -> None:
    """Do what is done alike whether the log is trusted or not."""
    match line["event"]:
        case "items":
            _refuse_other_items(session, line["names"])
        case "note":
            session.note(line["head"], line["options"], line["strategy"], line["held_out"])
        case "tell":
            session.tell(line["number"], line["chosen"], line["observer"])
        case "withdraw":
            session.withdraw(line["number"])
        case "add items":
            session.add_items(line["names"])
        case "leave out":
            session.exclude_observers(line["observers"])


def _refuse_other_items(session: "Session", names: list[str]) -> None:
    if names != list(session.items.names):
        strays = set(names).symmetric_difference(session.items.names)
        raise UnknownQuestionError(
            f"the log is about other items: {sorted(strays)[:5] or 'another order'}. Give the "
            "items of its first line."
        )


def _trust_question(session: "Session", line: Line) -> None:
    """Let the question of a line be out, and its strategy be past it."""
    chooser, number = line["strategy"], len(session.questions)
    # the streams of a fit that another one has replaced are gone
    before = not session.n_fits and chooser in (HELD_OUT, "random")
    if chooser == START or before or (hasattr(session, "model_") and chooser != NEW):
        with suppress(UnknownQuestionError):  # from another fit, less may be left to ask
            session._next_row(chooser)
    options = tuple(line["options"])
    session._put_out("ask", Question(number, line["head"], options, chooser, line["held_out"]))


def _trust_fit(session: "Session", line: Line) -> None:
    """Adopt a fit whose line has its positions; count any other."""
    if "positions" in line:
        session.adopt(_told_fit(session, line))
        return
    session.n_fits += 1
    session._fitted_at = line["told"]
    session.newcomers.settle(line["told"], session.left_out)
    if session.guard is not None and "held_out_loss" in line:
        session.guard.recall(line["trust"], np.array(line["held_out_loss"]))
    session.log.take_fit(dict(line))


def _told_fit(session: "Session", line: Line) -> FitResult:
    """Give a fit as its line tells it."""
    model = clone(session.model).set_params(random_state=session.random_state + session.n_fits)
    positions = np.array(line["positions"])
    model.set_positions(positions, first_items(session.items, len(positions)))
    loss = np.array(line.get("held_out_loss", []), dtype=float)
    return FitResult(model, Noise(*line["noise"]), line["told"], loss)


def not_out(session: "Session", number: int) -> UnknownQuestionError:
    """Say why a question is not out."""
    if not 0 <= number < len(session.questions):
        problem = f"was never asked: {len(session.questions)} were, numbered from 0."
    elif number in session.answers:
        before = session.answers[number].chosen
        problem = f"was answered before ({before!r}): an answer is told once."
    else:
        problem = "was withdrawn: note it anew, if somebody was shown it after all."
    return UnknownQuestionError(f"question {number} {problem}")


def _fields(line: Line) -> Line:
    """Give the fields of the question that a line asks."""
    return {name: value for name, value in line.items() if name != "event"}
