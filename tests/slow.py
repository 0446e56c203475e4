"""Measure tests by processor time, and list the slow ones in slow.txt.

``make slow`` does both: pytest with ``-p slow`` appends a line per test to the file PROCESSOR_LOG;
this file, run as a program, sums these lines by function and writes the list.
"""

import json
import os
import resource
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

LIST = Path(__file__).with_suffix(".txt")
LIMIT_S = 0.3


def processor_s() -> float:
    """Return the processor seconds of this process and its ended children."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, who))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Log the processor time of a test, including fixtures that it prepares for others."""
    start = processor_s()
    done = yield
    with open(os.environ["PROCESSOR_LOG"], "a", encoding="utf-8") as log:
        log.write(json.dumps([function_of(item.nodeid), processor_s() - start]) + "\n")
    return done


def function_of(test: str) -> str:
    return test.partition("[")[0]


def main(log: Path) -> None:
    total: Counter[str] = Counter()
    for line in log.read_text(encoding="utf-8").splitlines():
        test, seconds = json.loads(line)
        total[test] += seconds
    slow = sorted(test for test, seconds in total.items() if seconds > LIMIT_S)
    LIST.write_text("\n".join([*slow, ""]), encoding="utf-8")
    left = sum(total.values()) - sum(total[test] for test in slow)
    print(f"{len(slow)} functions of {len(total)}; the others take {left:.0f} s of processor")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
