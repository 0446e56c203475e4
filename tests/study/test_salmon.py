"""An experiment of Salmon becomes a study: init.yaml of every version, and its targets."""

import zipfile
from xml.etree import ElementTree

import pytest
from PIL import Image

from resemblance.errors import FileError, ResemblanceError, SettingError
from resemblance.study.salmon import create_from_salmon

# The structure of Salmon's own complete example; the words are ours.
COMPLETE = """\
targets:
  - "A list, as YAML writes it"
  - "<b>Ann</b> (bold)"
  - Why?
  - 42. Or...
  - no
  - '<img src="https://x.org/pictures/silk%20tie.png" width="400px"/>'
  - <img src='https://x.org/a.png/88.png' />
samplers:
  Random: {}
  testing:
    class: Random
  ARR: {n_top: 3}
  Validation:
    queries: [[0, 1, 2], [1, 2, 3]]
sampling:
  probs: {"ARR": 40, "Validation": 20, "Random": 20, "testing": 20}
  samplers_per_user: 0
  common: {d: 3, random_state: 42}
html:
  title: Ties
  instructions: Choose buttons, <b>please.</b>
  debrief: "<b>Thanks!</b> Use the participant ID below:"
  max_queries: 42
  skip_button: true
  arrow_keys: false
  css: >  # several lines
    body {
      color: #220;
    }
  element_top: "<div></div>"
"""


@pytest.fixture
def begin(tmp_path):
    """Begin a study of a text of YAML."""

    def begin_(text, images=None):
        (tmp_path / "init.yaml").write_text(text)
        return create_from_salmon(tmp_path / "init.yaml", tmp_path / "study", images)

    return begin_


