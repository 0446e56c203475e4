"""Write fitted models as JSON and arrays, and read them again, but only of known classes."""

import json
import math
import os
import zipfile
from dataclasses import fields, is_dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from resemblance import choice, embeddings, forms, mappings, scaling, templates
from resemblance.errors import FileError, SettingError
from resemblance.files import whole
from resemblance.fitting import (
    IndividualSpaces,
    MultipleMaps,
    OrdinalEmbedding,
    RatingScale,
    Thresholds,
)
from resemblance.fitting.estimator import Estimator
from resemblance.judgments import Items

Arrays: TypeAlias = dict[str, NDArray[Any]]

NOT_KEPT = {  # attributes that depend on the machine or on a single run
    *("callback", "n_jobs", "_fit", "_spectrum", "_spectrum_of"),
}
ITEM_PARTS = ("names", "features", "labels", "images", "titles", "feature_names")


def _listed(room: Any) -> dict[str, type]:
    return {name: kind for name, kind in vars(room).items() if isinstance(kind, type)}


KINDS: dict[str, dict[str, type]] = {
    "estimator": {
        **_listed(embeddings),
        **_listed(scaling),
        **_listed(mappings),
        **_listed(templates),
        "OrdinalEmbedding": OrdinalEmbedding,
        "IndividualSpaces": IndividualSpaces,
        "MultipleMaps": MultipleMaps,
    },
    "form": _listed(forms),
    "choice": _listed(choice),
    "thresholds": {"Thresholds": Thresholds, "RatingScale": RatingScale},
}


def as_plain(value: Any, arrays: Arrays, what: str) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, np.generic):
        return as_plain(value.item(), arrays, what)
    if isinstance(value, float):
        return value if np.isfinite(value) else {"float": str(value)}
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, np.ndarray):
        if value.dtype == object and value.ndim == 1:
            return {"objects": [as_plain(entry, arrays, what) for entry in value]}
        return _put_aside(value, arrays, what)
    if isinstance(value, list | tuple):
        inner = [as_plain(entry, arrays, what) for entry in value]
        return {"tuple": inner} if isinstance(value, tuple) else inner
    if isinstance(value, Items):
        return {"items": _plain_dict({p: getattr(value, p) for p in ITEM_PARTS}, arrays, what)}
    if isinstance(value, dict):
        return {"dict": _plain_dict(value, arrays, what)}
    for kind, types in KINDS.items():
        if types.get(type(value).__name__) is type(value):
            parts = _plain_dict(_parts(value), arrays, type(value).__name__)
            return {kind: type(value).__name__, "parts": parts}
    raise SettingError(
        f"{what} is {value!r}, which cannot be written to a file: give a name or number instead "
        "(for a kernel, 'precomputed')."
    )


def as_object(plain: Any, arrays: Arrays) -> Any:
    def made(part: Any) -> Any:
        return as_object(part, arrays)

    if isinstance(plain, list):
        return [made(entry) for entry in plain]
    if not isinstance(plain, dict):
        return plain
    if "float" in plain:
        return float(plain["float"])
    if "array" in plain:
        return arrays[plain["array"]]
    if "objects" in plain:
        return np.array(made(plain["objects"]), dtype=object)
    if "tuple" in plain:
        return tuple(made(plain["tuple"]))
    if "dict" in plain:
        return {name: made(entry) for name, entry in plain["dict"].items()}
    if "items" in plain:
        return Items(**{name: made(part) for name, part in plain["items"].items()})
    for kind, types in KINDS.items():
        if kind in plain:
            name, parts = plain[kind], {part: made(value) for part, value in plain["parts"].items()}
            return _built(types[name], parts)
    raise ValueError(f"{sorted(plain)} is no known kind of value")


def _parts(value: Any) -> dict[str, Any]:
    if is_dataclass(value) and not isinstance(value, BaseEstimator):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return {name: part for name, part in vars(value).items() if name not in NOT_KEPT}


def _built(kind: type, parts: dict[str, Any]) -> Any:
    if is_dataclass(kind) and not issubclass(kind, BaseEstimator):
        return kind(**parts)
    made: Any = object.__new__(kind)
    if isinstance(made, BaseEstimator):
        vars(made).update(dict.fromkeys(NOT_KEPT & set(kind._get_param_names())))  # type: ignore[attr-defined]
    vars(made).update(parts)
    return made


def _put_aside(array: NDArray[Any], arrays: Arrays, what: str) -> dict[str, str]:
    if array.dtype.kind not in "biufU":
        raise SettingError(f"{what} holds an array of {array.dtype}, which cannot be written.")
    for name, other in arrays.items():
        if other is array:  # The array was already written for another attribute.
            return {"array": name}
    name = f"a{len(arrays)}"
    arrays[name] = array
    return {"array": name}


def _plain_dict(parts: dict[str, Any], arrays: Arrays, what: str) -> dict[str, Any]:
    return {name: as_plain(part, arrays, f"{name} of {what}") for name, part in parts.items()}


FORMAT, VERSION = "resemblance model", 1
HEADER = "model.json"
MOST_HEADER = 1 << 28  # largest size of the description in bytes
Model = TypeVar("Model", bound=Estimator)


def save(model: BaseEstimator, path: str | PathLike[str]) -> Path:
    """Write a fitted model to a file, and return its path.

    The file is a zip archive: ``model.json`` describes the class, the settings and the fitted
    attributes, and each array is a NumPy ``.npy`` file. Reading a file never runs code from the
    file, so files from strangers are safe.

    Parameters
    ----------
    model : estimator
        Any fitted embedding, mapping or model of templates of this package.
    path : path
        The file; ``.npz`` is added if there is no suffix. The write is atomic.

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
    """Read a fitted model that :func:`save` has written.

    Parameters
    ----------
    path : path
        The file.
    kind : class, optional
        The required class, such as ``rs.STE`` or ``rs.OrdinalEmbedding``; type checkers then know
        the class of the result.

    Raises
    ------
    FileError
        If the file is missing, broken, from a later version, or not a model of this kind.

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
    except Exception as error:  # Readers of zip, JSON and arrays raise many kinds of errors.
        raise FileError(
            f"{target} is broken, or not a model ({_said(error)}): give a file of save(), or "
            "model.npz of fit."
        ) from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FileError(f"{target} is not a model of this package: give a file of save().")
    version = header.get("version")
    if version != VERSION:
        raise FileError(
            f"{target} has version {version!r} of the format, not {VERSION}: read it with the "
            "version of the package that wrote it."
        )
    try:
        model = as_object(header["model"], arrays)
        if not isinstance(model, Estimator):
            raise TypeError(f"it holds a {type(model).__name__}")
    except Exception as error:  # An unknown or invalid part may cause any error.
        raise FileError(
            f"{target} describes an unknown model ({_said(error)}): update the package."
        ) from None
    if not isinstance(model, kind):
        raise FileError(
            f"{target} is a model of {type(model).__name__}, not of {kind.__name__}: load it "
            "without a kind, or give another file."
        )
    return model


def _contents(path: Path) -> tuple[Any, Arrays]:
    with zipfile.ZipFile(path) as archive:
        sizes = {member.filename: member.file_size for member in archive.infolist()}
        if sizes[HEADER] > MOST_HEADER or sum(sizes.values()) > _memory():
            raise ValueError("its unpacked contents are larger than this machine's memory")
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
    except (AttributeError, ValueError, OSError):  # The system does not report its memory.
        return 1 << 36


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__
