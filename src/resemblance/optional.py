"""Import optional packages when they are first used, with hints on installing them."""

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from resemblance.errors import NoPackageError

__all__ = ["EXTRAS", "is_there", "need_packages", "pd", "require"]

EXTRAS = {  # the extra of this package that installs each optional package
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
    """Raise an error if a package is not installed; no package is imported.

    ``needing`` begins the message, such as "Parquet files need"; ``instead`` names an alternative.

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
    """Import and return a module, such as "PIL.Image"; errors are as in :func:`need_packages`."""
    need_packages(needing, module.partition(".")[0], instead=instead)
    return import_module(module)


class _Tables:
    """Replaces the module pandas, which is imported when first used."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(require("tables need", "pandas"), name)
        setattr(self, name, value)  # The attribute is cached.
        return value


if TYPE_CHECKING:
    import pandas as pd
else:
    pd = _Tables()