@pytest.fixture
def pictures(tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number, name in enumerate(["10.png", "9.png", "silk tie.png", "88.png"]):
        Image.new("L", (4, 4), 50 * number).save(folder / name)
    return folder


def test_the_complete_example_becomes_a_study(begin):
    study, notes = begin(COMPLETE)
    assert study.names == (
        "A list, as YAML writes it", "Ann (bold)", "Why?", "42. Or...", "no", "silk tie", "88",
    )  # fmt: skip
    assert {stimulus.type for stimulus in study.stimuli} == {"text"}
    settings = study.settings
    assert (settings.study.kind, settings.study.title) == ("triplet", "Ties")
    assert settings.study.wording == "Choose buttons, please."
    assert settings.study.seed == 42
    assert settings.total == 42
    assert settings.tasks.skip
    assert (settings.asking.model, settings.asking.n_components) == ("tste", 3)
    assert settings.asking.shares.information == pytest.approx(0.4)
    assert settings.asking.shares.random == pytest.approx(0.6)
    assert "<strong>Thanks!</strong> Use the participant ID" in study.pages["debrief"].html
    told = "\n".join(notes)
    assert "2 targets are pictures elsewhere" in told
    assert "https://x.org/a.png/88.png" in told
    assert "the HTML of 1 targets became plain words" in told
    assert "Validation asks fixed questions" in told
    left_out = notes[-1].partition(": ")[2].split(", ")
    assert left_out == [
        "html.arrow_keys", "html.css", "html.element_top", "samplers.ARR.n_top",
        "samplers.Validation.queries",
    ]  # fmt: skip


def test_pictures_that_targets_name_are_taken_from_a_folder(begin, pictures):
    study, notes = begin(COMPLETE, pictures)
    assert [stimulus.type for stimulus in study.stimuli] == ["text"] * 5 + ["image"] * 2
    assert study.by_name["silk tie"].path.read_bytes() == (pictures / "silk tie.png").read_bytes()
    assert "pictures elsewhere" not in "\n".join(notes)


def test_a_named_picture_that_is_not_there_is_an_error(begin, pictures):
    (pictures / "88.png").unlink()
    with pytest.raises(FileError, match=r"pictures has no file 'https://x.org/a.png/88.png'"):
        begin(COMPLETE, pictures)


@pytest.mark.parametrize(
    ("text", "n", "total", "adaptive"),
    [
        ("targets: 10  # so many\n", 10, 50, False),
        ("targets: [0, 1, 2, 3]\nmax_queries: 100\n", 4, 100, False),
        ("targets: [l, <i>k</i>, t]\nhtml:\n  max_queries: 100\n", 3, 100, False),
        ("targets: 5\nn: 5\nd: 2\nsamplers:\n  ARR: {}\n  Random: {}\n", 5, 50, True),
        ("targets: [a, b, c]\nsamplers:\n  RoundRobin: {}\nmax_queries: 20\n", 3, 20, False),
        ("targets: [a, b, c]\nsamplers:\n  x: {module: RandomSampling}\n", 3, 50, False),
        ("targets: [a, b, c]\nhtml: {max_queries: -1}\n", 3, 50_000, False),
    ],
)
def test_short_and_older_files_are_read(begin, text, n, total, adaptive):
    study, _ = begin(text)
    assert len(study.stimuli) == n
    assert study.settings.total == total
    assert study.settings.adaptive == adaptive
    assert study.settings.tasks.gold_share == 0


def test_an_older_file_with_its_settings_at_the_top(begin, pictures):
    text = (
        "instructions: Which one?\ndebrief: Bye\nskip_button: true\nd: 4\nsamplers:\n"
        "  TSTE: {random_state: 7, R: 2}\n  Random: {}\n  STE: {scorer: uncertainty}\n"
        "css: >\n  body {}\n"
    )
    study, notes = begin(text, pictures)
    asking = study.settings.asking
    assert (asking.model, asking.n_components, asking.start_per_head) == ("tste", 4, 2)
    shares = asking.shares
    assert (shares.information, shares.random, shares.uncertain) == pytest.approx([1 / 3] * 3)
    assert study.settings.study.seed == 7
    assert study.settings.study.wording == "Which one?"
    assert study.settings.tasks.skip
    assert notes[-1].endswith(": css, samplers.STE: ste")


@pytest.mark.parametrize("packed", [False, True])
def test_files_take_the_place_of_targets_in_salmons_order(begin, pictures, tmp_path, packed):
    images = pictures
    if packed:
        images = tmp_path / "targets.zip"
        with zipfile.ZipFile(images, "w") as archive:
            for file in pictures.iterdir():
                archive.write(file, f"ties/{file.name}")
            archive.writestr("__MACOSX/ties/._9.png", b"x")
            archive.writestr("ties/.DS_Store", b"x")
    study, _ = begin("targets: [a, b]\n", images)
    assert study.names == ("9", "10", "88", "silk tie")


def test_a_zipped_table_has_a_target_on_each_line(begin, tmp_path):
    with zipfile.ZipFile(tmp_path / "targets.csv.zip", "w") as archive:
        archive.writestr("targets.csv", 'Ann\n<b>Bob</b>\n"Cem, the third"\n')
    study, _ = begin("html: {max_queries: 9}\n", tmp_path / "targets.csv.zip")
    assert study.names == ("Ann", "Bob", "Cem, the third")


def test_repeated_targets_get_their_index(begin):
    study, _ = begin("targets: [bow, <i>bow</i>, tie]\n")
    assert study.names == ("bow (0)", "bow (1)", "tie")


def test_targets_that_show_nothing_are_refused(begin):
    with pytest.raises(SettingError, match="targets 1, 2 "):
        begin('targets: [bow, "<div></div>", "<br>"]\n')


def test_html_with_styles_becomes_pictures(begin):
    box = "<div style='background: red; width: 90px; height: 60px'>"
    words = "<p style='color: #00f'>Tom & <b>Jerry"
    study, notes = begin(f'targets: [bow, "{box}", "{words}"]\n')
    assert study.names == ("bow", "1", "Tom & Jerry")
    assert "the HTML of 2 targets with styles became pictures" in notes
    drawings = {file.name: file for file in (study.path / "stimuli").glob("*.svg")}
    assert len(drawings) == 2
    for file in drawings.values():
        root = ElementTree.parse(file).getroot()
        assert root.tag.endswith("svg")
    [boxed] = [
        file.read_text() for file in drawings.values() if "background: red" in file.read_text()
    ]
    assert 'width="90" height="60"' in boxed


@pytest.mark.parametrize(
    ("html", "what"),
    [
        ("<div style='color: red'><script>alert(1)</script></div>", "script"),
        ("<div style='color: red'><svg></svg></div>", "svg"),
        ("<div style='background: url(//a.org/b.png)'></div>", "an address"),
        ("<div style='color: red' onclick='alert(1)'>bow</div>", None),
    ],
)
def test_what_runs_or_loads_is_no_part_of_a_drawing(begin, html, what):
    text = f'targets: [bow, tie, "{html}"]\n'
    if what is None:
        study, _ = begin(text)
        [drawing] = (study.path / "stimuli").glob("*.svg")
        assert "alert" not in drawing.read_text()
        return
    with pytest.raises(SettingError, match=f"target 2 holds {what}"):
        begin(text)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("targets: [a, b\nhtml: {}\n", 2, "mend the YAML there"),
        ("", 1, "no keys: give targets"),
        ("html: {}\n", 1, "there are no targets: add them, or give their files with --images"),
        ("html: {}\ntargets: yes\n", 2, "targets is True: give a list, or how many"),
        ("targets:\n - a\n - {b: c}\n", 3, "a target is a text: put it in quotes"),
        ("targets: 5\nsampler: {}\n", 2, "unknown key 'sampler': did you mean 'samplers'?"),
        ("targets: 5\nhtml:\n  max_queries: ten\n", 3, "max_queries is 'ten': give a whole number"),
        ("targets: 5\nhtml:\n  skip_button: 1\n", 3, "skip_button is 1: give true or false"),
        ("targets: 5\nsamplers:\n  CLK: {}\n", 3, "unknown sampler 'CLK': name one of"),
        ("targets: 5\nsamplers: [ARR]\n", 2, "samplers is ['ARR']: give keys with values"),
        ("targets: 5\nsamplers:\n  ARR: 3\n", 3, "ARR is 3: give keys, or {}"),
        ("targets: 5\nsampling:\n  probs: {ARR: 100}\n", 3, "probs must name the samplers: random"),
        ("targets: 5\nsampling:\n  probs: {random: 90}\n", 3, "sum to 90: they must to 100"),
        ("targets: 5\nd: 0\n", 2, "d is 0: give a whole number from 1"),
        ("targets: 5\nsamplers:\n  ARR: {R: many}\n", 3, "R is 'many': give a whole number from 0"),
        ("targets: 5\nsamplers:\n  ARR:\n    scorer: best\n", 4, "unknown scorer 'best'"),
        ("targets: 5\nsampling:\n  common: {d: two}\n", 3, "d is 'two': give a whole number"),
        ("targets: 2\n", None, "2 items, but a question of triplet needs 3"),
    ],
)
def test_what_cannot_be_is_refused_at_its_line(begin, tmp_path, text, line, says):
    with pytest.raises(ResemblanceError) as told:
        begin(text)
    assert says in str(told.value)
    if line is not None:
        assert f"init.yaml, line {line}: " in str(told.value)
    assert not (tmp_path / "study").exists()


def test_files_that_browsers_do_not_show_are_refused(begin, pictures):
    (pictures / "film.mov").write_bytes(b"x")
    with pytest.raises(FileError, match=r"browsers do not show film.mov"):
        begin("html: {}\n", pictures)


def test_broken_archives_and_taken_folders_are_refused(begin, tmp_path):
    (tmp_path / "targets.zip").write_bytes(b"x")
    with pytest.raises(FileError, match=r"targets.zip cannot be read .*give a zip file"):
        begin("html: {}\n", tmp_path / "targets.zip")
    begin("targets: 5\n")
    with pytest.raises(FileError, match="is there already"):
        begin("targets: 5\n")


def test_yaml_that_makes_other_things_than_data_is_refused(begin):
    with pytest.raises((FileError, SettingError), match=r"init.yaml, line 1"):
        begin("targets: !!python/object/apply:os.system ['true']\n")


def test_models_without_odds_choose_by_another(begin):
    study, notes = begin("targets: [a, b, c, d]\nsamplers:\n  SOE: {}\n")
    assert study.settings.asking.model == "tste"
    assert any("SOE" in note for note in notes)
