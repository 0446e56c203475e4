"""A study's folder: what cannot be served is refused, with file, line and remedy."""

import re

import pandas as pd
import pytest
from PIL import Image
from typer.testing import CliRunner

import resemblance as rs
from resemblance.cli import app as command_line
from resemblance.errors import FileError, SettingError
from resemblance.study.creation import create_study
from resemblance.study.folder import StudyFolder


def problems(folder):
    with pytest.raises((SettingError, FileError)) as told:
        StudyFolder.open(folder)
    return str(told.value)


def test_a_folder_gives_items_in_natural_places(make_study):
    folder = StudyFolder.open(make_study(n_items=3))
    assert folder.names == ("item0", "item1", "item2")
    assert [page.kind for page in folder.pages.values()] == ["consent", "instructions", "debrief"]
    assert len(set(folder.digests.values())) == 3


def test_what_a_desktop_leaves_in_a_folder_is_no_item(make_study):
    path = make_study(n_items=3)
    for name in ("Thumbs.db", "desktop.ini", ".DS_Store"):
        (path / "stimuli" / name).write_bytes(b"x")
    assert StudyFolder.open(path).names == ("item0", "item1", "item2")
    (path / "stimuli" / "notes.db").write_bytes(b"x")
    assert "notes.db" in problems(path)


def test_a_table_gives_items_of_every_type(make_study):
    path = make_study(stimuli={"items": "items.csv"})
    (path / "song.mp3").write_bytes(b"x")
    (path / "items.csv").write_text(
        'name,file,text,alt\na,stimuli/item0.png,,"a, grey"\nb,,"Some, words",\nc,song.mp3,,\n'
    )
    folder = StudyFolder.open(path)
    assert [s.type for s in folder.stimuli] == ["image", "text", "audio"]
    shown = folder.by_name["a"].for_page("ties")
    assert shown["alt"] == "a, grey"
    assert "item0" not in str(shown)
    assert folder.by_name["b"].for_page("ties")["text"] == "Some, words"


def test_a_file_is_called_as_readers_call_it(make_study):
    for n, (stem, name) in enumerate(
        (
            ("p8 ", "p8"),
            (" lead", "lead"),
            ("cafe\u0301", "caf\u00e9"),
            ("\ufeffx\u200b", "x"),
            *((one, one) for one in ("001", "NA", "true", "1e3")),
        )
    ):
        path = make_study(f"ties{n}", n_items=3)
        (path / "stimuli" / "item2.png").rename(path / "stimuli" / f"{stem}.png")
        folder = StudyFolder.open(path)
        assert set(folder.names) == {"item0", "item1", name}
        table = pd.DataFrame({"head": [stem], "near": ["item0"], "far": ["item1"]})
        assert set(rs.read_triplets(table).items.names) == set(folder.names)
        (path / "stimuli" / f"{name}  .png").write_bytes(b"x")
        assert "are one item" in problems(path)


def test_a_bad_table_is_refused(make_study):
    folder = make_study(stimuli={"items": "items.csv"})
    for table, line, says in (
        ("name,text\na,1\nb,2\na,3\nc,4\n", 4, "a second item is called 'a': rename one"),
        ("name,file\na,gone.png\n", 2, "gone.png cannot be read"),
        ("name,file\na,../../x.png\n", 2, "lies outside the study"),
        ("name,file\na,study.toml\n", 2, "browsers cannot show .toml"),
        ("name,text\na,1\n,2\n", 3, "an item without a name"),
        ("name,text,url\na,1,javascript:alert(1)\n", 2, "give an address such as https://"),
        ("name,file,text\na,stimuli/item0.png,word\n", 2, "either a file or a text"),
        ("item,text\na,1\n", 1, "no column 'name': add it"),
        ("name,text\na,1,2\n", 2, "it has 3 cells, and the header 2"),
        ("name,text\na,1\nb,2\n", None, "2 items, but a question of triplet needs 3"),
    ):
        (folder / "items.csv").write_text(table)
        told = problems(folder)
        assert says in told
        assert "study.toml, line " in told
        assert line is None or f"items.csv, line {line}: " in told


