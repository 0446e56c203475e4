"""Load judgments of photographs: 1,854 objects of THINGS, and 36 faces."""

from pathlib import Path
from typing import Any

import numpy as np

from resemblance.arrays import Floats
from resemblance.datasets.dataset import Dataset, RemoteFile, fetch_file, read_columns
from resemblance.errors import FileError
from resemblance.judgments import Items, OddOneOuts, Triplets
from resemblance.ranges import check, one_of

_RELEASE = "MirkoTh/semantic-representations-ID/84e6e82476763ab8c597709e32986c9a0c3a6c52/data"


def _of_release(name: str, sha256: str) -> RemoteFile:
    return RemoteFile(name, f"{_RELEASE}/{name}", sha256)


TEST = _of_release(
    "test_10.txt", "982ca5e855a9f1adb78251e2774e9ccf4e97a2415fdcc9a44ff94d7e717b9470"
)
PEOPLE = _of_release(
    "test_10_ID.txt", "37224154a8715612949dc559d47be07f77659f48bae1fb3f4d73afa3cd53991d"
)
FURTHER = (
    _of_release(
        "test_shuffled_10_ID.txt",
        "481df4fabd7398e79b9c4effb3181dc7f91f3b1634366649168aec8d7d44ab03",
    ),
    RemoteFile(
        "behavior_triplets_test10.txt",
        "florianmahner/gpt-behavior/4a8bd2fe526a7ba0b568e3b3569e6338100a8abd/"
        "data/behavior_triplets_test10.txt",
        "3d99c59ba4793d7ccee4e3dccfce926a9ab9af5b515d30fb8a5e5541dc440617",
    ),
    _of_release(
        "train_90_ID_smallsample.txt",
        "bc2ea1b7e5a14db32c67179637dba7c06dea5966c33915947e35f0e4dac25f11",
    ),
)
NAMES = _of_release(
    "unique_id.txt", "e2e59d02197e89776034938e7a73940a0823cacac4b6084b56b1d8959816ff76"
)
FEATURES = {
    "clip": _of_release(
        "clip-vit-base-p32-embeddings.npy",
        "afef6e30b7ac246286e0b49e475fff4e3fdd8ab786ee34a3b8b6f57ca38d5942",
    ),
    "spose49": _of_release(
        "spose49-embeddings.npy", "ca65da7c936b984e0cc5fdd606860a43173ccc111492cf98d4068dc191aaad85"
    ),
}
PARTS = ("train", "test", "people")


def fetch_things(
    part: str = "train",
    path: str | Path | None = None,
    data_home: str | Path | None = None,
    *,
    features: str | None = None,
) -> Dataset:
    """Fetch people's odd-one-out answers about 1,854 objects, or a part of them.

    The whole data set of 4.7 million answers is published without checksums. These parts of it are
    in public repositories:

    - "train": 375,078 different answers, the union of four files without questions of "test";
    - "test": the 50,000 answers of ``test_10.txt``;
    - "people": 127,304 answers of 264 people, whose numbers are the observers. 2.5 % of these
      questions are also in "test": leave them out of fits that are scored on it.

    Source: Hebart, Zheng, Pereira, Baker (2020), Revealing the multidimensional mental
    representations of natural objects underlying human similarity judgements, Nature Human
    Behaviour 4, 1173-1185. Hebart et al. (2023), THINGS-data, eLife 12, e82580.

    Parameters
    ----------
    part : {"train", "test", "people"}
        The part to load.
    path : str or Path, optional
        Folder with the upstream files. With it, nothing is downloaded.
    data_home : str or Path, optional
        Cache folder; by default ``RESEMBLANCE_DATA`` or the system's cache folder.
    features : {"clip", "spose49"}, optional
        The features of the items: 512 features of the network CLIP ViT-B/32, or the 49 dimensions
        from SPoSE on the whole data, which may include "test".

    Returns
    -------
    Dataset
        ``judgments`` are OddOneOuts; ``items`` have names.

    Raises
    ------
    SettingError
        If the part or the features are unknown.
    FileError
        If a file is missing in ``path`` or has other contents, or a download has another checksum.
    UnavailableError
        If the host cannot be reached.

    Examples
    --------
    >>> from resemblance.datasets import fetch_things
    >>> things = fetch_things("test", features="clip")  # doctest: +SKIP
    >>> len(things.judgments), things.items.features.shape  # doctest: +SKIP
    (50000, (1854, 512))
    """
    check(part=(part, one_of(*PARTS)), features=(features, one_of(*FEATURES).besides(None)))
    names = fetch_file(NAMES, path, data_home).read_text(encoding="utf-8").split()
    vectors = None if features is None else _features(features, len(names), path, data_home)
    files = {"train": (PEOPLE, *FURTHER, TEST), "test": (TEST,), "people": (PEOPLE,)}[part]
    rows = [_rows(fetch_file(file, path, data_home), len(names)) for file in files]
    answers = _unlike_test(*rows) if part == "train" else rows[0]
    people = answers[:, 3].astype(str) if part == "people" else None
    items = Items(names, features=vectors)
    return Dataset(
        description="Which of the three objects is the odd one out? Asked on the web, of pictures.",
        citation="Hebart, Zheng, Pereira, Baker (2020), Nature Human Behaviour 4, 1173-1185; "
        "Hebart et al. (2023), eLife 12, e82580.",
        licence="Answers: CC BY, as their authors state. Repository of the files: GPL-3.0.",
        items=items,
        judgments=OddOneOuts(answers[:, :3], answers[:, 2], items, observer=people),
    )


