"""Load alien eggs: triplets of shapes from spiky to smooth."""

from pathlib import Path
from zipfile import ZipFile

import numpy as np

from resemblance.datasets.dataset import (
    Dataset,
    RemoteFile,
    cache_folder,
    fetch_file,
    local_file,
    read_columns,
)
from resemblance.errors import SettingError, UnavailableError
from resemblance.judgments import Items, Triplets
from resemblance.ranges import check, one_of

IMAGES = RemoteFile(
    "alienegg30.zip",
    "stsievert/salmon/3e92c9c6c364c0a15a6f344607324b8f83d914eb/examples/alien-eggs/alienegg30.zip",
    "3900685b79e6c28de523654f4e32be60278ee3ef2a146a0509d1c68ce6001f27",
)
_EXTRA = {
    30: ["alg_label", "response_time_s", "time"],
    300: ["split", "alg_label", "response_time_ms"],
}


def fetch_alien_eggs(
    path: str | Path | None = None,
    data_home: str | Path | None = None,
    *,
    n: int = 30,
    images: bool = False,
) -> Dataset:
    """Read people's answers on the similarity of 30 or 300 alien eggs.

    There are 20,086 answers of 416 people on 30 eggs (2015), and 17,611 answers of 231 people on
    300 eggs. The eggs differ in one dimension, smoothness, which is ``truth`` and the number in
    each egg's name.

    The answers are not downloaded, because the checksums of the upstream archives are unknown. They
    are read from tables in your folder. Source: Jamieson, Jain, Fernandez, Glattard, Nowak (2015),
    NEXT: a system for real-world development, evaluation, and application of active learning, NIPS.
    Sievert, Nowak, Rogers (2023), Efficiently learning relative similarity embeddings with
    crowdsourcing, JOSS.

    Parameters
    ----------
    path : str or Path
        Folder with ``triplets_n30_derived.csv`` (columns head, winner, loser, participant,
        alg_label, response_time_s, time) and ``targets_n30_derived.csv`` (index, file); for 300
        eggs ``triplets_n300_derived.csv`` (head, winner, loser, participant, split, alg_label,
        response_time_ms) and ``labels_n300.txt`` (one name per line). Eggs are numbered from 0.
    data_home : str or Path, optional
        Cache folder for the unpacked images; by default ``RESEMBLANCE_DATA`` or the system's cache
        folder.
    n : {30, 300}, default=30
        Number of eggs.
    images : bool, default=False
        Whether items have images. They are from ``alienegg30.zip`` in ``path``, or downloaded. Only
        for 30 eggs.

    Returns
    -------
    Dataset
        ``judgments`` are Triplets with observers. Extra columns are the algorithm that chose the
        question and the response time. ``truth`` (n,) is the smoothness.

    Raises
    ------
    UnavailableError
        If no ``path`` is given, or the images cannot be downloaded.
    FileError
        If a file or a column is missing.
    SettingError
        If ``n`` is neither 30 nor 300, or ``images`` is true for 300 eggs.

    Examples
    --------
    >>> from resemblance.datasets import fetch_alien_eggs
    >>> eggs = fetch_alien_eggs("alien_eggs")  # doctest: +SKIP
    >>> eggs.judgments.shape  # doctest: +SKIP
    (20086, 3)
    """
    folder = _folder(path, n, images)
    names = _names(folder, n)
    items = Items(names, images=_images(folder, data_home, names) if images else None)
    return Dataset(
        description=f"Which of two eggs is more similar to the head? {n} eggs on one axis.",
        citation="Jamieson, Jain, Fernandez, Glattard, Nowak (2015), NIPS; "
        "Sievert, Nowak, Rogers (2023), JOSS.",
        licence="BSD-3-Clause (github.com/stsievert/salmon).",
        items=items,
        judgments=_judgments(local_file(folder, f"triplets_n{n}_derived.csv"), items, _EXTRA[n]),
        truth=np.array([float(name[1:]) for name in names]),
    )


def _folder(path: str | Path | None, n: int, images: bool) -> Path:
    check(n=(n, one_of(*_EXTRA)))
    if images and n != 30:
        raise SettingError("images=True: only the 30 eggs have images; take n=30.")
    if path is None:
        raise UnavailableError(
            "The answers on alien eggs are not downloaded (the checksums of the upstream archives "
            "in github.com/stsievert/salmon are unknown): give the folder that contains "
            f"triplets_n{n}_derived.csv as path=."
        )
    return Path(path).expanduser()


def _names(folder: Path, n: int) -> list[str]:
    if n == 300:
        return local_file(folder, "labels_n300.txt").read_text(encoding="utf-8").split()
    table = read_columns(local_file(folder, "targets_n30_derived.csv"), ["index", "file"])
    return [Path(file).stem for file in table.sort_values("index")["file"]]


def _judgments(file: Path, items: Items, extra: list[str]) -> Triplets:
    table = read_columns(file, ["head", "winner", "loser", "participant", *extra])
    return Triplets(
        table[["head", "winner", "loser"]].to_numpy(),
        items=items,
        observer=table["participant"].to_numpy(dtype=str),
        extra={name: table[name].to_numpy() for name in extra},
    )


def _images(folder: Path, data_home: str | Path | None, names: list[str]) -> list[Path]:
    archive = fetch_file(IMAGES, folder if (folder / IMAGES.name).is_file() else None, data_home)
    unpacked = cache_folder(data_home) / "alien_eggs"
    with ZipFile(archive) as content:
        return [Path(content.extract(f"{name}.png", unpacked)) for name in names]
