"""The package: what it needs, what it loads, and the addresses that it takes."""

import json
import subprocess
import sys
from typing import Literal

import pytest

from resemblance.errors import SettingError
from resemblance.store import Store, StoreError
from resemblance.store.errors import kind_of, one_of


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_opening_a_store_loads_nothing_heavy(file_url):
    Store.open(file_url).close()
    code = f"""
import sys, json
from resemblance.store import Store
Store.open({file_url!r}).close()
print(json.dumps(sorted(sys.modules)))
"""
    loaded = set(json.loads(python(code).stdout))
    assert not {"numpy", "pandas", "sklearn", "numba", "fastapi", "psycopg", "alembic"} & loaded


def test_without_sqlalchemy_the_extra_is_named():
    code = "import sys; sys.modules['sqlalchemy'] = None; import resemblance.store"
    assert 'pip install "resemblance[web]"' in python(code).stderr


@pytest.mark.parametrize(
    "url",
    ["", "study.sqlite", "sqlite://", "sqlite:///:memory:", "mysql://a:secret@b/c", "::::"],
)
def test_an_address_of_another_kind_is_refused(url):
    with pytest.raises(SettingError, match="is no address of a database") as caught:
        Store.open(url)
    assert "secret" not in str(caught.value)


def test_nobody_else_may_read_a_new_file(file_url, tmp_path):
    with Store.open(file_url) as store:
        store.studies.add("ties", "", {})
        assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {0o600}


def test_a_server_that_is_not_there(tmp_path):
    with pytest.raises(StoreError, match="failed: connection") as caught:
        Store.open(f"postgresql://me:word@/name?host={tmp_path}")
    assert "word" not in str(caught.value)


def test_values_of_a_row_and_the_kind_of_a_question():
    assert one_of("open", Literal["open", "closed"]) == "open"
    assert kind_of({"kind": "triplet", "head": 4}) == "triplet"
