"""Read and write RDMs: tables, HDF5 files of rsatoolbox, and files of Meadows."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.io import loadmat

from resemblance.arrays import Floats
from resemblance.errors import FileError, JudgmentError, RDMError, RescaledWarning, SettingError
from resemblance.files import HDF5, RDMS_READ, TABLES, need, rdm_suffix, reading, whole
from resemblance.judgments import Items
from resemblance.judgments.checks import TableLike, first_few, is_table
from resemblance.judgments.items import are_numbered
from resemblance.judgments.labels import texts_of
from resemblance.judgments.tables import Table, read_table, typed, write_table
from resemblance.optional import pd
from resemblance.rdms.rdms import LONG, NAME, RDMs, same_items

if TYPE_CHECKING:
    import h5py

PARTS = "dissimilarities", "rdm_descriptors", "pattern_descriptors"
# rsatoolbox writes a dataset ``dissimilarities`` (n_rdms, n_pairs), and groups of descriptors with
# a value for each matrix or item; texts are bytes of fixed length. ``dissimilarity_measure`` is an
# attribute; for None it is an empty dataset.
ITEM, RDM, INDEX = "conds", "name", "index"
VERSION = "0.3.2"  # version of the layout that is written


def read_hdf5(path: Path, item_column: str | None = None, rdm_column: str | None = None) -> RDMs:
    import h5py

    opened = reading(path, "check that it is complete, and of that type", " as HDF5")
    with opened, h5py.File(path, "r") as file:
        return _rdms_of(file, path, item_column, rdm_column)


def write_hdf5(rdms: RDMs, path: Path) -> None:
    import h5py

    with h5py.File(path, "w") as file:
        file.attrs["rsatoolbox_version"] = VERSION
        file["dissimilarities"] = rdms.dissimilarities
        file.create_group("descriptors")
        of_rdms = file.create_group("rdm_descriptors")
        of_items = file.create_group("pattern_descriptors")
        for group, key, names in (
            (of_rdms, RDM, rdms.names),
            (of_items, ITEM, rdms.items.names),
        ):
            group[INDEX] = np.arange(len(names))
            _write_texts(group, key, names)
        if rdms.measure is None:
            file["dissimilarity_measure"] = h5py.Empty("f")
        else:
            file.attrs["dissimilarity_measure"] = rdms.measure


def _write_texts(group: h5py.Group, key: str, texts: tuple[str, ...]) -> None:
    """Write texts as bytes, which rsatoolbox reads; as an attribute if they are not ASCII."""
    import h5py

    if all(text.isascii() for text in texts):
        group[key] = np.array(texts, dtype="S")
        return
    try:
        group.attrs.create(key, list(texts), dtype=h5py.string_dtype())
    except (OSError, RuntimeError) as error:
        raise FileError(
            f"{len(texts)} names with letters beyond ASCII do not fit into an HDF5 file of "
            "rsatoolbox: use ASCII names, or .csv"
        ) from error


def _rdms_of(file: h5py.File, path: Path, item_column: str | None, rdm_column: str | None) -> RDMs:
    if missing := [part for part in PARTS if part not in file]:
        has = ", ".join(map(repr, file)) or "nothing"
        raise FileError(
            f"{path} has no {' and no '.join(map(repr, missing))} (it has {has}), so it has no "
            "RDMs of rsatoolbox: save them with rdms.save(path, file_type='hdf5')"
        )
    values = file["dissimilarities"]
    if not hasattr(values, "shape") or values.dtype.kind not in "iuf" or values.ndim != 2:
        raise FileError(
            f"{path}: 'dissimilarities' is no array (n_rdms, n_pairs) of numbers: save the RDMs "
            "with rdms.save(path, file_type='hdf5')"
        )
    dissimilarities = np.asarray(values, dtype=float)
    of_items = _descriptors(file["pattern_descriptors"])
    of_rdms = _descriptors(file["rdm_descriptors"])
    items = _chosen(of_items, item_column, ITEM, path, "item_column")
    names = _chosen(of_rdms, rdm_column, RDM, path, "rdm_column")
    measure = file.attrs.get("dissimilarity_measure")
    return RDMs(
        dissimilarities,
        None if items is None else Items(items),
        names,
        None if measure is None else _text(measure),
    )


def _descriptors(group: Any) -> dict[str, list[str]]:
    descriptors: dict[str, list[str]] = {}
    for key, part in [*group.items(), *group.attrs.items()]:
        values = np.asarray(part) if getattr(part, "shape", ()) else None
        if values is not None and values.ndim == 1:
            descriptors[key] = [_text(value) for value in values]
    return descriptors


def _text(value: Any) -> str:
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)


def _chosen(
    texts: dict[str, list[str]], asked: str | None, usual: str, path: Path, setting: str
) -> list[str] | None:
    if asked is not None:
        if asked not in texts:
            raise FileError(
                f"{path} has no descriptor {asked!r} (it has {', '.join(texts) or 'none'}): "
                f"correct {setting}",
                setting=setting,
            )
        return texts[asked]
    naming = [key for key in texts if key != INDEX and len(set(texts[key])) == len(texts[key])]
    if usual in naming or len(naming) == 1:
        return texts[usual if usual in naming else naming[0]]
    if not naming:
        return texts.get(INDEX)
    raise RDMError(
        f"{path} has several descriptors that could be names, {', '.join(naming)}: choose one with "
        f"{setting}",
        setting=setting,
    )


STIMULI, TRIANGLE = "stimuli", "rdmutv"
PICTURE = re.compile(r"(.+)\.(png|jpe?g|gif|bmp|svg|webp|mp3|wav|ogg|mp4|webm)", re.IGNORECASE)
Known = Items | Iterable[Any]
LAYOUTS = "square", "long"


def read_mat(path: Path) -> RDMs:
    with reading(path, "check that it is complete", " as a .mat file", TypeError):
        try:
            variables = {k: v for k, v in loadmat(path).items() if not k.startswith("__")}
        except NotImplementedError:
            raise FileError(
                f"{path} has MATLAB's format 7.3: save it in MATLAB with save(..., '-v7')"
            ) from None
    if not any(_is_triangle(name) for name in variables):
        has = ", ".join(variables) or "nothing"
        raise FileError(
            f"{path} has no variable {TRIANGLE!r}, as files of Meadows have (it has {has}): write "
            "other matrices as a table"
        )
    return _of_meadows(variables, path)


def read_tree(path: Path) -> RDMs:
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FileError(f"{path} is not JSON ({error}): check that it is complete") from error
    tasks = tree.get("tasks", [tree]) if isinstance(tree, dict) else []
    arranged = [task for task in tasks if isinstance(task, dict) and "rdm" in task]
    if not arranged:
        raise FileError(
            f"{path} has no task with an 'rdm': download from Meadows the tree of one person, "
            "with a multiple arrangement task"
        )
    names = _own([_task_name(task) for task in arranged])
    try:
        parts = [
            RDMs(task["rdm"], _names([s["name"] for s in task["stimuli"]]), [name], "euclidean")
            for task, name in zip(arranged, names, strict=True)
        ]
    except (KeyError, TypeError):
        raise FileError(
            f"{path} has a task with an 'rdm' and no 'stimuli' with names: download the tree from "
            "Meadows again"
        ) from None
    return joined(parts)


def joined(parts: Sequence[RDMs]) -> RDMs:
    first = parts[0]
    values = [same_items(first, part).dissimilarities for part in parts]
    names = [name for part in parts for name in part.names]
    return RDMs(np.concatenate(values), first.items, names, first.measure)


def _task_name(task: Mapping[str, Any]) -> str:
    details = task.get("task")
    return str(details.get("name", "arrangement")) if isinstance(details, dict) else "arrangement"


def _is_triangle(name: str) -> bool:
    return name == TRIANGLE or name.startswith(f"{TRIANGLE}_")


def _of_meadows(variables: Mapping[str, Any], path: Path) -> RDMs:
    parts = []
    for name in filter(_is_triangle, variables):
        person = name.removeprefix(TRIANGLE).removeprefix("_")
        stimuli = STIMULI if name == TRIANGLE else f"{STIMULI}_{person}"
        if stimuli not in variables:
            raise FileError(
                f"{path} has a variable {name!r} and none called {stimuli!r}: download the file "
                "from Meadows again"
            )
        called = [person.replace("_", "-") if person else "arrangement"]
        values = np.ravel(variables[name])
        parts.append(RDMs(values, _names(variables[stimuli]), called, "euclidean"))
    return joined(parts)


def _names(stimuli: Any) -> list[str]:
    texts = [str(np.squeeze(stimulus)).strip() for stimulus in stimuli]
    bare = [match[1] if (match := PICTURE.fullmatch(text)) else text for text in texts]
    return bare if len(set(bare)) == len(bare) else texts


def _own(names: list[str]) -> list[str]:
    if len(set(names)) == len(names):
        return names
    return [f"{name} {names[: i + 1].count(name)}" for i, name in enumerate(names)]


def read_rdms(
    path: str | PathLike[str] | TableLike,
    items: Known | None = None,
    *,
    item_column: str | None = None,
    rdm_column: str | None = None,
) -> RDMs:
    r"""Read dissimilarity matrices from a file, in the format of its suffix.

    ============================== ===============================================================
    .csv, .jsonl, .parquet, .xlsx  a square table with the items' names in its first row and column
                                   (R: ``write.csv(as.matrix(d))``), or a long table with the
                                   columns ``item_a, item_b, dissimilarity``, and ``rdm`` for
                                   several matrices; .xlsx needs openpyxl
    .h5, .hdf5                     a file that rsatoolbox saved as "hdf5"; needs h5py
    .mat                           a file of Meadows (``rdmutv``, ``stimuli``)
    .json                          a tree of Meadows for one person
    ============================== ===============================================================

    Parameters
    ----------
    path : path or table
        The file; .csv and .jsonl may be gzipped (.csv.gz). Or a long or square table in memory
        (pandas, polars, Arrow).
    items : Items or sequence of str, optional
        The items and their order; the file must have exactly these items. Default: the items of the
        file in their order, numbered from 0 if the file has no names.
    item_column, rdm_column : str, optional
        The descriptors of an HDF5 file that name items and matrices. Default: "conds" and "name";
        else the only descriptor with distinct values; else numbers.

    Raises
    ------
    FileError
        If the file is missing, broken or of another kind, or lacks a column or a pair.
    RDMError
        If a matrix is not symmetric, has an infinite cell, has only missing cells, or has other
        items. A blank cell, NA or NaN is a missing pair.
    UnavailableError
        If h5py or openpyxl is missing.

    Warns
    -----
    RescaledWarning
        If all cells on the diagonal of a square table are equal, not 0, and the smallest in the
        table (multiarrangement rescales cells to 1 to 7). This value is subtracted from all cells.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "faces.csv"
    ...     _ = path.write_text(",x,y,z\nx,0,2,3\ny,2,0,4\nz,3,4,0\n")
    ...     faces = read_rdms(path)
    >>> faces.items.names, faces.dissimilarities
    (('x', 'y', 'z'), array([[2., 3., 4.]]))
    """
    if is_table(path):
        return _on_items(_of_table(read_table(path)), items)
    path = Path(path)  # type: ignore[arg-type]
    kind = rdm_suffix(path, RDMS_READ)
    need(path)
    if kind not in HDF5 and (item_column or rdm_column):
        raise SettingError(
            f"item_column and rdm_column are for HDF5, not for {kind}: leave them out"
        )
    with _located(path):
        if kind in (*TABLES, ".xlsx"):
            rdms = _of_table(read_table(path))
        elif kind in HDF5:
            rdms = read_hdf5(path, item_column, rdm_column)
        elif kind == ".mat":
            rdms = read_mat(path)
        else:
            rdms = read_tree(path)
        return _on_items(rdms, items)


@contextmanager
def _located(path: Path) -> Iterator[None]:
    try:
        yield
    except (RDMError, JudgmentError) as error:
        message = str(error)
        named = message if message.startswith(str(path)) else f"{path}: {message}"
        raise RDMError(named, setting=error.setting) from None


def _on_items(rdms: RDMs, given: Items | Iterable[Any] | None) -> RDMs:
    if given is None:
        return rdms
    items = given if isinstance(given, Items) else Items(given)
    if are_numbered(rdms.items) and len(items) == len(rdms.items):
        return RDMs(rdms.dissimilarities, items, rdms.names, rdms.measure)
    return same_items(RDMs(np.zeros(len(items) * (len(items) - 1) // 2), items), rdms)


def _of_table(table: Table) -> RDMs:
    if set(LONG) & set(table.frame.columns):
        return _of_long(table)
    return _of_square(table)


def _of_square(table: Table) -> RDMs:
    first, *columns = table.frame.columns
    rows = texts_of(table.frame[first]).tolist()
    for here, there, what in ((rows, columns, "row"), (columns, rows, "column")):
        if odd := [name for name in here if name not in there]:
            raise FileError(
                f"{table.name}: {first_few(odd)} has a {what} and no "
                f"{'column' if what == 'row' else 'row'}: give each item both, or a long table "
                f"with the columns {', '.join(LONG)}"
            )
    items = Items(rows)
    values = np.column_stack([_cells(table, name, rows) for name in rows])
    return RDMs.from_squares(_from_zero(values, table.name), items, [table.stem])


def _from_zero(square: Floats, name: str) -> Floats:
    """Subtract the diagonal if it is the smallest of all cells, as in rescaled tables."""
    least = square[0, 0]
    if least == 0 or (np.diag(square) != least).any() or (square < least).any():
        return square
    warnings.warn(
        RescaledWarning(
            f"{name}: the diagonal is {least:g}, the minimum of all cells, so values seem "
            f"rescaled: {least:g} is subtracted, as an item does not differ from itself"
        ),
        stacklevel=4,
    )
    return np.asarray(square - least)


def _cells(table: Table, column: str, rows: list[str]) -> Floats:
    cells = typed(table.frame[column], table.decimal)
    values = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    bad = np.isnan(values) & ~cells.isna().to_numpy() & (cells.astype(str).str.lower() != "nan")
    bad &= cells.astype(str) != "NA"
    if bad.any():
        i = int(np.argmax(bad))
        raise FileError(
            f"{table.name}, {table.where(i)}, row {rows[i]!r}, column {column!r}: "
            f"{cells.iloc[i]!r} is no number: correct it"
        )
    return values


def _of_long(table: Table) -> RDMs:
    if missing := [name for name in LONG if name not in table.frame]:
        has = ", ".join(map(repr, table.frame.columns))
        raise FileError(
            f"{table.name} has no column {' and no '.join(map(repr, missing))}; it has {has}: a "
            f"long table needs {', '.join(LONG)}"
        )
    a, b = (texts_of(table.frame[name]) for name in LONG[:2])
    which = pd.Series(table.stem, index=a.index)
    which = texts_of(table.frame[NAME]) if NAME in table.frame else which
    labels = [str(row) for row in range(len(a))]
    values = _cells(table, "dissimilarity", labels)
    items = Items(pd.unique(np.column_stack([a, b]).ravel()))
    names = list(dict.fromkeys(which))
    squares = np.full((len(names), len(items), len(items)), np.nan)
    given = np.zeros(squares.shape, dtype=bool)
    number = {name: i for i, name in enumerate(names)}
    places = np.array([number[name] for name in which]), items.positions(a), items.positions(b)
    _refuse_repeats(table, places, values)
    squares[places], given[places] = values, True
    # Fill in the other half; cells that are given in both halves are compared later.
    mirrored = given.transpose(0, 2, 1) & ~given
    squares[mirrored] = squares.transpose(0, 2, 1)[mirrored]
    _refuse_gaps(table, squares, given, items, names)
    return RDMs.from_squares(squares, items, names)


def _refuse_repeats(table: Table, places: tuple[Any, ...], values: Floats) -> None:
    repeated = pd.DataFrame(np.column_stack(places)).duplicated().to_numpy()
    if repeated.any():
        row = int(repeated.argmax())
        a, b = (table.frame[name].iloc[row] for name in LONG[:2])
        raise FileError(
            f"{table.name}, {table.where(row)}: {a!r} and {b!r} came before: give each pair once, "
            f"and the matrices of several people a column {NAME!r}"
        )


def _refuse_gaps(table: Table, squares: Floats, given: Any, items: Items, names: list[str]) -> None:
    filled = given | given.transpose(0, 2, 1) | np.eye(len(items), dtype=bool)
    gaps = np.argwhere(~filled)
    if len(gaps):
        which, i, j = gaps[0]
        of = f" of {names[which]!r}" if len(names) > 1 else ""
        raise FileError(
            f"{table.name} has no row for {items.names[i]!r} and {items.names[j]!r}{of} (and lacks "
            f"{len(gaps) // 2} pairs in all): give each pair a row"
        )


def write_rdms(rdms: RDMs, path: str | PathLike[str], *, layout: str | None = None) -> None:
    r"""Write dissimilarity matrices to a file, in the format of its suffix.

    Parameters
    ----------
    rdms : RDMs
        The matrices to write.
    path : path
        A table (.csv, .jsonl, .parquet, .csv.gz, .jsonl.gz), or a file for
        ``rsatoolbox.rdm.load_rdm`` (.h5, .hdf5) with the descriptors "conds" for items and "name"
        for matrices. Tables do not contain the measure. An existing file is replaced.
    layout : str, optional
        The layout of a table: "square", with names in the first row and column; or "long", with a
        row for each pair and the columns ``item_a, item_b, dissimilarity``, and ``rdm`` for several
        matrices. Default: square for one matrix in .csv, otherwise long.

    Raises
    ------
    SettingError
        If the layout is unknown, or if it is given for a file that is not a table.
    RDMError
        If the layout is square and there are several matrices, or if an item has the name of a
        column of long tables.
    FileError
        If the type is unknown, or the file cannot be written.
    UnavailableError
        If h5py is missing.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rdm.csv"
    ...     write_rdms(RDMs([2.0, 3.0, 4.0], ["x", "y", "z"]), path)
    ...     print(path.read_text().replace("\r", ""), end="")
    item,x,y,z
    x,0.0,2.0,3.0
    y,2.0,0.0,4.0
    z,3.0,4.0,0.0
    """
    path = Path(path)
    kind = rdm_suffix(path)
    if layout not in (None, *LAYOUTS) or (kind in HDF5 and layout is not None):
        raise SettingError(
            f"layout is {layout!r}: give {' or '.join(LAYOUTS)} for a table, and none for HDF5",
            setting="layout",
        )
    if kind in HDF5:
        with whole(path) as part:
            write_hdf5(rdms, part)
        return
    default = "square" if len(rdms) == 1 and kind == ".csv" else "long"
    write_table(_square(rdms) if (layout or default) == "square" else _long(rdms), path)


def _square(rdms: RDMs) -> pd.DataFrame:
    if len(rdms) > 1:
        raise RDMError(
            f"{len(rdms)} matrices do not fit into one square: choose one, or layout='long'"
        )
    names = rdms.items.names
    first = "item"
    while first in names:
        first += "_"
    if odd := set(names) & set(LONG):
        raise RDMError(f"an item is called {odd.pop()!r}, like a column of long tables: write .h5")
    table = pd.DataFrame(rdms.squares()[0], columns=list(names))
    table.insert(0, first, names)
    return table


def _long(rdms: RDMs) -> pd.DataFrame:
    table = rdms.to_pandas()
    return table if len(rdms) > 1 else table[list(LONG)]
