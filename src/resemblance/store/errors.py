"""Errors of the store, and the translation of database errors to them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, get_args

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, SQLAlchemyError, StatementError

from resemblance.errors import ResemblanceError, SettingError

REFUSED = (IntegrityError, DataError, OverflowError, UnicodeError)


class StoreError(ResemblanceError, RuntimeError):
    """The database cannot be reached, read or written; nothing was acknowledged."""


class LeftoverError(StoreError):
    """Rows were erased, but the database's log still contains them."""


class ErasedError(ResemblanceError, LookupError):
    """A write concerns an erased person; nothing was stored."""

    def __init__(self, code: str) -> None:
        super().__init__(f"participant {code} was erased: nothing more is stored of this person")


class WithdrawnError(ErasedError):
    """A write concerns a person who withdrew; earlier answers are still stored."""

    def __init__(self, code: str) -> None:
        LookupError.__init__(self, f"participant {code} withdrew: nothing more is stored")


class StaleError(ResemblanceError, RuntimeError):
    """A request is based on an outdated state of the person; nothing was stored."""

    def __init__(self, code: str) -> None:
        super().__init__(
            f"the state of participant {code} has changed: read it again, then send again"
        )


class ContentError(ResemblanceError, ValueError):
    """The database refuses content, such as a repeated name or text with a NUL."""


@contextmanager
def translated(database: str = "the database") -> Iterator[None]:
    """Turn errors of the driver into errors of this package, without the written values."""
    try:
        yield
    except (SQLAlchemyError, OverflowError, UnicodeError) as error:
        raise as_ours(error, database) from None


def is_refusal(error: Exception) -> bool:
    """Return whether the database works, and has refused only this content."""
    broken = isinstance(error, SQLAlchemyError) and not isinstance(error, StatementError)
    return isinstance(error, REFUSED) or not (broken or isinstance(error, DBAPIError))


def as_ours(error: Exception, database: str = "the database") -> Exception:
    """Return the error of this package for a driver's error; other errors are unchanged."""
    cause = getattr(error, "orig", None)
    if isinstance(cause, ResemblanceError):
        return cause
    if not isinstance(error, (SQLAlchemyError, OverflowError, UnicodeError)):
        return error
    reason = _first_line(cause or error)
    if is_refusal(error):
        return ContentError(f"{database} refuses this: {reason}. Correct it and send it again.")
    return StoreError(
        f"{database} failed: {reason}. Nothing was acknowledged: check that it runs and that its "
        "disk has space, then send again."
    )


def _first_line(error: BaseException) -> str:
    """Return the first line of the driver's message; later lines may contain values."""
    said = str(error).strip()
    return said.splitlines()[0].rstrip(".") if said else type(error).__name__


def one_of(value: str, literal: Any) -> str:
    if value not in get_args(literal):
        listed = ", ".join(get_args(literal))
        raise SettingError(f"{value!r} is unknown: give one of {listed}.")
    return value


def kind_of(spec: dict[str, Any]) -> str:
    kind = spec.get("kind")
    if not isinstance(kind, str):
        raise SettingError(f'the question {spec} has no kind: give it a "kind", as text.')
    return kind
