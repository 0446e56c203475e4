"""SQLite's file on a network file system: told, and refused where locks do not hold."""

import errno
import fcntl

import pytest

from resemblance.cli.studies import notes
from resemblance.store import Store, StoreError, engines
from resemblance.study.folder import StudyFolder


@pytest.fixture
def mounted(tmp_path, monkeypatch):
    """Let a folder be of a type of file system, as Linux tells it; another lies within."""

    def mount(kind):
        where = tmp_path / "a share"
        (where / "local").mkdir(parents=True)
        escaped = str(where).replace(" ", "\\040")
        table = tmp_path / "mounts"
        table.write_text(
            f"/dev/sda1 / ext4 rw 0 0\nhost:/x {escaped} {kind} rw 0 0\n"
            f"/dev/sdb1 {escaped}/local xfs rw 0 0\nbroken\n"
        )
        monkeypatch.setattr(engines, "MOUNTS", table)
        return where

    return mount


KINDS = ["nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "fuse.sshfs", "fuse.glusterfs"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_share_is_told(mounted, caplog, kind):
    where = mounted(kind)
    Store.open(f"sqlite:///{where}/study.sqlite").close()
    assert [
        (one.levelname, kind.removeprefix("fuse.") in one.getMessage()) for one in caplog.records
    ] == [("WARNING", True)]
    caplog.clear()
    Store.open(f"sqlite:///{where}/local/study.sqlite").close()
    assert caplog.records == []


def test_what_is_no_share_is_not_told(mounted, monkeypatch):
    where = mounted("fuse.ext4")
    assert engines.share_of(where / "study.sqlite") is None
    monkeypatch.setattr(engines, "MOUNTS", where / "none")
    assert engines.share_of(where / "study.sqlite") is None


def test_where_locks_do_not_work_it_is_refused(mounted, monkeypatch):
    where = mounted("nfs")

    def no_locks(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "lockf", no_locks)
    with pytest.raises(StoreError, match="nfs"):
        Store.open(f"sqlite:///{where}/study.sqlite")
    Store.open(f"sqlite:///{where}/local/study.sqlite").close()


def test_check_notes_it(make_study, mounted):
    where = mounted("cifs")
    folder = make_study().rename(where / "ties")
    assert [note for note in notes(StudyFolder.open(folder)) if "cifs" in note]
