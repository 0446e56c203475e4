"""Other users of the same machine: what they reach of `open` and of a study's files."""

import os
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx
import pytest
from PIL import Image

from desk_editor import save, with_lines
from resemblance.errors import FileError
from resemblance.study.folder import StudyFolder
from resemblance.web.accounts import Accounts
from web_process import until


@pytest.fixture
def opened(tmp_path):
    """Run `open` with a browser that notes its words; give address, token and the words."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    browser, noted = tmp_path / "browser", tmp_path / "noted"
    browser.write_text(f'#!/bin/sh\necho "$@" > {noted}\n')
    browser.chmod(0o700)
    command = [sys.executable, "-m", "resemblance", "open", f"--port={port}"]
    environment = os.environ | {"BROWSER": f"{browser} %s"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=environment
    )
    address, token = re.search(r"(http://.*)/\?token=(\S+)", process.stdout.readline()).groups()
    words = until(lambda: noted.exists() and noted.read_text().strip())
    yield address, token, words
    process.terminate()
    process.wait(20)
    process.stdout.close()


def test_open_answers_only_who_has_its_token(opened):
    address, token, words = opened
    for path in ("/", "/?token=x", "/api/maps", "/maps/x/map.html", "/static/x"):
        cookie = f"resemblance-{urlsplit(address).port}=é".encode()
        reply = httpx.get(address + path, headers={"Cookie": cookie})
        assert reply.status_code == 403
        assert token not in reply.text
    assert token not in words
    person = httpx.get(address, headers={"Accept": "text/html"})
    assert (person.status_code, token in person.text) == (403, False)
    assert person.headers["content-type"].startswith("text/html")
    page = Path(unquote(urlsplit(words).path))
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    with httpx.Client(follow_redirects=True) as browser:
        reply = browser.get(re.search(r"url=(http\S+)\"", page.read_text())[1])
        assert reply.status_code == 200
        assert "token" not in str(reply.url)
        assert browser.get(address).status_code == 200


def test_a_table_of_items_names_no_picture_of_this_machine(opened, tmp_path):
    address, token, _ = opened
    hidden = tmp_path / "hidden" / "face.png"
    hidden.parent.mkdir()
    Image.new("RGB", (8, 8), (1, 2, 3)).save(hidden)
    rows = "".join(f"{item},{hidden}\n" for item in "abcd")
    answers = "head,near,far\n" + "a,b,c\nb,a,c\nc,b,a\na,b,d\nd,c,a\nb,c,d\n" * 4
    with httpx.Client(base_url=address, follow_redirects=True) as browser:
        browser.get("/", params={"token": token})
        browser.headers["X-Key"] = token

        def send(name, content):
            reply = browser.post("/api/files", params={"name": name}, content=content)
            return reply.json()["file"]

        files = {"answers": [send("answers.csv", answers)]}
        files["items"] = send("items.csv", "item,image\n" + rows)
        own = browser.post("/api/maps", json=files).json()["map"]

        def ended():
            status = browser.get(f"/api/maps/{own}").json()
            return status["state"] in ("done", "failed") and status

        assert until(ended)["state"] == "failed"
    assert not list(tmp_path.glob("*/map.html"))


def test_the_text_of_settings_reads_no_file_that_it_names(make_study, serve):
    folder = make_study()
    (folder / "there.csv").write_text("head,right,wrong\nhidden words,item1,item2\n")
    served = serve(folder)
    once = served.shared.accounts.invite()
    served.client.post("/desk/login", data={"secret": once, "password": "a long password"})

    def named(file):
        reply = save(served.client, lambda text: with_lines(text, "tasks", f'gold = "{file}"'))
        assert reply.status_code == 422
        return reply.text

    assert "hidden words" not in named("there.csv")
    assert named("there.csv").replace("there.csv", "nowhere.csv") == named("nowhere.csv")


@pytest.fixture
def of_another(make_study, monkeypatch):
    """Make a study of another user, as root sees it."""
    folder = make_study()
    if os.geteuid() == 0:
        os.chown(folder, 12345, 12345)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return folder


def test_root_touches_nothing_in_a_folder_of_another_user(of_another):
    target = of_another.parent / "target"
    target.write_text("of root")
    before = target.stat()
    for name in (".secret.lock", ".part-secret", "study.sqlite.lease-1"):
        (of_another / name).symlink_to(target)
    for work in (
        lambda: Accounts(of_another / "secret").invite(),
        lambda: StudyFolder.open(of_another),
    ):
        with pytest.raises(FileError):
            work()
    assert target.read_text() == "of root"
    assert (target.stat().st_uid, target.stat().st_mode) == (before.st_uid, before.st_mode)


def test_others_cannot_lock_the_files_of_a_study(make_study, serve):
    folder = make_study()
    served = serve(folder)
    served.shared.accounts.invite()
    lease = folder / f"study.sqlite.lease-{served.live.record.id}"
    lease.touch(mode=0o644)
    with served.store.lease(served.live.record):
        locks = [lease, served.shared.accounts.path.with_name(".secret.lock")]
        assert [stat.S_IMODE(file.stat().st_mode) for file in locks] == [0o600, 0o600]
