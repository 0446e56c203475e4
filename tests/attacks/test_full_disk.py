"""Erasing on a full disk: nothing is left of a try that failed."""

import errno
import os
import resource
import subprocess
import sys
from functools import partial

import pytest

import small_study
from resemblance.errors import FileError
from resemblance.store import Store
from resemblance.study.live import open_stored
from resemblance.study.privacy import ids_of


def erase(study, who, most=resource.RLIM_INFINITY):
    """Run the command, whose files may have so many bytes."""
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    command = [sys.executable, "-m", "resemblance", "erase", study, who, "--yes"]
    return subprocess.run(command, preexec_fn=limit, capture_output=True, text=True)


@pytest.fixture
def study(tmp_path):
    """Make a study of one person with 300 answers."""
    folder = small_study.make_folder(tmp_path / "dots")
    live = small_study.open_study(folder.path, folder.database)
    with live.store:
        small_study.People(live, 1).answer(300)
    return folder.path


def test_a_try_without_room_gives_its_room_back_beside_a_server(study):
    with open_stored(study) as live, Store.open(live.folder.database):
        (person,) = live.store.people.all(live.record)
        failed = erase(study, person.code, most=140_000)
        assert (failed.returncode, "Traceback" in failed.stderr) == (1, False)
        assert live.store.answers.count(live.record) == 300
        assert (study / "study.sqlite-wal").stat().st_size == 0
        assert not [*study.glob(".part-*")]
        assert erase(study, person.code).returncode == 0
        assert live.store.answers.count(live.record) == 0


def test_a_key_that_cannot_be_written_leaves_no_part_of_it(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError):
        ids_of(tmp_path, "prolific", "5f3a")
    assert not [*tmp_path.iterdir()]
