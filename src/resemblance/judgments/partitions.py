"""Read, check and cut one partition of judgments on a worker of a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from resemblance.errors import (
    FileError,
    JudgmentError,
    ResemblanceError,
    SettingError,
    UnavailableError,
)
from resemblance.judgments.base import Judgments
from resemblance.judgments.items import Items
from resemblance.judgments.rows import NOTES
from resemblance.judgments.scanning import Columns, Roles, Tables, judged, mentioned, rows_of_file
from resemblance.judgments.stored import Fold, StoredJudgments, joined
from resemblance.judgments.tables import Table
from resemblance.optional import need_packages, pd

NOT_SEEN = "is not on this worker's disk: put it where all workers find it under this path"
OURS = "resemblance-"  # beginning of the names of this package's tasks
LARGE = "distributed.admin.large-graph-warning-threshold"
CLOSED = (
    "the Dask client is closed, or its scheduler was restarted: make a client, and distribute the "
    "judgments again"
)


class FramePartition:
    def __init__(self, kind: type[Judgments], name: str, columns: Columns) -> None:
        self.kind, self.name, self.columns = kind, name, columns

    def items(self, frame: pd.DataFrame) -> tuple[str, ...]:
        return mentioned(*self._tables(frame)).names if len(frame) else ()

    def rows(self, frame: pd.DataFrame, items: Items) -> Judgments | None:
        if not len(frame):
            return None
        roles, tables = self._tables(frame)
        _refuse_texts(self.name, roles, frame)
        return _plain(judged(roles, tables, items))

    def _tables(self, frame: pd.DataFrame) -> tuple[Roles, list[Table]]:
        frame = frame.rename(columns=str).reset_index(drop=True)
        roles = Roles(self.kind, Table(Path(self.name), frame.iloc[:0]), self.columns)
        return roles, [rows_of_file(Path(self.name), frame[roles.used])]


class FilePartition:
    def __init__(self, kind: type[Judgments], path: Path, columns: Columns) -> None:
        self.kind, self.path, self.columns = kind, path, columns

    def items(self) -> tuple[str, ...]:
        tables = self._tables()
        return mentioned(tables, tables).names

    def rows(self, items: Items) -> Judgments | None:
        tables = self._tables()
        return _plain(judged(tables, self._checked(tables), items))

    def _tables(self) -> Tables:
        if not self.path.is_file():
            raise FileError(f"{self.path} {NOT_SEEN}")
        return Tables(self.kind, [self.path], self.columns)

    def _checked(self, tables: Tables) -> Iterator[Table]:
        for table in tables:
            _refuse_texts(str(self.path), tables, table.frame)
            yield table


class StoredPartition:
    def __init__(self, rows: StoredJudgments) -> None:
        self._rows = replace(rows, items=Items(2), keeper=None)

    def rows(self, items: Items) -> Judgments | None:
        gone = [source.path for source in self._rows.sources if not source.path.is_file()]
        if gone:
            raise FileError(f"{gone[0]} {NOT_SEEN}")
        self._rows.check()
        return _plain(replace(self._rows, items=items).blocks())


class MemoryPartition:
    def __init__(self, rows: Judgments) -> None:
        self._rows = rows._with(items=None, _extra={})

    def rows(self, items: Items) -> Judgments | None:
        return _plain(iter([self._rows._with(items=items)]))


Partition = FramePartition | FilePartition | StoredPartition | MemoryPartition


@dataclass(frozen=True)
class Summary:
    n_rows: int
    width: int
    notes: tuple[str, ...]

    @classmethod
    def of(cls, rows: Judgments | None) -> Summary:
        if rows is None:
            return cls(0, 0, ())
        notes = tuple(name for name in NOTES if getattr(rows, name) is not None)
        return cls(*rows.shape, notes)


def _refuse_texts(where: str, roles: Roles, frame: pd.DataFrame) -> None:
    name = roles.column_of.get("response_id")
    if name is not None and not pd.api.types.is_numeric_dtype(frame[name]):
        raise JudgmentError(
            f"{where}: the column {name!r} of responses is {frame[name].dtype}: on a cluster, give "
            "each response a whole number"
        )


def _plain(blocks: Iterator[Judgments]) -> Judgments | None:
    filled = [block._with(_extra={}) for block in blocks if len(block)]
    return joined(filled) if filled else None


def some_rows(rows: Judgments, wanted: NDArray[np.intp]) -> Judgments:
    taken: Judgments = rows[wanted]
    return taken._with(items=None)


def of_fold(rows: Judgments, first: int, fold: Fold) -> Judgments | None:
    if fold.by == "row":
        units = np.arange(first, first + len(rows))
    elif fold.by == "response_id":
        units = np.asarray(rows.response_id)
    else:
        names = np.asarray(rows.observer, dtype=object)
        units = pd.util.hash_array(names).view(np.int64)
    chosen = fold.chosen(units)
    return rows[chosen] if chosen.any() else None


def links(rows: Judgments) -> NDArray[np.int32]:
    """Return pairs of items, (k, 2), that form the same connected components as the rows.

    >>> from resemblance import Triplets
    >>> links(Triplets([[0, 1, 2], [2, 0, 1], [3, 4, 5]]))
    array([[0, 0],
           [1, 0],
           [2, 0],
           [3, 3],
           [4, 3],
           [5, 3]], dtype=int32)
    """
    used, local = np.unique(rows.index, return_inverse=True)
    local = local.reshape(rows.shape)
    joined_pairs = [
        local[there][:, [0, column]]
        for column in range(1, rows.shape[1])
        if (there := rows.index[:, column] >= 0).any()
    ]
    a, b = np.concatenate(joined_pairs).T
    graph = coo_array((np.ones(len(a), dtype=bool), (a, b)), shape=(len(used), len(used)))
    part = connected_components(graph.tocsr(), directed=False)[1]
    there = used >= 0  # -1 is a gap in a row.
    first = np.full(part.max() + 1, -1)
    first[part[there][::-1]] = used[there][::-1]
    return np.column_stack([used, first[part]])[there].astype(np.int32)


@dataclass(frozen=True)
class Cluster:
    """The workers of a Dask client.

    Tasks contain their data, so that the scheduler can repeat the tasks of a lost worker.
    """

    client: Any = field(repr=False)

    @classmethod
    def of(cls, client: Any) -> Cluster:
        need_packages("a cluster needs", "distributed")
        from dask.distributed import Client, get_client

        if client is None:
            try:
                client = get_client()
            except ValueError:
                raise SettingError(
                    "there is no Dask client: make one, client = distributed.Client(address)",
                    setting="client",
                ) from None
        if not isinstance(client, Client) or client.asynchronous:
            raise SettingError(
                f"client is {client!r}: give a distributed.Client that is not asynchronous",
                setting="client",
            )
        return cls(client)

    def check(self, version: str) -> None:
        with self._explained(()):
            versions = self.client.run(metadata.version, "resemblance", on_error="return")
        if not versions:
            raise UnavailableError(
                "the cluster has no workers: start some, or wait for them with "
                "client.wait_for_workers(1)"
            )
        for worker, other in versions.items():
            if isinstance(other, Exception):
                raise UnavailableError(
                    f"the worker {worker} has no resemblance ({other!r}): install version "
                    f"{version} in its environment"
                )
            if other != version:
                raise UnavailableError(
                    f"the worker {worker} has resemblance {other}, and here it is {version}: "
                    "install the same version on both"
                )

    @property
    def seats(self) -> list[str]:
        threads = sorted(self.client.ncores().items())
        return [address for address, n_threads in threads for _ in range(n_threads)]

    def each(
        self,
        what: str,
        do: Any,
        *columns: Sequence[Any],
        spread: bool = False,
        numbers: Sequence[object] | None = None,
        **shared: Any,
    ) -> list[Any]:
        """Call a function on the workers for each row of parallel columns; return the futures.

        The name of a task is ``what`` and an entry of ``numbers``, by default 0, 1, .... Futures in
        columns are replaced by their results. With ``spread`` each thread gets an equal share of
        consecutive tasks; otherwise each task runs where its arguments are. All calls get the
        arguments ``shared``.
        """
        keys = _keys(what, range(len(columns[0])) if numbers is None else numbers)
        with self._explained(()), _large_graphs():
            if not spread:
                return list(self.client.map(do, *columns, key=keys, pure=False, **shared))
            return [
                self.client.submit(do, *row, key=key, pure=False, **self._seat(at, keys), **shared)
                for at, (key, *row) in enumerate(zip(keys, *columns, strict=True))
            ]

    def of_delayed(
        self, what: str, things: Sequence[Any], method: str, frames: Sequence[Any], shared: Any
    ) -> list[Any]:
        from dask.delayed import delayed

        keys = _keys(what, range(len(things)))
        with self._explained(()), _large_graphs():
            tasks = [
                delayed(_called, pure=False)(thing, method, frame, dask_key_name=key, **shared)
                for thing, frame, key in zip(things, frames, keys, strict=True)
            ]
            return list(self.client.compute(tasks))

    def result(self, future: Any, names: Sequence[str]) -> Any:
        with self._explained(names, [future]):
            return future.result()

    def gathered(self, futures: Sequence[Any], names: Sequence[str]) -> list[Any]:
        with self._explained(names, futures):
            return list(self.client.gather(list(futures)))

    def _seat(self, at: int, keys: list[str]) -> dict[str, Any]:
        seats = self.seats
        if not seats:
            return {}
        return {"workers": [seats[at * len(seats) // len(keys)]], "allow_other_workers": True}

    @contextmanager
    def _explained(self, names: Sequence[str], futures: Sequence[Any] = ()) -> Iterator[None]:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        if self.client.status != "running":
            raise UnavailableError(CLOSED)
        try:
            yield
        except ResemblanceError:
            raise
        except KilledWorker as error:
            raise UnavailableError(_killed(error, names, futures)) from error
        except ModuleNotFoundError as error:
            raise UnavailableError(
                f"a worker lacks a package ({error}): give all the environment of this client"
            ) from error
        except CancelledError as error:
            raise UnavailableError(CLOSED) from error


def _keys(what: str, numbers: Iterable[object]) -> list[str]:
    token = uuid4().hex
    return [f"{OURS}{what}-{token}-{number}" for number in numbers]


def _killed(error: Any, names: Sequence[str], futures: Sequence[Any]) -> str:
    failed = [future.key for future in futures if future.status == "error"]
    own = [key for key in (error.task, *failed) if str(key).startswith(OURS)]
    number = str([*own, error.task][0]).rpartition("-")[2]
    numbered = number.isdigit() and int(number) < len(names)
    name = names[int(number)] if numbered else f"partition {number}"
    worker = getattr(error.last_worker, "address", error.last_worker)
    return (
        f"{name} ended every worker that ran it, last {worker}, probably because memory ran "
        "out: give workers more memory or fewer threads, or cut the judgments into more "
        "partitions"
    )


@contextmanager
def _large_graphs() -> Iterator[None]:
    import dask

    with dask.config.set({LARGE: "1 GiB"}):
        yield


def _called(thing: Any, method: str, frame: Any, **shared: Any) -> Any:
    return getattr(thing, method)(frame, **shared)
