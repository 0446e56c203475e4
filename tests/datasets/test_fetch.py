from pathlib import Path

import pooch
import pytest

from resemblance.datasets.dataset import RemoteFile, cache_folder, fetch_file, read_columns
from resemblance.errors import FileError, UnavailableError

REMOTE = RemoteFile("eggs.csv", "somebody/eggs/0123/data/eggs.csv", "0" * 64)


def test_url_is_on_github_unless_a_mirror_is_set(monkeypatch):
    monkeypatch.delenv("RESEMBLANCE_DATA_MIRROR", raising=False)
    assert REMOTE.url == f"https://raw.githubusercontent.com/{REMOTE.upstream}"
    monkeypatch.setenv("RESEMBLANCE_DATA_MIRROR", "http://nearby/")
    assert REMOTE.url == f"http://nearby/{REMOTE.upstream}"


def test_cache_folder_prefers_the_argument_then_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("RESEMBLANCE_DATA", str(tmp_path))
    assert cache_folder("elsewhere") == Path("elsewhere")
    assert cache_folder() == tmp_path
    monkeypatch.delenv("RESEMBLANCE_DATA")
    assert cache_folder() == Path(pooch.os_cache("resemblance"))


def test_a_file_is_downloaded_once_and_then_needs_no_host(mirror, tmp_path):
    remote = mirror.offer(REMOTE, b"head,near,far\n")
    file = fetch_file(remote)
    assert file == tmp_path / "cache" / "eggs.csv"
    assert file.read_bytes() == b"head,near,far\n"
    mirror.close()
    assert fetch_file(remote) == file
    assert mirror.requests == 1


def test_another_checksum_is_refused_naming_both(mirror, tmp_path):
    found = mirror.offer(REMOTE, b"tampered").sha256
    with pytest.raises(FileError, match=f"(?s){REMOTE.sha256}.*{found}.*path="):
        fetch_file(REMOTE)
    assert not (tmp_path / "cache" / "eggs.csv").exists()


def test_a_damaged_cache_is_downloaded_again(mirror, tmp_path):
    remote = mirror.offer(REMOTE, b"whole")
    fetch_file(remote).write_bytes(b"damaged")
    assert fetch_file(remote).read_bytes() == b"whole"


def test_a_host_that_is_gone_names_the_url_and_the_ways_out(mirror, tmp_path):
    mirror.close()
    with pytest.raises(UnavailableError) as caught:
        fetch_file(REMOTE)
    for part in (REMOTE.url, str(tmp_path / "cache" / "eggs.csv"), "path=", "RESEMBLANCE_DATA_MIR"):
        assert part in str(caught.value)


def test_a_file_that_is_gone_from_its_host(mirror):
    mirror.root.mkdir()
    with pytest.raises(UnavailableError, match="404"):
        fetch_file(REMOTE)


def test_path_reads_the_users_file_without_a_download(mirror, tmp_path):
    (tmp_path / "eggs.csv").write_bytes(b"mine")
    assert fetch_file(REMOTE, path=tmp_path) == tmp_path / "eggs.csv"
    assert mirror.requests == 0


def test_path_without_the_file_names_it(tmp_path):
    with pytest.raises(FileError, match=r"eggs\.csv does not exist.*path="):
        fetch_file(REMOTE, path=tmp_path)


@pytest.mark.parametrize("content", ["head,far\n1,2\n", ""])
def test_missing_columns_and_empty_files_name_the_columns(tmp_path, content):
    (tmp_path / "eggs.csv").write_text(content)
    with pytest.raises(FileError, match=r"eggs\.csv.*must have head, near as columns"):
        read_columns(tmp_path / "eggs.csv", ["head", "near"])
