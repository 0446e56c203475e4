"""Which file of dissimilarities is which, told by its suffix before anything is loaded."""

from importlib.util import find_spec
from pathlib import Path

from resemblance.errors import FileError, UnavailableError

TABLES = (".csv", ".jsonl", ".parquet")
HDF5 = (".h5", ".hdf5")
READ = (*TABLES, *HDF5, ".txt", ".mat", ".json")
WRITTEN = (*TABLES, *HDF5)
PICKLED = (".pkl", ".pickle")
LONG = ("item_a", "item_b", "dissimilarity")
NAME = "rdm"


def kind_of(path: Path, known: tuple[str, ...]) -> str:
    """Return the suffix without compression; refuse one that is not known, and HDF5 without h5py.

    Examples
    --------
    >>> kind_of(Path("people.csv.gz"), READ)
    '.csv'
    """
    packed = path.suffix == ".gz"
    found = (path.with_suffix("").suffix if packed else path.suffix).lower()
    if found in PICKLED:
        raise FileError(
            f"{path} is a pickle, which may run any program when it is read: save it as HDF5, "
            "rdms.save('rdms.h5', file_type='hdf5')"
        )
    if found not in known or (packed and found not in (".csv", ".jsonl")):
        raise FileError(
            f"{path} is of an unknown type {path.suffix!r}: use {', '.join(known[:-1])} or "
            f"{known[-1]}"
        )
    if found in HDF5 and find_spec("h5py") is None:
        raise UnavailableError('HDF5 files need h5py: pip install "resemblance[rsa]", or use .csv')
    return found
