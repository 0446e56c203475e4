"""Backups: all of a study in one file, and back into any database."""

import hashlib
import json
import shutil
import sqlite3
import threading
import zipfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

import small_study
from postgres import postgresql
from resemblance.errors import FileError, ResemblanceError, SettingError
from resemblance.store import Store, backup as rows_in, database
from resemblance.store.errors import ContentError
from resemblance.study import backup
from resemblance.study.backup import MANIFEST, ROWS, back_up, verify
from resemblance.study.export import Export
from resemblance.study.live import open_stored

KINDS = ["sqlite", "postgresql"]
restore = partial(backup.restore, settle=lambda folder: None)


def kept(folder, file, url):
    """Back a study up that is served from a database."""
    with small_study.database_at(url):
        return back_up(folder, file)


def put_back(file, folder, url):
    with small_study.database_at(url):
        return restore(file, folder)


@contextmanager
def stored(folder, url):
    with small_study.database_at(url), open_stored(folder) as live:
        yield live


@contextmanager
def opened(path, url):
    """Open a study in a database, and close that in the end."""
    live = small_study.open_study(path, url)
    with live.store:
        yield live


def address(kind, tmp_path, name="other"):
    return postgresql().create() if kind == "postgresql" else f"sqlite:///{tmp_path}/{name}.sqlite"


@pytest.fixture(params=KINDS)
def served(request, tmp_path):
    """A study with answers, erased and excluded people; its folder and database."""
    small_study.make_folder(tmp_path / "dots")
    url = address(request.param, tmp_path, "first")
    with opened(tmp_path / "dots", url) as live:
        live.store.studies.add("aside", "", {})  # what other studies have there stays there
        people = small_study.People(live, 4)
        people.answer(60)
        live.store.people.exclude(people.persons[1], True, "asleep", "researcher")
        live.store.people.erase(people.persons[2], "researcher")
        live.store.spaces.add(live.record, 40, b"\x00model", [[1.0]], None, {"error": 0.2})
    return tmp_path / "dots", url


def tables(folder, url):
    with stored(folder, url) as live:
        made = Export(live, with_excluded=True)
        rows = {table.name: list(table.rows()) for table in made.tables()}
        spaces = live.store.spaces.latest(live.record)
        return rows, spaces.model, live.record.secret, live.record.stimuli


def test_what_was_backed_up_is_there_again_on_either_database(served, tmp_path, request):
    folder, url = served
    file = tmp_path / "dots.zip"
    told = kept(folder, file, url)
    assert file.stat().st_mode & 0o077 == 0
    assert told["rows"]["answers"] == 45
    for kind in KINDS:
        other = address(kind, tmp_path, f"again-{kind}")
        again = tmp_path / f"again-{kind}" / "dots"
        again.parent.mkdir()
        assert put_back(file, again, other) == told
        (before, *more), (after, *same) = tables(folder, url), tables(again, other)
        assert more == same
        assert before.keys() == after.keys()
        for name, rows in before.items():
            unnumbered = [
                [{k: v for k, v in row.items() if k != "answer"} for row in one]
                for one in (rows, after[name])
            ]
            if name != "events":
                assert unnumbered[0] == unnumbered[1]
            else:
                assert unnumbered[1][:-1] == unnumbered[0]
                assert after[name][-1]["what"] == "restored"
        with stored(again, other) as live:  # it goes on
            small_study.People(live, 2, source="open").answer(6)


def test_it_is_of_one_moment_though_people_answer(served, tmp_path):
    folder, url = served
    stop = threading.Event()
    with opened(folder, url) as live:
        people = small_study.People(live, 3, source="open")

        def answer():
            while not stop.is_set():
                people.answer(1)

        thread = threading.Thread(target=answer)
        thread.start()
        for number in range(3):
            told = kept(folder, tmp_path / f"{number}.zip", url)
            with zipfile.ZipFile(tmp_path / f"{number}.zip") as packed:
                rows = [json.loads(line) for line in packed.read(ROWS).splitlines()]
            asked = {row["id"]: row["state"] for table, row in rows if table == "questions"}
            answered = {row["question"] for table, row in rows if table == "answers"}
            assert {one for one, state in asked.items() if state == "answered"} == answered
            assert len(rows) == sum(told["rows"].values())
        stop.set()
        thread.join()


