"""Conditions over HTTP: what the address may say, the pages between conditions, the desk."""

import re
from urllib.parse import parse_qsl

import pytest

from desk_editor import save, with_lines
from resemblance.cli.studies import notes
from resemblance.study.export import Export
from resemblance.study.languages import find_language
from resemblance.study.preregistration import preregistration
from web.test_desk_study import log_in, post

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


ASKED = """# Consent

```form
[age]
type = "choice"
label = "How old are you?"
options = ["young", "old"]
required = true
```
"""


@pytest.fixture
def by_consent(make, serve):
    """A study that asks for the age with consent, and wants two young people."""
    groups = {"groups": {"young": 2, "old": 0}, "group": "age", "group_by": "consent"}
    folder = make(conditions=groups, recruitment={"source": "sona"}, **LEVELS)
    (folder / "pages" / "consent.md").write_text(ASKED)
    return log_in(serve(folder))


def agree(served, number, age, status=200):
    person = served.person(parameters={"id": str(number)})
    said = person.post("pages/consent", {"agree": True, "values": {"age": age}}, status)
    return person, said


def test_a_group_of_the_page_of_consent_has_its_places(by_consent):
    served = by_consent
    for number, age in enumerate(["young", "old", "young", "old"], 1):
        agree(served, number, age)
    person, refused = agree(served, 5, "young", 403)
    assert refused["error"]["code"] == "full"
    assert person.get().json()["state"] == "stopped"
    code = person.code
    served.store.people.release(served.store.people.named(served.live.record, code), "test")
    again = served.person(parameters={"id": "5"})  # no second try as somebody old
    again.post("pages/consent", {"agree": True, "values": {"age": "old"}})
    assert (again.code, again.get().json()["state"]) == (code, "stopped")
    arms = [one.arm for one in served.store.people.all(served.live.record)]
    assert sorted(arms[:4]) == ["old/colour", "old/shape", "young/colour", "young/shape"]
    assert arms[4:] == [None]
    (people,) = [one for one in Export(served.live).tables() if one.name == "participants"]
    told = [(row["group"], row["arm"]) for row in people.rows()]
    assert told == [(*arm.split("/"),) for arm in arms[:4]] + [(None, None)]
    rows = re.findall(
        r'scope="row">(.*?)</th>.*?"n">(\d+).*?"n">(\d+)', served.client.get("/desk/ties").text
    )
    assert ("age: young of 2", "0", "2") in rows
    assert ("age: old", "0", "2") in rows


def test_who_declines_or_is_erased_leaves_no_group(make, serve):
    groups = {"groups": {"young": 9, "old": 9}}
    served = serve(make(conditions=groups, recruitment={"source": "sona"}, **LEVELS))
    declining, erased = (
        served.person(parameters={"id": str(n), "group": "young"}) for n in range(2)
    )
    declining.post("pages/consent", {"agree": False})
    people = served.store.people
    people.erase(people.named(served.live.record, erased.code), "test")
    assert [one.arm for one in people.all(served.live.record)] == [None, None]


def test_consent_sent_twice_gives_one_arm(by_consent):
    person, _ = agree(by_consent, 1, "young")
    people = by_consent.store.people
    known = people.named(by_consent.live.record, person.code)
    again = people.consent(known, "1", {}, lambda count: "old/colour")
    assert again.arm == known.arm


def test_a_group_of_the_address(make, serve):
    served = serve(make(conditions={"groups": {"young": 2, "old": 0}}, **LEVELS))

    def refused(**parameters):
        body = {"parameters": parameters}
        answer = served.client.post("/api/studies/ties/participants", json=body)
        return answer.status_code, answer.json()["error"]["code"]

    assert refused() == refused(group="middle") == refused(group="") == (403, "unknown_condition")
    for _ in range(2):
        served.person(parameters={"group": "young"})
    assert refused(group="young") == (403, "full")
    served.person(parameters={"group": "old"})
    assert len(served.store.people.all(served.live.record)) == 3
    log_in(served)
    where = post(served, "try").headers["location"]  # the study can be tried all the same
    root, _, query = where.partition("/s/")
    told = dict(parse_qsl(query.partition("?")[2]))
    assert told["group"] in ("young", "old")
    entry = {"parameters": told}
    assert served.client.post(f"{root}/api/studies/~ties/participants", json=entry).is_success


def test_an_address_names_a_condition_of_each_factor(make, serve):
    factors = {
        f"conditions.between.{name}": {}
        for name in ("colour.red", "colour.blue", "frame.gain", "frame.loss")
    }
    served = log_in(serve(make(conditions={"assign": "address"}, **factors)))
    for asked in ("red", "gain+red", "red+gain+far"):
        body = {"parameters": {"condition": asked}}
        refused = served.client.post("/api/studies/ties/participants", json=body)
        assert refused.json()["error"]["code"] == "unknown_condition"
    for asked in ("red+gain", "red gain", "blue+gain"):  # + of an address is a blank
        served.person(parameters={"condition": asked})
    arms = [one.arm for one in served.store.people.all(served.live.record)]
    assert arms == ["red+gain", "red+gain", "blue+gain"]
    desk = served.client.get("/desk/ties").text
    rows = dict(re.findall(r'scope="row">(.*?)</th>.*?"n">\d+.*?"n">(\d+)', desk))
    assert (rows["colour: red"], rows["frame: gain"], rows["red+gain"]) == ("2", "3", "2")


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


