"""Read and write the HDF5 files of rsatoolbox.

What `rsatoolbox.rdm.RDMs.save` writes, version 0.1 to 0.3: a dataset ``dissimilarities``
(n_rdms, n_pairs); groups ``rdm_descriptors`` and ``pattern_descriptors``, which hold one value for
each matrix and for each item, texts as fixed bytes; ``dissimilarity_measure`` as an attribute, or
as an empty dataset where there is none.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from resemblance.errors import FileError, RDMError
from resemblance.files import reading
from resemblance.judgments import Items
from resemblance.rdms.rdms import RDMs

if TYPE_CHECKING:
    import h5py

PARTS = "dissimilarities", "rdm_descriptors", "pattern_descriptors"
ITEM, NAME, INDEX = "conds", "name", "index"
VERSION = "0.3.2"  # version of the written layout


def read_hdf5(path: Path, item_column: str | None = None, rdm_column: str | None = None) -> RDMs:
    import h5py

    opened = reading(path, "check that it is whole, and of that type", " as HDF5")
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
        for group, key, names in ((of_rdms, NAME, rdms.names), (of_items, ITEM, rdms.items.names)):
            group[INDEX] = np.arange(len(names))
            _write_texts(group, key, names)
        if rdms.measure is None:
            file["dissimilarity_measure"] = h5py.Empty("f")
        else:
            file.attrs["dissimilarity_measure"] = rdms.measure


def _write_texts(group: h5py.Group, key: str, texts: tuple[str, ...]) -> None:
    """Write texts as bytes; texts beyond ASCII separately, since rsatoolbox cannot read them."""
    import h5py

    if all(text.isascii() for text in texts):
        group[key] = np.array(texts, dtype="S")
        return
    try:
        group.attrs.create(key, list(texts), dtype=h5py.string_dtype())
    except (OSError, RuntimeError) as error:
        raise FileError(
            f"{len(texts)} names with letters beyond ASCII do not go into an HDF5 file of "
            "rsatoolbox: use names in ASCII, or .csv"
        ) from error


def _rdms_of(file: h5py.File, path: Path, item_column: str | None, rdm_column: str | None) -> RDMs:
    if missing := [part for part in PARTS if part not in file]:
        has = ", ".join(map(repr, file)) or "nothing"
        raise FileError(
            f"{path} has no {' and no '.join(map(repr, missing))} (it has {has}), so it holds no "
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
    names = _chosen(of_rdms, rdm_column, NAME, path, "rdm_column")
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
    """Return the descriptor that names items or matrices; None if only numbers do."""
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
