"""Participants cannot compute right answers, gold places or repeats."""

from contextlib import ExitStack, closing
from random import Random
from secrets import token_hex

import pytest

import study_folder
from resemblance.store import Store
from resemblance.study.folder import StudyFolder
from resemblance.study.kinds import KINDS
from resemblance.study.live import LiveStudy
from resemblance.study.questions import next_questions, schedule

make_study = study_folder.make_study


@pytest.fixture(autouse=True)
def own_secrets(monkeypatch):
    """Studies are drawn from secrets of their own, as they are outside of tests."""
    monkeypatch.setattr("resemblance.store.studies.new_secret", lambda: token_hex(16))


@pytest.fixture
def begun(make_study, tmp_path):
    """Begin a study with the default seed, as anybody may at home."""
    with ExitStack() as stores:

        def begin(name, kind="triplet"):
            stimuli = {"items": "classes.csv"} if KINDS[kind].draws else {}
            n = max(9, KINDS[kind].n_items(KINDS[kind].options.default))
            path = make_study(name, n, study={"name": name, "kind": kind}, stimuli=stimuli)
            store = stores.enter_context(closing(Store.open(f"sqlite:///{tmp_path}/{name}.sqlite")))
            return LiveStudy.open(StudyFolder.open(path), store)

        yield begin


def asked(live, n=20):
    """What the first person is asked, and where gold is."""
    person = live.store.people.enter(live.record, "open", None, "token", {})
    specs = [one.spec for one in next_questions(live, person, 0, n)]
    return specs, schedule(live.settings, person.code, live.chance)


def test_who_knows_the_seed_and_a_pseudonym_foresees_nothing(begun):
    """A copy of the study at home, with the same seed, asks other questions at other places."""
    (here, plan), (there, copied) = asked(begun("here")), asked(begun("there"))
    copies = [copied, *(asked(begun(f"there{k}"))[1] for k in range(7))]
    assert any(plan != other for other in copies)  # one alone may be the same by chance
    assert sum(one == other for one, other in zip(here, there, strict=True)) <= 5


def test_the_labels_of_noisy_images_cannot_be_computed(begun):
    live = begun("noise", "classify")
    specs, _ = asked(live, n=60)
    computed = [
        live.kind.spec(live.folder.material, Random(f"0 P0001 {place}")) for place in range(60)
    ]
    right = sum(one["label"] == other["label"] for one, other in zip(specs, computed, strict=True))
    assert 12 <= right <= 48  # chance


def test_a_study_keeps_its_secret_when_it_is_opened_again(begun):
    first = begun("kept")
    again = LiveStudy.open(StudyFolder.open(first.folder.path), first.store)
    assert first.chance == again.chance != "0"
    assert first.record.secret not in repr(first.record)


@pytest.mark.parametrize("kind", [name for name, one in KINDS.items() if not one.draws])
def test_gold_does_not_show_itself_by_equal_addresses(begun, kind):
    live = begun("gold", kind)
    material = live.folder.material
    for seed in range(10):
        spec = live.kind.gold(material, Random(seed)) or live.kind.spec(material, Random(seed))
        page = live.kind.page(spec, material, "q")
        urls = [one["url"] for one in (page["head"], *page["options"]) if one]
        assert len(set(urls)) == len(urls)
        for url in urls:
            assert url.rpartition("/")[2] in live.folder.media
