"""Conditions of an experiment: what differs between people, or between the tasks of one person.

A *condition* is what a question is asked under: a level of the factor between people, one of the
factor within them, or one of each ("colour+tools"). A *course* is what a person is given:
conditions in the order in which they come ("colour+tools>colour+fruit"). An *arm* is a course of a
quota group, where there are some ("young/colour+tools>colour+fruit").
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from random import Random
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from resemblance.study.sections import Count, Section, setting

AND, THEN, OF = "+", ">", "/"
CONDITION = "condition"  # of the address, where it assigns
LevelName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]


class Condition(Section):
    """What is otherwise in a condition; what is left out is as without it."""

    wording: str | None = setting(None, "The question.")
    instructions: str | None = setting(None, "Page of instructions, shown where it begins.")
    labels: list[str] = setting([], "Only items of these labels; needs a space of its own.")
    own: dict[str, Any] = setting(
        {}, "Keys of the kind's own table, such as {sample_ms = 100} of [timing]."
    )


class Conditions(Section):
    """What differs between people, or within them: [conditions.between.NAME], or .within.NAME."""

    assign: Literal["balanced", "address"] = setting(
        "balanced",
        "balanced: as many people finish in each; address: ?condition=NAME (of between).",
    )
    group_by: Literal["address", "consent"] = setting(
        "address", "What tells somebody's quota group: the address, or the page of consent."
    )
    group: str = setting("group", "Its parameter of the address, or its field of the page.")
    groups: dict[str, Count] = setting(
        {},
        "Quota groups, and the places of each (0: no limit): each is balanced in itself.",
    )
    space: Literal["shared", "own"] = setting(
        "shared", "shared: one map of all answers; own: a map, and chosen questions, of each."
    )
    between: dict[LevelName, Condition] = setting(
        {}, "Tables [conditions.between.NAME]: each person has one of them."
    )
    within: dict[LevelName, Condition] = setting(
        {}, "Tables [conditions.within.NAME]: each person has all, one after the other."
    )

    @model_validator(mode="after")
    def _several_levels(self) -> "Conditions":
        for factor, levels in (("between", self.between), ("within", self.within)):
            if len(levels) == 1:
                raise ValueError(f"{factor} has one condition, {min(levels)!r}: give another one")
        if twice := sorted(self.between.keys() & self.within.keys()):
            raise ValueError(f"{twice[0]!r} is between people and within them: rename one")
        if self.assign == "address" and not self.between:
            raise ValueError('assign = "address" chooses among conditions between people: add some')
        if self.space == "shared" and any(one.labels for one in self.levels.values()):
            raise ValueError(
                "labels give conditions other items, whose distances to the rest nobody judges: "
                'set space = "own"'
            )
        return self

    @model_validator(mode="after")
    def _groups_that_courses_serve(self) -> "Conditions":
        if self.groups and not self.names:
            raise ValueError("groups are balanced over conditions: add some, or leave groups out")
        if self.late and self.assign == "address":
            raise ValueError(
                'assign = "address" chooses at entry, and group_by = "consent" later: give '
                'assign = "balanced", or group_by = "address"'
            )
        if self.groups and self.group == CONDITION:
            raise ValueError(f'"{CONDITION}" tells no group, but a condition: rename group')
        for group, places in self.groups.items():
            if 0 < places < len(self.courses):
                raise ValueError(
                    f"group {group!r} has {places} places, and {len(self.courses)} courses "
                    "through the conditions: give it as many places, or more; 0 for no limit"
                )
        return self

    @property
    def late(self) -> bool:
        """Whether people are assigned with their consent, and not as they enter."""
        return bool(self.groups) and self.group_by == "consent"

    @property
    def levels(self) -> Mapping[str, Condition]:
        """All of both factors."""
        return {**self.between, **self.within}

    @property
    def names(self) -> tuple[str, ...]:
        """The conditions; none where a study has none."""
        factors = [list(levels) for levels in (self.between, self.within) if levels]
        return tuple(AND.join(levels) for levels in product(*factors)) if factors else ()

    @property
    def arms(self) -> tuple[str, ...]:
        """The courses of each quota group; where there is none, the courses."""
        pairs = product(self.groups, self.courses)
        return tuple(f"{group}{OF}{course}" for group, course in pairs) or self.courses

    @cached_property
    def courses(self) -> tuple[str, ...]:
        """The courses that people are given: each order of a balanced Latin square.

        Examples
        --------
        >>> colour, shape = Condition(wording="Colour?"), Condition(wording="Shape?")
        >>> Conditions(within={"colour": colour, "shape": shape}).courses
        ('colour>shape', 'shape>colour')
        """
        if not self.within:
            return tuple(self.between)
        orders = latin_square(list(self.within))
        firsts = [f"{level}{AND}" for level in self.between] or [""]
        return tuple(THEN.join(f"{a}{b}" for b in order) for a, order in product(firsts, orders))

    def arm(self, held: Mapping[str, int], told: Mapping[str, Any], rng: Random) -> str | None:
        """Choose the arm of somebody new: among those with fewest people who hold a place.

        Parameters
        ----------
        held : dict of str to int
            How many people hold a place in each arm.
        told : dict
            What the address, or the page of consent, says of the person.
        rng : Random
            Decides among several.

        Returns
        -------
        str or None
            None where the person's group has all its people.

        Raises
        ------
        KeyError
            The name of what has to tell a group, or a condition between people, and does not.
        """
        arms = self.arms
        if self.groups:
            if (group := told.get(self.group)) not in self.groups:
                raise KeyError(self.group)
            arms = tuple(arm for arm in arms if parted(arm)[0] == group)
            if 0 < self.groups[group] <= sum(held.get(arm, 0) for arm in arms):
                return None
        if self.assign == "address":
            if (asked := told.get(CONDITION)) not in self.between:
                raise KeyError(CONDITION)
            arms = tuple(arm for arm in arms if conditions_of(arm)[0].split(AND)[0] == asked)
        fewest = min(held.get(arm, 0) for arm in arms)
        return rng.choice([arm for arm in arms if held.get(arm, 0) == fewest])

    def of(self, name: str) -> Condition:
        """Return what is otherwise in a condition: within people goes before between them."""
        told: dict[str, Any] = {}
        for level in filter(None, name.split(AND)):
            otherwise = self.levels[level].model_dump(exclude_defaults=True)
            told |= otherwise | {"own": told.get("own", {}) | otherwise.get("own", {})}
        return Condition.model_validate(told)

    def row(self, arm: str | None) -> dict[str, str | None]:
        """Return what a table of people says of somebody's arm; nothing without conditions."""
        group, course = parted(arm)
        told = {"arm": course} if self.names else {}
        return told | ({"group": group} if self.groups else {})

    def worded(self, wordings: Mapping[str, str]) -> "Conditions":
        """Return them with other wordings."""
        levels = {"between": dict(self.between), "within": dict(self.within)}
        for of in levels.values():
            for name in of.keys() & wordings.keys():
                of[name] = of[name].model_copy(update={"wording": wordings[name]})
        return self.model_copy(update=levels)

    def page(self, name: str) -> str | None:
        """Name the page of instructions of a condition; None where it has none of its own."""
        having = [one for one in name.split(AND) if one and self.levels[one].instructions]
        return f"instructions-{having[-1]}" if having else None

    def pages(self) -> dict[str, tuple[str, str]]:
        """Return the file of each page of instructions, and the setting that names it."""
        return {
            f"instructions-{name}": (one.instructions, f"conditions.{factor}.{name}.instructions")
            for factor, levels in (("between", self.between), ("within", self.within))
            for name, one in levels.items()
            if one.instructions
        }


def parted(arm: str | None) -> tuple[str | None, str | None]:
    """Return the quota group of an arm, and its course.

    Examples
    --------
    >>> parted("young/colour>shape"), parted("colour")
    (('young', 'colour>shape'), (None, 'colour'))
    """
    group, _, course = (arm or "").rpartition(OF)
    return group or None, course or None


def conditions_of(arm: str) -> list[str]:
    """Return the conditions of an arm, in the order in which they come."""
    return arm.rpartition(OF)[2].split(THEN)


def latin_square(names: Sequence[str]) -> list[list[str]]:
    """Return orders in which each name is at each place, and before each other, equally often.

    Of an odd number of names each order comes backwards too.

    Source: Williams 1949, Experimental designs balanced for the estimation of residual effects of
    treatments, Australian Journal of Scientific Research A 2.

    Examples
    --------
    >>> latin_square("abcd")[:2]
    [['a', 'b', 'd', 'c'], ['b', 'c', 'a', 'd']]
    """
    n = len(names)
    zigzag = [(step + 1) // 2 if step % 2 else (n - step // 2) % n for step in range(n)]
    rows = [[names[(start + step) % n] for step in zigzag] for start in range(n)]
    return rows + [row[::-1] for row in rows] if n % 2 else rows
