"""kill -9 of a whole server while people answer; and a sync before each acknowledgement."""

import json
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from postgres import missing
from resemblance.web.simulated_people import Visitor
from web_process import started

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "crash.py"


def test_two_kills_of_web_and_worker():
    """On a file; tests/store/test_crash.py kills those who write to PostgreSQL, too."""
    arguments = ["--target", "both", "--kills", "2", "--people", "6", "--seed", "1"]
    run = subprocess.run(
        [sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    counts = json.loads(run.stdout)
    assert counts["kills under load"] >= 1
    assert counts["stored"] >= counts["acknowledged"] >= 50


class TestSync:
    """Every call of a web process that writes, syncs or sends, as strace tells it."""

    def test_every_acknowledgement_follows_a_sync(self, make_study, tmp_path):
        if shutil.which("strace") is None:
            missing("strace (apt install strace)")
        folder = make_study(n_items=8, recruitment={"simulated": "enter"})
        told, lines = traced(folder, tmp_path / "trace")
        writes, syncs, acknowledged = 0, False, 0
        for call, to, result in lines:
            if to.endswith("-wal"):
                writes, syncs = (writes + 1, False) if "write" in call else (writes, result == "0")
            elif re.search(r'"acknowledged\\?":\s*\[\\?"', call):
                acknowledged += 1
                assert writes, "an acknowledgement without a write to the log"
                assert syncs, "an acknowledgement before the log was synced"
                writes, syncs = 0, False
        assert acknowledged == told == 12


def traced(folder, trace):
    """Let a person answer a traced web process; give the answers, and each call, file, result."""
    calls = "trace=fsync,fdatasync,pwrite64,write,writev,sendto,sendmsg"
    tracing = ["strace", "-f", "-y", "-s", "4000", "-e", calls, "-o", trace]
    try:
        with started(folder, before=tracing) as run:
            visitor = Visitor(run.url, "ties", "ann", lambda question: {"chosen": 0})
            visitor.run()
    except ChildProcessError:
        missing("the right to trace a process (ptrace)")
    return len(visitor.acknowledged), list(finished(trace.read_text().splitlines()))


def finished(lines):
    """Give the calls in the order in which they began, or, of a sync, in which it ended."""
    begun = defaultdict(str)
    for line in lines:
        thread, _, rest = line.partition(" ")
        rest = rest.strip()
        if rest.endswith("<unfinished ...>"):
            begun[thread] = rest
            if "sync(" in rest:
                continue
        elif " resumed>" in rest:
            rest, result = begun.pop(thread), rest.rpartition("= ")[2]
            if "sync(" not in rest:
                continue
            rest = f"{rest} = {result}"
        if found := re.match(r"\w+\(\d+<([^>]*)>", rest):
            yield rest, found[1], rest.rpartition("= ")[2].strip()
