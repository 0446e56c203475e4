"""Similarity of 36 faces of the Chicago Face Database, judged by 39 people."""

from pathlib import Path

import numpy as np

from resemblance.datasets.dataset import Dataset, RemoteFile, fetch_file, read_columns
from resemblance.judgments import Items, Triplets
from resemblance.optional import pd

TRIPLETS = RemoteFile(
    "cfd36_triplets_individual.csv",
    "Knowledge-and-Concepts-Lab/tripletTools/e9dfcd7a36eb5774b5d3338eec2b3211bc11acb3/"
    "inst/extdata/cfd36_triplets_individual.csv",
    "988c0652433e79d288096edc7b5148274d7e24a8db09d31c32440c3f2cd6b58f",
)
_COLUMNS = [
    "head", "winner", "loser", "worker_id", "rt", "Center", "Left", "Right", "sampleAlg",
    "sampleSet",
]  # fmt: skip


def fetch_faces(path: str | Path | None = None, data_home: str | Path | None = None) -> Dataset:
    """Fetch the answers of 39 people, 955 each and catch trials, on the similarity of 36 faces.

    Is the face to the left or to the right more similar to the one in the middle? Most questions
    were drawn at random; ``sampleAlg`` says which (random, check, validation). The pictures have a
    licence of their own and are not fetched; an item's name is the code of its picture.

    Parameters
    ----------
    path : str or Path, optional
        Folder with ``cfd36_triplets_individual.csv``. Nothing is downloaded then.
    data_home : str or Path, optional
        Cache folder; by default ``RESEMBLANCE_DATA`` or the system's cache folder.

    Returns
    -------
    Dataset
        ``judgments`` are Triplets with observers, catch trials set apart, and ``rt`` (ms),
        ``sampleAlg`` and ``sampleSet`` as extra columns.

    Raises
    ------
    FileError
        If ``path`` lacks the file, it lacks a column, or a download has another checksum.
    UnavailableError
        If the host cannot be reached.

    References
    ----------
    Knowledge and Concepts Lab, tripletTools (R package). Pictures: Ma, Correll, Wittenbrink (2015),
    The Chicago face database, Behavior Research Methods 47.

    Examples
    --------
    >>> from resemblance.datasets import fetch_faces
    >>> faces = fetch_faces()  # doctest: +SKIP
    >>> faces.judgments.shape, len(faces.items)  # doctest: +SKIP
    ((37234, 3), 36)
    """
    table = read_columns(fetch_file(TRIPLETS, path, data_home), _COLUMNS)
    index = table[["head", "winner", "loser"]].to_numpy(dtype=np.int64)
    items = Items(_names(table))
    extra = {name: table[name].to_numpy() for name in ("rt", "sampleAlg", "sampleSet")}
    people = table["worker_id"].astype(str).to_numpy()
    return Dataset(
        description="Is the face to the left or to the right more similar to the middle one?",
        citation="Knowledge and Concepts Lab, tripletTools; Ma, Correll, Wittenbrink (2015), "
        "Behavior Research Methods 47.",
        licence="Answers: MIT (tripletTools). Pictures: of the Chicago Face Database, not fetched.",
        items=items,
        judgments=Triplets.split_catches(index, items=items, observer=people, extra=extra),
    )


def _names(table: "pd.DataFrame") -> list[str]:
    heads = table.drop_duplicates("head").set_index("head")["Center"]
    return [str(heads[number]) for number in range(len(heads))]
