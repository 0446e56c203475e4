import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from resemblance.errors import FileError
from resemblance.judgments import (
    Choices,
    Confusions,
    Quadruplets,
    Ratings,
    SimilarPairs,
    Triplets,
    read_choices,
)

SUFFIXES = [".csv", ".csv.gz", ".jsonl", ".parquet"]
KINDS = [Triplets, Quadruplets, Choices, Confusions, Ratings, SimilarPairs]

text = st.text(
    st.characters(
        exclude_categories=["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"], exclude_characters="|"
    )
)
clean = text.map(str.strip).filter(lambda name: name.splitlines() == [name])
names = st.lists(clean, min_size=5, max_size=8, unique=True)
people = st.sampled_from(["ann", "007", "x, y", "1.50", "ü"])
floats = st.floats(0, 1e12)


@st.composite
def judgments(draw, kind):
    labels = draw(names)
    shown = draw(st.lists(st.permutations(range(len(labels))), min_size=1, max_size=5))
    m = len(shown)

    def column(values):
        return draw(st.none() | st.lists(values, min_size=m, max_size=m))

    notes = {
        "items": labels,
        "weight": column(floats),
        "response_id": column(st.integers(-(2**60), 2**60)),
        "observer": column(people),
        "extra": {
            "rt_ms": np.array(draw(st.lists(floats, min_size=m, max_size=m))),
            "count": np.arange(m),
        },
    }
    index = np.array(shown)
    if kind is Choices:
        options = np.where(np.arange(4) < draw(st.integers(2, 4)), index[:, 1:5], -1)
        return Choices(index[:, 0], options, index[:, 1], **notes)
    if kind is Confusions:
        del notes["weight"]
        notes["response_id"] = np.arange(m)  # one each: rows that repeat a pair would be summed
        trials = np.array(draw(st.lists(st.integers(1, 2**31 - 1), min_size=m, max_size=m)))
        return kind(index[:, :2], trials // 3, trials, **notes)
    if kind is Ratings:
        points = np.array(draw(st.lists(st.integers(2, 101), min_size=m, max_size=m)))
        return kind(np.sort(index[:, :2]), 1 + points // 3, points, **notes)
    if kind is SimilarPairs:
        return kind(index[:, :2], np.arange(m) % 2, **notes)
    return kind(index[:, : len(kind.columns)], **notes)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("round_trips")


def same(one, other):
    for attribute in ("weight", *one.per_row):
        np.testing.assert_array_equal(getattr(one, attribute), getattr(other, attribute))
    assert one.extra.keys() == other.extra.keys()
    for name, column in one.extra.items():
        np.testing.assert_array_equal(column, other.extra[name])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", SUFFIXES)
@given(data=st.data())
@settings(max_examples=6)
def test_what_is_written_is_read(kind, suffix, folder, data):
    given_ = data.draw(judgments(kind))
    path = folder / f"{kind.__name__}{suffix}"
    given_.write(path)
    same(kind.read(path, items=given_.items), given_)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", [Triplets, Choices])
def test_catches_are_written_too(tmp_path, kind, suffix):
    index = np.array([[0, 1, 2], [0, 0, 1], [2, 1, 0]])
    columns = (index,) if kind is Triplets else (index[:, 0], index[:, 1:], index[:, 1])
    given_ = kind.split_catches(*columns, observer=["x", "y", "z"], weight=[1, 2, 3])
    given_.write(tmp_path / f"a{suffix}")
    again = kind.read(tmp_path / f"a{suffix}", on_error="skip")
    same(again, given_)
    same(again.catches, given_.catches)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_name_with_a_bar_comes_back(tmp_path, suffix):
    choices = Choices([0, 3], [[1, 2], [0, 2]], [1, 2], items=["a", "b|c", "d", "e"])
    choices.write(tmp_path / f"a{suffix}")
    again = read_choices(tmp_path / f"a{suffix}")
    assert set(again.items.names) == {"a", "b|c", "d", "e"}
    assert set(again.to_pandas()["options"].map(frozenset)) == {
        frozenset({"b|c", "d"}),
        frozenset({"a", "d"}),
    }


def test_what_cannot_be_written(tmp_path):
    triplets = Triplets([[0, 1, 2]])
    with pytest.raises(FileError, match=r"unknown type '\.txt'"):
        triplets.write(tmp_path / "a.txt")
    for suffix in SUFFIXES:
        with pytest.raises(FileError, match=r"cannot be written .*check the folder"):
            triplets.write(tmp_path / "nowhere" / f"a{suffix}")
