"""A worker that is killed for memory at each fit: the desk tells, and the fit waits."""

import multiprocessing
import os
import signal
import threading

import pytest

from resemblance.store.studies import FIT_BEGUN
from resemblance.study.live import open_folders, open_stores
from resemblance.study.worker import learner, loop, measured
from resemblance.study.worker.fitting import MOST
from resemblance.web.desk.overview import Overview
from small_study import Hands, People, open_study


@pytest.fixture
def live(tmp_path):
    live = open_study(tmp_path / "dots", f"sqlite:///{tmp_path}/study.sqlite")
    yield live
    live.store.close()


def begun(live):
    """How many answers each fit took that was begun."""
    events = live.store.events.audit(live.record, FIT_BEGUN)
    return [event.details["answers"] for event in events if event.details["tries"]]


def run_until_killed(folder, url):
    """Be a worker that the system kills where it fits."""

    def fit(*about):
        os.kill(os.getpid(), signal.SIGKILL)

    learner.fit = fit
    os.environ["RESEMBLANCE_DATABASE"] = url
    lives, _ = open_stores(open_folders([folder]))
    stop = threading.Event()
    threading.Timer(20, stop.set).start()  # where no fit begins
    loop.run(lives, stop)


def test_after_kills_the_desk_tells_and_a_fit_waits_for_answers(tmp_path, live):
    url, people = f"sqlite:///{tmp_path}/study.sqlite", People(live, 3)
    people.answer(120)
    context, codes = multiprocessing.get_context("fork"), []
    for _ in range(MOST + 1):
        worker = context.Process(target=run_until_killed, args=(tmp_path / "dots", url))
        worker.start()
        worker.join(120)
        codes.append(worker.exitcode)
        people.answer(1)  # the pages go on
    assert codes == [-signal.SIGKILL] * MOST + [0]
    assert len(begun(live)) == MOST
    assert "memory" in Overview(live).failure


@pytest.fixture
def starved(monkeypatch):
    """No fit has the memory that it wants."""
    sizes = []

    def fit(job, answers):
        sizes.append(len(job.judgments))
        raise MemoryError

    monkeypatch.setattr(learner, "fit", fit)
    return sizes


def test_without_memory_it_waits_for_more_answers(live, starved):
    hands, people = Hands(live), People(live, 3)
    people.answer(120)
    hands.settle()
    assert starved == [starved[0]] * MOST
    assert "memory" in Overview(live).failure
    again = Hands(live)
    hands.work.close()
    again.begin()
    assert len(starved) == MOST
    people.answer(60)
    again.settle()
    assert len(starved) == MOST + 1
    assert starved[MOST] > starved[0]


def test_an_exclusion_leaves_a_failed_fit_to_be_tried_again(live, starved):
    hands, people = Hands(live), People(live, 3)
    people.answer(120)
    while len(starved) < MOST or hands.asker.is_busy:
        hands.work.step(hands.threads)
    codes = frozenset([live.store.people.all(live.record)[0].code])
    hands.asker.exclude_observers(codes)
    hands.settle()
    assert "memory" in Overview(live).failure


def test_what_ends_in_order_counts_for_nothing(live):
    hands, people = Hands(live), People(live, 3)
    for _ in range(MOST + 1):
        people.answer(60)
        while not (hands.asker and hands.asker.is_busy):
            hands.work.step(hands.threads)
        hands.work.close()
        hands.work._at = 0.0
    assert len(begun(live)) == MOST + 1
    hands.threads.shutdown()


def test_a_map_of_ratings_waits_too(tmp_path, monkeypatch):
    sizes = []

    def fit(kind, answers, *_):
        sizes.append(len(answers))
        raise MemoryError

    monkeypatch.setattr(measured, "fit", fit)
    live = open_study(tmp_path / "dots", f"sqlite:///{tmp_path}/r.sqlite", kind="pair_rating")
    People(live, 3).answer(120)
    Hands(live).settle()
    assert sizes == [sizes[0]] * MOST
    live.store.close()
