"""A pseudonym goes to one person, also where an older database is put back."""

import shutil

import pytest

from resemblance.store import Store, people

DRAWN = people.drawn  # as it is, before the tests name people by numbers alone


@pytest.fixture(autouse=True)
def drawn(monkeypatch):
    monkeypatch.setattr(people, "drawn", DRAWN)


def test_no_pseudonym_is_given_again_after_an_older_database_is_restored(tmp_path):
    file, kept = tmp_path / "study.sqlite", tmp_path / "kept.sqlite"
    url = f"sqlite:///{file}"
    with Store.open(url) as store:
        study = store.studies.add("ties", "", {})
        for number in range(5):
            store.people.enter(study, "open", None, f"before {number}")
    shutil.copy(file, kept)
    codes = []
    for _ in range(2):
        shutil.copy(kept, file)
        with Store.open(url) as store:
            study = store.studies.named("ties")
            entered = [store.people.enter(study, "open", None, f"{n}") for n in range(100)]
            codes += [one.code for one in entered]
    assert len(set(codes)) == 200
    assert [code[:5] for code in codes[:2]] == ["P0006", "P0007"]
