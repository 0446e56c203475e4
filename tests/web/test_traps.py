"""Traps: pages that people see through and programs do not; they flag, and keep nobody out."""

from random import Random

import numpy as np
import pytest
from PIL import Image, ImageSequence

from resemblance.errors import SettingError
from resemblance.study.creation import create_study
from resemblance.study.export import Export
from resemblance.study.folder import StudyFolder
from resemblance.study.languages import LANGUAGES, find_language
from resemblance.study.quality import Quality, idle_rules
from resemblance.study.rules import Rule
from resemblance.study.traps import ANSWERS, moving, turning
from small_study import Hands
from web.test_desk_study import log_in

TASKS = {"per_participant": 1, "task_size": 4, "practice": 0, "gold_share": 0.0}


def make(tmp_path, languages=("en", "de")):
    (tmp_path / "items.csv").write_text(
        "item,text\n" + "".join(f"i{n},tie {n}\n" for n in range(9))
    )
    told = {"tasks": TASKS, "asking": {"adaptive": False}}
    pages = {"consent": "# Consent\n"} | {f"consent.{one}": "# ...\n" for one in languages[1:]}
    given = {"languages": languages, "settings": told, "pages": pages}
    return create_study(tmp_path / "ties", items=tmp_path / "items.csv", traps=True, **given)


def frames_of(picture):
    return np.array([np.array(one.convert("L")) for one in ImageSequence.Iterator(picture)], float)


@pytest.mark.parametrize("shape", ANSWERS["shape"])
def test_the_shape_is_in_the_motion_and_in_no_picture(shape):
    """A single picture has grains of one share and no structure, inside and out."""
    frames = np.array([np.array(one) for one in moving(shape, Random(1))], float)[:, ::3, ::3]
    moves = (frames[1:] != frames[:-1]).mean(axis=0) > 0.2
    assert 0.08 < moves.mean() < 0.3
    for one in frames[:6]:
        light = one == one.max()
        n = moves.sum()
        assert abs(light[moves].mean() - light[~moves].mean()) < 4 * 0.5 / np.sqrt(n)
    full = moves[np.ix_(moves.any(1), moves.any(0))].mean()  # of the box about it
    assert {"circle": 0.7, "square": 0.95, "triangle": 0.4}[shape] < full
    assert full < {"circle": 0.85, "square": 1.01, "triangle": 0.6}[shape]


@pytest.mark.parametrize(("way", "sign"), [("clockwise", 1), ("anticlockwise", -1)])
def test_dots_turn_and_each_picture_could_be_of_either_way(way, sign):
    one, other = (np.array(frame) for frame in turning(way, Random(1))[:2])
    turned = Image.fromarray(one).rotate(-2.5 * sign)  # of Pillow: anticlockwise
    back = Image.fromarray(one).rotate(2.5 * sign)
    miss = [np.abs(np.array(image, float) - other).mean() for image in (turned, back)]
    assert miss[0] < 0.6 * miss[1]


@pytest.mark.parametrize("code", LANGUAGES)
def test_all_languages_word_them(code):
    words, english = find_language(code).traps, find_language("en").traps
    assert words.keys() == english.keys()
    assert len(set(words.values())) == len(words)
    if code != "en":
        assert not {name for name, text in words.items() if text == english[name]}


def test_a_new_study_has_them_in_its_languages_and_tells_programs_nothing(tmp_path):
    study = make(tmp_path)
    assert [*study.traps] == ["look-larger", "look-shape", "look-turn"]
    german = study.spoken("de").pages["look-turn"]
    assert german.fields["turn"].label == find_language("de").traps["turn"]
    told = [field for page in study.pages.values() for field in page.for_browser()["fields"]]
    assert not [one for one in told if {"people", "unsure"} & one.keys()]
    names = [name for page in study.traps.values() for name in page.pictures]
    assert len(names) == len(set(names)) == 3
    assert {study.media[name].path.name for name in names} == {
        "larger.png",
        "shape.gif",
        "turn.gif",
    }
    html = study.pages["look-turn"].html
    assert "<details><summary>" in html  # nothing moves before somebody opens it
    assert 'alt="A picture' in html
    assert study.n_traps == 3
    rule = Rule(measure="traps", below=0.5, after=4)
    assert idle_rules(with_rules(study, rule), study.material, study.n_traps) == [(rule, 3)]
    rule = Rule(measure="traps", below=0.5, after=3)
    assert idle_rules(with_rules(study, rule), study.material, study.n_traps) == []


def with_rules(study, *rules):
    """The settings of a study, with other rules."""
    quality = study.settings.quality.model_copy(update={"rules": list(rules)})
    return study.settings.model_copy(update={"quality": quality})


