"""Read and write judgments as arrays in the formats of cblearn."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.errors import FileError, JudgmentError
from resemblance.files import reading
from resemblance.judgments.base import Judgments
from resemblance.judgments.convert import as_judgments
from resemblance.judgments.items import ItemsLike
from resemblance.judgments.labels import Path_
from resemblance.judgments.rows import NOTES
from resemblance.judgments.triplets import Quadruplets, Triplets


def write_cblearn(judgments: Judgments | ArrayLike, path: Path_) -> None:
    r"""Write triplets or quadruplets in cblearn's format "list-order".

    A row (i, j, k) says d(i, j) < d(i, k), and a row (i, j, k, l) says d(i, j) < d(k, l), with item
    positions as in ``index``.

    Parameters
    ----------
    judgments : Triplets or Quadruplets, or array accepted by :func:`as_judgments`
        cblearn has no choices among N options: see :func:`triplets_from_choices`.
    path : path
        An archive (``.npz``) with ``triplets`` or ``quadruplets``, ``items`` (their names) and, if
        present, ``weight``, ``response_id`` and ``observer``; or a text file (``.csv``) of item
        positions for ``numpy.loadtxt(path, delimiter=",", dtype=int)``, with the names as comments.

    Raises
    ------
    JudgmentError
        If the judgments are of another kind.
    FileError
        If the file name has another ending, or the file cannot be written.

    References
    ----------
    ``cblearn/utils/_validate_data.py``, ``check_query_response``, of cblearn 0.4.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "triplets.csv"
    ...     write_cblearn(Triplets([[0, 1, 2]], items=["jazz", "soul", "punk"]), path)
    ...     print(path.read_text())
    # 0 jazz
    # 1 soul
    # 2 punk
    0,1,2
    """
    rows = as_judgments(judgments)
    if not isinstance(rows, Triplets | Quadruplets):
        raise JudgmentError(
            f"cblearn takes no {type(rows).__name__}: make triplets with "
            "judgments.triplets_from_choices"
        )
    names = rows.items.names
    if _suffix(path, ".npz", ".csv") == ".csv":
        header = "\n".join(f"{position} {name}" for position, name in enumerate(names))
        _save(path, np.savetxt, rows.index, fmt="%d", delimiter=",", header=header)
        return
    kind = "triplets" if isinstance(rows, Triplets) else "quadruplets"
    notes = {name: value for name in NOTES if (value := getattr(rows, name)) is not None}
    arrays = {kind: rows.index.astype(np.uint32), "items": np.array(names), **notes}
    _save(path, np.savez_compressed, **arrays)


def read_cblearn(path: Path_, items: ItemsLike = None) -> Triplets | Quadruplets:
    """Read triplets or quadruplets in a format of cblearn.

    Parameters
    ----------
    path : path
        An archive (``.npz``) with the array ``triplets`` or ``quadruplets``, and optionally
        ``responses`` (+1 and -1, booleans, or one-hot rows), ``items``, ``weight``, ``response_id``
        and ``observer``; or a text file (``.csv``) of item positions.
    items : Items, sequence of names, or int, optional
        The items. Default: the names in the file, or all positions up to the largest.

    Raises
    ------
    FileError
        If the file is missing, of another type, or lacks the array.
    JudgmentError
        If its rows or responses are not in cblearn's format.

    See Also
    --------
    as_judgments : For arrays in memory: ``fit(queries, responses)`` takes cblearn's.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "triplets.npz"
    ...     np.savez(path, triplets=[[0, 1, 2], [2, 1, 0]], responses=[1, -1])
    ...     read_cblearn(path).index
    array([[0, 1, 2],
           [2, 0, 1]], dtype=int32)
    """
    arrays = _load(path)
    present = [arrays[kind] for kind in ("triplets", "quadruplets") if kind in arrays]
    if len(present) != 1:
        raise FileError(f"{path} holds {', '.join(arrays)}: it needs triplets or quadruplets")
    rows = as_judgments(present[0], arrays.get("responses"))
    names = arrays["items"].tolist() if items is None and "items" in arrays else items
    notes = {name: arrays[name] for name in NOTES if name in arrays}
    return cast("Triplets | Quadruplets", type(rows)._filled(rows.index, names, **notes))


def _load(path: Path_) -> dict[str, NDArray[Any]]:
    with reading(Path(path), "check that it is whole", "", BadZipFile):
        if _suffix(path, ".npz", ".csv") == ".npz":
            with np.load(path) as archive:
                return dict(archive)
        numbers = np.loadtxt(path, delimiter=",", dtype=int, ndmin=2)
        return {"quadruplets" if numbers.shape[1] == 4 else "triplets": numbers}


def _suffix(path: Path_, *allowed: str) -> str:
    suffix = Path(path).suffix
    if suffix not in allowed:
        raise FileError(f"{path} is of an unknown type {suffix!r}: use {' or '.join(allowed)}")
    return suffix


def _save(path: Path_, save: Any, *rows: NDArray[Any], **arrays: Any) -> None:
    try:
        save(path, *rows, **arrays)
    except OSError as error:
        raise FileError(f"{path} cannot be written ({error}): check the folder") from error
