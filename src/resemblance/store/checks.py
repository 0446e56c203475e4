"""Check values before they are written."""

from typing import Any, get_args

from resemblance.errors import SettingError


def one_of(value: str, literal: Any) -> str:
    """Return the value if it is one of a Literal's; the error lists those.

    >>> from typing import Literal
    >>> one_of("open", Literal["open", "closed"])
    'open'
    """
    if value not in get_args(literal):
        listed = ", ".join(get_args(literal))
        raise SettingError(f"{value!r} is none of {listed}: give one of them.")
    return value


def kind_of(spec: dict[str, Any]) -> str:
    """Return the kind of a question.

    >>> kind_of({"kind": "triplet", "head": 4})
    'triplet'
    """
    kind = spec.get("kind")
    if not isinstance(kind, str):
        raise SettingError(f'the question {spec} has no kind: give it a "kind", as text.')
    return kind
