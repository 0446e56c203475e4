"""The map of a study whose answers measure distances: it asks nothing, so it needs no session."""

import time
from collections import Counter
from concurrent.futures import Executor, Future
from typing import Any

import pandas as pd

from resemblance import judgments
from resemblance.catalog import AUTO_MODEL, MEASURED_MODEL, models_of
from resemblance.errors import ResemblanceError, quiet
from resemblance.store import Answer
from resemblance.study.kinds import Kind
from resemblance.study.live import LiveStudy
from resemblance.study.worker.fitting import fit_event, short
from resemblance.study.worker.learner import WHO, keep_space
from resemblance.study.worker.report import saved

Json = dict[str, Any]
Row = tuple[str, list[Json], list[str]]  # who answered, rows of the export, items shown
GROWTH = 0.1  # the share of new answers from which a map is fitted anew


class MeasuredMap:
    """Fits a space to ratings or arrangements when there are enough, and again when a tenth is new.

    Parameters
    ----------
    live : LiveStudy
        The study.
    left_out : frozenset of str
        The pseudonyms of those whose answers do not count.
    """

    def __init__(self, live: LiveStudy, left_out: frozenset[str]) -> None:
        self.live, self.left_out = live, left_out
        self._rows: list[Row] = []
        self._fit: Future[Json] | None = None
        known = live.store.spaces.scored(live.record)[-1:]
        self._fitted = known[0].answers if known else 0
        self._number = len(live.store.events.audit(live.record, "fit"))

    @property
    def is_busy(self) -> bool:
        """Whether a fit is under way."""
        return self._fit is not None

    def take(self, answer: Answer) -> None:
        """Keep an answer that measures a distance."""
        if answer.purpose != "main" or answer.skipped:
            return
        kind = self.live.kind
        assert answer.response is not None
        rows = kind.exported(answer.spec, answer.response, len(self._rows) + 1)
        self._rows.append((answer.code, rows, kind.shown(answer.spec)))

    def exclude_observers(self, codes: frozenset[str]) -> None:
        """Leave these people out, at once if there is a map."""
        if codes != self.left_out:
            self.left_out, self._fitted = codes, min(self._fitted, 1)

    def step(self, threads: Executor) -> bool:
        """Begin or keep a fit; say whether anything was done."""
        if self._fit is None:
            return self._begin(threads)
        if self._fit.done():
            self._end(self._fit)
            return True
        return False

    def _begin(self, threads: Executor) -> bool:
        """Begin a fit, where enough is new, or somebody's answers went."""
        rows = [row for row in self._rows if row[0] not in self.left_out]
        n, least = len(rows), self.live.settings.first_fit(len(self.live.folder.names))
        new = max(1, int(GROWTH * self._fitted))
        if n < least or (self._fitted <= n < self._fitted + new):
            return False
        self._fitted = n
        names, asking = self.live.folder.names, self.live.settings.asking
        name = MEASURED_MODEL if asking.model == AUTO_MODEL else asking.model
        model = models_of(name, asking.n_components)[name]
        self._fit = threads.submit(fit, self.live.kind, rows, list(names), name, model)
        return True

    def _end(self, future: "Future[Json]") -> None:
        """Keep the space that a fit found, or say why there is none."""
        self._fit = None
        store, record = self.live.store, self.live.record
        try:
            told = future.result()
        except ResemblanceError as error:
            store.events.record(record, WHO, "fit failed", {"reason": str(error)})
            return
        self._number += 1
        scores, answers = told["scores"], told["answers"]
        name, seconds = scores["model"]["name"], scores["seconds"]
        event = fit_event(self._number, name, answers, self.left_out, seconds)
        store.events.record(record, WHO, "fit", event)
        keep_space(self.live, told)


def fit(kind: Kind, rows: list[Row], names: list[str], name: str, model: Any) -> Json:
    """Fit a model to the answers, and tell what the store keeps of a space."""
    began = time.perf_counter()
    table = pd.DataFrame([row | {"observer": who} for who, told, _ in rows for row in told])
    read = getattr(judgments, f"read_{kind.tables[0].name}")
    model.set_params(penalty=None)  # as `resemblance fit`: it is chosen for comparisons alone
    with quiet():
        model.fit(read(table, items=names))
    shown = Counter(item for _, _, items in rows for item in items)
    scores = {
        "error": None,
        "held_out": 0,
        "model": {"name": name, "log_losses": {}, "told": len(rows)},
        "fitted": len(rows),
        "shown": [shown[item] for item in names],
        "trust": 1.0,
        "seconds": short(time.perf_counter() - began),
    }
    return {
        "answers": len(rows),
        "model": saved(model),
        "positions": [[short(x) for x in row] for row in model.embedding_],
        "uncertainty": None,
        "scores": scores,
    }
