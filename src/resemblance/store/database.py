"""Shared access of the store's parts to the database: connections, and the writer thread."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, fields
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from sqlalchemy import URL, ColumnElement, Connection, Engine, Row, Select, Table
from sqlalchemy.exc import DBAPIError

from resemblance.store.errors import StoreError, translated
from resemblance.store.writer import SLOW, Writer

P = ParamSpec("P")
Q = TypeVar("Q")
R = TypeVar("R")
Record = TypeVar("Record")
PAGE = 1000  # rows that a long read fetches at a time


@dataclass
class Database:
    url: URL
    readers: Engine  # autocommit for each statement
    writer: Writer
    clock: Callable[[], float]  # seconds since 1970
    # called before long reads; raises if another version migrated the tables
    refuse_other: Callable[[Connection], None]

    def rows(self, statement: Select[Any], **values: Any) -> list[Row[Any]]:
        """Read all rows, with one more try if the connection was lost."""
        with translated():
            try:
                return self._read(statement, values)
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
            return self._read(statement, values)

    def all(
        self, record: Callable[..., Record], statement: Select[Any], **values: Any
    ) -> list[Record]:
        return [as_record(record, row) for row in self.rows(statement, **values)]

    def first(
        self, record: Callable[..., Record], statement: Select[Any], **values: Any
    ) -> Record | None:
        return next(iter(self.all(record, statement, **values)), None)

    def _read(self, statement: Select[Any], values: dict[str, Any]) -> list[Row[Any]]:
        with self.readers.connect() as connection:
            return list(connection.execute(statement, values).all())

    def stream(self, statement: Select[Any]) -> Iterator[Row[Any]]:
        """Stream rows that may not fit into memory."""
        with self.reading() as connection:
            yield from connection.execution_options(yield_per=PAGE).execute(statement)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with translated(), self.readers.connect() as connection:
            if connection.dialect.name == "postgresql":
                connection.execution_options(isolation_level="READ COMMITTED")
            self.refuse_other(connection)
            yield connection


@dataclass
class Part:
    """A part of the store, which works on a shared database."""

    database: Database


class BoundWrite(Generic[P, R]):
    """A write of one part: call it and wait, or await ``soon``."""

    def __init__(
        self,
        writer: Writer,
        do: Callable[[Connection, list[Q]], Sequence[R | Exception]],
        request: Callable[P, Q],
    ) -> None:
        self._writer, self._do, self._request = writer, do, request

    def __call__(self, *args: P.args, **named: P.kwargs) -> R:
        future = self._submit(*args, **named)
        try:
            return future.result(self._writer.patience)
        except TimeoutError:
            future.cancel()  # cancels a write that has not begun
            raise StoreError(SLOW) from None

    async def soon(self, *args: P.args, **named: P.kwargs) -> R:
        """Write without blocking the event loop; when awaited, the write is durable."""
        try:
            async with asyncio.timeout(self._writer.patience):
                return await asyncio.wrap_future(self._submit(*args, **named))
        except TimeoutError:
            raise StoreError(SLOW) from None

    def _submit(self, *args: P.args, **named: P.kwargs) -> Future[R]:
        return self._writer.submit(self._do, self._request(*args, **named))


class Write(Generic[P, R]):
    """Descriptor of a writing method, made by :func:`write` and :func:`write_together`."""

    def __init__(
        self,
        method: Callable[[Any, Connection, list[Q]], Sequence[R | Exception]],
        request: Callable[P, Q],
        doc: str | None,
    ) -> None:
        self._method, self._request, self.__doc__ = method, request, doc

    @overload
    def __get__(self, part: None, owner: type) -> Self: ...

    @overload
    def __get__(self, part: Part, owner: type) -> BoundWrite[P, R]: ...

    def __get__(self, part: Part | None, owner: type) -> Self | BoundWrite[P, R]:
        if part is None:
            return self
        return BoundWrite(part.database.writer, MethodType(self._method, part), self._request)


def write(method: Callable[Concatenate[Any, Connection, P], R]) -> Write[P, R]:
    """Make ``method(self, connection, ...)`` a write, in a transaction of the writer.

    It runs again if a try failed before its commit.
    """

    def each(part: Any, connection: Connection, calls: list[Any]) -> list[R]:
        return [method(part, connection, *args, **named) for args, named in calls]

    return Write(each, lambda *args, **named: (args, named), method.__doc__)


def write_together(
    request: Callable[P, Q],
) -> Callable[[Callable[[Any, Connection, list[Q]], Sequence[R | Exception]]], Write[P, R]]:
    """Make ``method(self, connection, requests)`` a write of all waiting requests together.

    ``request`` makes a request from the arguments of a call.
    """
    return lambda method: Write(method, request, method.__doc__)


def columns_of(record: type, table: Table) -> list[ColumnElement[Any]]:
    return [table.c[field.name] for field in fields(record)]


def as_record(record: Callable[..., Record], row: Row[Any]) -> Record:
    return record(**row._mapping)
