"""Files that are not ours to look at, and files that root makes for somebody else."""

from contextlib import suppress
from pathlib import Path

import pytest

from resemblance import files
from resemblance.errors import FileError
from resemblance.files import is_junk, list_folder


@pytest.fixture
def hidden(monkeypatch):
    """A path whose folder may not be looked into."""

    def exists(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", exists)
    return Path("/var/backups/study/2031-05-01.zip")


def test_a_path_that_may_not_be_looked_at_is_named(hidden):
    for look in (files.is_there, files.need):
        with pytest.raises(FileError, match=r"2031-05-01\.zip"):
            look(hidden)


def test_two_writers_of_one_file_do_not_share_a_part(tmp_path):
    path = tmp_path / "study.toml"
    with files.whole(path) as mine:
        mine.write_text("mine")
        with suppress(FileError), files.whole(path) as other:
            other.write_text("other")
            raise FileError("refused")
    assert path.read_text() == "mine"
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize(
    ("name", "junk"),
    [
        ("__MACOSX/._a.csv", True),
        ("sub/__MACOSX/a.csv", True),
        ("._a.csv", True),
        (".DS_Store", True),
        (".hidden/a.csv", True),
        ("~$a.xlsx", True),
        (".~lock.a.csv#", True),
        ("sub/Thumbs.db", True),
        ("ehthumbs.db", True),
        ("DESKTOP.INI", True),
        ("Icon\r", True),
        ("$RECYCLE.BIN/a.csv", True),
        ("a.csv", False),
        ("sub/~a.csv", False),
        ("thumbs.csv", False),
        ("a b/c.d.csv", False),
    ],
)
def test_what_systems_leave_is_told_from_files_of_people(tmp_path, name, junk):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    assert is_junk(path.relative_to(tmp_path)) == junk
    assert list_folder(tmp_path, deep=True) == (([], [path]) if junk else ([path], []))
