"""From a file to a map without a terminal, on the page of the real `resemblance open`."""

import re
import socket
import subprocess
import sys

import numpy as np
import pytest

from browser.conftest import barriers, need_pages
from browser.participant import DESKTOP

pytestmark = [pytest.mark.browser, pytest.mark.server]


def raw_file(path):
    """Write what jsPsych writes, of columns with names of their own."""
    rng = np.random.default_rng(0)
    space = rng.normal(size=(6, 2))
    rows = ["trial_type,trial_index,subject,sample,x,y,pressed", "instructions,0,S1,,,,"]
    for trial in range(80):
        head, left, right = rng.choice(6, 3, replace=False)
        gaps = np.linalg.norm(space[[left, right]] - space[head], axis=1)
        rows.append(
            f"html-keyboard-response,{trial},S1,i{head},i{left},i{right},{'fj'[gaps.argmin()]}"
        )
    path.write_text("\n".join(rows))
    return path


@pytest.fixture
def address(tmp_path):
    need_pages()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "resemblance", "open", "--no-browser", f"--port={port}"]
    command += [f"--out={tmp_path / 'maps'}"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    address = re.search("http://.*", server.stdout.readline())[0]
    yield address
    server.terminate()
    server.wait()


@pytest.fixture
def page(browser, address):
    with browser.page(**DESKTOP) as page:
        yield page


def test_from_a_file_to_a_figure(page, address, tmp_path):
    page.goto(address)
    assert barriers(page) == []
    page.set_input_files("#answers", raw_file(tmp_path / "raw.csv"))
    page.get_by_role("button", name="Make the map").click()
    page.get_by_role("alert").wait_for(timeout=120_000)
    assert "pressed" in page.get_by_role("alert").inner_text()  # the columns that there are
    page.fill("#how-columns", "head=sample, left=x, right=y, chosen=pressed")
    page.fill("#how-answers", "f=left, j=right")
    page.get_by_role("button", name="Make the map").click()
    page.get_by_role("button", name="Stop, and keep").wait_for()
    page.reload()  # a map that is being made is followed on
    page.get_by_role("button", name="Stop, and keep").wait_for()
    page.get_by_role("link", name="The map for a paper").wait_for(timeout=240_000)
    assert page.get_by_role("alert").count() == 0
    page.frame_locator("iframe").get_by_placeholder("Find an item").wait_for()
    assert page.locator(".lines dt", has_text="error on the questions asked").count() == 1
    assert page.locator(".notes li").first.inner_text().startswith("read as jsPsych: 80 triplets")
    with page.expect_download() as download:
        page.get_by_role("link", name="The map for a paper").click()
    assert download.value.path().read_bytes().startswith(b"%PDF")
    page.reload()
    page.get_by_role("button", name="raw-map", exact=True).click()
    page.get_by_role("link", name="The map for a paper").wait_for()
    page.frame_locator("iframe").get_by_placeholder("Find an item").wait_for()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert barriers(page) == []
