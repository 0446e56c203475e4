"""Items that are added to a study: its folder, its store, its server, its worker."""

import multiprocessing
import time
from pathlib import Path
from random import Random

import numpy as np
import pytest
from PIL import Image

from postgres import postgresql
from resemblance.errors import FileError, ResemblanceError, SettingError
from resemblance.store import Store, StoreError, Wanted
from resemblance.store.studies import Studies
from resemblance.study.creation import add_items, create_study, name_of
from resemblance.study.folder import StudyFolder
from resemblance.study.live import LiveStudy
from resemblance.study.questions import question_page
from resemblance.web import media
from small_study import Hands, People, database_at, live_and_work, open_study

NEW = "item,name\nnew a,dot a\nnew b,dot b\n"
PLACES = {"new a": 0, "new b": 3}  # each lies on an item


@pytest.fixture
def url(request, tmp_path):
    if getattr(request, "param", "") == "postgresql":
        return postgresql().create()
    return f"sqlite:///{tmp_path}/study.sqlite"


on_postgresql = pytest.mark.parametrize("url", ["postgresql"], indirect=True)


@pytest.fixture
def live(tmp_path, url):
    live = open_study(tmp_path / "dots", url, n_items=8)
    yield live
    live.store.close()


def add(live, tmp_path, table=NEW):
    (tmp_path / "new.csv").write_text(table)
    url = live.store.database.url.render_as_string(hide_password=False)
    with database_at(url):
        return add_items(live.folder.path, items=tmp_path / "new.csv")


def people_of(live):
    people = People(live, 4, sharp=3)
    names = live.folder.names
    people.points |= {new: people.points[names[at]] + 0.05 for new, at in PLACES.items()}
    return people


def play(hands, people, n, at_a_time=4):
    hands.settle()
    told = []
    for _ in range(n // at_a_time):
        told += people.answer(at_a_time)
        hands.settle()
    return told


def strategy_of(question):
    return question.spec["strategy"], question.spec["head"]


def test_items_added_are_asked_about_first_and_lie_near_their_neighbours(live, tmp_path):
    hands, people = Hands(live), people_of(live)
    play(hands, people, 200, at_a_time=100)
    add(live, tmp_path)
    hands.watch()
    assert hands.session.items.names == (*[f"i{n:04d}" for n in range(8)], "new a", "new b")
    first, told = hands.session.n_fits, play(hands, people, 40)
    main = [strategy_of(one) for one in told if one.purpose == "main"]
    placing = [head for strategy, head in main if strategy == "new item"]
    assert sorted(placing) == ["new a"] * 12 + ["new b"] * 12
    # a page may hold older ones, and some are shared
    assert [strategy for strategy, _ in main[4:20]].count("new item") >= 13
    assert not hands.session.newcomers
    assert hands.session.n_fits > first
    X = hands.session.model_.embedding_
    for row, at in zip((8, 9), PLACES.values(), strict=True):
        apart = np.linalg.norm(X[:8] - X[row], axis=1)
        assert at in np.argsort(apart)[:2]
    asked = play(hands, people, 40)
    assert "new item" not in {strategy_of(one)[0] for one in asked}
    assert {*PLACES} & {name for one in asked for name in (one.spec["head"], *one.spec["options"])}


def test_a_worker_that_starts_again_goes_on_placing(live, tmp_path):
    hands, people = Hands(live), people_of(live)
    play(hands, people, 120, at_a_time=60)
    add(live, tmp_path)
    hands.watch()
    play(hands, people, 12)
    before = hands.session
    hands.work.close()
    lives = LiveStudy.open(StudyFolder.open(live.folder.path), live.store)
    again = Hands(lives)
    again.begin()
    assert again.session.items.names == before.items.names
    assert again.session.newcomers.keys() == before.newcomers.keys() == {8, 9}
    for part in (answers_of, placing_of):
        assert part(again.session) == part(before)
    assert again.session.model_.embedding_.shape == (10, 2)
    people.live = lives
    play(again, people, 40)
    asked = [strategy_of(one)[0] for one in live.store.questions.all(live.record)]
    assert 24 <= asked.count("new item") <= 30  # a page may hold some that were chosen anew
    assert not again.session.newcomers
    fits = again.session.n_fits
    again.work.close()
    third = Hands(lives)
    third.begin()
    assert not third.session.newcomers
    assert third.session.n_fits == fits


def answers_of(session):
    return [(one.question.key, one.chosen) for one in session.answers.values()]


def placing_of(session):
    return [one.question.key for _, one in session.newcomers[8]]


@on_postgresql
def test_killed_while_new_items_are_placed_it_goes_on(live, tmp_path, url):
    hands, people = Hands(live), people_of(live)
    play(hands, people, 80, at_a_time=40)
    hands.work.close()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["resemblance.study.worker.learner"])
    chance = Random(0)
    for life in range(2):
        worker = context.Process(target=live_and_work, args=(live.folder.path, url))
        worker.start()
        until = time.monotonic() + chance.uniform(0.5, 2.0)
        if life == 1:
            add(live, tmp_path)
        while time.monotonic() < until:
            people.answer(1)
            time.sleep(0.05)
        worker.kill()
        worker.join()
    live.reread()
    hands = Hands(live)
    hands.begin()
    play(hands, people, 60)
    assert not hands.session.newcomers
    asked = [strategy_of(one) for one in live.store.questions.all(live.record)]
    placing = [head for strategy, head in asked if strategy == "new item"]
    assert {head: placing.count(head) >= 8 for head in PLACES} == dict.fromkeys(PLACES, True)
    hands.work.close()


