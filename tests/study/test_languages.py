"""Languages: each is whole, says what the others say, and no sentence of another."""

import re
import wave
from pathlib import Path

import pytest
from typer.testing import CliRunner

from resemblance.cli import app as command_line
from resemblance.errors import SettingError
from resemblance.study.creation import create_study
from resemblance.study.folder import StudyFolder
from resemblance.study.kinds import KINDS
from resemblance.study.languages import DEFAULT, LANGUAGES, chosen, find_language
from study_folder import all_settings

ENGLISH = find_language(DEFAULT)
OTHERS = [code for code in LANGUAGES if code != DEFAULT]
SAME = {"fr": {"practice.over.title"}}  # what is so in English, too


def forms(told):
    return list(told.values()) if isinstance(told, dict) else [told]


def places(text):
    return set(re.findall(r"\{\w+\}", text))


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_is_whole(code):
    language = find_language(code)
    assert language.strings.keys() == ENGLISH.strings.keys()
    for name, english in ENGLISH.strings.items():
        wanted = places(forms(english)[-1])
        assert all(one.strip() and places(one) == wanted for one in forms(language.strings[name]))
        assert isinstance(language.strings[name], dict) == isinstance(english, dict), name
    assert language.kinds.keys() == KINDS.keys()
    for kind, words in ENGLISH.kinds.items():
        assert language.kinds[kind].keys() == words.keys(), kind
    assert language.pages.keys() == ENGLISH.pages.keys()
    assert language.placeholder in language.pages["consent"]
    assert "{duration}" in language.pages["consent"]


@pytest.mark.parametrize("code", OTHERS)
def test_nothing_was_left_in_english(code):
    language = find_language(code)
    same = {n for n, told in language.strings.items() if told == ENGLISH.strings[n]}
    assert same <= SAME.get(code, set())
    assert not {n for n, text in language.pages.items() if text == ENGLISH.pages[n]}
    for kind, words in language.kinds.items():
        assert not {n for n, told in words.items() if told == ENGLISH.kinds[kind][n]}, kind
    assert language.title != ENGLISH.title
    assert language.heading != ENGLISH.heading
    assert language.placeholder != ENGLISH.placeholder
    assert language.listening != ENGLISH.listening


def test_new_makes_pages_of_sounds_and_promises_in_one_language_alone(tmp_path):
    sounds = tmp_path / "sounds"
    sounds.mkdir()
    for number in range(4):
        with wave.open(str(sounds / f"s{number}.wav"), "wb") as file:
            file.setparams((1, 2, 8000, 0, "NONE", ""))
            file.writeframes(bytes([number] * 80))
    study = create_study(tmp_path / "tones", "triplet", sounds, languages=["de", "en", "ja"])
    pages = study.path / "pages"
    german = find_language("de")
    assert german.listening in (pages / "instructions.md").read_text(encoding="utf-8")
    assert (pages / "consent.md").read_text(encoding="utf-8") == german.pages["consent"]
    assert "pseudonym" not in (pages / "consent.en.md").read_text(encoding="utf-8")
    assert "▶" in (pages / "instructions.ja.md").read_text(encoding="utf-8")
    assert set(study.unready) == {"pages/consent.md", "pages/consent.en.md", "pages/consent.ja.md"}
    said = CliRunner().invoke(command_line, ["check", str(study.path)]).output
    (note,) = [line for line in said.splitlines() if "native speaker" in line]
    assert all(name in note for name in ("Deutsch (de)", "English (en)", "日本語 (ja)"))


def texts_of(told):
    """All texts within a language, however deep."""
    if isinstance(told, str):
        return [told]
    values = told.values() if isinstance(told, dict) else told if isinstance(told, list) else []
    return [text for value in values for text in texts_of(value)]


def sentences(texts):
    """The sentences of texts that are long enough to be of one language."""
    parts = re.split(r"[.:;?!。！？：；।؟]|\n|\{\w+\}", "\n".join(texts))
    words = (part.strip(" *#\"'") for part in parts)
    return {one for one in words if len(one.split()) > 2 or re.search(r"[぀-ヿ一-鿿]{6}", one)}


SENTENCES = {code: sentences(texts_of(vars(find_language(code)))) for code in LANGUAGES}
FORM = sentences(['type = "choice"', 'type = "scale"', 'type = "text"', "min = 1"])
FORM |= {"max = 5", "lines = 3"}


