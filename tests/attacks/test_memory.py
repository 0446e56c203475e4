"""A real worker that has not the memory for a fit: people go on, and a smaller fit follows.

Where the system ends the worker instead, tests/study/test_attempts.py holds the same.
"""

from resemblance.store.studies import FIT_BEGUN
from resemblance.study.live import open_stored
from resemblance.study.worker.attempts import ALIKE
from resemblance.web.desk.overview import Overview
from resemblance.web.visitors import Visitor
from small_study import SMALL, People, make_folder
from web_process import started, until

# A worker whose fits take so much memory for each answer; the system gives two thirds of what one
# of all wants.
WORKER = """
import resource
from resemblance.study.worker import learner
from resemblance.web import process

def fit(job, answers, machines, whole=learner.fit):
    pages = int(open("/proc/self/statm").read().split()[0])
    most = pages * resource.getpagesize() + ROOM
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        bytearray(EACH * len(job.judgments))
        return whole(job, answers, machines)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))

learner.fit = fit
process.main()
"""
ROOM, N = 1 << 29, 120  # bytes, and answers before the worker begins


def test_without_memory_for_a_fit_a_smaller_one_follows(tmp_path):
    sections = "[recruitment]\nsimulated = true\n" + SMALL
    make_folder(tmp_path / "dots", sections=sections)
    each = 3 * ROOM // (2 * N)  # of all answers one and a half of what there is
    settings = f"ROOM, EACH = {ROOM}, {each}\n"
    worker = {"role": "worker", "program": ("-c", settings + WORKER)}
    with started(tmp_path / "dots") as web, open_stored(tmp_path / "dots") as live:
        People(live, 3).answer(N)

        def fits():
            events = live.store.events.audit(live.record, FIT_BEGUN)
            return [event.details["taken"] for event in events if event.details["tries"]]

        def last(what):
            return live.store.events.last(live.record, what)

        with started(tmp_path / "dots", **worker):
            visitor = Visitor(web.url, "dots", "somebody", lambda question: {"chosen": 0})
            visitor.run()
            assert visitor.code
            until(lambda: last("fit"), 60)
        taken = fits()
        assert taken[0] <= taken[ALIKE - 1] <= 2 * taken[ALIKE] + 1
        assert last("fit failed").details["answers"] >= taken[0]
        assert last("fit failed").id < last("fit").id
        assert Overview(live).failure is None  # and was there until that fit
