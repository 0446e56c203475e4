"""Write a fitted model to a file, and read it back."""

import json
import math
import os
import zipfile
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from resemblance.errors import FileError, SettingError
from resemblance.files import whole
from resemblance.fitting.estimator import Estimator
from resemblance.saving.plain import Arrays, as_object, as_plain

FORMAT, VERSION = "resemblance model", 1
HEADER = "model.json"
MOST_HEADER = 1 << 28  # bytes of the description
Model = TypeVar("Model", bound=Estimator)


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


@overload
def load(path: str | PathLike[str]) -> Estimator: ...
@overload
def load(path: str | PathLike[str], kind: type[Model]) -> Model: ...
def load(path: str | PathLike[str], kind: type[Estimator] = Estimator) -> Estimator:
    """Read a model that :func:`save` has written.

    Parameters
    ----------
    path : path
        The file.
    kind : class, optional
        The required class, such as ``rs.STE`` or ``rs.OrdinalEmbedding``; type checkers then
        know it too.

    Returns
    -------
    estimator
        Fitted as it was.

    Raises
    ------
    FileError
        If the file is missing, broken, of a later version, no model, or a model of another kind.

    Examples
    --------
    >>> load("no such file.npz")
    Traceback (most recent call last):
    resemblance.errors.FileError: no such file.npz is not there: give a file ...
    """
    target = Path(path)
    try:
        header, arrays = _contents(target)
    except FileNotFoundError:
        raise FileError(f"{target} is not there: give a file that save() has written.") from None
    except Exception as error:  # a stranger's file can break the readers of zip, JSON and arrays
        raise FileError(
            f"{target} is broken, or no model ({_said(error)}): give a file of save(), or fit's "
            "model.npz."
        ) from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FileError(f"{target} holds no model of this package: give a file of save().")
    version = header.get("version")
    if version != VERSION:
        raise FileError(
            f"{target} has version {version!r} of the format, and this is version {VERSION}: read "
            "it with the version of the package that wrote it."
        )
    try:
        model = as_object(header["model"], arrays)
        if not isinstance(model, Estimator):
            raise TypeError(f"it holds a {type(model).__name__}")
    except Exception as error:  # whatever parts a stranger's file names
        raise FileError(
            f"{target} describes no model that is known here: {_said(error)}."
        ) from None
    if not isinstance(model, kind):
        raise FileError(
            f"{target} holds a model of {type(model).__name__}, not of {kind.__name__}: load it "
            "without a kind, or give another file."
        )
    return model


def _contents(path: Path) -> tuple[Any, Arrays]:
    """Read a file's description and arrays; refuse arrays larger than declared."""
    with zipfile.ZipFile(path) as archive:
        sizes = {member.filename: member.file_size for member in archive.infolist()}
        if sizes[HEADER] > MOST_HEADER or sum(sizes.values()) > _memory():
            raise ValueError("what is packed in it is larger than this machine's memory")
        header = json.loads(archive.read(HEADER))
        names = [name for name in sizes if name.endswith(".npy")]
        arrays = {name.removesuffix(".npy"): _array(archive, name, sizes[name]) for name in names}
    return header, arrays


def _array(archive: zipfile.ZipFile, name: str, size: int) -> Any:
    with archive.open(name) as file:
        version = np.lib.format.read_magic(file)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"{name} has version {version} of NumPy's format")
        npy = np.lib.format
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(file)
        if math.prod(shape) * dtype.itemsize > size:
            raise ValueError(f"{name} claims the shape {shape}, and has {size} bytes")
    with archive.open(name) as file:
        return np.lib.format.read_array(file, allow_pickle=False)


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # a system that does not tell
        return 1 << 36


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__