def test_a_page_shows_an_item_that_came_a_moment_ago(live, tmp_path):
    other = LiveStudy.open(live.folder, live.store)
    add(live, tmp_path)
    person = live.store.people.enter(live.record, "open", None, "hash")
    spec = live.kind.spec(live.folder.material, Random(0)) | {"head": "new a"}
    (question,) = live.store.questions.serve(person, [Wanted(spec)])
    assert "new a" not in other.folder.by_name
    assert question_page(other, question)["head"]["text"] == "dot a"
    assert other.folder.names == (*live.folder.names, "new a", "new b")


@pytest.fixture
def ties(tmp_path):
    """A study whose items are files, begun."""
    made = create_study(tmp_path / "ties", "triplet", draw(tmp_path / "pictures", "bdf"))
    served(made.path)
    return made.path


def draw(folder, names):
    folder.mkdir(exist_ok=True)
    for name in names:
        Image.new("L", (4, 4), ord(name)).save(folder / f"{name}.png")
    return folder


def tree(folder):
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "sqlite" not in path.name
    }


def served(folder):
    with Store.open(f"sqlite:///{folder}/study.sqlite") as store:
        return LiveStudy.open(StudyFolder.open(folder), store).folder.names


@pytest.mark.parametrize("link", [True, False])
def test_files_are_added_after_those_there(ties, tmp_path, link):
    added = add_items(ties, draw(tmp_path / "new", "ac"), link=link)
    assert added.names == ("a", "c")
    assert (ties / "stimuli" / "a.png").is_symlink() == link
    assert served(ties) == ("b", "d", "f", "a", "c")
    assert not (ties / ".adding").exists()


