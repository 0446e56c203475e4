"""Conditions over HTTP: what the address may say, the pages between conditions, the desk."""

import pytest

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
