"""Store the log of a session as JSON values, and its answers as an array."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.arrays import Ints
from resemblance.asking.fit_job import WINDOW, ClickWeight, FitResult, Guard, ModelChoice
from resemblance.asking.out_of_sample import first_items
from resemblance.asking.question import Answer, QuestionType
from resemblance.catalog import AT_RANDOM
from resemblance.fitting import OrdinalEmbedding
from resemblance.fitting.laplace import Noise
from resemblance.forms import FeaturePrior, Form
from resemblance.judgments import Items, Judgments

Line = dict[str, Any]

REMEMBERED = WINDOW + 1  # the guard needs the held-out losses of this many fits
HELD, SKIPPED, BY, WHO, OF = range(5)  # further columns, counted from the last item column


class Log(list[Line]):
    def __init__(self, keep: bool = True) -> None:
        super().__init__()
        self.keep = keep
        self._fits: deque[Line] = deque(maxlen=REMEMBERED)

    def add(self, line: Line) -> None:
        if self.keep:
            self.append(line)

    def add_fit(self, result: FitResult, guard: Guard | None) -> None:
        if self._fits:
            self._fits[-1].pop("positions", None)
        self.take_fit(fit_line(result, guard))

    def take_fit(self, line: Line) -> None:
        if not self.keep:
            return
        if len(self._fits) == REMEMBERED:
            self._fits[0].pop("held_out_loss", None)
        self._fits.append(line)
        self.append(line)


def fit_line(result: FitResult, guard: Guard | None) -> Line:
    return {
        "event": "fit",
        "told": result.n_answers,
        "items": len(result.model.embedding_),
        "trust": 1.0 if guard is None else guard.trust,
        "noise": [result.noise.temperature, result.noise.lapse],
        "penalty": result.settings.get("penalty"),
        "extent": getattr(result.model, "extent_", None),
        **_form_chosen(result.settings.get("form")),
        "choice": result.chosen and asdict(result.chosen),
        "clicks": asdict(result.clicks),
        "held_out_loss": result.held_out_loss.tolist(),
        "positions": result.model.embedding_.tolist(),
    }


def _form_chosen(form: Form | None) -> Line:
    if not isinstance(form, FeaturePrior):
        return {"share": None, "map": None}
    return {"share": form.rho, "map": form.features_map.name}


def fit_of_line(line: Line, model: OrdinalEmbedding, items: Items) -> FitResult:
    positions = np.array(line["positions"])
    model.set_positions(positions, first_items(items, len(positions)))
    if line.get("penalty") is not None:
        model.penalty_, model.extent_ = line["penalty"], line.get("extent")
    if line.get("share") is not None and isinstance(model.form, FeaturePrior):
        model.form_ = model.form.taken(line.get("map"), share=line["share"])
    loss = np.array(line.get("held_out_loss", []), dtype=float)
    chosen, clicks = line.get("choice"), ClickWeight(**line.get("clicks", {}))
    choice = chosen and ModelChoice(**chosen)
    noise = Noise(*line["noise"])
    return FitResult(model, noise, line["told"], loss, choice, clicks=clicks)


class AnswerTable:
    """A table of answers in order, with a row per choice. Adding a row takes constant time."""

    def __init__(self, asks: QuestionType) -> None:
        self.asks = asks
        self._room = np.empty((64, asks.width + 5), np.int32)
        self._used = self._answers = 0
        self._strategies: dict[str, int] = {}
        self._observers: dict[str, int] = {}

    def __len__(self) -> int:
        return self._answers

    def take(self, answer: Answer) -> None:
        asked, chosen = answer.question, answer.chosen
        by = self._strategies.setdefault(asked.strategy, len(self._strategies))
        who = self._observers.setdefault(answer.observer, len(self._observers))
        notes = asked.held_out, chosen is None, by, who, self._answers
        rows = (
            [asked.row] if chosen is None else self.asks.choices(asked.head, chosen, asked.options)
        )
        for row in rows:
            self._take((*row, *notes))
        self._answers += 1

    def _take(self, row: Sequence[int]) -> None:
        if self._used == len(self._room):
            self._room = np.concatenate([self._room, np.empty_like(self._room)])
        self._room[self._used] = row
        self._used += 1

    def counting(
        self, first: int, last: int | None, left_out: Iterable[str], held_out: bool | None
    ) -> NDArray[np.intp]:
        """Return the indices of choices that are not skipped or excluded.

        Answers are numbered from ``first`` to ``last``. ``held_out`` True or False selects held-out
        or fitted answers; None selects both.
        """
        of = self._notes()[:, OF]
        first = int(np.searchsorted(of, first))
        notes = self._notes()[first : None if last is None else np.searchsorted(of, last)]
        kept = notes[:, SKIPPED] == 0
        if held_out is not None:
            kept &= notes[:, HELD] == held_out
        out = [self._observers[name] for name in left_out if name in self._observers]
        if out:
            kept &= ~np.isin(notes[:, WHO], out)
        return first + np.flatnonzero(kept)

    def at_random(self, numbers: NDArray[np.intp]) -> NDArray[np.intp]:
        codes = [code for name, code in self._strategies.items() if name in AT_RANDOM]
        return numbers[np.isin(self._notes()[numbers, BY], codes)]

    def rows(self, numbers: NDArray[np.intp]) -> Ints:
        """Return choices as rows: head (if questions have one), chosen option, other options."""
        return self._room[numbers, : self.asks.width]

    def judgments(self, numbers: NDArray[np.intp], items: Items) -> Judgments:
        if not len(numbers):  # a dummy row, because Judgments cannot be empty when made
            return self.asks.judgments(np.array([[*range(self.asks.width)]], np.int32), items)[:0]
        notes = self._notes()[numbers]
        by, who = np.array([*self._strategies]), np.array([*self._observers])
        observer = who[notes[:, WHO]]
        extra = {"strategy": by[notes[:, BY]]}
        fields = {"observer": observer if (observer != "").any() else None, "extra": extra}
        if self.asks.picks > 1:
            fields["response_id"] = notes[:, OF]
        return self.asks.judgments(self.rows(numbers), items, **fields)

    def _notes(self) -> Ints:
        return self._room[: self._used, self.asks.width :]


def answered_judgments(answers: Sequence[Answer], items: Items, asks: QuestionType) -> Judgments:
    table = AnswerTable(asks)
    for answer in answers:
        table.take(answer)
    return table.judgments(table.counting(0, None, (), None), items)
