"""Convert listed classes to plain JSON and arrays, and back."""

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from resemblance import choice, embeddings, forms, mappings, scaling, templates
from resemblance.errors import SettingError
from resemblance.fitting import (
    IndividualSpaces,
    OrdinalEmbedding,
    RatingScale,
    Thresholds,
)
from resemblance.judgments import Items

Arrays: TypeAlias = dict[str, NDArray[Any]]

NOT_KEPT = {  # attributes of the machine and the moment, not of the model
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
        f"{what} is {value!r}, which cannot be written into a file: give a setting by name or "
        "number instead (a kernel as 'precomputed')."
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
        if other is array:  # an object that two others hold
            return {"array": name}
    name = f"a{len(arrays)}"
    arrays[name] = array
    return {"array": name}


def _plain_dict(parts: dict[str, Any], arrays: Arrays, what: str) -> dict[str, Any]:
    return {name: as_plain(part, arrays, f"{name} of {what}") for name, part in parts.items()}
