"""Fits of files that take much memory."""

import os
import resource
import subprocess
import sys

from resemblance.web.opened import maps

ROWS = b"head,near,far\n" + b"a,b,c\n" * 200_000


def test_a_fit_of_the_page_has_a_limit_of_memory_and_yields_to_others(tmp_path):
    (tmp_path / "answers.csv").write_bytes(ROWS[:1000])
    made = maps.Map(tmp_path / "answers.csv", None, {}, tmp_path / "map")
    try:
        for process in (made._process, made._table):
            most, _ = resource.prlimit(process.pid, resource.RLIMIT_DATA)
            memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
            assert maps.LEAST_MEMORY <= most <= max(memory, maps.LEAST_MEMORY)
            assert os.getpriority(os.PRIO_PROCESS, process.pid) == maps.NICE
    finally:
        made.end()


def test_a_command_without_memory_tells_it(tmp_path):
    program = (
        "import typer; from resemblance.cli.problems import telling\n"
        "def fill(): bytearray(1 << 62)\n"
        "app = typer.Typer(); app.command()(telling(fill)); app()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
