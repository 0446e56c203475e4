"""Draw the stimuli of an even grid while a study runs, and add them to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from resemblance.arrays import Floats
from resemblance.asking.spacing import Spacing, measure_spacing, neighbours, next_grid
from resemblance.catalog import STIMULI
from resemblance.errors import ResemblanceError
from resemblance.judgments import Confusions
from resemblance.study.creation import add_to
from resemblance.study.folder import StudyFolder
from resemblance.study.live import DESIGNED, LiveStudy
from resemblance.study.worker.fitting import FAILED, WHO, short

Json = dict[str, Any]

MOST_ROUNDS = 8  # Stimuli are drawn at most this many times.
DIRECT = 10  # number of questions about each pair of neighbours when stimuli are new


@dataclass(frozen=True)
class GridDesign:
    """The grid that a study designs, and its stimuli so far."""

    shape: tuple[int, ...]
    within: float
    names: tuple[str, ...] = ()  # stimuli at the nodes; none at first
    rounds: int = 0  # number of times that stimuli were drawn

    @classmethod
    def of(cls, live: LiveStudy) -> "GridDesign | None":
        """Return the design of a study, or None."""
        design = live.settings.design
        if not design.grid:
            return None
        rounds = _rounds(live)
        complete = [
            each["names"] for each in rounds if live.record.stimuli.keys() >= {*each["names"]}
        ]
        names = complete[-1] if complete else ()
        return cls(tuple(design.grid), design.within, tuple(names), len(complete))

    def next(self, model: Any, judged: Confusions) -> tuple[Json | None, Floats | None]:
        """Return figures for the desk, and the features of new stimuli, if it is time for them."""
        features = np.asarray(judged.items.features)
        place = {name: row for row, name in enumerate(judged.items.names)}
        current = features[[place[name] for name in self.names]] if self.names else None
        if current is not None and self.rounds >= MOST_ROUNDS:
            return self._figures(measure_spacing(model, judged, current, self.shape)), None
        spacing, is_new = next_grid(model, judged, self.shape, self.within, current)
        if spacing is None or is_new:
            return None, None if spacing is None else spacing.features
        return self._figures(spacing), None

    def pairs(self, names: Sequence[str]) -> np.ndarray:
        """Return the pairs of neighbours, as indices into ``names``, (k, 2)."""
        place = {name: row for row, name in enumerate(names)}
        return np.array([place[name] for name in self.names])[neighbours(self.shape)]

    def _figures(self, spacing: Spacing) -> Json:
        rows = zip(spacing.pairs, spacing.distance, spacing.half_width, strict=True)
        return {
            "shape": list(self.shape),
            "rounds": self.rounds,
            "within": self.within,
            "mean": short(spacing.mean),
            "accuracy": short(spacing.accuracy),
            "neighbours": [
                [self.names[a], self.names[b], short(distance), short(half_width)]
                for (a, b), distance, half_width in rows
            ],
        }


def add_stimuli(live: LiveStudy, features: Floats) -> None:
    """Record new stimuli at the nodes of the grid, draw them, and add them to the study."""
    kind, order = _kind_and_order(live)
    try:
        drawn = kind.load()(features[:, order])
    except ResemblanceError as error:
        _fail(live, error)
        return
    details = {"names": list(drawn.names), "features": drawn.features.tolist()}
    live.store.events.record(live.record, WHO, DESIGNED, details)
    _draw(live, details)


def add_missing(live: LiveStudy) -> None:
    """Draw and add the stimuli of the last round that an interruption left out."""
    for details in _rounds(live)[-1:]:
        _draw(live, details)


def _rounds(live: LiveStudy) -> list[Json]:
    return [event.details for event in live.store.events.audit(live.record, DESIGNED)]


def direct_questions(live: LiveStudy) -> list[list[int]]:
    """Return the pairs of neighbours of the current stimuli, each several times."""
    design = GridDesign.of(live)
    if design is None or not design.names:
        return []
    return design.pairs(live.folder.names).tolist() * DIRECT


def _draw(live: LiveStudy, details: Json) -> None:
    features = dict(zip(details["names"], details["features"], strict=True))
    lacking = [row for name, row in features.items() if name not in live.record.stimuli]
    if not lacking:
        return
    kind, _ = _kind_and_order(live)
    try:
        with TemporaryDirectory() as folder:
            pictures, table = Path(folder) / "stimuli", Path(folder) / "features.csv"
            drawn = kind.load()(lacking)
            drawn.save(pictures)
            drawn.to_pandas().to_csv(table, index=False)
            # An interruption may have left some of the files in the folder.
            now = LiveStudy(StudyFolder.open(live.folder.path), live.store, live.record)
            add_to(now, WHO, images=pictures, features=table)
    except (ResemblanceError, OSError) as error:
        _fail(live, error)
    live.reread()


def _fail(live: LiveStudy, error: Exception) -> None:
    reason = {"reason": f"designed stimuli could not be added: {error}"}
    live.store.events.record(live.record, WHO, FAILED, reason)


def _kind_and_order(live: LiveStudy) -> tuple[Any, list[int]]:
    """Return the kind of stimuli, and the columns of its features in the study's table."""
    kind, features = STIMULI[str(live.settings.design.stimuli)], live.folder.features()
    assert features is not None
    return kind, [features.columns.index(name) for name in kind.ranges]
