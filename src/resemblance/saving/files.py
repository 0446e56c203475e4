"""Writing a fitted model into a file, and reading it back."""

import json
import zipfile
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from resemblance.errors import FileError, SettingError
from resemblance.files import whole
from resemblance.saving.plain import RENAMED, Arrays, as_object, as_plain

FORMAT, VERSION = "resemblance model", 2
HEADER = "model.json"


def save(model: BaseEstimator, path: str | PathLike[str]) -> Path:
    """Write a fitted model into a file.

    The file is a zip archive: ``model.json`` says what the model is (its class, its settings, what
    it has learned), and each array lies beside it as a NumPy ``.npy`` file. Nothing in it is code:
    reading a file of a stranger runs nothing.

    Parameters
    ----------
    model : estimator
        Any fitted embedding, mapping or model of templates of this package.
    path : path
        The file; ``.npz`` is added where there is no suffix. It appears whole or not at all.

    Returns
    -------
    Path
        Where it was written.

    Raises
    ------
    SettingError
        If the model is not fitted, or has a setting that is a function (a callable kernel).

    Examples
    --------
    >>> import tempfile
    >>> import resemblance as rs
    >>> model = rs.STE(1).set_positions([[0.0], [1.0], [3.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = load(save(model, f"{folder}/line"))
    >>> again.embedding_.ravel()
    array([0., 1., 3.])
    """
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise SettingError(f"this {type(model).__name__} is not fitted: fit it first.") from None
    target = Path(path)
    target = target if target.suffix else target.with_suffix(".npz")
    arrays = Arrays()
    content = as_plain(model, arrays, "the model")
    header = json.dumps({"format": FORMAT, "version": VERSION, "model": content}, indent=1)
    with whole(target) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(HEADER, header)
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    return target


def load(path: str | PathLike[str]) -> Any:
    """Read a model that :func:`save` has written.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    estimator
        Fitted as it was.

    Raises
    ------
    FileError
        If the file is missing, broken, of a later version, or no model.

    Examples
    --------
    >>> load("no such file.npz")
    Traceback (most recent call last):
    resemblance.errors.FileError: no such file.npz is not there: give a file ...
    """
    target = Path(path)
    try:
        with zipfile.ZipFile(target) as archive:
            header = json.loads(archive.read(HEADER))
            names = [name for name in archive.namelist() if name.endswith(".npy")]
            arrays = {name.removesuffix(".npy"): _array(archive, name) for name in names}
    except FileNotFoundError:
        raise FileError(f"{target} is not there: give a file that save() has written.") from None
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise FileError(
            f"{target} is broken, or no model ({error}): give a file of save(), or fit's model.npz."
        ) from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FileError(f"{target} holds no model of this package: give a file of save().")
    version = header.get("version")
    if version not in range(1, VERSION + 1):
        raise FileError(
            f"{target} has version {version!r} of the format, and this is version {VERSION}: read "
            "it with the version of the package that wrote it."
        )
    try:
        return as_object(header["model"], arrays, RENAMED if version == 1 else {})
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(f"{target} describes no model that is known here: {error}.") from None


def _array(archive: zipfile.ZipFile, name: str) -> Any:
    with archive.open(name) as file:
        return np.lib.format.read_array(file, allow_pickle=False)
