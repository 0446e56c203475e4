"""A study pauses itself by rules that were written before it, and says what they saw."""

import pytest

from resemblance.errors import SettingError
from resemblance.study.export.tables import Export
from resemblance.study.settings_file import read_settings
from resemblance.study.stopping import LOOK, WHO, reached
from resemblance.web.desk.overview import Overview
from small_study import SMALL, Hands, People, make_folder, open_study


@pytest.fixture
def begin(tmp_path):
    """Begin a study of twelve dots with some rules."""
    begun = []

    def begin_(rules, more=""):
        sections = f"{SMALL}{more}\n[stopping]\n{rules}\n"
        live = open_study(tmp_path / "dots", f"sqlite:///{tmp_path}/s.sqlite", sections=sections)
        begun.append(Hands(live))
        begun[-1].begin()
        return live, begun[-1], People(live, 4)

    yield begin_
    for hands in begun:
        hands.work.close()
        hands.work.live.store.close()


def answer(hands, people, n):
    for _ in range(n // 5):
        people.answer(5)
        hands.settle()


def looks(live):
    return [event.details for event in live.store.events.audit(live.record, LOOK)]


def test_a_number_of_answers_pauses_once_and_never_closes(begin):
    live, hands, people = begin("answers = 60")
    answer(hands, people, 100)
    live.reread()
    assert live.state == "paused"
    by_rule = [one for one in looks(live) if one["paused_by"]]
    assert [one["paused_by"] for one in by_rule] == [["answers"]]
    at = by_rule[0]["figures"]["answers"]
    before = [one["figures"]["answers"] for one in looks(live)][: looks(live).index(by_rule[0])]
    assert at >= 60 > max(before)
    assert live.store.events.last(live.record, "study paused").who == WHO
    assert f"answers {at}" in Overview(live).paused_by
    live.store.studies.set_state(live.record, "open", "somebody")
    live.reread()
    n_looks = len(looks(live))
    answer(hands, people, 60)
    live.reread()
    assert live.state == "open"  # the rule has acted
    assert Overview(live).paused_by == ""
    assert len(looks(live)) > n_looks
    assert looks(live)[-1]["reached"] == ["answers"]


def test_an_export_has_every_look_with_figures_and_bounds(begin):
    live, hands, people = begin("answers = 60\nerror = 0.01")
    answer(hands, people, 100)
    tables = {table.name: list(table.rows()) for table in Export(live, published=True).tables()}
    rows = tables["stopping"]
    assert len(rows) == len(looks(live))
    assert {row["bound_answers"] for row in rows} == {60}
    assert {row["bound_error"] for row in rows} == {0.01}
    assert [row["paused_by"] for row in rows if row["paused_by"]] == ["answers"]
    assert [row["answers"] for row in rows] == [one["figures"]["answers"] for one in looks(live)]


def test_what_is_not_known_yet_is_not_reached():
    seen = {"answers": 100, "error": None, "gain": 0.01}
    assert reached({"error": 0.5, "gain": 0.01, "answers": 101}, seen) == []
    assert reached({"gain": 0.02, "answers": 100}, seen) == ["gain", "answers"]


@pytest.mark.parametrize(
    ("kind", "rule", "named"),
    [
        ("pair_rating", "error = 0.2", "stopping"),
        ("triplet", "error = 1.5", "error"),
        ("classify", "answers = 50", "stopping"),
    ],
)
def test_rules_that_can_never_act_are_refused(tmp_path, kind, rule, named):
    make_folder(tmp_path / "dots")
    file = tmp_path / "dots" / "study.toml"
    text = file.read_text().replace('"triplet"', f'"{kind}"')
    file.write_text(f"{text}\n[stopping]\n{rule}\n")
    with pytest.raises(SettingError, match=named):
        read_settings(file)
