"""Run work on every partition of a Dask cluster; errors name the partition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any
from uuid import uuid4

from resemblance.errors import ResemblanceError, SettingError, UnavailableError
from resemblance.optional import need_packages

OURS = "resemblance-"  # prefix of this package's tasks
LARGE = "distributed.admin.large-graph-warning-threshold"


@dataclass(frozen=True)
class Cluster:
    """The workers of a Dask client.

    Data travels inside the tasks, so that the scheduler can repeat whatever is lost with a worker.
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
        """Refuse a cluster without workers, or with another version of the package."""
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
        """One entry per thread of the cluster: the address of its worker."""
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
        """Call a function on the workers with every row of some columns; return the futures.

        With the row's number, ``what`` is the name of a task. Futures in columns stand for their
        results. ``spread`` keeps neighbours together, in equal shares per thread as long as the
        workers live; otherwise each task runs where its arguments are. ``numbers`` are the
        partitions' numbers, by default 0, 1, ...; ``shared`` are arguments of all rows.
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
        """Call a method of each thing on the workers, with its data frame, which is made there."""
        from dask.delayed import delayed

        keys = _keys(what, range(len(things)))
        with self._explained(()), _large_graphs():
            tasks = [
                delayed(_called, pure=False)(thing, method, frame, dask_key_name=key, **shared)
                for thing, frame, key in zip(things, frames, keys, strict=True)
            ]
            return list(self.client.compute(tasks))

    def result(self, future: Any, names: Sequence[str]) -> Any:
        """Wait for a worker's result; errors name the partitions."""
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


CLOSED = (
    "the Dask client is closed, or its scheduler was restarted: make a client, and distribute the "
    "judgments again"
)


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
        f"{name} ended every worker that took it, {worker} the last, most likely for want of "
        "memory: give workers more memory or fewer threads, or cut the judgments into more "
        "partitions"
    )


@contextmanager
def _large_graphs() -> Iterator[None]:
    """Silence the warning about large graphs, as positions of many items travel with the tasks."""
    import dask

    with dask.config.set({LARGE: "1 GiB"}):
        yield


def _called(thing: Any, method: str, frame: Any, **shared: Any) -> Any:
    return getattr(thing, method)(frame, **shared)