def test_bad_gold_is_refused(make_study):
    folder = make_study(tasks={"gold": "gold.csv"})
    for row, says in (
        ("item0,item1,item9", "no item 'item9'"),
        ("item0,item1,item2|item3", "2 wrong options: give 1"),
        ("item0,item1,item1", "two options are the same item"),
    ):
        (folder / "gold.csv").write_text(f"head,right,wrong\n{row}\n")
        told = problems(folder)
        assert says in told
        assert "gold.csv, line 2" in told


def test_each_bad_study_is_told_with_file_and_line(make_study):
    classes = {"study": {"kind": "classify"}, "stimuli": {"items": "classes.csv"}}
    for n, (sections, break_, says) in enumerate(
        (
            ({"tasks": {"task_sizes": 5}}, None, "did you mean 'task_size'?"),  # an unknown key
            ({"tasks": {"practice": "two"}}, None, "give a whole number"),  # a wrong type
            ({"stimuli": {"folder": "gone"}}, None, "gone is not a folder"),  # a missing folder
            ({"stimuli": {"items": "gone.csv"}}, None, "gone.csv is not there"),  # and file
            ({"pages": {"debrief": "pages/gone.md"}}, None, "there is no gone.md"),
            ({"pages": {"consent": "../../etc/passwd"}}, None, "lies outside the study"),
            ({}, "stimuli/item1.jpg", "are one item: rename a file"),
            ({}, "stimuli/film.avi", "browsers cannot show .avi"),
            ({"study": {"kind": "one_of_n"}}, None, "6 items, but a question of one_of_n needs 9"),
            ({"study": {"kind": "classify"}}, None, "needs a PNG or JPEG picture and a label"),
            ({"asking": {"strategy": "controversial"}}, None, "name two files or more"),
            (classes | {"quality": {"gold_from_agreement": 0.9}}, None, "question of classify"),
        )
    ):
        folder = make_study(f"ties{n}", **sections)
        if break_:
            (folder / break_).write_bytes(b"x")
        lines = problems(folder).splitlines()
        assert any(says in line for line in lines), lines
        for line in lines:
            assert re.match(re.escape(str(folder / "study.toml")) + r", line \d+: ", line)


def test_the_database_lies_in_the_folder_unless_told_otherwise(make_study):
    path = make_study()
    assert StudyFolder.open(path).database == f"sqlite:///{path}/study.sqlite"
    other = StudyFolder.open(make_study("two", server={"database": "sqlite:///answers.db"}))
    assert other.database == f"sqlite:///{other.path}/answers.db"
    absolute = StudyFolder.open(make_study("three", server={"database": "sqlite:////a/b.db"}))
    assert absolute.database == "sqlite:////a/b.db"


def test_strings_and_barred_ids_are_read(make_study):
    folder = make_study(pages={"strings": "words.json"}, recruitment={"exclude": "out.csv"})
    (folder / "words.json").write_text('{"skip": "Weiter"}')
    (folder / "out.csv").write_text("id\nabc\n\ndef\n")
    read = StudyFolder.open(folder)
    assert read.strings == {"skip": "Weiter"}
    assert read.barred == {"abc", "def"}
    (folder / "words.json").write_text('{"skip": 3}')
    assert "words.json, line 1" in problems(folder)


def test_a_study_of_pictures_that_nobody_could_see_is_not_begun(tmp_path):
    images = tmp_path / "images"
    images.mkdir()
    for number in range(4):
        Image.new("RGB", (8, 8), (60 * number, 9, 9)).save(images / f"{number}.png")
    (images / "bad.png").write_bytes(b"no picture")
    with pytest.raises(FileError, match=r"ties/stimuli/bad\.png cannot be read as"):
        create_study(tmp_path / "ties", "triplet", images=images)
    assert not (tmp_path / "ties").exists()
    (images / "bad.png").unlink()
    study = create_study(tmp_path / "ties", "triplet", images=images)
    (study.path / "stimuli" / "2.png").write_bytes(b"no picture")
    whole = (study.path / "stimuli" / "0.png").read_bytes()
    (study.path / "stimuli" / "0.png").write_bytes(whole[: len(whole) * 2 // 3])
    (study.path / "stimuli" / "drawing.svg").write_text("<svg><circle/></svg>")
    told = CliRunner().invoke(command_line, ["check", str(study.path)])
    assert told.exit_code == 1
    for name in ("2.png", "0.png", "drawing.svg"):
        assert f"stimuli/{name}" in told.output
    assert "stimuli/1.png" not in told.output
