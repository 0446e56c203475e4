"""Conditions of an experiment: what differs between people, or between the tasks of one person.

A *condition* is what a question is asked under: one level of each factor, those between people
first ("colour+tools"). A *course* is what a person is given:
conditions in the order in which they come ("colour+tools>colour+fruit"). An *arm* is a course of a
quota group, where there are some ("young/colour+tools>colour+fruit").
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product
from random import Random
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from resemblance.study.kinds import KindName
from resemblance.study.sections import Count, Section, setting
from resemblance.study.translation import Words

AND, THEN, OF = "+", ">", "/"
CONDITION = "condition"  # of the address, where it assigns
LevelName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]
FactorName = Annotated[str, Field(pattern=r"^([a-z0-9][a-z0-9_-]{0,31})?$")]


class Condition(Section):
    """What is otherwise in a condition; what is left out is as without it."""

    wording: str | None = setting(None, "The question.")
    instructions: str | None = setting(None, "Page of instructions, shown where it begins.")
    labels: list[str] = setting([], "Only items of these labels; needs a space of its own.")
    kind: KindName | None = setting(
        None, "Another kind of question; needs a space of its own, and instructions."
    )
    n_options: int | None = setting(None, "Options of a question; needs a space of its own.")
    own: dict[str, Any] = setting(
        {}, "Keys of the kind's own table, such as {sample_ms = 100} of [timing]."
    )


class Conditions(Section):
    """What differs between people, or within them: [conditions.between.NAME], or .within.NAME."""

    # Of several factors: [conditions.between.FACTOR.NAME]. A lone one needs no name: it is "" here.

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
    between: dict[FactorName, dict[LevelName, Condition]] = setting(
        {}, "Tables [conditions.between.NAME]: each person has one of them."
    )
    within: dict[FactorName, dict[LevelName, Condition]] = setting(
        {}, "Tables [conditions.within.NAME]: each person has all, one after the other."
    )

    @field_validator("between", "within", mode="before")
    @classmethod
    def _in_factors(cls, tables: Any) -> Any:
        if not isinstance(tables, Mapping) or not tables:
            return tables
        factors = {name for name, table in tables.items() if _is_factor(table)}
        if factors and (lone := tables.keys() - factors):
            raise ValueError(
                f"{min(lone)!r} is a condition, and {min(factors)!r} a factor of several: put "
                f"the condition into a factor too, [... FACTOR.{min(lone)}]"
            )
        return tables if factors else {"": tables}

    @model_validator(mode="after")
    def _several_levels(self) -> "Conditions":
        for factor, of in self.factors:
            if len(of) == 1:
                name = factor or ("between" if of in self.between.values() else "within")
                raise ValueError(f"{name} has one condition, {min(of)!r}: give another one")
        level_names = [name for _, levels in self.factors for name in levels]
        for names in ([name for name, _ in self.factors if name], level_names):
            if twice := [name for name in names if names.count(name) > 1]:
                raise ValueError(f"{twice[0]!r} is there twice, in or between factors: rename one")
        for factors in (self.between, self.within):
            said = [key for levels in factors.values() for key in _said(levels)]
            if twice := [key for key in said if said.count(key) > 1]:
                raise ValueError(
                    f"two factors both say {twice[0]!r} of the conditions in which they meet: "
                    "write them as one factor"
                )
        kinds, pages = (
            [name for levels in of.values() for name, each in levels.items() if getattr(each, key)]
            for of, key in ((self.between, "kind"), (self.within, "instructions"))
        )
        if kinds and pages:
            raise ValueError(
                f"{kinds[0]!r} asks another kind of question, and the page of {pages[0]!r} would "
                "be shown in place of its instructions: write both as one factor, or give "
                f"{pages[0]!r} a wording alone"
            )
        if self.assign == "address" and not self.between:
            raise ValueError('assign = "address" chooses among conditions between people: add some')
        if self.space == "own":
            return self
        levels = self.levels.values()
        if any(level.labels for level in levels):
            raise ValueError(
                "labels give conditions other items, whose distances to the rest nobody judges: "
                'set space = "own"'
            )
        if any(level.kind or level.n_options for level in levels):
            raise ValueError(
                "kind and n_options give conditions other questions, which one map does not fit "
                'together: set space = "own"'
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
    def are_apart(self) -> bool:
        """Whether each has a map, and questions chosen by it, of its own."""
        return self.space == "own" and bool(self.names)

    @property
    def factors(self) -> list[tuple[str, dict[str, Condition]]]:
        """The name and the levels of each factor, those between people first."""
        return [*self.between.items(), *self.within.items()]

    @property
    def levels(self) -> Mapping[str, Condition]:
        """All of all factors."""
        return {name: level for _, levels in self.factors for name, level in levels.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """The conditions; none where a study has none."""
        return crossed(levels for _, levels in self.factors)

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
            return crossed(self.between.values())
        firsts = [f"{level}{AND}" for level in crossed(self.between.values())] or [""]
        orders = latin_square(crossed(self.within.values()))
        return tuple(THEN.join(f"{a}{b}" for b in order) for a, order in product(firsts, orders))

    def arm(self, held: Mapping[str, int], params: Mapping[str, Any], rng: Random) -> str | None:
        """Choose the arm of somebody new: among those with fewest people who hold a place.

        ``params`` is what the address, or a page of consent, says; None: the group has all people.

        Raises
        ------
        KeyError
            Where a group, or a condition between people, is not told: the name of what has to tell
            it, and what may be told.
        """
        arms = self.arms
        if self.groups:
            if (group := params.get(self.group)) not in self.groups:
                raise KeyError(self.group, [*self.groups])
            arms = tuple(arm for arm in arms if parted(arm)[0] == group)
            if 0 < self.groups[group] <= sum(held.get(arm, 0) for arm in arms):
                return None
        if self.assign == "address":
            allowed = crossed(self.between.values())
            asked = params.get(CONDITION, "").replace(" ", AND)  # as addresses have it
            if asked not in allowed:
                raise KeyError(CONDITION, allowed)
            n, levels = len(self.between), asked.split(AND)
            arms = tuple(arm for arm in arms if parted(arm)[1][0].split(AND)[:n] == levels)
        fewest = min(held.get(arm, 0) for arm in arms)
        return rng.choice([arm for arm in arms if held.get(arm, 0) == fewest])

    def of(self, name: str) -> Condition:
        """Return what is otherwise in a condition: within people goes before between them."""
        fields: dict[str, Any] = {}
        for level in filter(None, name.split(AND)):
            otherwise = self.levels[level].model_dump(exclude_defaults=True)
            fields |= otherwise | {"own": fields.get("own", {}) | otherwise.get("own", {})}
        return Condition.model_validate(fields)

    def row(self, arm: str | None) -> dict[str, str | None]:
        """Return what a table of people says of somebody's arm; nothing without conditions."""
        group, conditions = parted(arm or "")
        columns = {"arm": THEN.join(conditions) or None} if self.names else {}
        return columns | ({"group": group or None} if self.groups else {})

    def named(self, condition: str) -> dict[str, str]:
        """Return the level of each factor that has a name, as columns of a table."""
        pairs = zip(self.factors, condition.split(AND), strict=True) if condition else ()
        return {f"factor_{name}": level for (name, _), level in pairs if name}

    def margins(self, arm: str) -> list[str]:
        """Name the sums in which an arm counts: its group, and its levels of factors with names."""
        group, conditions = parted(arm)
        places = f" of {self.groups[group]}" if group and self.groups[group] else ""
        pairs = zip(self.between, conditions[0].split(AND), strict=False)
        levels = [f"{factor}: {level}" for factor, level in pairs if factor]
        return levels + ([f"{self.group}: {group}{places}"] if group else [])

    def address(self, rng: Random) -> dict[str, str]:
        """Draw what an address says of somebody, where it has to tell group or condition."""
        asked = crossed(self.between.values()) if self.assign == "address" else ()
        choices = {CONDITION: asked, self.group: () if self.late else tuple(self.groups)}
        return {name: rng.choice(values) for name, values in choices.items() if values}

    def worded(self, words: Mapping[str, Words]) -> "Conditions":
        """Return them in other words."""
        fields = self.model_dump()
        for levels in (*fields["between"].values(), *fields["within"].values()):
            for name in levels.keys() & words.keys():
                levels[name]["wording"] = words[name].wording
                levels[name]["own"] |= words[name].own
        return self.model_validate(fields)

    def page(self, name: str) -> str | None:
        """Name the page of instructions of a condition; None where it has none of its own."""
        having = [level for level in name.split(AND) if level and self.levels[level].instructions]
        return f"instructions-{having[-1]}" if having else None

    def pages(self) -> dict[str, tuple[str, str]]:
        """Return the file of each page of instructions, and the setting that names it."""
        return {
            f"instructions-{name}": (level.instructions, ".".join(filter(None, key)))
            for how, factors in (("between", self.between), ("within", self.within))
            for factor, levels in factors.items()
            for name, level in levels.items()
            for key in [("conditions", how, factor, name, "instructions")]
            if level.instructions
        }


def _said(levels: Mapping[str, Condition]) -> set[str]:
    """Name what the levels of a factor say."""
    keys = {key for level in levels.values() for key, value in level if value and key != "own"}
    return keys.union(*(level.own for level in levels.values()))


def _is_factor(table: Any) -> bool:
    """Say whether a table holds conditions, and not what is otherwise in one."""
    return isinstance(table, Mapping) and any(
        isinstance(value, Mapping | Condition) and name not in Condition.model_fields
        for name, value in table.items()
    )


def crossed(factors: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Return each combination of a level of every factor; none of no factor."""
    return tuple(AND.join(levels) for levels in product(*factors) if levels)


def parted(arm: str) -> tuple[str, list[str]]:
    """Return the quota group of an arm, if any, and its conditions in the order in which they come.

    Examples
    --------
    >>> parted("young/colour>shape"), parted("colour")
    (('young', ['colour', 'shape']), ('', ['colour']))
    """
    group, _, course = arm.rpartition(OF)
    return group, course.split(THEN)


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
