"""Backups that are whole and do not suffice, hostile ones, and access that a restore gives back."""

import hashlib
import json
import os
import pty
import resource
import shutil
import subprocess
import sys
import zipfile
from functools import partial
from types import SimpleNamespace

import pytest

import small_study
from resemblance.errors import FileError, ResemblanceError
from resemblance.study.backup import FOLDER, MANIFEST, back_up, restore
from resemblance.study.live import open_stored
from resemblance.web.accounts import FILE, Accounts

PASSWORD = "a long password"


def serve(path, n_answers=10, **settings):
    """Make a study that was served, with answers in its own database."""
    folder = small_study.make_folder(path, **settings)
    live = small_study.open_study(path, folder.database, **settings)
    with live.store:
        small_study.People(live, 2).answer(n_answers)
    return path


def counted(path):
    with open_stored(path) as live:
        return live.store.answers.count(live.record), len(live.folder.stimuli)


def content(folder):
    """Return what lies below a folder, with bytes and modes."""
    paths = sorted(folder.rglob("*"))
    return {p: (p.stat().st_mode, p.read_bytes() if p.is_file() else b"") for p in paths}


@pytest.fixture
def study(tmp_path):
    return serve(tmp_path / "dots")


@pytest.fixture
def file(study, tmp_path):
    back_up(study, tmp_path / "dots.zip")
    return tmp_path / "dots.zip"


def again(file, settle=lambda folder: None):
    restore(file, file.with_name("again"), settle)
    return file.with_name("again")


def test_folders_and_files_that_links_lead_to_are_restored(tmp_path, study):
    lab = tmp_path / "lab"
    (study / "pages").rename(lab)
    (study / "pages").symlink_to(lab)
    (lab / "around").symlink_to(study)
    (study / "items.csv").rename(lab / "table.csv")
    (study / "items.csv").symlink_to(lab / "table.csv")
    (study / "nowhere").symlink_to(tmp_path / "nothing")
    told = back_up(study, study / ".." / "dots.zip")
    assert told["counts"] == {"people": 2, "answers": 10, "stimuli": 12}
    assert told["left_out"] == ["nowhere", "pages/around"]
    shutil.rmtree(lab)
    made = again(tmp_path / "dots.zip")
    assert counted(made) == (10, 12)
    assert not any(path.is_symlink() for path in made.rglob("*"))


def test_a_database_is_known_by_what_it_is(tmp_path):
    sections = small_study.SMALL + '[server]\ndatabase = "sqlite:///data.db"\n'
    study = serve(tmp_path / "dots", sections=sections)
    with open_stored(study):  # a log beside the file
        shutil.copy(study / "data.db", study / "old.txt")
        told = back_up(study, tmp_path / "dots.zip")
    assert told["left_out"] == ["old.txt"]
    assert not [name for name in told["files"] if "data.db" in name]
    made = again(tmp_path / "dots.zip")
    assert counted(made) == (10, 12)
    assert (made / "data.db").stat().st_mode & 0o777 == 0o600


def test_a_study_within_a_study_is_told(tmp_path, study):
    serve(study / "inner")
    told = back_up(study, tmp_path / "dots.zip")
    assert told["left_out"] == ["inner"]
    assert not (again(tmp_path / "dots.zip") / "inner").exists()


def test_a_backup_that_would_not_restore_is_no_backup(tmp_path, study):
    (study / ".texts").mkdir()
    (study / "pages" / "consent.md").rename(study / ".texts" / "consent.md")
    text = (
        (study / "study.toml")
        .read_text()
        .replace("[pages]", '[pages]\nconsent = ".texts/consent.md"')
    )
    (study / "study.toml").write_text(text)
    before = content(tmp_path)
    with pytest.raises(FileError):
        back_up(study, tmp_path / "dots.zip")
    assert content(tmp_path) == before


def test_modes_are_no_wider_than_they_were(tmp_path, study):
    modes = {"": 0o700, "pages": 0o750, "items.csv": 0o600, "pages/consent.md": 0o666}
    for name, mode in modes.items():
        (study / name).chmod(mode)
    os.utime(study / "items.csv", (0, 0))  # before the first day of a zip
    back_up(study, tmp_path / "dots.zip")
    made = again(tmp_path / "dots.zip")
    found = {name: (made / name).stat().st_mode & 0o777 for name in modes}
    assert found == {**modes, "pages/consent.md": 0o644}


