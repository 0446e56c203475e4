"""Names of dimensions: they follow their dimension from fit to fit, and no other gets them."""

import numpy as np
import pytest

from dimension_fits import keep
from resemblance.errors import SettingError
from resemblance.store import Store
from resemblance.study.dimensions import MOST_LETTERS, NAMED, dimensions_of, name_dimension
from resemblance.study.export import Export
from resemblance.study.live import open_folders, open_stores
from small_study import open_study

SPACE = np.random.default_rng(0).random((12, 3)) ** 3


@pytest.fixture
def live(tmp_path):
    live = open_study(tmp_path / "dots", f"sqlite:///{tmp_path}/study.sqlite", kind="odd_one_out")
    keep(live, SPACE)
    yield live
    live.store.close()


def give(live, name, number, fit=1):
    name_dimension(live.store, live.record, "ann", (fit, number), name)


def names(live):
    return dimensions_of(live.store, live.record).called


def lost(live):
    return [one.name for one in dimensions_of(live.store, live.record).lost]


def other(seed):
    """Loadings that have nothing to do with any of the space."""
    drawn = np.random.default_rng(seed).random((12, 1))
    return drawn - SPACE @ np.linalg.lstsq(SPACE, drawn, rcond=None)[0] + 1


def test_names_are_kept_and_taken_away(live, tmp_path):
    give(live, "  bright ", 1)
    give(live, "round", 3)
    assert names(live) == ["bright", "", "round"]
    with Store.open(f"sqlite:///{tmp_path}/study.sqlite") as again:
        assert dimensions_of(again, live.record).called == ["bright", "", "round"]
    give(live, "", 1)
    assert names(live) == ["", "", "round"]
    assert lost(live) == []
    events = live.store.events.audit(live.record, NAMED)
    assert [(one.who, one.details["name"]) for one in events] == [
        ("ann", "bright"), ("ann", "round"), ("ann", "")
    ]  # fmt: skip


def test_a_name_follows_its_dimension(live):
    give(live, "bright", 1)
    give(live, "round", 3)
    noise = 0.03 * np.random.default_rng(1).random((12, 3))
    keep(live, (SPACE + noise)[:, [2, 0, 1]])
    assert names(live) == ["round", "bright", ""]
    keep(live, np.hstack([other(2), SPACE[:, [1, 2, 0]]]))
    assert names(live) == ["", "", "round", "bright"]
    keep(live, np.vstack([SPACE, np.ones((3, 3))]))  # with items that were added
    assert names(live) == ["bright", "", "round"]


def test_no_other_dimension_gets_a_name(live):
    give(live, "bright", 1)
    keep(live, np.hstack([other(2), SPACE[:, 1:]]))
    assert names(live) == ["", "", ""]
    (gone,) = dimensions_of(live.store, live.record).lost
    assert (gone.name, gone.place) == ("bright", (1, 1))
    assert gone.correlation < 0.8
    keep(live, SPACE[:, :2])  # and when it is there again, it has its name again
    assert (names(live), lost(live)) == (["bright", ""], [])
    keep(live, SPACE[:, 1:])
    give(live, "", 1)
    assert lost(live) == []


def test_a_new_name_takes_the_place_of_the_old_one_for_ever(live):
    give(live, "bright", 1)
    keep(live, SPACE[:, [1, 0, 2]])
    give(live, "glaring", 2, fit=2)
    assert (names(live), lost(live)) == (["", "glaring", ""], [])
    keep(live, SPACE)
    assert (names(live), lost(live)) == (["glaring", "", ""], [])
    give(live, "", 1, fit=3)
    assert (names(live), lost(live)) == (["", "", ""], [])


def test_a_name_that_was_lost_is_given_anew(live):
    give(live, "bright", 1)
    keep(live, np.hstack([other(2), SPACE[:, 1:]]))
    give(live, "bright", 1, fit=2)
    assert (names(live), lost(live)) == (["bright", "", ""], [])


def test_a_name_written_before_a_new_fit_came_goes_where_its_dimension_is(live):
    give(live, "old", 1)
    keep(live, SPACE[:, [2, 0, 1]])
    give(live, "bright", 1, fit=1)
    give(live, "round", 3, fit=1)
    assert (names(live), lost(live)) == (["round", "bright", ""], [])


def test_two_dimensions_that_became_one_leave_the_older_name_without(live):
    twice = np.hstack([SPACE, SPACE[:, :1] + 0.3 * other(3)])
    keep(live, twice)
    give(live, "bright", 1, fit=2)
    give(live, "glaring", 4, fit=2)
    keep(live, SPACE)
    assert names(live) == ["bright", "", ""]
    assert lost(live) == ["glaring"]


@pytest.mark.parametrize("place", [(1, 0), (1, 4), (2, 1), (0, 1), (-1, 1), (1, -1), (10**9, 1)])
def test_what_is_no_dimension_cannot_be_named(live, place):
    with pytest.raises(SettingError):
        name_dimension(live.store, live.record, "ann", place, "bright")
    assert live.store.events.audit(live.record, NAMED) == []


@pytest.mark.parametrize("name", ["x" * (MOST_LETTERS + 1), "a\nb", "a\0b", "a\u202eb"])
def test_what_is_no_name_is_refused(live, name):
    with pytest.raises(SettingError):
        give(live, name, 1)


def test_a_study_without_dimensions_has_no_names(tmp_path):
    live = open_study(tmp_path / "bare", f"sqlite:///{tmp_path}/bare.sqlite", kind="odd_one_out")
    with pytest.raises(SettingError):
        give(live, "bright", 1)
    assert {table.name for table in Export(live).tables()}.isdisjoint({"dimensions", "loadings"})
    live.store.close()


def test_the_export_has_dimensions_names_and_loadings(live):
    give(live, "=bright", 2)
    tables = {table.name: list(table.rows()) for table in Export(live).tables()}
    assert [row["name"] for row in tables["dimensions"]] == ["", "=bright", ""]
    assert [row["dimension"] for row in tables["dimensions"]] == [1, 2, 3]
    assert len(tables["loadings"]) == np.count_nonzero(SPACE)
    assert {row["what"] for row in tables["events"]}.isdisjoint({"dimensions"})
    assert "dimension named" in {row["what"] for row in tables["events"]}
    for table in Export(live).tables():
        if table.name in ("dimensions", "loadings"):
            assert {name for row in table.rows() for name in row} == set(table.columns)


def test_the_trail_has_who_named_what_and_no_long_lines(live):
    give(live, "bright", 1)
    told = live.store.events.trail(live.record, 50)
    assert told[0].what == NAMED
    assert "dimensions" not in {event.what for event in told}


def test_another_server_reads_the_same_names(live, tmp_path):
    give(live, "bright", 1)
    (again,), _ = open_stores(
        open_folders([tmp_path / "dots"]), f"sqlite:///{tmp_path}/study.sqlite"
    )
    assert names(again) == ["bright", "", ""]
    again.store.close()


def test_top_items_are_those_with_most_of_it(live):
    loadings = np.zeros((12, 2))
    loadings[[1, 2], 0], loadings[0, 1] = [2.0, 3.0], 1.0
    keep(live, loadings)
    last = dimensions_of(live.store, live.record)
    assert last.top(1, 8) == [(2, 3.0), (1, 2.0)]
    assert last.top(1, 1) == [(2, 3.0)]
    assert last.top(2, 8) == [(0, 1.0)]
