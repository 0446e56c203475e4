"""An observer whose answers follow the vectors, distances or similarity function of a model."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resemblance.arrays import Floats
from resemblance.errors import ConstantFeatureWarning, FileError, JudgmentError, SettingError
from resemblance.files import need, reading
from resemblance.fitting import JudgmentsLike
from resemblance.geometry.procrustes import is_whole
from resemblance.judgments import Items, Judgments, as_judgments
from resemblance.judgments.checks import first_few
from resemblance.judgments.items import ItemsLike, are_numbered, named_by_rows, named_by_square
from resemblance.judgments.labels import texts_of
from resemblance.judgments.tables import read_table
from resemblance.observers.observer import Observer
from resemblance.observers.space import answer_shares
from resemblance.optional import pd
from resemblance.ranges import POSITIVE, SHARE, check, one_of

NAMES = "names"  # array with the names of the rows in an .npz file
WHOLE = "check that it is complete"
LARGEST = 1e150  # The squares of larger numbers overflow.
SAME = 1e-12  # Numbers with a smaller relative difference are equal except for rounding.
Similarity = Literal["dot", "cosine", "euclidean"]
Places = NDArray[np.intp]
Function = Callable[[Places, Places], ArrayLike]
BATCH = 16_384  # number of pairs whose vectors are in memory at a time


def checked_table(given: ArrayLike, what: str, items: Items | None) -> Floats:
    try:
        table = np.array(given, dtype=float, order="C")
    except (TypeError, ValueError):
        raise SettingError(
            f"{what} are not numbers: give an array with a row for each item.", setting=what
        ) from None
    if table.ndim != 2 or not table.size:
        raise SettingError(
            f"{what} have shape {table.shape}: give an array with a row for each item.",
            setting=what,
        )
    if items is not None and len(items) != len(table):
        raise SettingError(
            f"{what} have {len(table)} rows for {len(items)} items: give one row per item.",
            setting=what,
        )
    names = [str(row) for row in range(len(table))] if items is None else list(items.names)
    if bad := [names[row] for row in np.flatnonzero(~(np.abs(table) <= LARGEST).all(axis=1))]:
        raise SettingError(
            f"the {what} of {first_few(bad)} have entries that are not finite, or beyond "
            f"{LARGEST:g}: correct them, or leave these items out.",
            setting=what,
        )
    if what == "distances":
        _check_distances(table, names)
    return table


def tell_if_same(table: Floats, what: str) -> None:
    others = table[~np.eye(len(table), dtype=bool)] if what == "distances" else table
    if len(table) > 2 and (np.ptp(others, axis=0) <= SAME * np.abs(others).max()).all():
        other = ', or take similarity="euclidean"' if what == "directions" else ""
        warnings.warn(
            f"the {what} are the same for all items, so answers would be random: check "
            f"their source{other}.",
            ConstantFeatureWarning,
            stacklevel=4,
        )


def _check_distances(table: Floats, names: list[str]) -> None:
    n = len(table)
    if table.shape != (n, n):
        raise SettingError(
            f"distances have shape {table.shape}: give one for each pair of items, (n, n).",
            setting="distances",
        )
    wrong = (table < 0) | ~np.isclose(table, table.T, rtol=1e-6, atol=1e-9 * table.max(initial=1.0))
    if wrong.any():
        a, b = np.argwhere(wrong)[0]
        raise SettingError(
            f"the distance of {names[a]} and {names[b]} is {table[a, b]:g}, and {table[b, a]:g} "
            "the other way round: distances are 0 or more, and the same both ways.",
            setting="distances",
        )


def read_vectors(path: Path, items: Items | None) -> tuple[Floats, Items | None]:
    need(path)
    readers = {".csv": _read_csv, ".npy": _read_npy, ".npz": _read_npz}
    if path.suffix.lower() not in readers:
        raise FileError(f"{path} is not a file of vectors: give one of {', '.join(readers)}.")
    try:
        table, names = readers[path.suffix.lower()](path)
    except JudgmentError as wrong:
        raise FileError(str(wrong)) from None
    if names is not None and items is not None:
        table, names = table[_rows_of(path, names, items)], list(items.names)
    if items is None and names is not None:
        items = _named(path, names)
    try:
        return checked_table(table, "vectors", items), items
    except SettingError as wrong:
        raise FileError(f"{path}: {wrong}") from None


def _named(path: Path, names: list[str]) -> Items:
    repeated = pd.Index(names)[pd.Index(names).duplicated()]
    if len(repeated):
        raise FileError(f"{path} has several rows of {first_few(repeated)}: leave one of each.")
    return Items(names)


def _rows_of(path: Path, names: list[str], items: Items) -> list[int]:
    _named(path, names)
    row_of = {name: row for row, name in enumerate(names)}
    if lacking := [name for name in items.names if name not in row_of]:
        raise FileError(
            f"{path} has no row for {first_few(lacking)} ({len(lacking)} of {len(items)} items): "
            "add one for each, or leave these items out."
        )
    return [row_of[name] for name in items.names]


def _read_csv(path: Path) -> tuple[Any, list[str] | None]:
    table = read_table(path)
    if table.frame.shape[1] < 2:
        raise FileError(f"{path} has no column of numbers beside the first one, of names.")
    first, *columns = map(str, table.frame)
    with table.located():
        numbers = [table.numbers(name, name) for name in columns]
    return np.column_stack(numbers), texts_of(table.frame[first]).tolist()


def _read_npy(path: Path) -> tuple[Any, list[str] | None]:
    with reading(path, WHOLE, " as an array"):
        return np.load(path, allow_pickle=False), None


def _read_npz(path: Path) -> tuple[Any, list[str] | None]:
    archive = reading(path, WHOLE, " as an archive of arrays", BadZipFile)
    with archive, np.load(path, allow_pickle=False) as parts:
        arrays = dict(parts)
    names = arrays.pop(NAMES, None)
    if len(arrays) != 1:
        raise FileError(
            f"{path} has the arrays {first_few(arrays) or 'none'}: leave one, of vectors, and "
            f"{NAMES!r} beside it if the rows have names."
        )
    (table,) = arrays.values()
    if names is not None and len(names) != len(table):
        raise FileError(f"{path} has {len(names)} names for {len(table)} vectors.")
    return table, None if names is None else [str(name) for name in names]


class ModelObserver(Observer):
    r"""An observer whose answers follow a model's similarities of pairs of items.

    .. math:: P_k = (1 - \lambda) \frac{e^{s_k / T}}{\sum_j e^{s_j / T}} + \frac{\lambda}{N}

    where :math:`s_k` is the similarity of the pair of option k: the head and the option, or, in
    odd-one-out questions, the two other items. Similarities come from a table of vectors, from a
    table of distances, or from a function.

    Source: Mahner, Muttenthaler, Güçlü & Hebart 2025, Nature Machine Intelligence 7, 848, where a
    network answers the odd-one-out questions that people answered.

    Parameters
    ----------
    vectors : array (n, d), optional
        A vector for each item: network features, ratings, or positions from another program.
    similarity : {"dot", "cosine", "euclidean"}
        The similarity of vectors x and y: x . y, x . y / (\|x\| \|y\|), or -\|x - y\|.
    distances : array (n, n), optional
        Used instead of vectors: the distances of all pairs of items. Similarity is minus the
        distance.
    function : callable, optional
        Used instead of vectors and distances: ``function(a, b)`` takes two arrays of item indices
        and returns the similarities of the pairs.
    items : Items, sequence of str or int, optional
        The items of the rows. Items of questions are matched to these items by name, in any order;
        names may be numbers. Without items or names, items are matched by index. The index of a
        data frame names its items.
    temperature : float
        T, above 0; a higher temperature makes answers less certain.
    lapse : float
        Lambda, the share of questions answered by chance, from 0 to 1.
    random_state : int, RandomState or None
        The seed of the answers.

    Raises
    ------
    SettingError
        If not exactly one of vectors, distances and function is given; if a table has entries that
        are not finite or beyond 1e150; if the number of rows is not the number of items; if
        distances are negative or not symmetric, or if a matrix of distances is given as vectors.
    JudgmentError
        If a question is about an item that the model lacks, or if a data frame has other names than
        ``items``, or another order of names.

    Warns
    -----
    ConstantFeatureWarning
        If all items have the same vectors (with "cosine": the same directions) or distances.

    Examples
    --------
    >>> network = ModelObserver([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]], temperature=0.01)
    >>> network.answer([[0, 2, 1]]).index
    array([[0, 1, 2]], dtype=int32)
    """

    def __init__(
        self,
        vectors: ArrayLike | None = None,
        similarity: Similarity = "dot",
        *,
        distances: ArrayLike | None = None,
        function: Function | None = None,
        items: ItemsLike = None,
        temperature: float = 1.0,
        lapse: float = 0.0,
        random_state: Any = None,
    ) -> None:
        super().__init__(random_state)
        check(temperature=(temperature, POSITIVE), lapse=(lapse, SHARE))
        self.temperature, self.lapse = temperature, lapse
        given = {"vectors": vectors, "distances": distances, "function": function}
        items = named_by_square(named_by_rows(items, {"vectors": vectors}), distances=distances)
        self.items = items if items is None or isinstance(items, Items) else Items(items)
        self._table: Floats | None = None
        self._similarity = self._source(given, similarity)

    @classmethod
    def read(cls, path: str | PathLike[str], items: ItemsLike = None, **settings: Any) -> Self:
        r"""Read vectors from a file.

        Parameters
        ----------
        path : path
            A CSV file with a header, and a row for each item: its name in the first column, and
            numbers in the other columns. Or an array (n, d) in a ``.npy`` file, or in a ``.npz``
            file with an optional array "names".
        items : Items, sequence of str or int, optional
            The items. If the file has names, its rows are put in the order of the items, and rows
            of other items are left out. If the file has no names, its rows are the items in their
            order.
        **settings
            Other settings of :class:`ModelObserver`.

        Raises
        ------
        FileError
            If the file cannot be read, an entry is not finite, or an item is missing.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "vectors.csv"
        ...     _ = path.write_text("item,x,y\nrock,0,1\njazz,1,0\n")
        ...     ModelObserver.read(path).items
        Items(2: rock, jazz)
        """
        given = items if items is None or isinstance(items, Items) else Items(items)
        vectors, named = read_vectors(Path(path), given)
        return cls(vectors, items=named, **settings)

    def probabilities(self, questions: JudgmentsLike) -> Floats:
        """Return P of each option; see :meth:`Observer.probabilities`."""
        return answer_shares(self.utilities(questions), self.temperature, self.lapse)

    def utilities(self, questions: JudgmentsLike) -> Floats:
        """Return the similarity of each option's pair, (m, K); -inf for missing options."""
        judgments = as_judgments(questions)
        place, blocks = self._places(judgments), list(judgments.comparisons())
        most = max((compared.n_options for compared in blocks), default=2)
        out = np.full((len(judgments), most), -np.inf)
        for compared in blocks:
            pairs = [self._similar(place[a], place[b]) for a, b in compared.pairs]
            of_options = compared.layout.of_options(np.stack(pairs))
            out[compared.rows, : compared.n_options] = of_options.T
        return out

    def _source(self, given: dict[str, Any], similarity: str) -> Function:
        named = [name for name, value in given.items() if value is not None]
        if len(named) != 1:
            raise SettingError(
                f"{' and '.join(named) or 'nothing'} is given: give one of vectors, distances and "
                "function."
            )
        if named == ["function"]:
            return given["function"]
        self._table = checked_table(given[named[0]], named[0], self.items)
        if named == ["vectors"] and is_whole(self._table):
            raise SettingError(
                "vectors are a matrix of distances (symmetric, 0 on the diagonal): give it as "
                "distances=.",
                setting="vectors",
            )
        if named == ["distances"]:
            tell_if_same(self._table, "distances")
            return self._minus_distance
        ways = {"dot": self._dot, "cosine": self._dot, "euclidean": self._minus_gap}
        check(similarity=(similarity, one_of(*ways)))
        if similarity == "cosine":
            self._table = self._of_unit_length(self._table)
        tell_if_same(self._table, "directions" if similarity == "cosine" else "vectors")
        return ways[similarity]

    def _of_unit_length(self, table: Floats) -> Floats:
        lengths = np.linalg.norm(table, axis=1)
        if (empty := np.flatnonzero(lengths == 0)).size:
            names = range(len(table)) if self.items is None else self.items.names
            raise SettingError(
                f"the vectors of {first_few(names[i] for i in empty)} are 0, which has no "
                'direction: leave these items out, or take similarity="euclidean".',
                setting="similarity",
            )
        return np.asarray(table / lengths[:, None])

    def _dot(self, a: Places, b: Places) -> Floats:
        assert self._table is not None
        return np.einsum("md,md->m", self._table[a], self._table[b])

    def _minus_gap(self, a: Places, b: Places) -> Floats:
        assert self._table is not None
        return np.asarray(-np.linalg.norm(self._table[a] - self._table[b], axis=1))

    def _minus_distance(self, a: Places, b: Places) -> Floats:
        assert self._table is not None
        return np.asarray(-self._table[a, b])

    def _similar(self, a: Places, b: Places) -> Floats:
        parts = [
            np.asarray(self._similarity(a[at : at + BATCH], b[at : at + BATCH]), dtype=float)
            for at in range(0, len(a), BATCH)
        ]
        array = np.concatenate(parts) if parts else np.empty(0)
        if array.shape != a.shape or not np.isfinite(array).all():
            raise SettingError(
                f"function returned an array of shape {array.shape} for {len(a)} pairs, or entries "
                "that are not finite: return a similarity for each pair.",
                setting="function",
            )
        return array

    def _places(self, judgments: Judgments) -> Places:
        n_rows = None if self._table is None else len(self._table)
        places = np.arange(judgments.n_items)
        names = judgments.items.names
        row_of = {} if self.items is None else {n: row for row, n in enumerate(self.items.names)}
        unnamed = are_numbered(judgments.items) and row_of.keys().isdisjoint(names)
        if self.items is None or unnamed:
            if n_rows is not None and judgments.n_items > n_rows:
                raise JudgmentError(
                    f"the questions have {judgments.n_items} items, and the model {n_rows}: give "
                    f"it a row for {names[n_rows]!r}, the first that it lacks."
                )
            return places
        asked = np.unique(judgments.index[judgments.index >= 0])
        if lacking := [names[i] for i in asked if names[i] not in row_of]:
            raise JudgmentError(
                f"the model lacks {len(lacking)} of the items asked about ({first_few(lacking)}): "
                "give them a row, or leave their questions out."
            )
        return np.array([row_of.get(name, -1) for name in names], dtype=np.intp)
