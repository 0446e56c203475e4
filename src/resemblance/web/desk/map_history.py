"""The maps of a study over time: a few of the spaces that are kept, small enough for a page."""

from collections.abc import Sequence
from math import floor, log, log10
from typing import Any
from weakref import WeakKeyDictionary

from resemblance.store import Scored, Space, Store
from resemblance.study.live import LiveStudy

Json = dict[str, Any]
Positions = list[list[float]]
MOST = 24  # maps before the last one
NUMBERS = 100_000  # coordinates in a page: about 0.8 MB
DIGITS = 4  # of the largest coordinate: a thousandth of a page

_kept: WeakKeyDictionary[Store, dict[int, tuple[int, list[Json]]]] = WeakKeyDictionary()


def map_history(live: LiveStudy, last: Space) -> list[Json]:
    """Return the maps before the last one, oldest first: read once after each fit, then kept.

    Parameters
    ----------
    live : LiveStudy
        The study.
    last : Space
        What its last fit found.
    """
    kept = _kept.setdefault(live.store, {})
    history = kept.get(last.study)
    if history is None or history[0] != last.id:
        history = kept[last.study] = (last.id, _frames(live, last))
    return history[1]


def _frames(live: LiveStudy, last: Space) -> list[Json]:
    n, d = len(last.positions), len(last.positions[0])
    most = min(MOST, NUMBERS // (n * d) - 1)
    if most < 1:
        return []
    past = [space for space in live.store.spaces.scored(live.record) if space.id < last.id]
    read = (live.store.spaces.get(live.record, space.id) for space in thinned(past, most))
    return [
        {"name": name_of(space), "points": short(space.positions)}
        for space in read
        if space is not None and len(space.positions) <= n and len(space.positions[0]) == d
    ]


def name_of(space: Space) -> str:
    """Name the map of a space.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> name_of(SimpleNamespace(answers=1200))
    '1,200 answers'
    """
    return f"{space.answers:,} answers"


def thinned(spaces: Sequence[Scored], most: int) -> list[Scored]:
    """Keep a few, the first among them, such that their answers grow by about equal factors.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> spaces = [SimpleNamespace(answers=n) for n in (10, 20, 40, 80, 90, 95, 100, 160)]
    >>> [space.answers for space in thinned(spaces, 4)]
    [10, 20, 40, 80]
    """
    if len(spaces) <= most:
        return list(spaces)
    steps = [log(max(space.answers, 1)) for space in spaces]
    stride = (steps[-1] - steps[0]) / most
    wanted = [steps[0] + stride * k for k in range(most)]
    places = {min(range(len(steps)), key=lambda i: abs(steps[i] - step)) for step in wanted}
    return [spaces[place] for place in sorted(places)]


def short(positions: Positions) -> Positions:
    """Round positions to what a page can show.

    Examples
    --------
    >>> short([[12.3456789, -0.00123], [1.0, 2.0]])
    [[12.35, 0.0], [1.0, 2.0]]
    """
    most = max(abs(x) for row in positions for x in row) or 1.0
    digits = DIGITS - 1 - floor(log10(most))
    return [[round(x, digits) + 0.0 for x in row] for row in positions]