def rewritten(file, name, change):
    """Write a backup anew, with other texts of its files than it had: bytes by names."""
    made = file.with_name(name)
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        texts = {name: old.read(name) for name in old.namelist()}
        change(texts)
        for name, text in texts.items():
            new.writestr(name, text)
    return made


def with_manifest(texts, **more):
    """Let the manifest say what is there now."""
    told = json.loads(texts[MANIFEST]) | more
    for name in told["files"]:
        told["files"][name] = hashlib.sha256(texts[name]).hexdigest()
    texts[MANIFEST] = json.dumps(told).encode()


class TestRefusals:
    @pytest.fixture
    def file(self, tmp_path):
        """A backup of a study whose database lies in its folder."""
        folder = small_study.make_folder(tmp_path / "dots")
        with opened(tmp_path / "dots", folder.database) as live:
            small_study.People(live, 2).answer(10)
        back_up(tmp_path / "dots", tmp_path / "dots.zip")
        return tmp_path / "dots.zip"

    def test_a_backup_that_was_cut_off(self, file, tmp_path):
        whole = file.read_bytes()
        for share in (0.0, 0.3, 0.999):
            file.write_bytes(whole[: int(share * len(whole))])
            with pytest.raises(FileError, match=r"dots\.zip"):
                restore(file, tmp_path / "again")
            assert not (tmp_path / "again").exists()

    def test_one_that_was_changed_is_of_a_later_version_or_would_swell(
        self, file, tmp_path, monkeypatch
    ):
        def chozen(texts):
            texts[ROWS] = texts[ROWS].replace(b"chosen", b"chozen")

        with pytest.raises(FileError, match="rows"):
            verify(rewritten(file, "changed.zip", chozen))
        later = rewritten(
            file, "later.zip", lambda texts: with_manifest(texts, tables="9999", version="99.0")
        )
        with pytest.raises(SettingError, match=r"99\.0"):
            restore(later, tmp_path / "again")
        monkeypatch.setattr(backup, "SMALL", 1000)
        verify(file)
        large = {"folder/zeros": bytes(10_000_000)}
        with pytest.raises(FileError, match="bytes"):
            verify(rewritten(file, "large.zip", lambda texts: texts.update(large)))
        for manifest in (b"{}", b"[]", b"null", b'{"format": 1}', b'{"format": "1", "files": []}'):
            odd = {MANIFEST: manifest}
            with pytest.raises(FileError, match=r"odd\.zip"):
                verify(rewritten(file, "odd.zip", lambda texts, odd=odd: texts.update(odd)))

    def test_where_there_is_something_already(self, file, tmp_path):
        (tmp_path / "letters").mkdir()
        (tmp_path / "letters" / "letter.txt").write_text("Dear")
        for name in ("dots", "letters"):
            with pytest.raises(SettingError, match=name):
                put_back(file, tmp_path / name, address("sqlite", tmp_path))
        assert not (tmp_path / "other.sqlite").exists()
        own = f"sqlite:///{tmp_path}/dots/study.sqlite"
        with pytest.raises(ContentError, match="dots"):
            put_back(file, tmp_path / "again", own)
        assert not (tmp_path / "again").exists()
        for name in ("dots.zip", "dots/backup.zip"):
            with pytest.raises(SettingError):
                back_up(tmp_path / "dots", tmp_path / name)
        with open_stored(tmp_path / "dots") as live:
            assert len(live.store.answers.after(live.record)) == 10

    def test_a_backup_says_not_where_rows_go_outside_of_its_folder(self, file, tmp_path):
        for place in (
            f"sqlite:////{tmp_path}/elsewhere.sqlite",
            "sqlite:///../elsewhere.sqlite",
            "postgresql://h/x",
        ):

            def point_out(texts, place=place):
                texts["folder/study.toml"] += f'[server]\ndatabase = "{place}"\n'.encode()
                with_manifest(texts)

            evil = rewritten(file, "evil.zip", point_out)
            with pytest.raises(SettingError, match="RESEMBLANCE_DATABASE"):
                restore(evil, tmp_path / "again")
            assert not (tmp_path / "again").exists()
            assert not list(tmp_path.rglob("elsewhere.sqlite"))
        put_back(evil, tmp_path / "again", address("sqlite", tmp_path, "said"))
        assert (tmp_path / "said.sqlite").exists()

    def test_odd_rows_leave_nothing_and_the_next_try_succeeds(self, file, tmp_path):
        for row in ([], ["studies"], ["answers", {"participant": 77}], ["studies", {"name": "x"}]):

            def add(texts, row=row):
                texts[ROWS] += json.dumps(row).encode() + b"\n"
                rows = json.loads(texts[MANIFEST])["rows"]
                with_manifest(texts, rows=rows | {"answers": rows["answers"] + 1})

            with pytest.raises(ContentError):
                restore(rewritten(file, "odd.zip", add), tmp_path / "again")
        restore(file, tmp_path / "again")
        with open_stored(tmp_path / "again") as live:
            assert len(live.store.answers.after(live.record)) == 10

    @pytest.mark.parametrize("at", ["replace", "opened", "rows", "written"])
    def test_one_that_was_cut_short_goes_on(self, file, tmp_path, monkeypatch, at):
        class Killed(BaseException):
            """The process ends."""

        def end(*_, **__):
            raise Killed

        def write_and_end(*given):
            rows_in.write_rows(*given)
            raise Killed

        with monkeypatch.context() as patch:
            patch.setattr(shutil, "rmtree", lambda *_, **__: None)  # it does not clean up either
            if at in ("rows", "written"):
                patch.setattr(backup, "write_rows", end if at == "rows" else write_and_end)
            else:
                patch.setattr(*((Path, at) if at == "replace" else (Store, "open")), end)
            with pytest.raises(Killed):
                restore(file, tmp_path / "again")
        left = tmp_path / ".part-again"
        assert at == "replace" or left.stat().st_mode & 0o077 == 0
        restore(file, tmp_path / "again")
        assert not left.exists()
        with open_stored(tmp_path / "again") as live:
            assert len(live.store.answers.after(live.record)) == 10
            small_study.People(live, 1, source="open").answer(1)
        with pytest.raises(SettingError):  # it would not be what is there
            restore(file, tmp_path / "again")

    def test_a_second_try_reads_the_rows_again(self, file, tmp_path, monkeypatch):
        flush, tries = rows_in._Put.flush, iter([True])

        def busy_once(put):
            flush(put)
            if next(tries, False):
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorcode = sqlite3.SQLITE_BUSY
                raise OperationalError("INSERT", {}, error)

        monkeypatch.setattr(database, "PAUSES", (0.0,))
        monkeypatch.setattr(rows_in._Put, "flush", busy_once)
        restore(file, tmp_path / "again")
        with open_stored(tmp_path / "again") as live:
            assert len(live.store.answers.after(live.record)) == 10

    def test_a_study_that_was_never_served(self, tmp_path):
        small_study.make_folder(tmp_path / "new")
        Store.open(f"sqlite:///{tmp_path}/empty.sqlite").close()
        with pytest.raises(ResemblanceError, match="dots"):
            kept(tmp_path / "new", tmp_path / "new.zip", f"sqlite:///{tmp_path}/empty.sqlite")
        assert not (tmp_path / "new.zip").exists()
