"""A real worker that has not the memory for a fit: people go on, and the desk tells.

Where the system ends the worker instead, tests/study/test_attempts.py holds the same.
"""

from resemblance.store.studies import FIT_BEGUN
from resemblance.study.live import open_stored
from resemblance.study.worker.fitting import MOST
from resemblance.web.desk.overview import Overview
from resemblance.web.simulated_people import Visitor
from small_study import SMALL, People, make_folder
from web_process import started, until

# A worker whose fits take so much memory for each answer; the system gives two thirds of what one
# of all wants.
WORKER = """
import resource
from resemblance.study.worker import learner
from resemblance.web import process

def fit(job, answers, whole=learner.fit):
    pages = int(open("/proc/self/statm").read().split()[0])
    most = pages * resource.getpagesize() + ROOM
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        bytearray(EACH * len(job.judgments))
        return whole(job, answers)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))

learner.fit = fit
process.main()
"""
ROOM, N = 1 << 29, 120  # bytes, and answers before the worker begins


def test_without_memory_for_a_fit_people_go_on_and_the_desk_tells(tmp_path):
    sections = "[recruitment]\nsimulated = 'enter'\n" + SMALL
    make_folder(tmp_path / "dots", sections=sections)
    each = 3 * ROOM // (2 * N)  # of all answers one and a half of what there is
    settings = f"ROOM, EACH = {ROOM}, {each}\n"
    worker = {"role": "worker", "program": ("-c", settings + WORKER)}
    with started(tmp_path / "dots") as web, open_stored(tmp_path / "dots") as live:
        People(live, 3).answer(N)

        with started(tmp_path / "dots", **worker):
            visitor = Visitor(web.url, "dots", "somebody", lambda question: {"chosen": 0})
            visitor.run()
            assert visitor.code
            until(lambda: "memory" in (Overview(live).failure or ""), 60)
        begun = live.store.events.audit(live.record, FIT_BEGUN)
        assert len([event for event in begun if event.details["tries"]]) >= MOST
        assert live.store.events.last(live.record, "fit") is None
