"""Conditions over HTTP: what the address may say, the pages between conditions, the desk."""

import re

import pytest

from web.test_desk_study import log_in

LEVELS = {
    "conditions.between.colour": {"wording": "Which colour?"},
    "conditions.between.shape": {"wording": "Which shape?", "instructions": "pages/shape.md"},
}
WITHIN = {
    "conditions.within.near": {"wording": "Near?", "instructions": "pages/shape.md"},
    "conditions.within.far": {"wording": "Far?", "instructions": "pages/far.md"},
}
TWO = {"tasks": {"per_participant": 2, "task_size": 5, "practice": 2}}


@pytest.fixture
def make(make_study):
    def make(**settings):
        folder = make_study(**settings)
        for page in ("shape", "far"):
            (folder / "pages" / f"{page}.md").write_text(f"# About {page}\n\nLook.\n")
        return folder

    return make


def through(person):
    """Read and answer whatever comes; return the pages and questions in their order."""
    seen, standing = [], person.get().json()
    while standing["state"] in ("instructions", "practice", "tasks"):
        if standing["state"] == "instructions":
            seen.append(standing["page"])
            standing = person.post(f"pages/{seen[-1]['name']}")
        elif not standing["questions"]:
            standing = person.answer()
        else:
            seen.append(standing["questions"][0])
            standing = person.answer(seen[-1])
    return seen


def test_the_pages_of_a_condition_come_where_it_begins(make, serve):
    served = serve(make(**WITHIN, **TWO))
    person = served.person()
    person.post("pages/consent", {"agree": True})
    arm = served.store.people.named(served.live.record, person.code).arm.split(">")
    pages_and_questions = through(person)
    seen = [
        one["name"] if "prompt" not in one else one["prompt"].lower().rstrip("?")
        for one in pages_and_questions
    ]
    assert seen == [
        *[f"instructions-{arm[0]}", *[arm[0]] * 7],
        *[f"instructions-{arm[1]}", *[arm[1]] * 5],
    ]
    assert person.get().json()["state"] == "debrief"


def test_no_question_of_the_next_condition_is_out_before_its_page_was_read(make, serve):
    person = serve(make(**WITHIN, **TWO)).person()
    person.post("pages/consent", {"agree": True})
    standing = person.post(f"pages/{person.get().json()['page']['name']}")
    first, standing = person.answer(want=4)["questions"][0]["prompt"], person.answer(want=4)
    while standing["questions"]:
        assert {one["prompt"] for one in standing["questions"]} == {first}
        standing = person.answer(*standing["questions"])
    assert (standing["state"], standing["progress"]["done"]) == ("instructions", 5)
    assert person.answer(want=4)["questions"] == []


def test_an_address_assigns_and_nobody_changes(make, serve):
    assign = {"conditions": {"assign": "address"}}
    served = serve(make(recruitment={"source": "sona"}, **assign, **LEVELS))

    def enter(number, **parameters):
        body = {"parameters": {"id": str(number), **parameters}}
        return served.client.post("/api/studies/ties/participants", json=body)

    for tampered in ({}, {"condition": "taste"}, {"condition": "colour>shape"}, {"condition": ""}):
        refused = enter(1, **tampered)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "unknown_condition")
    assert served.store.people.all(served.live.record) == []
    code = enter(1, condition="shape").json()["code"]
    served.store.people.release(served.store.people.named(served.live.record, code), "test")
    assert enter(1, condition="colour").json()["code"] == code
    assert served.store.people.named(served.live.record, code).arm == "shape"


def test_the_desk_counts_people_in_each_condition(make, serve):
    served = log_in(serve(make(**LEVELS)))
    people = [served.person() for _ in range(4)]
    served.store.people.set_state(
        served.store.people.named(served.live.record, people[0].code), "stopped"
    )
    arm = served.store.people.named(served.live.record, people[0].code).arm
    page = served.client.get("/desk/ties").text
    rows = re.findall(r'<tr><th scope="row">(\w+)</th>(.*?)</tr>', page)
    told = {name: re.findall(r'class="n">(\d+)', cells) for name, cells in rows}
    other = {"colour": "shape", "shape": "colour"}[arm]
    assert told == {arm: ["0", "1", "1"], other: ["0", "2", "0"]}
    assert f'<td data-label="condition">{arm}</td>' in served.client.get("/desk/ties/people").text
