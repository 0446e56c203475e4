"""The dimensions of a study at the desk: who sees them, who names them, what is downloaded."""

import csv
import io
import re

import numpy as np
import pytest

from dimension_fits import keep
from resemblance.store.studies import DIMENSIONS
from resemblance.study.dimensions import FAILED, MOST_LETTERS, NAMED, dimensions_of
from resemblance.study.thumbnails import Thumbnails
from resemblance.web.desk.dimensions import as_csv
from resemblance.web.routes import desk_dimensions

PASSWORD, OTHER = "a long password", "another password"
SPACE = np.random.default_rng(0).random((6, 3)).round(3) ** 3
ODD = {"study": {"name": "ties", "kind": "odd_one_out"}, "dimensions": {"answers_per_item": 5}}
PAGE = "/desk/ties/dimensions"
DOWNLOADS = [f"{PAGE}.html", f"{PAGE}.csv"]


def log_in(served, once):
    """Log in with a new account; give a function that names a dimension, on the page there is."""
    served.client.http.cookies.clear()
    served.client.post("/desk/login", data={"secret": once, "password": PASSWORD})

    def name(dimension, name, /, fit=1, **more):
        csrf = re.search(r'name="csrf" value="([^"]+)"', served.client.get(PAGE).text)[1]
        form = {"csrf": csrf, "fit": fit, "dimension": dimension, "name": name}
        return served.client.post(PAGE, data=form | more)

    return name


@pytest.fixture
def served(make_study, serve):
    return serve(make_study(**ODD))


@pytest.fixture
def name(served):
    return log_in(served, served.shared.accounts.invite())


def called(served):
    return dimensions_of(served.store, served.live.record).called


def tell(served, main, left_out=0):
    empty = {"width": 60.0, "bins": []}
    told = {"answers": main, "people": 1, "purposes": {"main": main, "gold": 9}}
    told |= {"left_out": left_out, "whole": empty, "recent": empty, "not_drawn": {}}
    served.store.tallies.tell(served.live.record, told)


def test_before_the_first_fit_the_page_says_how_many_answers_are_missing(served, name):
    tell(served, main=17, left_out=4)
    page = served.client.get(PAGE)
    assert page.status_code == 200
    assert {"30", "17"} <= set(re.findall(r"\b\d+\b", page.text))  # 5 for each of 6; 13 are there
    assert 'class="card dimension"' not in page.text
    for path in DOWNLOADS:
        answer = served.client.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_address")


def test_every_dimension_is_shown_with_its_items_and_pictures(served, name):
    Thumbnails(served.live.folder).make()
    keep(served.live, SPACE, answers=321, again=1)
    page = served.client.get(PAGE).text
    assert page.count('class="card dimension"') == 3
    parts = page.split('class="card dimension"')[1:]
    for column, part in enumerate(parts):
        shown = re.findall(r'class="word"[^>]*>([^<]+)', part)
        order = np.argsort(-SPACE[:, column])
        most = [served.live.folder.names[item] for item in order if SPACE[item, column] > 0]
        assert shown == most
        assert part.count("<img") == len(most)
        assert 'class="flag"' in part  # not found again
    address = re.search(r'<img src="([^"]+)"', page)[1]
    assert served.client.get(address).status_code == 200
    assert "321" in page


def test_a_name_is_kept_and_changes_the_page(served, name):
    keep(served.live, SPACE)
    before = served.client.get(PAGE).headers["etag"]
    answer = name(2, "  <b>bright</b> & round ")
    assert (answer.status_code, answer.headers["location"]) == (303, PAGE)
    assert called(served) == ["", "<b>bright</b> & round", ""]
    page = served.client.get(PAGE, headers={"If-None-Match": before})
    assert page.status_code == 200
    assert "&lt;b&gt;bright&lt;/b&gt; &amp; round" in page.text
    assert "<b>bright" not in page.text
    (event,) = served.store.events.audit(served.live.record, NAMED)
    assert event.who == "researcher"
    assert name(2, "").status_code == 303
    assert called(served) == ["", "", ""]


def test_a_name_whose_dimension_is_gone_is_told_and_can_be_dropped(served, name):
    keep(served.live, SPACE)
    name(1, "bright")
    keep(served.live, SPACE[:, 1:])
    page = served.client.get(PAGE).text
    assert 'id="lost"' in page
    assert "<strong>bright</strong>" in page
    assert name(1, "", fit=1).status_code == 303
    assert 'id="lost"' not in served.client.get(PAGE).text


