"""Write RDMs as tables, or as HDF5 files of rsatoolbox."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from resemblance.errors import RDMError, SettingError
from resemblance.files import HDF5, rdm_suffix, whole
from resemblance.judgments.tables import write_table
from resemblance.optional import pd
from resemblance.rdms.hdf5 import write_hdf5
from resemblance.rdms.rdms import LONG, RDMs

LAYOUTS = "square", "long"


def write_rdms(rdms: RDMs, path: str | PathLike[str], *, layout: str | None = None) -> None:
    r"""Write dissimilarity matrices to a file, in the format of its suffix.

    Parameters
    ----------
    rdms : RDMs
        The matrices to write.
    path : path
        A name that ends in .csv, .jsonl or .parquet (also .csv.gz, .jsonl.gz): a table; or in .h5
        or .hdf5: a file that ``rsatoolbox.rdm.load_rdm`` reads, with items as the descriptor
        "conds" and names as "name". Tables do not keep the measure. What is there is replaced.
    layout : str, optional
        Of a table: "square", names in the first row and column; "long", a row for each pair, with
        the columns ``item_a, item_b, dissimilarity`` and, of several matrices, ``rdm``. Default:
        square of one matrix in .csv, else long.

    Raises
    ------
    SettingError
        If the layout is none of these, or not one of this file.
    RDMError
        If several matrices are to be square, or an item is called as a column of long tables.
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
        raise RDMError(f"{len(rdms)} matrices are no square: choose one, or layout='long'")
    names = rdms.items.names
    first = "item"
    while first in names:
        first += "_"
    if odd := set(names) & set(LONG):
        raise RDMError(f"an item is called {odd.pop()!r}, as a column of long tables: write .h5")
    table = pd.DataFrame(rdms.squares()[0], columns=list(names))
    table.insert(0, first, names)
    return table


def _long(rdms: RDMs) -> pd.DataFrame:
    table = rdms.to_pandas()
    return table if len(rdms) > 1 else table[list(LONG)]
