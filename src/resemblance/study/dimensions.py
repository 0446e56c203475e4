"""The sparse dimensions of a study: what each fit found, and the names that people gave.

A name is given to a dimension of one fit. The next fit has others in another order; so each fit
says which of its dimensions is which of every earlier fit, by the correlation of their loadings. A
name goes where its dimension is found again, and nowhere else.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from resemblance.errors import SettingError
from resemblance.store import Event, Store, Study
from resemblance.store.studies import DIMENSIONS
from resemblance.study import refits

NAMED, FAILED = "dimension named", "dimensions failed"  # what the audit trail calls it
SAME = 0.8  # the correlation from which two dimensions of different fits are one
AGAIN = 0.7  # the correlation of halves from which a dimension of an earlier fit is found again
MOST_LETTERS = 80  # of a name

Place = tuple[int, int]  # a fit, and a dimension of it; both from 1


class Given(NamedTuple):
    """A name that was given.

    Attributes
    ----------
    name : str
    place : tuple of int
        The fit and the dimension that it was given to.
    nearest : int
        The dimension of the last fit that is most like it; 0 where none is.
    correlation : float
        How like.
    """

    name: str
    place: Place
    nearest: int
    correlation: float


@dataclass(frozen=True)
class Dimensions:
    """The dimensions of the last fit.

    Attributes
    ----------
    number, answers : int
        Which fit it is, from 1; the answers that it is from.
    loadings : list of list of float
        A row for each item.
    shares : list of float
        The share of each dimension in the sum of all loadings.
    seeds, halves : list of float
        How well each is found again: from other random starts, and in halves of the answers.
    found_again : list of int
        In how many splits of the answers into halves each is found again.
    starts, splits : int
        How many starts and splits there were.
    seconds : float
        What all these fits took.
    matches : dict of str to list of (dimension, correlation)
        For each earlier fit by its number: which dimension of this one each of it is, 0 for none.
    names : dict of int to Given
        The names that hold, by dimension.
    lost : list of Given
        Those whose dimension was not found again, or has another name by now.
    """

    number: int
    answers: int
    loadings: list[list[float]]
    shares: list[float]
    seeds: list[float]
    halves: list[float]
    found_again: list[int]
    starts: int
    splits: int
    seconds: float
    matches: dict[str, list[tuple[int, float]]]
    names: dict[int, Given]
    lost: list[Given]

    def name(self, number: int) -> str:
        """Return what a dimension is called; "" where nobody has named it."""
        return self.names[number].name if number in self.names else ""

    @property
    def called(self) -> list[str]:
        """Return what each dimension is called, in their order."""
        return [self.name(number + 1) for number in range(len(self.shares))]

    def top(self, number: int, most: int) -> list[tuple[int, float]]:
        """Return the items with the largest loadings on a dimension, and these."""
        column = [(item, row[number - 1]) for item, row in enumerate(self.loadings)]
        column.sort(key=lambda pair: -pair[1])
        return [pair for pair in column[:most] if pair[1] > 0]

    def now(self, place: Place) -> tuple[int, float]:
        """Return which dimension of this fit is one of an earlier fit, and how like they are."""
        fit, number = place
        if fit == self.number:
            return (number, 1.0) if 0 < number <= len(self.shares) else (0, 0.0)
        matches = self.matches.get(str(fit), [])
        nearest, correlation = matches[number - 1] if 0 < number <= len(matches) else (0, 0.0)
        return int(nearest), float(correlation)


def dimensions_of(store: Store, study: Study) -> Dimensions | None:
    """Return the dimensions of a study with their names; None before the first fit."""
    last = store.events.last(study, DIMENSIONS)
    if last is None:
        return None
    dimensions = Dimensions(**_counted(last.details["found"]), names={}, lost=[])
    for place, name in reversed(_given(store.events.audit(study, NAMED)).items()):
        given = Given(name, place, *dimensions.now(place))
        if given.correlation >= SAME and given.nearest not in dimensions.names:
            dimensions.names[given.nearest] = given
        else:
            dimensions.lost.append(given)
    return dimensions


def _counted(fit: dict[str, Any]) -> dict[str, Any]:
    """Return what a fit found, in how many splits too: earlier fits had one, and kept its r."""
    if "fits" not in fit:
        return fit
    starts, halves = fit["fits"]
    again = [int(r >= AGAIN) for r in fit["halves"]]
    counts = {"found_again": again, "starts": starts, "splits": halves // 2}
    return {name: value for name, value in fit.items() if name != "fits"} | counts


def name_dimension(store: Store, study: Study, who: str, place: Place, name: str) -> None:
    """Give a dimension of some fit a name, in place of the one that it has; "" takes that away.

    Raises
    ------
    SettingError
        If there is no such dimension, or the name is none.
    """
    name = checked_name(name)
    dimensions = dimensions_of(store, study)
    if dimensions is None or not _is_known(dimensions, place):
        raise SettingError(f"no fit has this dimension: {place}")
    nearest, correlation = dimensions.now(place)
    replaced = [dim.place for dim in dimensions.lost if dim.place == place or dim.name == name]
    if correlation >= SAME and nearest in dimensions.names:
        replaced.append(dimensions.names[nearest].place)
    details = {"fit": place[0], "dimension": place[1], "name": name, "replaces": replaced}
    store.events.record(study, who, NAMED, details)


def checked_name(name: str) -> str:
    """Return a name without the blanks around it.

    Raises
    ------
    SettingError
        If it is long, or holds what cannot be printed.
    """
    name = name.strip()
    if len(name) > MOST_LETTERS or not name.isprintable():
        raise SettingError(f"a name has {MOST_LETTERS} letters at most, on one line")
    return name


def next_fit(store: Store, study: Study, first: int) -> int:
    """Return the number of answers at which the next fit is; ``first`` before any."""
    tried = (store.events.last(study, what) for what in (DIMENSIONS, FAILED))
    answers = [_answers(event) for event in tried if event is not None]
    return refits.next_fit(max(answers), refits.GROWTH_OF_DIMENSIONS) if answers else first


def failure(store: Store, study: Study) -> str | None:
    """Say why the last fit failed, if it did."""
    failed, last = (store.events.last(study, what) for what in (FAILED, DIMENSIONS))
    if failed is None or (last is not None and last.id > failed.id):
        return None
    return str(failed.details["reason"])


def _answers(event: Event) -> int:
    return int(event.details.get("found", event.details)["answers"])


def _given(events: list[Event]) -> dict[Place, str]:
    """Return the names that were given and not replaced, oldest first."""
    given: dict[Place, str] = {}
    for event in events:
        place = (event.details["fit"], event.details["dimension"])
        for fit, number in [place, *event.details["replaces"]]:
            given.pop((fit, number), None)
        if event.details["name"]:
            given[place] = event.details["name"]
    return given


def _is_known(dimensions: Dimensions, place: Place) -> bool:
    """Say whether a fit has this dimension."""
    fit, number = place
    among = dimensions.shares if fit == dimensions.number else dimensions.matches.get(str(fit), [])
    return 0 < number <= len(among)