@pytest.mark.parametrize("table", [True, False])
def test_a_server_takes_new_files_without_reading_them(tmp_path, monkeypatch, table):
    pictures, new = draw(tmp_path / "pictures", "bdf"), draw(tmp_path / "new", "ac")
    made = create_study(tmp_path / "ties", "triplet", pictures)
    if table:
        rows = "".join(f"{name},stimuli/{name}.png\n" for name in "bdf")
        (made.path / "items.csv").write_text(f"name,file\n{rows}")
        text = (made.path / "study.toml").read_text()
        (made.path / "study.toml").write_text(text.replace("# items =", 'items = "items.csv"  #'))
    with Store.open(f"sqlite:///{made.path}/study.sqlite") as store:
        live = LiveStudy.open(StudyFolder.open(made.path), store)
        assert (live.folder.settings.stimuli.items is not None) == table
        add_items(made.path, new)
        with monkeypatch.context() as patch:
            patch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} was read"))
            live.reread()
        assert live.folder.names == ("b", "d", "f", "a", "c")
        assert live.folder.digests == StudyFolder.open(made.path).digests
        a, c = live.folder.stimuli[-2:]
        a.path.write_bytes(c.path.read_bytes())
        assert [media.unchanged(one) for one in (a, c)] == [False, True]
    media._seen.clear()


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda new: draw(new, "b"), "already has items named b"),
        (lambda new: (new / "notes.txt").write_text("x"), "browsers cannot show this type"),
        (lambda new: (new / "z.png").write_bytes(b""), "is empty"),
        (lambda new: (new / "z.png").write_bytes(b"no picture"), "cannot be read as a picture"),
        (lambda new: Image.new("1", (9000, 6000)).save(new / "z.png"), "make it smaller"),
        (lambda new: (new / "c.svg").write_text("<svg/>"), "two new items are called 'c'"),
        (lambda new: [path.unlink() for path in new.iterdir()], "is empty: put the new"),
        (lambda new: (new / "a.png").rename(new / " c\u200b.png"), "two new items are called 'c'"),
    ],
)
def test_all_are_added_or_none(ties, tmp_path, spoil, says):
    new, before = draw(tmp_path / "new", "ac"), tree(ties)
    spoil(new)
    with pytest.raises(ResemblanceError, match=says):
        add_items(ties, new)
    assert tree(ties) == before
    assert served(ties) == ("b", "d", "f")


def test_what_was_interrupted_is_finished_by_the_same_command(ties, tmp_path, monkeypatch):
    def fail(*_):
        raise StoreError("no room")

    new = draw(tmp_path / "new", "ac")
    with monkeypatch.context() as patch:
        patch.setattr(Studies, "add_stimuli", fail)
        with pytest.raises(StoreError):
            add_items(ties, new)
    with pytest.raises(SettingError, match=r"added: a, c.*add-items"):
        served(ties)
    (ties / "stimuli" / "c.png").unlink()
    draw(new, "e")
    with pytest.raises(SettingError, match="added: a"):
        add_items(ties, draw(tmp_path / "newer", "e"))
    assert add_items(ties, new).names == ("a", "c", "e")
    assert served(ties) == ("b", "d", "f", "a", "c", "e")


def test_a_table_needs_a_table_of_new_items_or_a_folder(live, ties, tmp_path):
    (tmp_path / "new.csv").write_text(NEW)
    with pytest.raises(SettingError, match="not rows of a table"):
        add_items(ties, items=tmp_path / "new.csv")
    url = live.store.database.url.render_as_string(hide_password=False)
    with pytest.raises(FileError, match="a column 'file'"), database_at(url):
        add_items(live.folder.path, draw(tmp_path / "more", "xy"))
    rows = "".join(f"dot {n},,i{n:04d}\n" for n in range(8))
    (live.folder.path / "items.csv").write_text(f"text, file,name\n{rows}")
    with database_at(url):
        added = add_items(live.folder.path, draw(tmp_path / "more", "xy"))
    assert added.names == ("x", "y")
    live.reread()
    assert live.folder.by_name["y"].path == live.folder.path / "stimuli" / "y.png"
    assert live.folder.by_name["i0003"].text == "dot 3"


def test_leftovers_that_differ_are_refused(ties, tmp_path):
    draw(ties / "stimuli", "a")
    new = draw(tmp_path / "new", "c")
    Image.new("L", (5, 5)).save(new / "a.png")
    with pytest.raises(SettingError, match="another item 'a'"):
        add_items(ties, new)


def test_the_name_of_a_folder_becomes_that_of_a_study():
    assert name_of(Path("My Ties (2)")) == "my-ties-2"