def _rows(file: Path, n_items: int) -> np.ndarray:
    try:
        rows = np.loadtxt(file, dtype=np.int64, ndmin=2)
    except ValueError as error:
        raise FileError(f"{file} is not a table of whole numbers: {error}") from None
    if rows.shape[1] not in (3, 4) or rows[:, :3].max(initial=0) >= n_items:
        raise FileError(
            f"{file} must have three objects a row, numbered from 0 to {n_items - 1}, and perhaps "
            "a person"
        )
    return rows


def _unlike_test(*parts: np.ndarray) -> np.ndarray:
    answers = np.concatenate([part[:, :3] for part in parts[:-1]])
    answers[:, :2].sort(axis=1)
    first = np.sort(np.unique(answers, axis=0, return_index=True)[1])
    answers = answers[first]
    asked, test = (_question(rows) for rows in (answers, parts[-1]))
    return answers[~np.isin(asked, test)]


def _question(rows: np.ndarray) -> np.ndarray:
    low, middle, high = np.sort(rows[:, :3], axis=1).T
    return np.asarray((low << 42) + (middle << 21) + high)


def _features(name: str, n_items: int, path: Any, data_home: Any) -> Floats:
    file = fetch_file(FEATURES[name], path, data_home)
    features = np.load(file, allow_pickle=False).astype(np.float64)
    if features.ndim != 2 or len(features) != n_items:
        raise FileError(f"{file} has the shape {features.shape}, not a row for each of {n_items}")
    return features


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
    """Fetch answers of 39 people on the similarity of 36 faces: 955 each, and catch trials.

    People were asked whether the left or the right face is more similar to the middle face. Most
    questions were random; ``sampleAlg`` is random, check or validation. The pictures have a
    separate licence and are not fetched. Items are named by the code of the picture.

    Parameters
    ----------
    path : str or Path, optional
        Folder with ``cfd36_triplets_individual.csv``. With it, nothing is downloaded.
    data_home : str or Path, optional
        Cache folder; by default ``RESEMBLANCE_DATA`` or the system's cache folder.

    Returns
    -------
    Dataset
        ``judgments`` are Triplets with observers, with catch trials in ``catches``. Extra columns
        are ``rt`` (ms), ``sampleAlg`` and ``sampleSet``.

    Raises
    ------
    FileError
        If the file is missing in ``path``, a column is missing, or a download has another checksum.
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
    heads = table.drop_duplicates("head").set_index("head")["Center"]
    items = Items([str(heads[number]) for number in range(len(heads))])
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
