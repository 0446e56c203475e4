"""How the parts of the store reach the database: decorators for writes, two calls for reads."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import fields
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from sqlalchemy import URL, ColumnElement, Connection, Engine, Row, Select, Table
from sqlalchemy.exc import DBAPIError

from resemblance.store.errors import translated
from resemblance.store.writer import Do, Writer

P = ParamSpec("P")
Q = TypeVar("Q")
R = TypeVar("R")
Record = TypeVar("Record")
PAGE = 1000  # rows that a long read fetches at a time


class Access:
    """The connections of a store, and its clock.

    Parameters
    ----------
    url : URL
        The address of the database.
    readers : Engine
        Connections for reading, each statement by itself.
    writer : Writer
        The one that writes.
    clock : callable
        The time in seconds since 1970.
    """

    def __init__(
        self, url: URL, readers: Engine, writer: Writer, clock: Callable[[], float]
    ) -> None:
        self._url, self._readers, self._writer, self.clock = url, readers, writer, clock

    @property
    def is_remote(self) -> bool:
        """Whether a read waits for another process, and perhaps another machine."""
        return self._readers.dialect.name == "postgresql"

    def _rows(self, statement: Select[Any], **values: Any) -> list[Row[Any]]:
        """Read all rows; once more where the connection was lost since it was used last."""
        with translated():
            try:
                return self._read(statement, values)
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
            return self._read(statement, values)

    def _read(self, statement: Select[Any], values: dict[str, Any]) -> list[Row[Any]]:
        with self._readers.connect() as connection:
            return list(connection.execute(statement, values).all())

    def _stream(self, statement: Select[Any]) -> Iterator[Row[Any]]:
        """Read rows bit by bit: for what does not fit into memory."""
        with self._reading() as connection:
            yield from connection.execution_options(yield_per=PAGE).execute(statement)

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """Lend a connection on which PostgreSQL is within a transaction."""
        with translated(), self._readers.connect() as connection:
            if connection.dialect.name == "postgresql":
                connection.execution_options(isolation_level="READ COMMITTED")
            yield connection


class BoundWrite(Generic[P, R]):
    """A write of one store: call it and wait, or await ``soon``.

    Parameters
    ----------
    writer : Writer
        Who writes.
    do : callable
        What does a list of requests.
    request : callable
        What makes a request of the arguments of a call.
    """

    def __init__(self, writer: Writer, do: Do, request: Callable[P, Any]) -> None:
        self._writer, self._do, self._request = writer, do, request

    def __call__(self, *args: P.args, **named: P.kwargs) -> R:
        """Write, and return when it is durable."""
        return self._submit(*args, **named).result()

    def soon(self, *args: P.args, **named: P.kwargs) -> "asyncio.Future[R]":
        """Write; await what this gives, and it is durable. The event loop goes on meanwhile."""
        return asyncio.wrap_future(self._submit(*args, **named))

    def _submit(self, *args: P.args, **named: P.kwargs) -> Future[R]:
        return self._writer.submit(self._do, self._request(*args, **named))


class Write(Generic[P, R]):
    """A method that writes: made by :func:`write` and :func:`write_together`.

    Parameters
    ----------
    bind : callable
        Gives, for a store, what does a list of requests and what makes a request.
    doc : str, optional
        What the method says of itself.
    """

    def __init__(self, bind: Callable[[Any], tuple[Do, Callable[P, Any]]], doc: str | None) -> None:
        self._bind, self.__doc__ = bind, doc

    @overload
    def __get__(self, store: None, owner: type) -> Self: ...

    @overload
    def __get__(self, store: Access, owner: type) -> BoundWrite[P, R]: ...

    def __get__(self, store: Access | None, owner: type) -> Self | BoundWrite[P, R]:
        return self if store is None else BoundWrite(store._writer, *self._bind(store))


def write(method: Callable[Concatenate[Any, Connection, P], R]) -> Write[P, R]:
    """Make ``method(self, connection, ...)`` a write, in a transaction of the writer.

    It may run more than once, where a try failed before its commit.
    """

    def bind(store: Access) -> tuple[Do, Callable[P, Any]]:
        def request(*args: P.args, **named: P.kwargs) -> Callable[[Connection], R]:
            return lambda connection: method(store, connection, *args, **named)

        return _one_by_one, request

    return Write(bind, method.__doc__)


def write_together(
    request: Callable[P, Q],
) -> Callable[[Callable[[Any, Connection, list[Q]], Sequence[R | Exception]]], Write[P, R]]:
    """Make ``method(self, connection, requests)`` a write that does all that wait at once.

    Parameters
    ----------
    request : callable
        What makes a request of the arguments of a call.
    """

    def decorate(
        method: Callable[[Any, Connection, list[Q]], Sequence[R | Exception]],
    ) -> Write[P, R]:
        return Write(lambda store: (MethodType(method, store), request), method.__doc__)

    return decorate


def _one_by_one(connection: Connection, calls: list[Callable[[Connection], Any]]) -> list[Any]:
    return [call(connection) for call in calls]


def columns_of(record: type, table: Table) -> list[ColumnElement[Any]]:
    """Return the columns of a table that are the fields of a record."""
    return [table.c[field.name] for field in fields(record)]


def as_record(record: Callable[..., Record], row: Row[Any]) -> Record:
    """Make a record of a row whose columns have the names of its fields."""
    return record(**row._mapping)
