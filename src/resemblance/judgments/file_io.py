"""Read and write the rows of each kind of judgment in files and tables."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, Self

from resemblance.files import safe, suffix
from resemblance.judgments.labelled import FileItems, OnError, Source, read
from resemblance.judgments.reading_items import Columns
from resemblance.judgments.rows import Rows
from resemblance.judgments.tables import write_table
from resemblance.optional import pd


class Filed(Rows):
    """Rows of item names in a file, with the columns and measures of their kind.

    ``refused`` is a table of the rows that a reader left out (``where`` and ``problem``), or None.
    It belongs to the whole; slices have none.
    """

    refused: pd.DataFrame | None = None

    def _take(self, rows: Any) -> Self:
        return super()._take(rows)._with(refused=None)

    @classmethod
    def read(
        cls,
        path: Source,
        items: FileItems = None,
        columns: Columns = None,
        *,
        on_error: OnError = "raise",
    ) -> Self:
        r"""Read judgments of this kind from a CSV, Parquet or JSON lines file, or from a table.

        =================  ===========================================================
        kind               columns
        =================  ===========================================================
        ``Triplets``       ``head, near, far``; also Salmon's ``head, winner, loser``
                           and ``anchor, closer, farther``
        ``Quadruplets``    ``a, b, c, d``: a and b are more similar than c and d
        ``Choices``        ``head, chosen, options``
        ``OddOneOuts``     ``odd, options``, or of three items ``odd, kept_a, kept_b``
        ``Confusions``     ``a, b, errors, trials``; rows of one pair are summed, with
                           a warning; a matrix: :func:`read_confusion_matrix`
        ``Ratings``        ``a, b, rating, points``: the rating, of so many points
        ``SimilarPairs``   ``a, b, similar``: true and false, or 1 and 0
        =================  ===========================================================

        Options, the answer among them, are separated by bars (``jazz|rock|soul``); in JSON lines
        and Parquet they may also be lists. Optional columns are ``weight`` (but of confusions,
        whose trials are the weight), ``response_id`` (rows with the same one are one response; what
        is no number is numbered as it first appears) and ``observer`` (or Salmon's ``puid``,
        ``participant``). All others are kept in ``extra``.

        Columns hold labels, not positions: the items are the distinct labels in
        natural order (2 before 10), so gaps make no items. A label that is a number must be whole
        and not negative; where all are whole, "3.0" is 3, and "007" stays as it is. Labels are
        texts, in Unicode's NFC and without blanks and characters without a width at their ends;
        where several ways of writing are one label, a warning says so. Further columns are numbers
        where all of their cells are.

        Parameters
        ----------
        path : path or table
            A file whose name ends in .csv, .parquet or .jsonl; also .csv.gz and .jsonl.gz. Or a
            table, whose columns are found by their names: a pandas or polars DataFrame, an Arrow
            table, or anything else with ``__arrow_c_stream__``; all but pandas' take pyarrow.
        items : Items, file or table of items, or sequence of names, optional
            All items, mentioned or not; labels are looked up among their names.
        columns : dict, optional
            Names of columns in the file, such as ``{"head": "anchor"}``.
        on_error : {"raise", "skip"}
            What to do about rows that cannot be judgments: raise, or leave them out,
            warn of how many they are, and list them in ``.refused`` of the result. Catch trials
            (the head is also an option; of odd ones out, an item is shown twice) are set apart
            as ``.catches`` of the result.

        Returns
        -------
        judgments of this kind

        Raises
        ------
        FileError
            If the file is missing, empty, broken or of an unknown type, or lacks a column.
        JudgmentError
            If a row cannot be a judgment; the message names the line, the header being line 1 (in
            Parquet and tables, the row, from 0). If a table lacks a column.
        UnavailableError
            If the file is Parquet, or the table not of pandas, and pyarrow is not installed.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from resemblance import Choices, Triplets
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder) / "answers.csv"
        ...     _ = path.write_text("head,winner,loser\n7,10,2\n2,7,10\n")
        ...     triplets = Triplets.read(path)
        >>> triplets.items.names
        ('2', '7', '10')
        >>> triplets.index
        array([[1, 2, 0],
               [0, 1, 2]], dtype=int32)
        >>> Triplets.read(triplets.to_pandas()).index.tolist() == triplets.index.tolist()
        True
        >>> Choices.read(pd.DataFrame({"head": ["a"], "chosen": ["b"], "options": ["b|c|d"]}))
        Choices(1 rows, 4 items)
        """
        return read(cls, path, items, columns, on_error=on_error)

    def write(self, path: str | PathLike[str]) -> None:
        """Write judgments to a CSV, Parquet or JSON lines file that :meth:`read` reads.

        Its columns hold names of items, then come ``weight``, ``response_id`` and ``observer``
        where there are any, then the extra columns. Options are a list, in CSV separated by bars.
        Catch trials that were set apart come last. Items that no row mentions are not in the file:
        keep the items in one of their own.

        Parameters
        ----------
        path : path
            Its suffix says the format, as for :meth:`read`.

        Raises
        ------
        FileError
            If the type of the file is unknown, or it cannot be written; if it is CSV, and the name
            of an option holds a bar.
        UnavailableError
            If the file is Parquet and pyarrow is not installed.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from resemblance import OddOneOuts
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder) / "answers.csv"
        ...     OddOneOuts([[0, 1, 2]], odd=[1]).write(path)
        ...     print(path.read_text())
        odd,options
        1,1|0|2
        """
        frame = self.all_rows()
        if suffix(Path(path)) == ".csv":
            for name in {*self.columns, "observer"} & {*frame}:
                frame[name] = frame[name].map(safe)
        write_table(frame, path)

    def all_rows(self) -> pd.DataFrame:
        """Return the table that is written."""
        return self.to_pandas()
