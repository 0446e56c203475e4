"""Import optional packages on use, with install hints."""

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from resemblance.errors import NoPackageError

__all__ = ["EXTRAS", "is_there", "need_packages", "pd", "require"]

EXTRAS = {  # the extra of this package that installs another one
    **dict.fromkeys(("typer", "rich"), "cli"),
    "pooch": "data",
    **dict.fromkeys(("matplotlib", "PIL"), "plot"),
    **dict.fromkeys(("sqlalchemy", "pydantic", "markdown_it"), "web"),
    **dict.fromkeys(("fastapi", "uvicorn", "argon2", "jinja2"), "web"),
    **{"pyarrow": "parquet", "openpyxl": "excel", "h5py": "rsa"},
    **{"distributed": "dask", "boto3": "recruit", "ot": "alignment"},
    **dict.fromkeys(("onnxruntime", "onnx"), "networks"),
    **dict.fromkeys(("skimage", "soundfile"), "features"),
    "numba_cuda": "gpu",
}
NAMES = {
    **{"PIL": "Pillow", "skimage": "scikit-image", "matplotlib": "Matplotlib"},
    **{"distributed": "Dask", "ot": "POT", "numba_cuda": "numba-cuda"},
}


def need_packages(needing: str, *packages: str, instead: str = "") -> None:
    """Raise if a package is not installed; do not import it.

    ``needing`` starts the message, such as "Parquet files need"; ``instead`` is an alternative.

    >>> need_packages("the command line needs", "typer", "rich")
    """
    for package in packages:
        if not is_there(package):
            hint = f'pip install "resemblance[{EXTRAS[package]}]"' + (instead and f", {instead}")
            raise NoPackageError(f"{needing} {NAMES.get(package, package)}: {hint}")


def is_there(package: str) -> bool:
    try:
        return bool(sys.modules.get(package) or find_spec(package))
    except ImportError:
        return False


def require(needing: str, module: str, instead: str = "") -> Any:
    """Import a module of an optional package, such as "PIL.Image": see :func:`need_packages`."""
    need_packages(needing, module.partition(".")[0], instead=instead)
    return import_module(module)


class _Tables:
    """The package pandas, imported on first use."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(require("tables need", "pandas"), name)
        setattr(self, name, value)  # cache the attribute
        return value


if TYPE_CHECKING:
    import pandas as pd
else:
    pd = _Tables()
