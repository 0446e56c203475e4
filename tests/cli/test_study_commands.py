"""The commands that begin, check and serve a study."""

import re
import time

import pytest
from PIL import Image

from resemblance.store import Store
from resemblance.study.folder import StudyFolder
from resemblance.study.live import LiveStudy, open_stored
from resemblance.study.settings_file import FILE
from resemblance.web.accounts import Accounts
from study_folder import all_settings


@pytest.fixture
def pictures(tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(5):
        Image.new("L", (4, 4), 50 * number).save(folder / f"tie {number}.png")
    return folder


@pytest.mark.parametrize("link", [[], ["--link"]])
def test_new_makes_a_study_that_check_finds_fine(run, tmp_path, pictures, link):
    said = run("new", "My Ties", "--images", pictures, *link).output
    assert "a study of 5 items" in said
    assert "resemblance serve My Ties" in said
    folder = StudyFolder.open(tmp_path / "My Ties")
    assert folder.name == "my-ties"
    assert folder.names == tuple(f"tie {n}" for n in range(5))
    assert all(s.path.is_symlink() == bool(link) for s in folder.stimuli)
    told = run("check", "My Ties").output
    for words in (
        "see the notes",
        "consent.md",
        "5 items (image)",
        "2 tasks of 50 questions, each with 10 gold",
        "questionnaire-1",
    ):
        assert words in told


def test_new_for_search_asks_by_the_information_about_heads(run, tmp_path, pictures):
    run("new", "ties", "--images", pictures, "--purpose", "search")
    settings = StudyFolder.open(tmp_path / "ties").settings
    assert (settings.asking.strategy, settings.asking.n_components) == ("information", 3)
    assert settings.quality.gold_from_agreement == 0.9
    assert "public = false" in (tmp_path / "ties" / FILE).read_text()
    run("new", "ranked", "--images", pictures, "--purpose", "search", "--kind", "ranking")
    assert StudyFolder.open(tmp_path / "ranked").settings.quality.gold_from_agreement == 0


@pytest.mark.parametrize(
    "words",
    [
        "--draw lines --images pictures",
        "--grid 5x5 --images pictures",
        "--draw lines --bounds length=100:200",
        "--draw lines --link",
        "--draw lines --grid 5x5",
        "--draw lines --grid 5 --bounds width=1:2",
    ],
)
def test_new_refuses_what_does_not_go_with_drawn_stimuli(run, tmp_path, pictures, words):
    run("new", "lines", *words.split(), code=1)
    assert not (tmp_path / "lines").exists()


@pytest.mark.parametrize("kind", ["odd_one_out", "pair_rating", "match_to_sample", "piles"])
def test_new_for_search_refuses_kinds_without_a_head(run, tmp_path, pictures, kind):
    said = run("new", "ties", "--images", pictures, "--purpose", "search", "--kind", kind, code=1)
    for words in (kind, "--kind one_of_n, pick_k, ranking or triplet", "--purpose map"):
        assert words in said.output
    assert not (tmp_path / "ties").exists()


def test_new_takes_a_table_as_fit_does(run, tmp_path):
    (tmp_path / "songs.csv").write_text(
        'item,name,label\n1,"Blue, Too",jazz\n2,Black,rock\n3,White,rock\n'
    )
    run("new", "songs", "--items", "songs.csv")
    folder = StudyFolder.open(tmp_path / "songs")
    first = folder.stimuli[0]
    assert (first.name, first.text, first.label) == ("1", "Blue, Too", "jazz")


@pytest.mark.parametrize(
    ("more", "words", "code"),
    [
        ("", "set recruitment.signed", 0),
        ("signed = true\n[server]\naddress = 'https://ties.example.org'\n", "only people whose", 0),
    ],
)
def test_check_tells_what_signed_entries_need(run, tmp_path, pictures, more, words, code):
    run("new", "ties", "--images", pictures)
    file = tmp_path / "ties" / "study.toml"
    begun = re.sub(r"\[recruitment\].*?(?=\n\[)|\[server\].*", "", file.read_text(), flags=re.S)
    file.write_text(f'{begun}[recruitment]\nsource = "prolific"\n{more}')
    assert words in run("check", "ties", code=code).output


def test_several_processes_need_postgresql(run, pictures):
    run("new", "ties", "--images", pictures)
    assert "PostgreSQL" in run("serve", "ties", "--processes", 2, code=1).output


def test_a_backup_and_back_with_the_database_in_a_file(run, tmp_path, pictures, monkeypatch):
    run("new", "ties", "--images", pictures)
    (tmp_path / "database").write_text(f"sqlite:///{tmp_path}/kept.sqlite\n")
    monkeypatch.setenv("RESEMBLANCE_DATABASE_FILE", str(tmp_path / "database"))
    folder = StudyFolder.open(tmp_path / "ties")
    with Store.open(f"sqlite:///{tmp_path}/kept.sqlite") as store:
        live = LiveStudy.open(folder, store)
        store.people.enter(live.record, "open", None, "token", {})
    assert "0 answers of 1 people" in run("backup", "ties", "b.zip").output
    assert "exists already" in run("backup", "ties", "b.zip", code=1).output
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("RESEMBLANCE_DATABASE", f"sqlite:///{tmp_path}/other.sqlite")
        assert "the study ties" in run("restore", "b.zip", "again").output
        with open_stored(tmp_path / "again") as live:
            assert len(live.store.people.all(live.record)) == 1
    monkeypatch.setenv("RESEMBLANCE_DATABASE_FILE", str(tmp_path / "nothing"))
    assert "nothing, which cannot be read" in run("backup", "ties", "c.zip", code=1).output


def test_accounts_are_listed_and_helped(run, tmp_path, pictures):
    run("new", "ties", "--images", pictures)
    run("accounts", "ties", code=1)
    accounts = Accounts(tmp_path / "ties" / "secret")
    accounts.accept(accounts.invite(), "a long password")
    accounts.invite("ann", {"ties": "reader"})
    said = run("accounts", "ties").output.splitlines()
    assert [line.partition(":")[0] for line in said] == ["researcher", "ann"]
    once = run("accounts", "ties", "--new-password", "ann").output.split()[-1]
    assert accounts.accept(once, "another password") == "ann"
    run("accounts", "ties", "--new-password", "eve", code=1)


def test_forget_takes_ids_and_leaves_answers(run, tmp_path, pictures):
    run("new", "ties", "--images", pictures)
    folder = StudyFolder.open(tmp_path / "ties")
    with Store.open(folder.database) as store:
        store.database.clock = lambda: time.time() - 10 * 86_400
        live = LiveStudy.open(folder, store)
        store.people.enter(live.record, "prolific", "5f3a", "token", {"timezone": "UTC"})
    run("forget", "ties", "--yes", code=1)  # the study does not say when
    file = tmp_path / "ties" / "study.toml"
    text = file.read_text()
    for days, n in ((11, 0), (9, 1)):
        file.write_text(f"{text}\n[privacy]\nforget_ids_after_days = {days}\n")
        assert f"of {n} people" in run("forget", "ties", "--yes").output
    with open_stored(tmp_path / "ties") as live:
        (row,) = live.store.people.all(live.record)
        assert (row.external_id.startswith("digest:"), row.browser) == (True, {})


@pytest.mark.parametrize(
    ("source", "days", "told"),
    [("prolific", 21, True), ("prolific", 22, False), ("mturk", 7, True), ("open", 1, False)],
)
def test_check_tells_where_ids_go_before_work_is_approved(
    run, tmp_path, pictures, source, days, told
):
    run("new", "ties", "--images", pictures)
    file = tmp_path / "ties" / "study.toml"
    begun = re.sub(r"\[(recruitment|privacy)\].*?(?=\n\[)", "", file.read_text(), flags=re.S)
    more = f'\n[recruitment]\nsource = "{source}"\n[privacy]\nforget_ids_after_days = {days}\n'
    file.write_text(begun + more)
    assert ("privacy.forget_ids_after_days" in run("check", "ties").output) == told


def test_check_says_which_pictures_a_screen_reader_cannot_tell(run, tmp_path):
    (tmp_path / "pics").mkdir()
    for number in range(4):
        Image.new("L", (8, 8), 40 * number).save(tmp_path / "pics" / f"p{number}.png")
    table = "name,file,alt\n" + "".join(
        f"p{i},pics/p{i}.png,{'grey' * (i < 3)}\n" for i in range(4)
    )
    (tmp_path / "items.csv").write_text(table)
    run("new", "greys", "--items", "items.csv")
    (note,) = (line for line in run("check", "greys").stdout.splitlines() if "alt" in line)
    assert ": 1 (p3)." in note


def test_new_and_check_tell_what_is_no_item_and_what_is_there_twice(run, tmp_path, pictures):
    Image.new("RGB", (4, 4), (50, 50, 50)).save(pictures / "again.png")  # as "tie 1", otherwise
    Image.new("L", (4, 4), 7).save(pictures / "mug red.png.png")
    (pictures / "red").mkdir()
    Image.new("L", (4, 4), 9).save(pictures / "red" / "deeper.png")
    for junk in ("Thumbs.db", "._tie 1.png", "~$tie.png"):
        (pictures / junk).write_bytes(b"x")
    said = run("new", "ties", "--images", pictures).output
    assert "a study of 7 items" in said
    assert "3 files (" in said
    assert "red/deeper.png" in said
    study = tmp_path / "ties" / "stimuli"
    (study / "blue").mkdir()
    Image.new("L", (4, 4), 9).save(study / "blue" / "left.png")
    (study / "desktop.ini").write_bytes(b"x")
    notes = [line for line in run("check", "ties").output.splitlines() if "note:" in line]
    for words in (
        "'again', 'tie 1' look the same",
        "'mug red.png'",
        "blue/left.png",
        "desktop.ini",
    ):
        assert len([note for note in notes if words in note]) == 1, words


def test_names_with_an_ending_are_told_in_gold_and_features(run, tmp_path, pictures):
    run("new", "ties", "--images", pictures)
    study = tmp_path / "ties"
    (study / "gold.csv").write_text("head,right,wrong\ntie 0.png,tie 1,tie 2\n")
    (study / "features.csv").write_text(
        "item,grey\n" + "".join(f"tie {n}.png,{n}\n" for n in range(5))
    )
    settings = all_settings(study)
    gold = re.sub(r"^# gold = *", 'gold = "gold.csv" ', settings, flags=re.M)
    (study / FILE).write_text(gold)
    assert "write 'tie 0'" in run("check", "ties", code=1).output
    features = settings.replace("[features]", '[features]\nfile = "features.csv" ', 1)
    (study / FILE).write_text(re.sub(r"^# file = .*\n", "", features, flags=re.M))
    assert "suffix of 'tie 0.png'" in run("check", "ties", code=1).output
