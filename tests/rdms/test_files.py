"""RDMs to files and back, files of other software, and what is refused."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

import resemblance as rs
from resemblance.errors import FileError, RDMError, RescaledWarning, SettingError, UnavailableError

h5py = pytest.importorskip("h5py")

NAMES = ["bow", "10", "a, b", "grün", "x", "007"]


def drawn(seed=0, n_rdms=1, names=NAMES, measure="euclidean"):
    values = np.random.default_rng(seed).normal(size=(n_rdms, len(names) * (len(names) - 1) // 2))
    return rs.RDMs(values, names, [f"p{i}" for i in range(n_rdms)], measure)


def same(found, known):
    assert found.items.names == known.items.names
    np.testing.assert_array_equal(found.dissimilarities, known.dissimilarities)


class TestThereAndBack:
    @pytest.mark.parametrize("suffix", ["csv", "csv.gz", "jsonl", "jsonl.gz", "parquet"])
    @pytest.mark.parametrize("layout", ["square", "long", None])
    def test_one_as_a_table(self, tmp_path, suffix, layout):
        made = drawn()
        rs.write_rdms(made, tmp_path / f"rdm.{suffix}", layout=layout)
        found = rs.read_rdms(tmp_path / f"rdm.{suffix}")
        same(found, made)
        assert found.names == ("rdm",)

    @pytest.mark.parametrize("suffix", ["csv", "csv.gz", "jsonl", "parquet", "h5", "hdf5"])
    def test_several(self, tmp_path, suffix):
        made = drawn(0, 3)
        rs.write_rdms(made, tmp_path / f"rdms.{suffix}")
        found = rs.read_rdms(tmp_path / f"rdms.{suffix}")
        same(found, made)
        assert found.names == made.names

    @pytest.mark.parametrize("measure", ["euclidean", None])
    def test_hdf5_keeps_the_measure(self, tmp_path, measure):
        made = drawn(measure=measure)
        rs.write_rdms(made, tmp_path / "rdm.h5")
        rs.write_rdms(made, tmp_path / "rdm.h5")  # what is there is replaced
        found = rs.read_rdms(tmp_path / "rdm.h5")
        same(found, made)
        assert found.measure == measure


class TestItems:
    def test_are_brought_into_the_order_that_is_given(self, tmp_path):
        made = drawn()
        rs.write_rdms(made, tmp_path / "rdm.csv")
        items = rs.Items(NAMES[::-1])
        found = rs.read_rdms(tmp_path / "rdm.csv", items)
        same(found, made.of_items(items))

    @pytest.mark.parametrize("items", [NAMES[1:], [*NAMES, "new"], [*NAMES[:-1], "new"]])
    def test_others_are_refused_by_name(self, tmp_path, items):
        rs.write_rdms(drawn(), tmp_path / "rdm.csv")
        with pytest.raises(RDMError, match=r"new|bow") as told:
            rs.read_rdms(tmp_path / "rdm.csv", items)
        assert "rdm.csv" in str(told.value)

    def test_files_without_names_take_those_that_are_given(self, tmp_path):
        made = drawn()
        rs.write_rdms(rs.RDMs(made.dissimilarities), tmp_path / "rdm.csv")
        found = rs.read_rdms(tmp_path / "rdm.csv", NAMES)
        same(found, made)


class TestRsatoolbox:
    """Files as rsatoolbox lays them out."""

    def write(self, path, values=None, items=None, names=None, **more):
        with h5py.File(path, "w") as file:
            file.attrs["rsatoolbox_version"] = "0.3.2"
            file["dissimilarities"] = np.ones((2, 3)) if values is None else values
            file.create_group("descriptors").attrs["experiment"] = "faces"
            for key, known in (("pattern_descriptors", items), ("rdm_descriptors", names)):
                group = file.create_group(key)
                group["index"] = np.arange(3 if key.startswith("p") else 2)
                for name, column in (known or {}).items():
                    column = np.array(column)
                    group[name] = column.astype("S") if column.dtype.kind == "U" else column
            file.attrs.update(more)

    def test_numbers_where_nothing_is_named(self, tmp_path):
        self.write(tmp_path / "rdms.h5", dissimilarity_measure="crossnobis")
        found = rs.read_rdms(tmp_path / "rdms.h5")
        assert (found.items.names, found.names) == (("0", "1", "2"), ("0", "1"))
        assert found.measure == "crossnobis"

    def test_the_descriptor_whose_values_differ_names(self, tmp_path):
        items = {"stimulus": ["x", "y", "z"], "category": ["face", "face", "house"]}
        names = {"subject": [12, 7], "session": [1, 1]}
        self.write(tmp_path / "rdms.h5", items=items, names=names)
        found = rs.read_rdms(tmp_path / "rdms.h5")
        assert (found.items.names, found.names) == (("x", "y", "z"), ("12", "7"))

    def test_one_of_several_is_chosen(self, tmp_path):
        items = {"stimulus": ["x", "y", "z"], "file": ["1.png", "2.png", "3.png"]}
        self.write(tmp_path / "rdms.h5", items=items)
        with pytest.raises(RDMError) as told:
            rs.read_rdms(tmp_path / "rdms.h5")
        assert told.value.setting == "item_column"
        assert "stimulus" in str(told.value)
        found = rs.read_rdms(tmp_path / "rdms.h5", item_column="file")
        assert found.items.names == ("1.png", "2.png", "3.png")
        with pytest.raises(FileError) as told:
            rs.read_rdms(tmp_path / "rdms.h5", item_column="colour")
        assert told.value.setting == "item_column"

    def test_infinite_cells_are_named(self, tmp_path):
        values = np.array([[1, 2, 3], [1, 2, np.inf]])
        self.write(tmp_path / "rdms.h5", values, items={"conds": ["x", "y", "z"]})
        with pytest.raises(RDMError) as told:
            rs.read_rdms(tmp_path / "rdms.h5")
        for part in ("rdms.h5", "'y' and 'z'", "'1'"):
            assert part in str(told.value)

    def test_hdf5_of_another_kind_is_refused(self, tmp_path):
        with h5py.File(tmp_path / "other.h5", "w") as file:
            file["weights"] = np.ones(3)
        with pytest.raises(FileError) as told:
            rs.read_rdms(tmp_path / "other.h5")
        for part in ("other.h5", "'dissimilarities'", "'weights'"):
            assert part in str(told.value)

    @pytest.mark.parametrize("values", [np.ones(3), np.ones((2, 2, 2)), np.array([b"a"])])
    def test_other_dissimilarities_are_refused(self, tmp_path, values):
        self.write(tmp_path / "rdms.h5", values)
        with pytest.raises(FileError):
            rs.read_rdms(tmp_path / "rdms.h5")

    def test_what_is_no_hdf5_is_refused(self, tmp_path):
        (tmp_path / "rdm.h5").write_text("not at all")
        with pytest.raises(FileError):
            rs.read_rdms(tmp_path / "rdm.h5")

    def test_without_h5py_it_is_told_before_anything_is_read(self, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "h5py", None)
        for action in (rs.read_rdms, lambda path: rs.write_rdms(drawn(), path)):
            with pytest.raises(UnavailableError, match="resemblance\\[rsa\\]"):
                action(tmp_path / "rdm.h5")


class TestMeadows:
    def test_meadows_of_one_and_of_several(self, tmp_path):
        stimuli = np.array(["b.png", "a.png", "c.png"])
        savemat(tmp_path / "one.mat", {"rdmutv": [[1.0, 2.0, 3.0]], "stimuli": stimuli})
        found = rs.read_rdms(tmp_path / "one.mat")
        assert found.items.names == ("b", "a", "c")
        np.testing.assert_array_equal(found.dissimilarities, [[1, 2, 3]])
        several = {
            "rdmutv_able_fly": [[1.0, 2.0, 3.0]],
            "stimuli_able_fly": stimuli,
            "rdmutv_clean_koi": [[4.0, 5.0, 6.0]],
            "stimuli_clean_koi": stimuli[::-1].copy(),
        }
        savemat(tmp_path / "several.mat", several)
        found = rs.read_rdms(tmp_path / "several.mat")
        assert found.names == ("able-fly", "clean-koi")
        np.testing.assert_array_equal(found.dissimilarities, [[1, 2, 3], [6, 5, 4]])

    def test_meadows_without_stimuli_is_refused(self, tmp_path):
        savemat(tmp_path / "one.mat", {"rdmutv": [[1.0, 2.0, 3.0]]})
        with pytest.raises(FileError, match="'stimuli'"):
            rs.read_rdms(tmp_path / "one.mat")

    def test_others_are_refused(self, tmp_path):
        savemat(tmp_path / "m.mat", {"a": np.zeros((3, 3))})
        with pytest.raises(FileError, match="it has a"):
            rs.read_rdms(tmp_path / "m.mat")

    def test_broken_ones_are_refused(self, tmp_path):
        (tmp_path / "m.mat").write_bytes(b"not MATLAB" * 50)
        with pytest.raises(FileError):
            rs.read_rdms(tmp_path / "m.mat")


class TestTrees:
    def tree(self, *names):
        stimuli = [{"name": "beach"}, {"name": "fire"}, {"name": "river"}]
        tasks = [{"task": {"name": "welcome", "task_type": "info"}, "stimuli": []}]
        tasks += [
            {"task": {"name": name}, "stimuli": stimuli[:: (-1) ** i], "rdm": [0.6, 0.2, 0.7]}
            for i, name in enumerate(names)
        ]
        return {"token": "x", "tasks": tasks}

    def test_tasks_of_one_person(self, tmp_path):
        (tmp_path / "m.json").write_text(json.dumps(self.tree("first", "second")))
        found = rs.read_rdms(tmp_path / "m.json")
        assert (found.names, found.items.names) == (("first", "second"), ("beach", "fire", "river"))
        np.testing.assert_array_equal(found.dissimilarities, [[0.6, 0.2, 0.7], [0.7, 0.2, 0.6]])

    def test_a_task_twice(self, tmp_path):
        (tmp_path / "m.json").write_text(json.dumps(self.tree("ma", "ma")))
        assert rs.read_rdms(tmp_path / "m.json").names == ("ma 1", "ma 2")

    @pytest.mark.parametrize("text", ["{", "[]", "{}", '{"tasks": []}', '{"tasks": [{"task": 1}]}'])
    def test_others_are_refused(self, tmp_path, text):
        (tmp_path / "m.json").write_text(text)
        with pytest.raises(FileError):
            rs.read_rdms(tmp_path / "m.json")

    @pytest.mark.parametrize("lacks", ["stimuli", "name"])
    def test_tasks_without_stimuli_are_refused(self, tmp_path, lacks):
        tree = self.tree("first")
        if lacks == "name":
            tree["tasks"][1]["stimuli"] = [{"id": 1}] * 3
        else:
            del tree["tasks"][1]["stimuli"]
        (tmp_path / "m.json").write_text(json.dumps(tree))
        with pytest.raises(FileError):
            rs.read_rdms(tmp_path / "m.json")


@pytest.mark.parametrize("name", ["rdm.csv", "rdm.jsonl", "rdm.parquet", "rdm.h5"])
@pytest.mark.parametrize("n_rdms", [1, 2])
def test_missing_pairs_come_back_missing(tmp_path, name, n_rdms):
    made = drawn(n_rdms=n_rdms)
    values = made.dissimilarities.copy()
    values[0, [1, 3]] = np.nan
    rs.write_rdms(rs.RDMs(values, made.items, made.names), tmp_path / name)
    found = rs.read_rdms(tmp_path / name, made.items)
    np.testing.assert_array_equal(found.dissimilarities, values)


@pytest.mark.parametrize("blank", ["NA", "nan", ""])
def test_a_blank_cell_is_a_missing_pair(tmp_path, blank):
    (tmp_path / "rdm.csv").write_text(f",a,b,c\na,0,1,{blank}\nb,1,0,2\nc,{blank},2,0\n")
    assert rs.read_rdms(tmp_path / "rdm.csv").missing.tolist() == [1]


class TestMultiarrangement:
    """A data frame of pandas, its index the names: pixels, or 50 to 570 of them as 1 to 7."""

    NAMES = ("002", "004_F", "7")
    PIXELS = np.array([[0.0, 100, 570], [100, 0, np.nan], [570, np.nan, 0]])

    def read(self, tmp_path, values):
        pytest.importorskip("openpyxl")
        path = tmp_path / "participant_7_results.xlsx"
        pd.DataFrame(values, self.NAMES, self.NAMES).to_excel(path)
        return rs.read_rdms(path)

    def test_pixels(self, tmp_path):
        found = self.read(tmp_path, self.PIXELS)
        assert (found.items.names, found.names) == (self.NAMES, ("participant_7_results",))
        np.testing.assert_array_equal(found.dissimilarities, [[100, 570, np.nan]])

    @pytest.mark.parametrize("least", [1.0, -0.5])
    def test_a_diagonal_that_was_rescaled_with_all_else_is_taken_off(self, tmp_path, least):
        scaled = np.maximum((self.PIXELS - 50) / 520 * 6, 0) + least
        with pytest.warns(RescaledWarning, match="participant_7_results"):
            found = self.read(tmp_path, scaled)
        np.testing.assert_allclose(found.dissimilarities, [[50 / 520 * 6, 6, np.nan]])

    @pytest.mark.parametrize("cell", [(1, 1), (0, 1)])
    def test_other_diagonals_are_refused(self, tmp_path, cell):
        scaled = self.PIXELS / 100 + 1
        scaled[cell] = scaled[cell[::-1]] = 0.5
        with pytest.raises(RDMError, match="'002'"):
            self.read(tmp_path, scaled)


@pytest.mark.parametrize("name", ["rdm.csv", "rdm.csv.gz"])
def test_a_table_in_another_encoding_or_a_broken_archive_is_named(tmp_path, name):
    (tmp_path / name).write_bytes(",ä,b\nä,0,1\nb,1,0\n".encode("latin-1"))
    with pytest.raises(FileError, match=name):
        rs.read_rdms(tmp_path / name)
    with pytest.raises(FileError, match=name):
        rs.read_confusion_matrix(tmp_path / name, trials=9)


class TestTables:
    def refuse(self, tmp_path, text, *parts, kind=(FileError, RDMError)):
        (tmp_path / "rdm.csv").write_text(text)
        with pytest.raises(kind) as told:
            rs.read_rdms(tmp_path / "rdm.csv")
        for part in ("rdm.csv", *parts):
            assert part in str(told.value)

    def test_a_long_one_may_tell_pairs_both_ways(self, tmp_path):
        rows = [("a", "b", 1.0), ("b", "a", 1.0), ("a", "a", 0.0), ("c", "a", 2.0), ("b", "c", 3.0)]
        frame = pd.DataFrame(rows, columns=["item_a", "item_b", "dissimilarity"])
        frame.to_csv(tmp_path / "rdm.csv", index=False)
        found = rs.read_rdms(tmp_path / "rdm.csv")
        assert found.items.names == ("a", "b", "c")
        np.testing.assert_array_equal(found.dissimilarities, [[1, 2, 3]])

    @pytest.mark.parametrize("column", ["item_a", "item_b", "dissimilarity"])
    def test_a_column_that_is_missing_is_named(self, tmp_path, column):
        header = "item_a,item_b,dissimilarity".replace(column, "other")
        self.refuse(tmp_path, f"{header}\na,b,1\n", repr(column), "'other'", kind=FileError)

    def test_pairs_that_are_missing_repeated_or_contradicted_are_named(self, tmp_path):
        header = "rdm,item_a,item_b,dissimilarity\n"
        rows = "p,a,b,1\np,a,c,2\np,b,c,3\n"
        self.refuse(tmp_path, header + rows + "q,a,b,1\nq,a,c,1\n", "'b'", "'c'", "'q'")
        self.refuse(tmp_path, header + rows + "p,a,c,2\n", "line 5", "'a'", "'c'")
        self.refuse(tmp_path, header + rows + "p,c,b,4\n", "'b'", "'c'")
        self.refuse(tmp_path, header + rows + "p,c,c,4\n", "'c'")

    def test_cells_that_are_no_numbers_are_named(self, tmp_path):
        self.refuse(tmp_path, "item_a,item_b,dissimilarity\na,b,far\n", "line 2", "'far'")
        self.refuse(tmp_path, "item_a,item_b,dissimilarity\na,b,\n", "'a' and 'b'")
        self.refuse(tmp_path, ",a,b\na,0,1\nb,x,0\n", "'b'", "'x'", "line 3")
        self.refuse(tmp_path, ",a,b\na,0,NA\nb,NA,0\n", "'a' and 'b'")
        self.refuse(tmp_path, ",a,b\na,0,1\nb,2,0\n", "'a'", "'b'")
        self.refuse(tmp_path, ",a,b\na,0,1\nb,,0\n", "'a'", "'b'")

    def test_rows_and_columns_that_differ_are_named(self, tmp_path):
        self.refuse(tmp_path, ",a,b\na,0,1\nc,1,0\n", "c")
        self.refuse(tmp_path, ",a,b,c\na,0,1,2\nb,1,0,3\n", "c")
        self.refuse(tmp_path, ",a,b\na,0,1\na,1,0\n", "b")

    def test_columns_in_another_order_are_found_by_name(self, tmp_path):
        (tmp_path / "rdm.csv").write_text(",c,a,b\na,2,0,1\nb,3,1,0\nc,0,2,3\n")
        found = rs.read_rdms(tmp_path / "rdm.csv")
        assert found.items.names == ("a", "b", "c")
        np.testing.assert_array_equal(found.dissimilarities, [[1, 2, 3]])


class TestSettings:
    @pytest.mark.parametrize("name", ["rdm.ods", "rdm.txt", "rdm", "rdm.mat.gz", "rdm.pkl"])
    def test_types_that_are_not_known(self, tmp_path, name):
        (tmp_path / name).write_text("x")
        with pytest.raises(FileError):
            rs.read_rdms(tmp_path / name)

    @pytest.mark.parametrize("name", ["rdm.mat", "rdm.json", "rdm.xlsx"])
    def test_types_that_are_read_alone(self, tmp_path, name):
        with pytest.raises(FileError):
            rs.write_rdms(drawn(), tmp_path / name)

    def test_a_file_that_is_not_there(self, tmp_path):
        with pytest.raises(FileError):
            rs.read_rdms(tmp_path / "rdm.csv")

    def test_settings_of_other_files(self, tmp_path):
        rs.write_rdms(drawn(), tmp_path / "rdm.csv")
        for more in ({"item_column": "a"}, {"rdm_column": "a"}):
            with pytest.raises(SettingError):
                rs.read_rdms(tmp_path / "rdm.csv", **more)

    def test_layouts(self, tmp_path):
        with pytest.raises(SettingError) as told:
            rs.write_rdms(drawn(), tmp_path / "rdm.csv", layout="wide")
        assert told.value.setting == "layout"
        with pytest.raises(SettingError):
            rs.write_rdms(drawn(), tmp_path / "rdm.h5", layout="long")
        with pytest.raises(RDMError):
            rs.write_rdms(drawn(n_rdms=2), tmp_path / "rdm.csv", layout="square")
        with pytest.raises(RDMError):
            rs.write_rdms(drawn(names=["a", "item_a"]), tmp_path / "rdm.csv")
        assert not list(tmp_path.iterdir())