def test_the_desk_shows_the_map_of_each_condition(make, serve):
    served = log_in(serve(make(conditions={"space": "own"}, **LEVELS)))
    part = served.live.part("shape")
    positions = [[float(i), 0.5 * i] for i in range(6)]
    scores = {"error": 0.2, "low": 0.1, "high": 0.3, "held_out": 40, "fitted": 90, "seconds": 0.5}
    scores |= {"shown": [9] * 6, "trust": 1.0}
    part.store.spaces.add(part.record, 100, b"model", positions, [0.1] * 6, scores)
    get = served.client.get
    assert 'data-chart="map"' not in get("/desk/ties/map").text  # of the first one: colour
    assert 'data-chart="map"' in get("/desk/ties/map?condition=shape").text
    assert get("/desk/ties/model.npz?condition=shape").content == b"model"
    assert get("/desk/ties/model.npz?condition=colour").status_code == 404
    assert get("/desk/ties/map?condition=taste").status_code == 403


def test_one_person_is_asked_several_kinds_and_the_desk_shows_each(make, serve):
    kinds = {
        "conditions.within.rated": {"kind": "pair_rating", "instructions": "pages/shape.md"},
        "conditions.within.odd": {"kind": "odd_one_out", "instructions": "pages/far.md"},
        "conditions.within.compared": {},
    }
    tasks = {"per_participant": 3, "task_size": 4, "practice": 1, "gold_share": 0.25}
    served = log_in(serve(make(conditions={"space": "own"}, tasks=tasks, **kinds)))
    person = served.person()
    person.post("pages/consent", {"agree": True})
    arm = served.store.people.named(served.live.record, person.code).arm.split(">")
    seen = [one["kind"] for one in through(person) if "prompt" in one]
    of = {"rated": "pair_rating", "odd": "odd_one_out", "compared": "triplet"}
    assert seen == [of[arm[0]], *[of[name] for name in arm for _ in range(4)]]
    for name in arm:
        for page in ("", "/map", "/questions", "/people", "/settings"):
            assert served.client.get(f"/desk/ties{page}?condition={name}").status_code == 200
    told = served.client.get("/desk/ties/questions").text
    assert "pair rating, odd one out, triplet, 7 or 3 or 2 options" in told
    for name in arm:
        wording = find_language("en").kinds[of[name]]["wording"]
        assert re.search(rf"<h3>{name}</h3><blockquote>{re.escape(wording)}</blockquote>", told)


def test_a_change_at_the_desk_fits_the_kind_of_every_condition(make, serve):
    kinds = {
        "conditions.between.odd": {"kind": "odd_one_out", "instructions": "pages/far.md"},
        "conditions.between.compared": {},
    }
    served = log_in(serve(make(conditions={"space": "own"}, asking={"adaptive": True}, **kinds)))
    client = served.client
    wrong = save(client, lambda text: with_lines(text, "asking.shares", "information = 1.0"))
    assert wrong.status_code == 422
    assert "odd" in wrong.text
    right = save(client, lambda text: with_lines(text, "recruitment", "max_participants = 7"))
    assert right.status_code == 303
    of = [served.live.part(name).settings for name in served.live.parts]
    assert [one.recruitment.max_participants for one in of] == [7, 7]
    assert [one.study.kind for one in of] == ["odd_one_out", "triplet"]


def test_what_is_said_of_a_map_follows_from_the_kind_of_each_condition(make, serve):
    kinds = {
        "conditions.between.matched": {},
        "conditions.between.rated": {"kind": "pair_rating", "instructions": "pages/far.md"},
    }
    about = {"study": {"name": "ties", "kind": "match_to_sample"}, "conditions": {"space": "own"}}
    served = log_in(serve(make(**about, asking={"adaptive": True}, **kinds)))
    names = served.live.parts
    for page in ("/map", ""):
        told = {one: served.client.get(f"/desk/ties{page}?condition={one}").text for one in names}
        assert ["No map while the study runs" in told[one] for one in names] == [True, False]
    assert "match to sample, pair rating" in served.client.get("/desk").text
    folder = served.live.folder
    assert [one for one in notes(folder) if "adaptive" in one and "match_to_sample" in one]
    asked = preregistration(folder)
    assert all(kind in asked for kind in ("match_to_sample, 2", "pair_rating, 7"))
    assert "chosen by" in asked
    assert "Questions of match_to_sample are drawn at random" in asked