def make(path, kind, languages, **more):
    table = path.parent / "items.csv"
    rows = [f"i{n},words {n},{n % 2}" for n in range(12)]
    table.write_text("\n".join(["item,text,label", *rows]) + "\n")
    return create_study(path, kind, items=table, languages=languages, **more)


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_page_of_a_study_holds_a_sentence_of_another_language(tmp_path, code):
    said, kinds = set(), [kind for kind in KINDS if kind != "classify"]  # whose items are pictures
    for kind in ("pair_rating", kinds[list(LANGUAGES).index(code) % len(kinds)]):
        if not (tmp_path / kind).exists():
            study = make(tmp_path / kind, kind, [code])
            assert study.settings.study.language == code
            said |= sentences([study.settings.study.prompt, *texts_of(dict(study.words))])
            for page in study.pages.values():
                said |= sentences([page.title, re.sub("<[^>]+>", "\n", page.html)])
                said |= sentences(texts_of([one.model_dump() for one in page.fields.values()]))
    assert len(said) > 50
    for other in set(LANGUAGES) - {code}:
        assert not said & SENTENCES[other] - FORM, other


READY = {"consent": "# Einwilligung\n", "consent.fr": "# Consentement\n"}


def test_a_study_in_several_languages_is_read_in_each(tmp_path):
    study = make(tmp_path / "ties", "pair_rating", ["de", "fr"], pages=READY)
    assert (study.settings.study.languages, study.unready) == (("de", "fr"), ())
    french = study.spoken("fr")
    assert french.settings.study.prompt == find_language("fr").kinds["pair_rating"]["wording"]
    assert french.material.own.high == find_language("fr").kinds["pair_rating"]["high"]
    assert french.pages["consent"].title == "Consentement"
    assert french.words["skip"] == find_language("fr").strings["skip"]
    assert study.spoken("de") is study


def problems(folder):
    with pytest.raises(SettingError) as told:
        StudyFolder.open(folder)
    return str(told.value)


def test_what_a_further_language_lacks_is_named(tmp_path):
    path = make(tmp_path / "ties", "triplet", ["en", "de"]).path
    (path / "pages/debrief.de.md").unlink()
    form = (path / "pages/questionnaire.de.md").read_text()
    (path / "pages/questionnaire.de.md").write_text(form.replace("max = 5", "max = 6"))
    text = (path / "study.toml").read_text()
    german = find_language("de").kinds["triplet"]["wording"]
    (path / "study.toml").write_text(text.replace(f'wording = "{german}"', "# no wording"))
    told = problems(path)
    assert "debrief.de.md" in told
    assert "'questionnaire-1' has other fields in 'de'" in told
    assert "add wording" in told


def test_a_condition_says_its_own_words_in_each_language(tmp_path):
    path = make(tmp_path / "ties", "pair_rating", ["en", "de"]).path
    toml = all_settings(path)
    toml += '[conditions.between.near]\nwording = "Near?"\nown = {low = "strange"}\n'
    toml += "[conditions.between.far]\n"
    question = 'conditions = {near = "Nah?"}'
    (path / "study.toml").write_text(toml.replace("# conditions = {}", question))
    assert "'near' has no 'low' in 'de'" in problems(path)
    words = 'conditions = {near = {wording = "Nah?", own = {low = "fremd"}}}'
    (path / "study.toml").write_text(toml.replace("# conditions = {}", words))
    study = StudyFolder.open(path)
    german, english = (study.spoken(code).in_condition("near").settings for code in ("de", "en"))
    assert (german.study.prompt, german.own.low) == ("Nah?", "fremd")
    assert german.own.high == find_language("de").kinds["pair_rating"]["high"]
    assert (english.study.prompt, english.own.low) == ("Near?", "strange")


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("fr-CA", "fr"),
        ("xx, DE-at;q=0.3", "de"),
        ("", "en"),
        ("*", "en"),
        ("de;q=x,fr;q=0.9", "de"),
    ],
)
def test_a_browser_says_which_language(accepted, language):
    assert chosen(accepted, ["en", "de", "fr"]) == language


def test_the_guide_lists_the_languages_as_they_are():
    guide = (Path(__file__).parents[2] / "docs/guide/languages.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in guide.splitlines() if line.startswith("| `")]
    told = {row[0].strip("`"): row[1:] for row in rows if len(row) == 4}
    assert told == {
        code: [
            language.name,
            "the right" if language.direction == "rtl" else "the left",
            "yes" if language.reviewed else "no",
        ]
        for code, language in ((code, find_language(code)) for code in LANGUAGES)
    }


def test_the_language_nearest_to_what_is_asked_for():
    assert (find_language("de-CH").name, find_language("tlh").name) == ("Deutsch", "English")
    assert find_language("ar").direction == "rtl"
    assert chosen("fr-CA,de;q=0.7", ["en", "de"]) == "de"
    assert chosen("nl", ["de", "en"]) == "de"
