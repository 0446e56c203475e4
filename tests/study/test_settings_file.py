"""study.toml: what is wrong is told with file, line and remedy."""

import tomllib
from datetime import date
from pathlib import Path

import pytest

from resemblance.errors import FileError, SettingError
from resemblance.study.kinds import KINDS
from resemblance.study.sections import Publication, next_fit
from resemblance.study.settings import About, Settings
from resemblance.study.settings_file import (
    lines_of,
    read_settings,
    study_toml,
    toml,
    with_changes,
    without_secrets,
    written,
)


@pytest.fixture
def read(tmp_path):
    def read_(text):
        path = tmp_path / "study.toml"
        path.write_text(text)
        return read_settings(path)

    return read_


GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "settings.md"
HEAD = '[study]\nname = "ties"\n'
ONE_OF_N = HEAD + "kind = 'one_of_n'\n[asking]\n"
PROLIFIC = HEAD + '[recruitment]\nsource = "prolific"\n'
MARGIN = HEAD + "[asking]\nmodel = 'gnmds'\nstrategy = 'random'\n"


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('[study]\nnme = "ties"\n', 2, "unknown key 'study.nme': did you mean 'name'?"),
        (HEAD + "[taks]\n", 3, "unknown key 'taks': did you mean 'tasks'?"),
        (HEAD + "[tasks]\ntask_size = 50.5\n", 4, "task_size is 50.5: give a whole number"),
        (HEAD + '[tasks]\ntask_size = "50"\n', 4, "give a whole number"),
        (HEAD + "[tasks]\nskip = 1\n", 4, "give true or false"),
        (HEAD + "[tasks]\ngold_share = 1.5\n", 4, "less than or equal to 1"),
        (HEAD + "[tasks]\ngold_share = 0.6\nrepeat_share = 0.5\n", 3, "sum to 1.1"),
        (HEAD + 'kind = "triplets"\n', 3, "choose arrangement, classify"),
        (HEAD + "n_options = 3\n", 1, "n_options is 3, but triplet has 2"),
        (HEAD + "[asking]\nrandom_share = 1.5\n", 4, "less than 1"),
        (HEAD + "[asking]\nrandom_share = 0.6\ncontradiction_share = 0.5\n", 3, "sum to 1.1"),
        (
            HEAD + 'kind = "odd_one_out"\n[asking]\ncontradiction_share = 0.1\n',
            *(4, "contradictions needs a head"),
        ),
        (HEAD + '[recruitment]\nclose = "May"\n', 4, "a date without quotes"),
        (HEAD + '[recruitment]\nredirect = "http://x"\n', 4, "https"),
        (HEAD + "[recruitment]\nsigned = true\n", 3, "signed is true, but source is open"),
        (PROLIFIC + "signed = true\n", 1, "give server.address"),
        (PROLIFIC + "signed = true\n[server]\nport = 1\n", 6, "give server.address"),
        (HEAD + '[recruitment]\ntime_zone = "Europe/Berlyn"\n', 4, "mean Europe/Berlin"),
        (HEAD + '[recruitment]\ntime_zone = "Europe"\n', 4, "is not a time zone"),
        (HEAD + '[recruitment]\ntime_zone = "../../etc/passwd"\n', 4, "is not a time zone"),
        (HEAD + '[recruitment]\ntime_zone = ""\n', 4, "is not a time zone"),
        (HEAD + '[[quality.rules]]\nmeasure = "gold"\n', 3, "give below or above"),
        (HEAD + '[[quality.rules]]\nmeasure = "gold"\nbelow = 1\nlow = 2\n', 6, "unknown key"),
        (HEAD + '[[quality.rules]]\nmeasure = "gold"\nbelow = nan\n', 5, "below is nan"),
        (HEAD + '[[quality.rules]]\nmeasure = "fast"\nabove = inf\n', 5, "above is inf"),
        (HEAD + '[asking]\nmodel = "gnmds"\n', 3, "which gnmds does not give"),
        (HEAD + '[asking]\nmodel = "soe"\nstrategy = "uncertain"\n', 3, "set strategy to"),
        (ONE_OF_N + "model = 'gnmds'\nstrategy = 'random'\n", 4, "two options, but these"),
        (HEAD + "kind = 'odd_one_out'\n[asking]\nmodel = 'gnmds'\n", 4, "questions of two options"),
        (
            HEAD + "kind = 'odd_one_out'\n[asking]\nstrategy = 'information'\n",
            4,
            "needs a head",
        ),
        (
            HEAD + "kind = 'pair_rating'\n[asking]\nstrategy = 'uncertain'\n",
            4,
            "needs comparisons",
        ),
        (ONE_OF_N + "model = 'soe'\n", 4, "have 8: fit tste, ste or ckl, or set study.n_"),
        (HEAD + "kind = 'classify'\n[search]\npublic = true\n", 4, "classify of 2 options has"),
        (ONE_OF_N + "model = 'soe'\nstrategy = 'random'\n", 4, "questions of two options"),
        (MARGIN + "[search]\npublic = true\n", 6, "which gnmds does not give"),
        (HEAD + "[server]\nproxies = ['caddy']\n", 4, "give an address, or a network"),
        (HEAD + "[search]\npublik = true\n", 4, "did you mean 'public'?"),
        ('[study]\ntitle = "x"\n', 1, "study.name is missing"),
        ('[study]\nname = "My ties"\n', 2, "study.name is 'My ties'"),
        ('[study]\nname = "ties\n', 2, "correct that line"),
    ],
)
def test_each_problem_names_its_line_and_remedy(read, text, line, says):
    with pytest.raises((SettingError, FileError)) as told:
        read(text)
    assert f"study.toml, line {line}: " in str(told.value)
    assert says in str(told.value)


