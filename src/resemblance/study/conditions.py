"""Experimental conditions, between people or within each person.

A *condition* is a level of the factor between people, a level of the factor within people, or one
of each ("colour+tools"). An *arm* is the sequence of conditions that one person goes through
("colour+tools>colour+fruit").
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from random import Random
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from resemblance.study.sections import Section, Words, setting

AND, THEN = "+", ">"
CONDITION = "condition"  # name of the query parameter in addresses, and of the column in the export
LevelName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]


class Condition(Section):
    """The settings that differ in one condition."""

    wording: str | None = setting(None, "The question.")
    instructions: str | None = setting(None, "Page of instructions, shown before its first task.")
    own: dict[str, Any] = setting(
        {}, "Keys of the kind's own table, such as {sample_ms = 100} of [timing]."
    )


class Conditions(Section):
    """Conditions between people ([conditions.between.NAME]) or within people ([...within.NAME])."""

    assign: Literal["balanced", "address"] = setting(
        "balanced",
        "balanced: equally many people finish in each; address: ?condition=NAME (of between).",
    )
    between: dict[LevelName, Condition] = setting(
        {}, "Tables [conditions.between.NAME]: each person gets one of them."
    )
    within: dict[LevelName, Condition] = setting(
        {}, "Tables [conditions.within.NAME]: each person gets all, one after the other."
    )

    @model_validator(mode="after")
    def _several_levels(self) -> "Conditions":
        for name, levels in (("between", self.between), ("within", self.within)):
            if len(levels) == 1:
                raise ValueError(f"{name} has one condition, {min(levels)!r}: give another one")
        if twice := self.between.keys() & self.within.keys():
            raise ValueError(f"{min(twice)!r} is both between and within people: rename one")
        if self.assign == "address" and not self.between:
            raise ValueError('assign = "address" chooses among conditions between people: add some')
        return self

    @property
    def levels(self) -> Mapping[str, Condition]:
        return {**self.between, **self.within}

    @property
    def names(self) -> tuple[str, ...]:
        each = [levels for levels in (self.between, self.within) if levels]
        return tuple(AND.join(names) for names in product(*each)) if each else ()

    @cached_property
    def arms(self) -> tuple[str, ...]:
        """All arms; orders of conditions within people form a balanced Latin square."""
        if not self.within:
            return tuple(self.between)
        firsts = [f"{level}{AND}" for level in self.between] or [""]
        orders = latin_square(tuple(self.within))
        return tuple(THEN.join(f"{a}{b}" for b in order) for a, order in product(firsts, orders))

    def arm(self, held: Mapping[str, int], params: Mapping[str, Any], rng: Random) -> str:
        """Return the arm from the address, or a random arm among those with the fewest people."""
        arms = self.arms
        if self.assign == "address":
            asked = params.get(CONDITION, "")
            if asked not in self.between:
                raise KeyError(CONDITION, [*self.between])
            arms = tuple(arm for arm in arms if conditions_of(arm)[0].split(AND)[0] == asked)
        fewest = min(held.get(arm, 0) for arm in arms)
        return rng.choice([arm for arm in arms if held.get(arm, 0) == fewest])

    def of(self, name: str) -> Condition:
        fields: dict[str, Any] = {}
        for level in filter(None, name.split(AND)):
            changes = self.levels[level].model_dump(exclude_defaults=True)
            fields |= changes | {"own": fields.get("own", {}) | changes.get("own", {})}
        return Condition.model_validate(fields)

    def row(self, arm: str | None) -> dict[str, str | None]:
        return {"arm": arm} if self.names else {}

    def address(self, rng: Random) -> dict[str, str]:
        return {CONDITION: rng.choice([*self.between])} if self.assign == "address" else {}

    def worded(self, words: Mapping[str, Words]) -> "Conditions":
        fields = self.model_dump()
        for levels in (fields["between"], fields["within"]):
            for name in levels.keys() & words.keys():
                levels[name]["wording"] = words[name].wording
                levels[name]["own"] |= words[name].own
        return self.model_validate(fields)

    def page(self, name: str) -> str | None:
        having = [level for level in name.split(AND) if level and self.levels[level].instructions]
        return f"instructions-{having[-1]}" if having else None

    def pages(self) -> dict[str, tuple[str, str]]:
        """Return each page of instructions, with its file and the setting that names the file."""
        return {
            f"instructions-{name}": (level.instructions, f"conditions.{how}.{name}.instructions")
            for how, levels in (("between", self.between), ("within", self.within))
            for name, level in levels.items()
            if level.instructions
        }


def conditions_of(arm: str | None) -> list[str]:
    """Return the conditions of an arm in their order; [""] without an arm."""
    return (arm or "").split(THEN)


def latin_square(names: Sequence[str]) -> list[list[str]]:
    """Return the orders of a Latin square that is balanced for carry-over (Williams design).

    Each name is equally often at each place, and equally often directly after each other name. For
    an odd number of names, the square also contains every order reversed (Williams 1949, Australian
    Journal of Scientific Research A 2).

    >>> latin_square("abcd")[:2]
    [['a', 'b', 'd', 'c'], ['b', 'c', 'a', 'd']]
    """
    n = len(names)
    zigzag = [(step + 1) // 2 if step % 2 else (n - step // 2) % n for step in range(n)]
    rows = [[names[(start + step) % n] for step in zigzag] for start in range(n)]
    return rows + [row[::-1] for row in rows] if n % 2 else rows