def forged(file, name, mode=0o100644):
    """Make a backup with a further member, which its manifest lists."""
    forged = file.with_name("forged.zip")
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(forged, "w") as new:
        told = json.loads(old.read(MANIFEST))
        told["files"][name] = hashlib.sha256(b"/etc").hexdigest()
        for member in old.infolist():
            new.writestr(
                member, json.dumps(told) if member.filename == MANIFEST else old.read(member)
            )
        entry = zipfile.ZipInfo(name)
        entry.external_attr = mode << 16
        new.writestr(entry, b"/etc")
    return forged


def test_absolute_names_and_links_are_refused_before_anything_is_written(file):
    outside = ("/tmp/evil", "../evil", "pages/../../evil")
    names = [*(f"{FOLDER}{name}" for name in outside), "/evil"]
    for name, mode in (*((name, 0o100644) for name in names), (f"{FOLDER}etc", 0o120777)):
        hostile = forged(file, name, mode)
        before = content(file.parent)
        with pytest.raises(FileError):
            again(hostile)
        assert content(file.parent) == before, name


def test_a_database_in_a_backup_is_not_the_one_that_opens(file):
    made = again(forged(file, f"{FOLDER}study.sqlite", 0o100666))
    assert counted(made) == (10, 12)


def test_a_backup_larger_than_the_disk_is_refused_before_anything_is_written(file, monkeypatch):
    before = content(file.parent)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1000))
    with pytest.raises(FileError, match=r"1,000"):
        again(file)
    with pytest.raises(FileError, match=r"1,000"):
        back_up(file.with_name("dots"), file.with_name("more.zip"))
    assert content(file.parent) == before


@pytest.mark.parametrize(
    ("most", "inside"), [(64 << 10, True), (64 << 10, False)]
)  # bytes; the database has 150 kB
def test_a_restore_on_a_full_disk_leaves_the_place_as_it_was(file, most, inside):
    before = content(file.parent)
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (most, most))
    command = [sys.executable, "-m", "resemblance", "restore", file, file.with_name("again")]
    place = {} if inside else {"RESEMBLANCE_DATABASE": f"sqlite:///{file.parent}/new.sqlite"}
    settings = {"env": os.environ | place, "capture_output": True, "text": True}
    done = subprocess.run(command, preexec_fn=limit, **settings)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert content(file.parent) == before


@pytest.fixture
def given(study):
    """What was given out before a backup: a session and an invitation."""
    accounts = Accounts(study / FILE)
    accounts.accept(accounts.invite("ada"), PASSWORD)
    accounts.invite("ben", {"dots": "reader"})
    accounts.accept(accounts.invite("cem", {"dots": "owner"}), PASSWORD)
    return accounts.session("ada"), accounts.invite("ben")


def test_a_restore_gives_no_access_back(given, tmp_path, study):
    back_up(study, tmp_path / "dots.zip")
    made = again(tmp_path / "dots.zip", lambda folder: Accounts(folder / FILE).begin_anew(["ada"]))
    accounts = Accounts(made / FILE)
    session, invitation = given
    assert accounts.holder(session) is None
    assert not accounts.invites(invitation)
    assert accounts.opens(PASSWORD, "ada") == "ada"
    assert accounts.opens(PASSWORD, "cem") is None
    assert (made / FILE).stat().st_mode & 0o777 == 0o600
    with pytest.raises(ResemblanceError):  # nobody could invite anybody
        Accounts(study / FILE).begin_anew(["ben", "cem"])
    with open_stored(study) as before, open_stored(made) as after:
        hashed = "dots open 0"
        assert before.store.people.standing(hashed) is not None
        assert after.store.people.standing(hashed) is None


@pytest.mark.parametrize(("typed", "kept"), [("ynn", ["ada"]), (None, [])])
def test_accounts_come_back_where_somebody_says_so(given, file, typed, kept):
    command = [sys.executable, "-m", "resemblance", "restore", file, file.with_name("again")]
    if typed is None:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    else:
        ours, theirs = pty.openpty()
        os.write(ours, "".join(f"{key}\n" for key in typed).encode())
        done = subprocess.run(command, stdin=theirs, capture_output=True, text=True)
        os.close(ours), os.close(theirs)
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in ("ada", "ben", "cem"))
    accounts = Accounts(file.with_name("again") / FILE)
    assert [*accounts.all] == kept
    assert accounts.is_new == (not kept)
