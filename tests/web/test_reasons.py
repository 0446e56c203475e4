"""Words on the way in which items differ: asked, checked, stored, exported, erased."""

import csv

import pytest

from resemblance.errors import SettingError
from resemblance.judgments import read_experiment
from resemblance.study.export import Export, write_export
from resemblance.study.export.columns import WORDS
from resemblance.study.folder import StudyFolder
from resemblance.study.kinds import KINDS
from resemblance.study.languages import LANGUAGES, find_language

ASKING = [name for name, kind in KINDS.items() if kind.asks_reason]
ALWAYS = {"gold_share": 0.2, "repeat_share": 0.2, "practice": 2, "reason_share": 1.0}


@pytest.fixture
def serve_asking(make_study, serve):
    def serve_(kind="odd_one_out", **tasks):
        return serve(make_study(study={"kind": kind}, tasks={"task_size": 10, **ALWAYS, **tasks}))

    return serve_


def asked_of(person):
    """Begin, and go on until a question asks in which way; give it."""
    person.begin()
    return next_asked(person, person.answer())


def next_asked(person, standing):
    while not standing["questions"][0]["reason"]:
        standing = person.answer(standing["questions"][0])
    return standing["questions"][0]


def answer_with_words(person):
    """Answer all, every second reason skipped; give the words by question."""
    person.begin()
    standing, words = person.answer(), {}
    while standing["questions"]:
        question = standing["questions"][0]
        more = {}
        if question["reason"]:
            words[question["id"]] = "" if len(words) % 2 else f" word {len(words)}\t"
            more = {"reason": words[question["id"]]}
        standing = person.answer(question, **more)
    return words


@pytest.mark.parametrize("kind", sorted({*KINDS} - {*ASKING}))
def test_kinds_without_a_difference_refuse_it(make_study, kind):
    stimuli = {"items": "classes.csv"} if kind == "classify" else {}
    folder = make_study(study={"kind": kind}, stimuli=stimuli, tasks={"reason_share": 0.2})
    with pytest.raises(SettingError, match=f"reason_share .*{kind}"):
        StudyFolder.open(folder)


def test_the_kinds_that_ask_have_words_in_every_language():
    assert ASKING == ["odd_one_out", "triplet"]
    for code in LANGUAGES:
        assert {f"reason.{kind}" for kind in ASKING} <= find_language(code).strings.keys()


@pytest.mark.parametrize("kind", ASKING)
def test_words_are_asked_after_main_questions_only(serve_asking, kind):
    served = serve_asking(kind)
    person = served.person()
    words = answer_with_words(person)
    log = {answer.question: answer for answer in served.log()}
    assert {answer.purpose for answer in log.values()} == {"main", "gold", "repeat", "practice"}
    assert {number for number, answer in log.items() if answer.purpose == "main"} == words.keys()
    stored = {number: log[number].response["reason"] for number in words}
    assert stored == {number: text.strip() for number, text in words.items()}


def test_a_share_is_asked_whatever_is_answered_and_however_often_the_page_is_loaded(serve_asking):
    served = serve_asking(gold_share=0.0, repeat_share=0.0, reason_share=0.5, task_size=40)
    person = served.person()
    person.begin()
    out = person.answer()["questions"]
    assert person.get().json()["questions"] == out
    asked = [question["reason"] for question in person.answer_all()]
    assert 8 < sum(asked) < 34


def test_long_words_are_refused_and_their_answer_is_kept(serve_asking):
    served = serve_asking()
    person = served.person()
    question = asked_of(person)
    before = len(served.log())
    told = person.answer(question, reason="x" * 10_000, status=422)["error"]
    assert (told["code"], told["questions"]) == ("invalid_reason", [question["id"]])
    assert "10,000" in told["message"]
    assert len(served.log()) == before
    for _ in range(2):  # an answer that is sent twice is stored once
        person.answer(question, reason=" " * 100 + "x" * 80)
    assert [answer.response["reason"] for answer in served.log()[before:]] == ["x" * 80]


def test_words_that_were_not_asked_are_refused(serve_asking):
    served = serve_asking(reason_share=0.0)
    person = served.person()
    person.begin()
    question = person.answer()["questions"][0]
    assert person.answer(question, reason="big", status=422)["error"]["code"] == "invalid_reason"
    assert person.answer(question)["acknowledged"] == [question["id"]]


def test_markup_is_text_and_control_characters_go(serve_asking):
    served = serve_asking()
    person = served.person()
    question = asked_of(person)
    standing = person.answer(question, reason="x" * 80 + " \u202e")
    assert served.log()[-1].response["reason"] == "x" * 80
    person.answer(
        next_asked(person, standing), reason="<b>\x00big\u202e</b>\n\n& می\u200cخواهم \U0001fae9"
    )
    assert served.log()[-1].response["reason"] == "<b>big</b> & می\u200cخواهم \U0001fae9"


def test_export_tells_skipped_from_not_asked_and_spreadsheets_run_nothing(serve_asking, tmp_path):
    served = serve_asking()
    first, second = served.person(), served.person()
    words = answer_with_words(first)
    question = asked_of(second)
    second.answer(question, reason="=1+1")
    codebook = write_export(Export(served.live), tmp_path / "out")
    for name in ("answers", "odd_one_outs"):
        assert WORDS.keys() <= codebook["tables"][name]["columns"].keys()
    with (tmp_path / "out" / "answers.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["purpose"] == "main"]
    own = [row for row in rows if row["observer"] == first.code]
    assert [row["reason"] for row in own] == [text.strip() for text in words.values()]
    assert {row["reason_asked"] for row in own} == {"True"}
    assert rows[-1]["reason"] == "'=1+1"
    read = read_experiment(tmp_path / "out" / "odd_one_outs.csv").judgments
    assert {"=1+1", "word 0"} <= {*read.extra["reason"]}
    published = Export(served.live, published=True).tables()
    assert all(WORDS.keys().isdisjoint(table.columns) for table in published)
    served.store.people.erase(served.store.people.all(served.live.record)[0], "researcher")
    assert [answer.response.get("reason") for answer in served.log()][-1] == "=1+1"
    assert all(answer.code == second.code for answer in served.log())


def test_words_are_exported_after_the_study_has_stopped_asking(make_study, serve):
    folder = make_study(study={"kind": "odd_one_out"}, tasks={"task_size": 10, **ALWAYS})
    served = serve(folder)
    person = served.person()
    person.answer(asked_of(person), reason="big")
    served.close()
    settings = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(settings.replace("reason_share = 1.0", "reason_share = 0.0"))
    export = Export(serve(folder).live)
    [judged] = [table for table in export.tables() if table.name == "odd_one_outs"]
    assert WORDS.keys() <= judged.columns.keys()
    assert [row["reason"] for row in judged.rows() if row["reason_asked"]] == ["big"]


def test_a_study_that_asks_no_words_has_no_columns_of_them(serve_asking):
    tables = Export(serve_asking(reason_share=0.0).live).tables()
    assert all(WORDS.keys().isdisjoint(table.columns) for table in tables)