@pytest.mark.parametrize(
    "form",
    [
        {"dimension": "0"},
        {"dimension": "4"},
        {"dimension": "one"},
        {"dimension": "-1"},
        {"dimension": "²"},
        {"dimension": ""},
        {"dimension": "9" * 30},
        {"fit": "2"},
        {"fit": ""},
        {"name": "x" * (MOST_LETTERS + 1)},
        {"name": "two\nlines"},
        {"name": "a\0b"},
    ],
)
def test_what_names_no_dimension_is_refused(served, name, form):
    keep(served.live, SPACE)
    answer = name(1, "bright", **form)
    assert answer.status_code == 422
    assert called(served) == ["", "", ""]


def test_nothing_can_be_named_before_there_is_a_fit(served, name):
    assert name(1, "bright").status_code == 422


def test_owners_name_and_readers_see(served, name, monkeypatch):
    monkeypatch.setattr(desk_dimensions, "dimensions_page", lambda *_: b"drawn elsewhere")
    keep(served.live, SPACE)
    name(1, "bright")
    reads = log_in(served, served.shared.accounts.invite("ann", {"ties": "reader"}))
    page = served.client.get(PAGE)
    assert page.status_code == 200
    assert "bright" in page.text
    assert page.text.count('<form method="post"') == 1  # log out
    assert 'name="name"' not in page.text
    assert reads(1, "dark").status_code == 403
    assert [served.client.get(path).status_code for path in DOWNLOADS] == [200, 200]
    strange = log_in(served, served.shared.accounts.invite("bob"))
    for path in (PAGE, *DOWNLOADS):
        assert served.client.get(path).status_code == 404
    assert strange is not None
    assert called(served) == ["bright", "", ""]


def test_nothing_is_shown_or_changed_without_a_log_in_or_a_token(served, name):
    keep(served.live, SPACE)
    assert name(1, "bright", csrf="another").status_code == 403
    served.client.http.cookies.clear()
    for path in (PAGE, *DOWNLOADS):
        assert served.client.get(path).status_code == 401
    form = {"fit": 1, "dimension": 1, "name": "bright"}
    assert served.client.post(PAGE, data=form).status_code == 401
    assert called(served) == ["", "", ""]


def test_the_downloads_hold_loadings_and_names(served, name):
    keep(served.live, SPACE)
    name(3, "=round, and bright")
    table = served.client.get(f"{PAGE}.csv")
    assert "attachment" in table.headers["content-disposition"]
    head, *rows = csv.reader(io.StringIO(table.text))
    assert head == ["item", "1", "2", "3 =round, and bright"]
    assert [row[0] for row in rows] == list(served.live.folder.names)
    np.testing.assert_allclose(np.array([row[1:] for row in rows], float), SPACE, rtol=1e-5)
    found = dimensions_of(served.store, served.live.record)
    assert as_csv(found, ("=SUM(A1)",)).splitlines()[1].startswith("'=SUM(A1),")
    page = served.client.get(f"{PAGE}.html")
    assert page.status_code == 200
    assert "attachment" in page.headers["content-disposition"]
    assert "=round, and bright" in page.text
    assert "data:image/" in page.text  # the pictures are in it


def test_the_tab_is_there_where_dimensions_are_fitted(make_study, serve):
    other = {"study": {"name": "others", "kind": "triplet"}}
    off = {"study": {"name": "off", "kind": "odd_one_out"}, "dimensions": {"fit": False}}
    folders = [make_study(name, **more) for name, more in (("others", other), ("off", off))]
    served = serve(make_study(**ODD), *folders)
    log_in(served, served.shared.accounts.invite())
    for study, there in (("ties", True), ("others", False), ("off", False)):
        page = served.client.get(f"/desk/{study}")
        assert (f'href="/desk/{study}/dimensions"' in page.text) is there
        assert served.client.get(f"/desk/{study}/dimensions").status_code == 200


def test_why_a_fit_failed_is_told_until_one_succeeds(served, name):
    told = {"answers": 30, "reason": "no dimension is left"}
    served.store.events.record(served.live.record, "worker", FAILED, told)
    assert "no dimension is left" in served.client.get(PAGE).text
    keep(served.live, SPACE)
    assert "no dimension is left" not in served.client.get(PAGE).text


def test_items_that_came_after_a_fit_are_in_none_of_its_files(served, name):
    keep(served.live, SPACE[:5])
    assert served.client.get(PAGE).status_code == 200
    assert len(served.client.get(f"{PAGE}.csv").text.splitlines()) == 6
    assert served.client.get(f"{PAGE}.html").status_code == 200


def test_the_long_lines_are_not_in_the_trail(served, name):
    keep(served.live, SPACE)
    name(1, "bright")
    page = served.client.get("/desk/ties/settings").text
    assert "bright" in page
    assert "loadings" not in page
    assert len(served.store.events.audit(served.live.record, DIMENSIONS)) == 1
