"""Before a study: which kind of question finds a map in the least of people's time?"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf
from random import Random
from typing import Any

import numpy as np

from resemblance import judgments
from resemblance.arrays import Floats
from resemblance.asking.planning import N_TESTS, expected_error
from resemblance.asking.question import random_rows
from resemblance.asking.worlds import PriorSimulation
from resemblance.embeddings import STE
from resemblance.errors import quiet
from resemblance.notebook import Shown
from resemblance.observers import SpaceObserver
from resemblance.optional import pd
from resemblance.progress import Told
from resemblance.study.kinds import KINDS, Kind, Material
from resemblance.study.kinds.base import Row, Told as Answered
from resemblance.study.stimuli import Stimulus

PACES = (1.0, 2.0, 4.0)  # minutes an item at which maps are tried


@dataclass(frozen=True)
class KindTried(Shown):
    """What simulated people's answers to one kind of question teach.

    Attributes
    ----------
    kind : Kind
        The kind, with its usual time for an answer.
    options : int
        Of each question.
    minutes : array (M,)
        Of people's time, at which maps were fitted.
    errors : array (W, M)
        Expected error of each world's map on new triplets.
    ceiling : array (W,)
        The error of each world's truth.
    """

    kind: Kind
    options: int
    minutes: Floats
    errors: Floats
    ceiling: Floats

    @property
    def per_minute(self) -> float:
        """Answers a minute."""
        return 60.0 / self.kind.seconds

    def to_pandas(self) -> "pd.DataFrame":
        """Return a row for each time: kind, options, seconds, minutes, error, above."""
        usual = {"kind": self.kind.name, "options": self.options, "seconds": self.kind.seconds}
        rows = zip(self.minutes, self.errors.mean(axis=0), self.above, strict=True)
        return pd.DataFrame([usual | {"minutes": m, "error": e, "above": a} for m, e, a in rows])

    @property
    def above(self) -> Floats:
        """How far the error is above that of the truth, (M,), in the mean over worlds."""
        return np.asarray((self.errors - self.ceiling[:, None]).mean(axis=0))


def comparable(n_items: int) -> dict[Kind, int]:
    """Return the kinds that a map is fitted to, and the options of each: as many as is usual.

    Fewer where there are not so many items. Kinds with a right answer are left out: how often
    people err there is no matter of similarity alone, and no simulation knows it.

    Examples
    --------
    >>> {kind.name: n for kind, n in comparable(4).items() if kind.head_apart}
    {'one_of_n': 3, 'pick_k': 3, 'ranking': 3, 'triplet': 2}
    """
    options = {}
    for kind in (kind for kind in KINDS.values() if not kind.has_right):
        least, usual, _ = kind.options
        most = max((n for n in range(least, usual + 1) if kind.n_items(n) <= n_items), default=0)
        if most:
            options[kind] = most
    return options


def compare_kinds(
    worlds: PriorSimulation,
    *,
    n_worlds: int = 12,
    random_state: int = 0,
    callback: Told | None = None,
) -> list[KindTried]:
    """Let simulated people answer each kind of question for as many minutes, and fit maps.

    People answer as those of a rehearsal do (:meth:`Kind.imagined`), in the kind's usual time, and
    questions are random. In each world all kinds are asked of the same person.

    Parameters
    ----------
    worlds : PriorSimulation
        What may be true.
    n_worlds : int
        How many worlds.
    random_state : int
        One number gives one comparison.
    callback : callable, optional
        Called with (worlds done, worlds in all); a true answer stops, and the comparison is of the
        worlds so far.

    Returns
    -------
    list of KindTried
    """
    kinds = comparable(worlds.n_items)
    minutes = worlds.n_items * np.array(PACES)
    errors: list[list[list[float]]] = []
    ceiling: list[float] = []
    for world in range(n_worlds):
        person, seed = worlds.draw(random_state + world), random_state + world
        tests = random_rows(np.random.default_rng(seed), N_TESTS, worlds.n_items, 2)
        p = person.probability(tests)
        maps = [_maps(kind, n, person, minutes, seed) for kind, n in kinds.items()]
        errors.append([[expected_error(model, tests, p) for model in of_kind] for of_kind in maps])
        ceiling.append(float(np.minimum(p, 1.0 - p).mean()))
        if callback is not None and callback(world + 1, n_worlds):
            break
    each = np.array(errors).transpose(1, 0, 2)
    return [
        KindTried(kind, options, minutes, of_kind, np.array(ceiling))
        for (kind, options), of_kind in zip(kinds.items(), each, strict=True)
    ]


def _maps(kind: Kind, options: int, person: SpaceObserver, minutes: Floats, seed: int) -> list[STE]:
    """Ask one person one kind of question; return the map after so many minutes."""
    answers = _answers(kind, options, person, minutes[-1], seed)
    names, n_dims = [str(n) for n in range(len(person.points))], person.points.shape[1]
    return [_mapped(kind, answers[: _count(kind, m)], names, n_dims, seed) for m in minutes]


def _count(kind: Kind, minutes: float) -> int:
    """Count the answers that people give in so many minutes."""
    return max(1, ceil(60.0 * minutes / kind.seconds))


def _answers(
    kind: Kind, options: int, person: SpaceObserver, minutes: float, seed: int
) -> list[list[Row]]:
    """Ask one person for so many minutes; return the rows of each answer."""
    stimuli = [Stimulus(str(n), "text", str(n)) for n in range(len(person.points))]
    own = None if kind.section is None else kind.section[1]()
    material, rng = Material("plan", tuple(stimuli), options, own=own), Random(seed)
    history: list[Answered] = [(kind.practice(material, rng), None)]  # none shows all there is
    rows = []
    for number in range(_count(kind, minutes)):
        spec = kind.spec(material, rng, history)
        seen = [person.points[int(name)].tolist() for name in kind.items_shown(spec)]
        noise = inf if rng.random() < person.lapse else 1.0  # now and then by chance
        answer = kind.imagined(kind.page(spec, material, "plan"), seen, rng, noise)
        response = kind.check(spec, answer)
        history.append((spec, response))
        rows.append(kind.exported(spec, response, number))
    return rows


def _mapped(kind: Kind, answers: Sequence[Any], names: list[str], n_dims: int, seed: int) -> STE:
    """Fit a map to some answers, as `resemblance fit` reads them from an export."""
    table = pd.DataFrame([row for rows in answers for row in rows])
    judged = getattr(judgments, kind.judgment).read(table, items=names)
    model = STE(n_dims, penalty="auto", tol=1e-3, random_state=seed)
    if not judged.scoring.of_answers:
        model.set_params(penalty=None)  # it is chosen for comparisons alone
    with quiet():
        return model.fit(judged)
