"""Files that are small and become large: packed tables, endless lines, and fits of them."""

import gzip
import io
import os
import resource
import subprocess
import sys
import time
import zipfile

import pytest

from resemblance.errors import FileError
from resemblance.judgments import read_experiment, read_triplets
from resemblance.web import opened

ROWS = b"head,near,far\n" + b"a,b,c\n" * 200_000
LARGE = 110  # times these rows are more than a small file may become
MEMORY = 600 << 20  # bytes that refusing takes at most


def gzipped(times):
    return gzip.compress(ROWS) + gzip.compress(ROWS[14:]) * times


def zipped(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name.replace("__", "."), content)
    return file.getvalue()


SWELLING = {
    "table.csv.gz": lambda: gzipped(LARGE),
    "nested.zip": lambda: zipped(a__csv__gz=gzipped(LARGE // 2), b__csv__gz=gzipped(LARGE // 2)),
}


@pytest.mark.parametrize("name", SWELLING)
def test_a_packed_table_that_swells_is_refused_in_little_memory(tmp_path, name):
    (tmp_path / name).write_bytes(SWELLING[name]())
    assert (tmp_path / name).stat().st_size < 1 << 20
    limit = f"resource.setrlimit(resource.RLIMIT_DATA, ({MEMORY}, {MEMORY}))"
    program = f"import resource; {limit}; from resemblance.cli.app import app; app()"
    command = [sys.executable, "-c", program, "fit", tmp_path / name, "--out", tmp_path / "out"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "unpacks to" in done.stderr
    assert not (tmp_path / "out").exists()


def test_an_honest_packed_table_is_read(tmp_path):
    (tmp_path / "table.csv.gz").write_bytes(gzip.compress(ROWS))
    (tmp_path / "table.zip").write_bytes(zipped(a__csv__gz=gzip.compress(ROWS)))
    assert len(read_triplets(tmp_path / "table.csv.gz")) == 200_000
    assert len(read_experiment(tmp_path / "table.zip").judgments) == 200_000


@pytest.mark.parametrize(
    ("name", "above"), [("line.csv", b"head,near,far\na,b,c\na,b,"), ("line.csv.gz", b"")]
)
def test_an_endless_line_is_refused_before_it_is_read(tmp_path, name, above):
    opened = gzip.open if name.endswith("gz") else open
    with opened(tmp_path / name, "wb") as file:
        file.write(above)
        for _ in range(65):
            file.write(b"x" * (1 << 20))
    began = time.monotonic()
    with pytest.raises(FileError, match="67,108,864"):
        read_triplets(tmp_path / name)
    assert time.monotonic() - began < 5.0


def test_a_fit_of_the_page_has_a_limit_of_memory_and_yields_to_others(tmp_path):
    (tmp_path / "answers.csv").write_bytes(ROWS[:1000])
    made = opened.Map(tmp_path / "answers.csv", None, {}, tmp_path / "map")
    try:
        for process in (made._process, made._table):
            most, _ = resource.prlimit(process.pid, resource.RLIMIT_DATA)
            memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
            assert opened.LEAST_MEMORY <= most <= max(memory, opened.LEAST_MEMORY)
            assert os.getpriority(os.PRIO_PROCESS, process.pid) == opened.NICE
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