def test_all_problems_are_told_at_once(read):
    with pytest.raises(SettingError) as told:
        read(HEAD + "[tasks]\nskip = 1\nsize = 3\n[sever]\n")
    lines = str(told.value).splitlines()
    assert sorted(line.split(": ")[0][-6:] for line in lines) == ["line 4", "line 5", "line 6"]


def test_strings_of_several_lines_hold_no_keys():
    text = "a = \"\"\"\n[b]\nc = 1\n\"\"\"\nd = '''e\nf = 2'''\ng = 1\n"
    assert lines_of(text) == {("a",): 1, ("d",): 5, ("g",): 7}


def test_every_setting_is_described_and_in_the_guide():
    for name, field in Settings.model_fields.items():
        for key, setting in field.annotation.model_fields.items():
            assert setting.description, f"{name}.{key}"
            assert f"`{key}`" in GUIDE.read_text(), f"{name}.{key} is not in the guide"


def test_a_new_file_reads_as_it_was_given(read):
    given = {
        "study": {"name": "ties", "title": 'A "tie" shop', "wording": "Which?\nThis?"},
        "tasks": {"per_participant": 4},
        "pages": {"questionnaire": ["pages/a.md", "pages/b.md"]},
    }
    settings = read(study_toml(given))
    assert settings.study.title == 'A "tie" shop'
    assert settings.study.prompt == "Which?\nThis?"
    assert settings.tasks.per_participant == 4
    assert settings.pages.questionnaire == ["pages/a.md", "pages/b.md"]
    assert [rule.measure for rule in settings.quality.rules] == ["gold", "fast", "answered", "side"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_new_file_comments_out_is_what_holds(kind):
    text = study_toml({"study": {"name": "ties", "kind": kind}}, whole=True)
    hidden = {one.section[0]: name for name, one in KINDS.items() if one.section}
    for section, values in Settings(study=About(name="ties", kind=kind)).plain().items():
        for key, value in values.items():
            if section != "study" and not isinstance(value, dict | list) and value is not None:
                shown = hidden.get(section, kind) == kind
                assert (f"# {key} = {toml(value)}" in text) == shown, key


@pytest.mark.parametrize("rules", [None, [], [{"measure": "gold", "below": 0.5, "action": "stop"}]])
def test_all_settings_are_told_as_they_are_in_force(rules):
    given = {"study": {"name": "ties"}} | ({} if rules is None else {"quality": {"rules": rules}})
    told = Settings.model_validate(tomllib.loads(study_toml(given, whole=True)))
    assert told == Settings.model_validate(given)


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_file_is_short(kind):
    study = {"name": "ties", "title": "Ties", "language": "en", "kind": kind, "wording": "Which?"}
    text = study_toml({"study": study, "pages": {"questionnaire": ["pages/questionnaire.md"]}})
    assert len(text.splitlines()) <= 60 + 12 * (KINDS[kind].section is not None)
    assert {"study", "tasks", "quality", "recruitment"} <= tomllib.loads(text).keys()


@pytest.mark.parametrize("given", [{"hold": 3}, {"exact": True, "colour": "dark"}])
def test_nothing_is_written_that_is_no_setting(given):
    with pytest.raises(SettingError, match=f"no setting '{list(given)[-1]}'"):
        study_toml({"study": {"name": "ties"}, "display": given})


def test_permitted_changes_are_taken_from_the_edited_text_and_no_others():
    edited = Settings(study=About(name="x"), recruitment={"close": date(2031, 5, 1)})
    changed = with_changes(Settings(study=About(name="ties")), edited)
    assert (changed.study.name, changed.recruitment.close) == ("ties", date(2031, 5, 1))


def test_settings_are_written_as_toml_and_secrets_left_out():
    hidden = without_secrets('[recruitment]\ncompletion_code = "C0DE"\npay = 2.5').splitlines()
    assert hidden[2:] == ["[recruitment]", "# completion_code: left out of the export", "pay = 2.5"]
    lines = written({"quality": {"fast_ms": 300, "rules": [{"measure": "gold"}]}}).splitlines()
    assert lines == ["[quality]", "fast_ms = 300", "[[quality.rules]]", 'measure = "gold"']
    values = True, None, ["a", "b"], {"a": 1}
    assert [*map(toml, values)] == ["true", "", '["a", "b"]', '{"a" = 1}']


def test_numbers_that_follow_from_settings():
    assert Settings(study=About(name="ties")).total == 103
    assert (next_fit(1000, 0.1), next_fit(3, 0.1), next_fit(1000, 0.02, least=30)) == (
        1100,
        4,
        1030,
    )


def test_a_publication_without_a_licence_is_refused():
    with pytest.raises(SettingError, match=r"published data need publication\.license"):
        Publication(authors=["Young, Ann"]).refuse_unfinished()
