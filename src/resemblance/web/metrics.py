"""What a monitor reads at ``/metrics``: counts of studies, times of requests, and no person.

What the store keeps is read from it when somebody asks. How long requests take, each web process
measures for itself; where a supervisor gave them a folder, they keep it there, and whichever is
asked adds them up (prometheus_client's multiprocess mode).
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from resemblance.store import Store, StoreError
from resemblance.study.live import LiveStudy
from resemblance.web.desk.rehearsal import PREFIX as REHEARSALS
from resemblance.web.peers import Network
from resemblance.web.quick import PATH as ANSWERS
from resemblance.web.restarts import FOLDER, counted

TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS_S = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
ELSEWHERE = "elsewhere"  # the route of whatever has none: names of addresses are of no bound
LABELS = ["study"]


@dataclass
class Metrics:
    """What one web process measures and reads.

    Parameters
    ----------
    studies : callable
        Gives the studies that are served.
    networks : tuple of network
        Who may read it, besides this machine.
    """

    studies: Callable[[], Iterable[LiveStudy]]
    networks: tuple[Network, ...] = ()
    _registry: CollectorRegistry = field(default_factory=CollectorRegistry)

    def __post_init__(self) -> None:
        shared = FOLDER in os.environ
        self.requests = Histogram(
            "resemblance_request_seconds",
            "How long requests took, by route and class of status.",
            ["route", "status"],
            buckets=BUCKETS_S,
            registry=None if shared else self._registry,
        )
        if shared:
            MultiProcessCollector(self._registry)
        self._registry.register(_Kept(self.studies))

    def tell(self) -> bytes:
        """Write all of it as Prometheus reads it."""
        return generate_latest(self._registry)


class Measured:
    """Measures every request, those that are answered before the framework too.

    Parameters
    ----------
    app : ASGI application
        What stands behind.
    metrics : Metrics
        Where the times go.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.requests = app, metrics.requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and measure it until its answer is sent."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, sent)
        finally:
            outcome = f"{status // 100}xx" if status else "none"
            self.requests.labels(route_of(scope), outcome).observe(time.perf_counter() - began)


def route_of(scope: Scope) -> str:
    """Name the route of a request as it is declared: ``/api/me/pages/{page}``."""
    if scope["path"].startswith(REHEARSALS):
        return REHEARSALS
    if scope["path"] == ANSWERS:
        return ANSWERS
    return getattr(scope.get("route"), "path", ELSEWHERE)


class _Kept(Collector):
    """What the store keeps, read when it is asked for."""

    def __init__(self, studies: Callable[[], Iterable[LiveStudy]]) -> None:
        self.studies = studies

    def collect(self) -> Iterator[Metric]:
        """Read each study; of one whose database does not answer it is said that it does not."""
        families = _families()
        for live in self.studies():
            name = live.record.name
            try:
                samples = list(_read(live.store, live))
            except StoreError:
                samples = [("database_up", (name,), 0.0)]
            for family, labels, value in samples:
                families[family].add_metric(labels, value)
        for role, count in counted().items():
            families["process_restarts"].add_metric([role], count)
        yield from families.values()


def _families() -> dict[str, Any]:
    """Return every metric of the store, without a value."""
    of_studies = {
        "database_up": "1 where the database of the study answers, else 0.",
        "answers": "Answers in the log, skipped ones too; fewer after an erasure.",
        "questions_waiting": "Questions in the pool.",
        "last_fit_seconds": "What the last fit took.",
        "last_fit_timestamp_seconds": "When the last fit was done, seconds since 1970.",
        "worker_beat_age_seconds": "How long ago the worker gave word; a rest is ten seconds.",
    }
    families: dict[str, Any] = {
        name: GaugeMetricFamily(f"resemblance_{name}", words, labels=LABELS)
        for name, words in of_studies.items()
    }
    people = "People by how far they are."
    families["participants"] = GaugeMetricFamily(
        "resemblance_participants", people, labels=[*LABELS, "state"]
    )
    families["fits"] = CounterMetricFamily("resemblance_fits", "Fits of the map.", labels=LABELS)
    restarts = "Processes that ended and were started again, since the server started."
    families["process_restarts"] = CounterMetricFamily(
        "resemblance_process_restarts", restarts, labels=["role"]
    )
    return families


def _read(store: Store, live: LiveStudy) -> Iterator[tuple[str, tuple[str, ...], float]]:
    """Yield metrics of a study: which, its labels, and the value."""
    study, own = live.record, (live.record.name,)
    yield "answers", own, store.answers.count(study)
    mapped = [live.part(name).record for name in live.parts]
    yield "questions_waiting", own, sum(map(store.pool.size, mapped))
    for state, count in store.people.counts(study).items():
        yield "participants", (*own, state), count
    fits = [fit for record in mapped if (fit := store.events.last(record, "fit")) is not None]
    yield "fits", own, sum(fit.details["number"] for fit in fits)
    if fits:
        fit = max(fits, key=lambda fit: fit.at)
        yield "last_fit_seconds", own, fit.details["seconds"]
        yield "last_fit_timestamp_seconds", own, fit.at
    if (pulse := store.tallies.pulse(study)) is not None:
        yield "worker_beat_age_seconds", own, max(0.0, live.clock() - pulse.at)
    yield "database_up", own, 1.0
