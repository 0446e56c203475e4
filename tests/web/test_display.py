"""[display] over HTTP: what is measured is a page and a column; sizes of pictures."""

import csv

import numpy as np
import pytest
from PIL import Image

from resemblance.study.display import passed
from resemblance.study.export import Export, write_export


def people(served, folder):
    write_export(Export(served.live), folder, "csv")
    with (folder / "participants.csv").open() as file:
        return list(csv.DictReader(file))


def begin(served):
    person = served.person()
    return person, person.post("pages/consent", {"agree": True})


def test_what_is_measured_comes_after_consent_and_is_a_column(make_study, serve, tmp_path):
    display = {"measure": "distance", "headphones": "tell"}
    served = serve(make_study(display=display))
    config = served.client.get("/s/ties").text
    assert '"measures":["pixels_per_cm","distance_cm","headphones_right"]' in config
    person, standing = begin(served)
    assert (standing["page"]["name"], standing["page"]["kind"]) == ("screen", "measure")
    assert person.answer(status=200)["state"] == "instructions"
    person.post("pages/screen", {"values": {"pixels_per_cm": 900.0}}, 422)
    measured = {"pixels_per_cm": 37.8, "distance_cm": 57.3}
    standing = person.post("pages/screen", {"values": measured})
    assert standing["page"]["name"] == "headphones"
    standing = person.post("pages/headphones", {"values": {"headphones_right": 4}})
    assert standing["page"]["name"] == "instructions"
    person.post("pages/instructions")
    begin(served)
    (told, other) = people(served, tmp_path / "out")
    assert float(told["pixels_per_cm"]) == 37.8
    assert float(told["distance_cm"]) == 57.3
    assert (told["headphones_right"], told["headphones_passed"]) == ("4", "False")
    assert {other[name] for name in (*measured, "headphones_passed")} == {""}


@pytest.mark.parametrize(
    ("right", "state"), [(5, "instructions"), (4, "stopped"), (None, "stopped")]
)
def test_who_has_no_headphones_may_be_refused(make_study, serve, tmp_path, right, state):
    served = serve(make_study(display={"headphones": "refuse"}))
    person, _ = begin(served)
    standing = person.post("pages/headphones", {"values": {"headphones_right": right}})
    assert standing["state"] == state
    assert person.answer()["state"] == state
    noted = [one.what for one in served.live.store.events.audit(served.live.record)]
    assert ("no headphones" in noted) == (state == "stopped")
    (told,) = people(served, tmp_path / "out")
    assert told["headphones_passed"] == str(right == 5)


def photographs(folder):
    rng = np.random.default_rng(0)
    for path in (folder / "stimuli").glob("*.png"):
        path.unlink()
        smooth = Image.fromarray(rng.integers(0, 255, (15, 20, 3), np.uint8)).resize((1600, 1200))
        smooth.save(path.with_suffix(".jpg"), quality=95)
    return folder


def test_pictures_come_at_the_size_that_is_asked_for(make_study, serve):
    served = serve(photographs(make_study()))
    person, _ = begin(served)
    person.post("pages/instructions")
    item = person.answer()["questions"][0]["options"][0]
    get, takes = served.client.get, {"Accept": "image/webp,*/*"}
    whole, small = get(item["url"]), get(f"{item['url']}?side=240", headers=takes)
    assert 240 in item["sides"]
    assert small.headers["content-type"] == "image/webp"
    assert "immutable" in small.headers["cache-control"]
    assert len(small.content) < len(whole.content) / 10
    older = get(f"{item['url']}?side=240", headers={"Accept": "image/png"})
    assert older.content == whole.content
    wrong = get(f"{item['url']}?side=241", headers=takes)
    assert wrong.json()["error"]["code"] == "invalid_request"


def test_exact_pictures_have_no_other_size(make_study, serve):
    served = serve(photographs(make_study(display={"exact": True})))
    person, _ = begin(served)
    person.post("pages/instructions")
    assert person.answer()["questions"][0]["options"][0]["sides"] == []


def test_headphones_are_passed_by_five_right_answers():
    assert [passed({"headphones_right": n}) for n in (5, None)] == [True, False]
