"""Judgments on the disk: the rows that there are in memory, and what is wrong with files."""

import os

import numpy as np
import pandas as pd
import pytest

import resemblance as rs
from resemblance.errors import FileError, JudgmentError, SettingError
from resemblance.judgments import stored as stored_room

KINDS = {
    "triplets": rs.Triplets,
    "quadruplets": rs.Quadruplets,
    "choices": rs.Choices,
    "odd": rs.OddOneOuts,
}


def drawn(kind, m, seed=0, n=12, **notes):
    rng = np.random.default_rng(seed)
    index = np.argsort(rng.random((m, n)), axis=1)[:, :4]
    names = [f"item{k}" for k in range(n)]
    if kind in ("choices", "odd"):
        index = index.copy()
        index[rng.random(m) < 0.3, 3] = -1
    make = {
        "triplets": lambda: rs.Triplets(index[:, :3], names, **notes),
        "quadruplets": lambda: rs.Quadruplets(index, names, **notes),
        "choices": lambda: rs.Choices(index[:, 0], index[:, 1:], index[:, 1], names, **notes),
        "odd": lambda: rs.OddOneOuts(index, index[:, 0], names, **notes),
    }
    return make[kind]()


def notes_of(m, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "weight": rng.integers(1, 4, m).astype(float),
        "response_id": rng.integers(0, m // 3, m),
        "observer": rng.choice(["ann", "bob", "cem"], m),
    }


def same(one, other):
    np.testing.assert_array_equal(one.index, other.index)
    for note in ("weight", "response_id", "observer"):
        mine, theirs = getattr(one, note), getattr(other, note)
        assert (mine is None) == (theirs is None)
        if mine is not None:
            np.testing.assert_array_equal(mine, theirs)


@pytest.fixture
def folder(tmp_path):
    """A folder of three files of triplets with all notes, and the same rows in memory."""
    place = tmp_path / "answers"
    place.mkdir()
    whole = drawn("triplets", 700, **notes_of(700))
    for number, (first, last) in enumerate([(0, 300), (300, 301), (301, 700)]):
        whole[first:last].write(place / f"part-{number}.parquet")
    return place, rs.Triplets(
        rs.Items(sorted(whole.items.names, key=lambda name: int(name[4:]))).positions(
            np.array(whole.items.names)[whole.index.ravel()]
        ).reshape(-1, 3),
        sorted(whole.items.names, key=lambda name: int(name[4:])),
        weight=whole.weight, response_id=whole.response_id, observer=whole.observer,
    )  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_are_the_rows_that_a_reader_gives(kind, tmp_path, monkeypatch):
    monkeypatch.setattr("resemblance.judgments.scanning.READ", 64)
    of_kind, path = KINDS[kind], tmp_path / "all.parquet"
    drawn(kind, 300, **notes_of(300)).write(path)
    stored, known = of_kind.scan(path), of_kind.read(path)
    assert stored.items.names == known.items.names
    assert stored.shape == known.shape
    for size in (7, 300, 1000):
        parts = list(stored.blocks(size))
        assert all(type(part) is type(known) for part in parts)
        at = 0
        for part in parts:
            same(part, known[at : at + len(part)])
            at += len(part)
        assert at == 300


def test_shuffled_rows_are_all_rows_once_from_anywhere(folder, monkeypatch):
    monkeypatch.setattr("resemblance.judgments.stored.BLOCK", 50)
    train, _ = rs.scan_triplets(folder[0]).split(4)
    pools = list(train.shuffled(120, np.random.default_rng(0)))
    assert len(pools) == 5  # of three blocks each, but the last
    found, known = (np.concatenate([part.weight for part in parts]) for parts in (pools, train))
    assert (found != known).any()
    np.testing.assert_array_equal(np.sort(found), np.sort(known))


def test_a_folder_is_its_files_in_the_order_of_their_names(folder):
    place, whole = folder
    stored = rs.scan_triplets(place)
    assert len(stored) == 700
    same(stored[np.arange(700)], whole)
    same(stored[100:400].sample(1000), whole[100:400])
    assert stored.items.names == whole.items.names


def test_rows_are_taken_in_the_order_asked_for(folder):
    place, whole = folder
    stored = rs.scan_triplets(place)
    rows = np.random.default_rng(0).integers(0, 700, 50)
    same(stored[rows], whole[rows])
    same(stored[200:][[-1, 3]], whole[200:][[-1, 3]])
    assert len(stored[[]]) == 0
    with pytest.raises(IndexError):
        stored[[700]]


def test_a_sample_is_without_replacement_and_follows_its_seed(folder):
    place, whole = folder
    stored = rs.scan_triplets(place)
    first, again, other = (stored.sample(200, random_state=seed) for seed in (3, 3, 4))
    same(first, again)
    assert len(first) == 200
    assert not np.array_equal(first.index, other.index)
    known = {
        (*row, note) for row, note in zip(whole.index.tolist(), whole.response_id, strict=True)
    }
    assert {(*r, n) for r, n in zip(first.index.tolist(), first.response_id, strict=True)} <= known


@pytest.mark.parametrize("by", ["row", "response_id", "observer"])
def test_folds_hold_every_row_once_and_keep_units_whole(folder, by, monkeypatch):
    monkeypatch.setattr(stored_room, "BLOCK", 64)
    place, whole = folder
    stored = rs.scan_triplets(place)
    n_folds, held_out = 4, []
    for fold in range(n_folds):
        train, test = stored.split(n_folds, fold, by=by)
        left, held = train.sample(700), test.sample(700)
        assert len(left) + len(held) == len(train) + len(test) == 700
        if by != "row":
            assert set(getattr(held, by)).isdisjoint(getattr(left, by))
        held_out += [(*row, n) for row, n in zip(held.index, held.response_id, strict=True)]
    assert sorted(held_out) == sorted(
        (*row, n) for row, n in zip(whole.index, whole.response_id, strict=True)
    )
    sizes = [len(stored.split(n_folds, fold, by=by)[1]) for fold in range(n_folds)]
    if by == "row":
        assert min(sizes) > 120
        assert sizes != [len(stored.split(n_folds, k, by=by, seed=1)[1]) for k in range(n_folds)]


def test_no_such_fold(folder):
    stored = rs.scan_triplets(folder[0])
    for wrong in ({"n_folds": 1}, {"fold": 10}, {"fold": -1}, {"by": "colour"}):
        with pytest.raises(SettingError):
            stored.split(**wrong)
    plain = rs.scan_triplets(folder[0], columns={"head": "head"})
    assert plain.split(3)[0].folds[0].by == "response_id"


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
def test_an_array_is_read_where_it_is(tmp_path, dtype):
    whole = drawn("triplets", 500)
    path = tmp_path / "rows.npy"
    np.save(path, whole.index.astype(dtype))
    stored = rs.scan_triplets(path)
    assert stored.columns["index"].path == path
    np.testing.assert_array_equal(stored.sample(500).index, whole.index)
    assert stored.items.names == tuple(map(str, range(12)))
    assert rs.scan_triplets(path, items=20).n_items == 20
    with pytest.raises(JudgmentError, match="rows"):
        stored.split(by="response_id")


class TestBadArrays:
    @pytest.mark.parametrize(
        "array", [np.zeros((3, 3)), np.zeros((3, 2), int), np.zeros(3, int), np.zeros((0, 3), int)]
    )
    def test_of_another_kind(self, tmp_path, array):
        np.save(tmp_path / "rows.npy", array)
        with pytest.raises(FileError, match=r"rows\.npy"):
            rs.scan_triplets(tmp_path / "rows.npy")

    def test_a_row_that_is_no_triplet_has_its_number(self, tmp_path, monkeypatch):
        monkeypatch.setattr("resemblance.judgments.scanning.BLOCK", 2)
        np.save(tmp_path / "rows.npy", [[0, 1, 2], [2, 1, 0], [0, 2, 1], [1, 2, 2]])
        with pytest.raises(JudgmentError, match=r"rows\.npy, row 3"):
            rs.scan_triplets(tmp_path / "rows.npy")

    def test_more_items_than_given(self, tmp_path):
        np.save(tmp_path / "rows.npy", [[0, 1, 2], [2, 1, 7]])
        with pytest.raises(JudgmentError, match=r"row 1"):
            rs.scan_triplets(tmp_path / "rows.npy", items=3)

    def test_choices(self, tmp_path):
        np.save(tmp_path / "rows.npy", [[0, 1, 2]])
        with pytest.raises(FileError, match="Parquet"):
            rs.scan_choices(tmp_path / "rows.npy")


class TestBadFiles:
    def test_another_column_is_named_with_its_file(self, folder):
        place, _ = folder
        frame = pd.read_parquet(place / "part-1.parquet")
        frame.rename(columns={"near": "nearer"}).to_parquet(place / "part-1.parquet")
        with pytest.raises(FileError, match=r"part-1\.parquet.*'near'"):
            rs.scan_triplets(place)

    def test_a_note_that_a_later_file_lacks(self, folder):
        place, _ = folder
        frame = pd.read_parquet(place / "part-2.parquet")
        frame.drop(columns="observer").to_parquet(place / "part-2.parquet")
        with pytest.raises(FileError, match=r"part-2\.parquet.*'observer'"):
            rs.scan_triplets(place)

    def test_cut_off(self, folder):
        place, _ = folder
        path = place / "part-2.parquet"
        path.write_bytes(path.read_bytes()[:-100])
        with pytest.raises(FileError, match=r"part-2\.parquet.*Parquet"):
            rs.scan_triplets(place)

    def test_a_row_that_is_no_triplet(self, folder, monkeypatch):
        monkeypatch.setattr("resemblance.judgments.scanning.READ", 50)
        place, _ = folder
        frame = pd.read_parquet(place / "part-2.parquet")
        frame.loc[120, "far"] = frame.loc[120, "near"]
        frame.to_parquet(place / "part-2.parquet")
        with pytest.raises(JudgmentError, match=r"part-2\.parquet, row 121"):
            rs.scan_triplets(place)

    def test_an_item_that_is_not_among_those_given(self, folder):
        place, whole = folder
        with pytest.raises(JudgmentError, match=r"part-0\.parquet, row"):
            rs.scan_triplets(place, items=whole.items.names[:-1])

    def test_something_else_in_the_folder(self, folder):
        place, _ = folder
        (place / "notes.txt").write_text("hello")
        with pytest.raises(FileError, match=r"notes\.txt"):
            rs.scan_triplets(place)

    def test_nothing(self, tmp_path):
        for wrong in (tmp_path, tmp_path / "none", tmp_path / "none.npy"):
            with pytest.raises(FileError):
                rs.scan_triplets(wrong)

    def test_a_source_that_changes_is_noticed(self, folder):
        place, _ = folder
        stored = rs.scan_triplets(place)
        path = place / "part-0.parquet"
        os.utime(path, ns=(1, 1))
        with pytest.raises(FileError, match=r"part-0\.parquet has changed"):
            stored.sample(5)
        path.unlink()
        with pytest.raises(FileError, match=r"part-0\.parquet is gone"):
            stored.check()


def test_the_kept_pair_may_have_columns_of_its_own(tmp_path):
    frame = pd.DataFrame({"kept_a": [3, 1], "kept_b": [1, 10], "odd": [2, 3]})
    frame.to_parquet(tmp_path / "odd.parquet")
    stored = rs.scan_odd_one_outs(tmp_path / "odd.parquet")
    assert stored.items.names == ("1", "2", "3", "10")
    assert stored.sample(2).index[:, 0].tolist() == [1, 2]
    assert stored.left_out == ()


def test_options_may_become_more_from_file_to_file(tmp_path):
    for number, options in enumerate([["a|b"], ["b|c|d"], ["a|c"]]):
        frame = pd.DataFrame({"head": ["e"], "chosen": [options[0][0]], "options": options})
        frame.to_parquet(tmp_path / f"{number}.parquet")
    stored = rs.scan_choices(tmp_path)
    assert stored.shape == (3, 4)
    assert (stored.sample(3).index >= 0).sum(axis=1).tolist() == [3, 4, 3]


def test_columns_that_are_not_kept_are_told(folder):
    place, _ = folder
    for path in place.iterdir():
        pd.read_parquet(path).assign(rt=5).to_parquet(path)
    assert rs.scan_triplets(place).left_out == ("rt",)


def test_a_temporary_folder_goes_with_the_judgments(folder, tmp_path):
    stored = rs.scan_triplets(folder[0])
    place = stored.columns["index"].path.parent
    part = stored[10:20]
    del stored
    assert place.is_dir()
    assert len(part.sample(5)) == 5
    del part
    assert not place.is_dir()
    kept = rs.scan_triplets(folder[0], folder=tmp_path / "numbers")
    with pytest.raises(FileError, match="already"):
        rs.scan_triplets(folder[0], folder=tmp_path / "numbers")
    del kept
    assert (tmp_path / "numbers" / "index.bin").stat().st_size == 700 * 3 * 4


class TestNumbersAsNames:
    """Items that are numbers are found by a table, and mean what their texts mean."""

    def frame(self, m=200, seed=0):
        rng = np.random.default_rng(seed)
        names = np.array([0, 7, 12, 100, 1000, 5])
        return pd.DataFrame(
            names[np.argsort(rng.random((m, 6)), axis=1)[:, :3]], columns=["head", "near", "far"]
        ).assign(observer=rng.choice(["ann", "bob"], m), weight=rng.random(m))

    @pytest.mark.parametrize("dtype", ["int64", "uint16", "Int64"])
    def test_as_a_reader_reads_them(self, tmp_path, dtype):
        frame = self.frame()
        columns = ["head", "near", "far"]
        frame.astype(dict.fromkeys(columns, dtype)).to_parquet(tmp_path / "a.parquet")
        known = rs.read_triplets(tmp_path / "a.parquet")
        for items in (None, known.items, ["5", "1000", "x", "0", "12", "7", "100"]):
            stored = rs.scan_triplets(tmp_path / "a.parquet", items)
            expected = rs.read_triplets(tmp_path / "a.parquet", items)
            same(stored.sample(200), expected)
            assert stored.items.names == expected.items.names

    @pytest.mark.parametrize("wrong", [-1, 3, 10**9])
    def test_a_number_that_is_no_item_has_its_row(self, tmp_path, wrong):
        frame = self.frame()
        items = sorted(set(frame["head"]))
        frame.loc[150, "near"] = wrong
        frame.to_parquet(tmp_path / "a.parquet")
        with pytest.raises(JudgmentError, match=r"a\.parquet, row 151"):
            rs.scan_triplets(tmp_path / "a.parquet", items)

    def test_an_empty_cell(self, tmp_path):
        frame = self.frame().astype({"near": "Int64"})
        frame.loc[20, "near"] = pd.NA
        frame.to_parquet(tmp_path / "a.parquet")
        with pytest.raises(JudgmentError, match=r"a\.parquet, row 21.*empty"):
            rs.scan_triplets(tmp_path / "a.parquet")
