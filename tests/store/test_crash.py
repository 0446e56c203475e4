"""kill -9 of a process that writes, at random moments: what was acknowledged is there, once."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "crash.py"


def test_twenty_kills(server_url):
    """On PostgreSQL; tests/web/test_crash.py kills a whole server on a file."""
    arguments = [server_url, "--kills", "20", "--longest", "0.15"]
    run = subprocess.run(
        [sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    counts = json.loads(run.stdout)
    assert counts["kills"] == 20
    assert counts["lives that answered"] >= 10
    assert counts["stored"] >= counts["acknowledged"] >= 50
