"""Declare the allowed values of settings; check and describe them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import wraps
from inspect import signature
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

from resemblance.errors import SettingError

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Range:
    """Allowed values of a setting: numbers from ``least`` to ``most``, and words.

    >>> str(Range(0, 1, below=True)), str(integers(2).besides(None)), str(one_of("up", "down"))
    ('a number from 0 to below 1', 'a whole number, 2 or more, or None', "'up' or 'down'")
    """

    least: float = -inf
    most: float = inf
    above: bool = False  # whether the least number is excluded
    below: bool = False  # whether the largest number is excluded
    whole: bool = False  # Only integers are allowed; floats such as 100.0 are refused, as in NumPy.
    words: tuple[Any, ...] = ()  # further allowed values, such as ("auto",) or (None,)
    numbers: bool = True  # whether numbers are allowed, besides words

    def besides(self, *words: Any) -> Range:
        return replace(self, words=(*self.words, *words))

    def __contains__(self, value: object) -> bool:
        plain = isinstance(value, str | Integral) or getattr(value, "ndim", None) == 0
        if any(value is word or (plain and value == word) for word in self.words):
            return True
        if not self.numbers or isinstance(value, bool) or not isinstance(value, Real):
            return False
        number = float(value)
        if not isfinite(number) or (self.whole and not isinstance(value, Integral)):
            return False
        low = number > self.least if self.above else number >= self.least
        return low and (number < self.most if self.below else number <= self.most)

    def __str__(self) -> str:
        words = [str(word) if word is None else repr(word) for word in self.words]
        if not self.numbers:
            return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
        return ", or ".join((self._of_numbers, *words))

    @property
    def _of_numbers(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        if self.most == inf:
            if self.least == -inf:
                return kind
            return (
                f"{kind} above {self.least:g}" if self.above else f"{kind}, {self.least:g} or more"
            )
        if self.above and self.below:
            return f"{kind} between {self.least:g} and {self.most:g}"
        low = f"above {self.least:g}, " if self.above else f"from {self.least:g} "
        return f"{kind} {low}{'up to' if self.above else 'to'} {'below ' * self.below}{self.most:g}"


def integers(least: float, most: float = inf) -> Range:
    return Range(least, most, whole=True)


def one_of(*words: Any) -> Range:
    return Range(words=words, numbers=False)


YES_OR_NO = one_of(True, False)
"""True or False; a word such as "no" would count as true."""

POSITIVE = Range(0, above=True)
NOT_NEGATIVE = Range(0)
SHARE = Range(0, 1)
WHOLE = Range(whole=True)
BELOW_ONE = Range(0, 1, below=True)
LEVEL = Range(0, 1, above=True, below=True)
"""The coverage of an interval, or the level of a test: above 0 and below 1."""


def check(**settings: tuple[Any, Range]) -> None:
    """Raise an error for settings out of range: ``check(level=(level, LEVEL))``.

    >>> check(level=(0.95, LEVEL), n_draws=(1000, integers(2)))
    >>> check(n_draws=(1, integers(2)))
    Traceback (most recent call last):
    ...
    resemblance.errors.SettingError: n_draws is 1: give a whole number, 2 or more.
    """
    for name, (value, values) in settings.items():
        if value not in values:
            raise SettingError(f"{name} is {value!r}: give {values}.", setting=name)


def setting(values: Range, *, default: Any, **more: Any) -> Any:
    return field(default=default, metadata={"values": values}, **more)


def check_settings(of: Any) -> None:
    """Raise an error if a setting of a dataclass is out of its declared range.

    Ranges are declared with :func:`setting`. Fields of type ``bool`` allow only True and False.
    """
    declared = fields(of)
    ranges = {field.name: field.metadata["values"] for field in declared if field.metadata}
    ranges |= {field.name: YES_OR_NO for field in declared if field.type in (bool, "bool")}
    check(**{name: (getattr(of, name), values) for name, values in ranges.items()})


def checks_bools(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function: parameters annotated as ``bool`` must be True or False.

    >>> @checks_bools
    ... def ask(*, adaptive: bool = True) -> bool:
    ...     return adaptive
    >>> ask(adaptive="no")
    Traceback (most recent call last):
    ...
    resemblance.errors.SettingError: adaptive is 'no': give True or False.
    """
    parameters = enumerate(signature(function).parameters.values())
    bools = {p.name: at for at, p in parameters if p.annotation in (bool, "bool")}

    @wraps(function)
    def checked(*given: P.args, **named: P.kwargs) -> R:
        values = {name: given[at] for name, at in bools.items() if at < len(given)}
        values |= {name: named[name] for name in bools if name in named}
        check(**{name: (value, YES_OR_NO) for name, value in values.items()})
        return function(*given, **named)

    return checked
