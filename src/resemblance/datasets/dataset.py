"""Define the result of loaders, and download upstream files."""

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from resemblance.errors import FileError, UnavailableError
from resemblance.judgments import Items, OddOneOuts, Triplets
from resemblance.optional import pd, require

_HOST = "https://raw.githubusercontent.com"


@dataclass(frozen=True)
class Dataset:
    """A public data set: items, judgments, and source.

    Parameters
    ----------
    description : str
        A description of the question, the people, and the number of answers.
    citation : str
        The papers to cite in uses of the data.
    licence : str
        The licence, as far as it is known.
    items : Items
        The items, with names, and with labels, features or images if the data set has them.
    judgments : Triplets or OddOneOuts, optional
        The answers of people, if the data set has answers.
    truth : ndarray of shape (n_items,), optional
        The physical value from which each stimulus was made, if there is one.
    """

    description: str
    citation: str
    licence: str
    items: Items
    judgments: Triplets | OddOneOuts | None = None
    truth: np.ndarray | None = None


@dataclass(frozen=True)
class RemoteFile:
    name: str
    upstream: str  # owner/repository/commit/path
    sha256: str

    @property
    def url(self) -> str:
        """The address on GitHub, or on the mirror that ``RESEMBLANCE_DATA_MIRROR`` names."""
        return f"{os.environ.get('RESEMBLANCE_DATA_MIRROR', _HOST).rstrip('/')}/{self.upstream}"


def cache_folder(data_home: str | Path | None = None) -> Path:
    chosen = data_home or os.environ.get("RESEMBLANCE_DATA")
    return Path(chosen or _pooch().os_cache("resemblance")).expanduser()


def _pooch() -> Any:
    return require("public data need", "pooch")


def local_file(path: str | Path, name: str) -> Path:
    file = Path(path).expanduser() / name
    if not file.is_file():
        raise FileError(f"{file} does not exist: give the folder that contains {name} as path=.")
    return file


def fetch_file(
    remote: RemoteFile, path: str | Path | None = None, data_home: str | Path | None = None
) -> Path:
    """Return the path of an upstream file in the folder ``path``, or download the file."""
    if path is not None:
        return local_file(path, remote.name)
    cache = cache_folder(data_home)
    try:
        return Path(
            _pooch().retrieve(
                remote.url,
                known_hash=f"sha256:{remote.sha256}",
                fname=remote.name,
                path=cache,
                progressbar=find_spec("tqdm") is not None,
            )
        )
    except OSError as error:
        raise UnavailableError(
            f"{remote.url} could not be downloaded ({error}): get {remote.name} elsewhere and put "
            f"it at {cache / remote.name}, give its folder as path=, or set a mirror in "
            "RESEMBLANCE_DATA_MIRROR."
        ) from error
    except ValueError as error:
        raise FileError(
            f"{remote.url} is no longer the file that this loader was written for: {error} "
            "If you trust the file, give its folder as path=."
        ) from error


def read_columns(file: Path, columns: list[str]) -> "pd.DataFrame":
    try:
        return pd.read_csv(file, usecols=columns, keep_default_na=False)[columns]
    except ValueError as error:
        raise FileError(f"{file}: {error}. It must have {', '.join(columns)} as columns.") from None
