"""The kinds of questions: all subclasses of Kind in the modules of this folder."""

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from resemblance.errors import SettingError
from resemblance.study.kinds.base import Kind, Material, ResponseError, Spec
from resemblance.study.kinds.comparison import Triplet
from resemblance.study.sections import one_of


def _all_kinds() -> dict[str, Kind]:
    modules = [import_module(f"{__name__}.{info.name}") for info in iter_modules(__path__)]
    classes = {cls for module in modules for cls in vars(module).values() if isinstance(cls, type)}
    named = (cls for cls in classes if issubclass(cls, Kind) and "name" in vars(cls))
    return {kind.name: kind() for kind in sorted(named, key=lambda kind: kind.name)}


KINDS = _all_kinds()
DEFAULT = Triplet.name


def find_kind(name: Any) -> Kind:
    if name not in KINDS:
        raise SettingError(f"unknown kind {name!r}: choose {', '.join(KINDS)}")
    return KINDS[name]


if TYPE_CHECKING:
    KindName = str
else:
    KindName = one_of(KINDS, find_kind)

__all__ = [
    "DEFAULT",
    "KINDS",
    "Kind",
    "KindName",
    "Material",
    "ResponseError",
    "Spec",
    "Triplet",
    "find_kind",
]