def put(served, answers):
    """Take somebody through the study, who answers the traps so."""
    person = served.person(parameters={})
    person.begin()
    person.answer_all()
    for name, value in answers.items():
        person.post(f"pages/look-{name}", {"values": {name: value}})
    return person


@pytest.fixture
def served(tmp_path, serve):
    return serve(make(tmp_path).path)


def right(study):
    return {name[5:]: page.traps[name[5:]].people for name, page in study.traps.items()}


def wrong(study):
    return {
        name[5:]: next(one for one in field.options if one not in (field.people, field.unsure))
        for name, page in study.traps.items()
        for field in [page.traps[name[5:]]]
    }


def test_who_is_trapped_is_flagged_and_nothing_else(served):
    study = served.live.folder
    unsure = dict.fromkeys(right(study), find_language("en").traps["unsure"])
    slip = right(study) | {"shape": wrong(study)["shape"]}
    out = dict.fromkeys(right(study))
    people = [put(served, one) for one in (right(study), wrong(study), unsure, slip, out)]
    quality = Quality.of(served.live)
    shares = [quality.measures(one.code)["traps"] for one in people]
    assert shares == [(1.0, 3), (0.0, 3), (None, 0), (2 / 3, 3), (None, 0)]
    verdicts = [one for one in quality.verdicts() if one.rule.measure == "traps"]
    assert [(one.code, one.rule.action) for one in verdicts] == [(people[1].code, "flag")]
    standing = people[1].get().json()
    assert standing["state"] == "questionnaire"  # and goes on as everybody does
    rows = {t.name: list(t.rows()) for t in Export(served.live).tables()}["participants"]
    assert [row["traps"] for row in rows] == [1.0, 0.0, None, 2 / 3, None]
    assert ["traps" in row["flags"] for row in rows] == [False, True, False, False, False]
    hands = Hands(served.live)
    hands.begin()
    hands.watch()
    noted = [one.details for one in served.store.events.audit(served.live.record, "quality rule")]
    told = [(one["participant"], one["action"]) for one in noted if "traps" in one["rule"]]
    assert told == [(people[1].code, "flag")]
    hands.work.close()


def test_the_desk_shows_the_pages_with_their_pictures(served):
    page = log_in(served).client.get("/desk/ties/questions").text
    names = [name for one in served.live.folder.traps.values() for name in one.pictures]
    assert 'src="media:' not in page
    for name in names:
        assert f'src="/media/ties/{name}"' in page
        assert served.client.get(f"/media/ties/{name}").headers["content-type"][:6] == "image/"


def test_an_answer_in_another_language_counts_alike(served):
    german = served.live.folder.spoken("de").pages["look-turn"].fields["turn"]
    own = served.live.folder.pages["look-turn"].fields["turn"]
    person = served.person(parameters={})
    person.headers["Accept-Language"] = "de"
    person.begin()
    person.answer_all()
    value = german.options[own.options.index(own.people)]
    person.post("pages/look-turn", {"values": {"turn": value}})
    assert Quality.of(served.live).measures(person.code)["traps"] == (1.0, 1)


@pytest.mark.parametrize("action", ["hold", "stop", "exclude"])
def test_nobody_is_thrown_out_by_traps(tmp_path, action):
    toml = make(tmp_path).path / "study.toml"
    text = toml.read_text()
    at = text.index('measure = "traps"')
    toml.write_text(text[:at] + text[at:].replace('"flag"', f'"{action}"', 1))
    with pytest.raises(SettingError, match="flag"):
        StudyFolder.open(toml.parent)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("people =", "# people =", "unsure"),
        ("unsure =", "# unsure =", "unsure"),
        ('people = "', 'people = "not ', "people"),
        ("turn.gif", "other.gif", "other.gif"),
        ("turn.gif", "../stimuli/turn.gif", "beside"),
        ("turn.gif", "https://lab.example/turn.gif", "beside"),
        ("turn.gif", "turn.md", "beside"),
    ],
)
def test_what_is_no_trap_is_refused_by_name(tmp_path, old, new, named):
    page = make(tmp_path, ("en",)).path / "traps" / "turn.md"
    page.write_text(page.read_text().replace(old, new))
    with pytest.raises(SettingError) as told:
        StudyFolder.open(page.parents[1])
    assert named in str(told.value)
    assert "turn.md" in str(told.value)


def test_a_laboratory_adds_its_own(tmp_path):
    study = make(tmp_path, ("en",))
    own = (study.path / "traps" / "turn.md").read_text().replace("[turn]", "[mine]")
    (study.path / "traps" / "mine.md").write_text(own)
    assert "look-mine" in StudyFolder.open(study.path).traps
    for page in (study.path / "traps").glob("*.md"):
        page.unlink()
    with pytest.raises(SettingError, match="traps"):
        StudyFolder.open(study.path)
