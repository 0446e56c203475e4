"""Read delimited text (CSV): detect encoding, separator and header.

Lines end only at LF, CR or CRLF; a quoted cell may contain line ends.
"""

import csv
import gzip
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from resemblance.errors import count
from resemblance.files import label_text, no_quote

SEPARATORS = ",;\t"
# first line of some files of Excel, which gives the separator
SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
LONGEST = 1 << 26  # largest length of a line in bytes
csv.field_size_limit(min(sys.maxsize, 1 << 31 - 1))  # A cell may contain a whole questionnaire.


@dataclass(frozen=True)
class Delimited:
    path: Path
    separator: str
    header: list[str]
    # number of lines above the header: "sep=;", comments that begin with #, blank lines
    above: int
    comment: str = ""  # last comment above the header

    @classmethod
    def of(cls, path: Path) -> "Delimited":
        """Detect the layout of a file; raise ValueError if columns repeat or lines are too long."""
        refuse_long_lines(path)
        separator, above, comment = "", 0, ""
        with opened(path) as file:
            for line in file:
                text = line.strip("\r\n ")
                if text and (match := SEPARATOR_LINE.fullmatch(text)):
                    separator = match[1]
                elif text and not is_comment(text):
                    break
                else:
                    comment = text or comment
                above += 1
            else:
                line = ""
        separator = separator or max(SEPARATORS, key=lambda mark: len(_cells(line, mark)))
        layout = cls(path, separator, [], above)
        _, header = next(layout._lines(), (0, [""]))
        names = [label_text(name) for name in header]
        repeated = [name for i, name in enumerate(names) if name in names[:i] and name]
        if repeated:
            raise ValueError(
                f"two columns are called {repeated[0]!r}: rename or remove one; or, if the first "
                "line is an answer, add a line with the names of columns above it"
            )
        return cls(path, separator, names, above, comment)

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows below the header that are not blank, with their line numbers."""
        lines = self._lines()
        next(lines, None)
        yield from lines

    @contextmanager
    def open(self) -> Iterator[TextIO]:
        with opened(self.path) as file:
            for _ in range(self.above):
                file.readline()
            yield file

    def _lines(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows that are not blank; a row with a quoted cell is not blank."""
        last = ""

        def remembered(file: TextIO) -> Iterator[str]:
            nonlocal last
            for line in file:
                last = line
                yield line

        with self.open() as file:
            reader = csv.reader(remembered(file), delimiter=self.separator)
            for cells in reader:
                if len(cells) > 1 or "".join(cells).strip() or '"' in last:
                    yield self.above + reader.line_num, cells

    def problems(self) -> dict[int, str]:
        rows = enumerate(cells for _, cells in self.rows())
        return {row: problem for row, cells in rows if (problem := self.problem(cells))}

    def even_rows(self) -> Iterator[list[str]]:
        """Yield the cells of each row below the header, cut or padded to the header's length."""
        width = len(self.header)
        for _, cells in self.rows():
            yield [*cells[:width], *[""] * (width - len(cells))]

    def problem(self, cells: list[str]) -> str | None:
        # Files of Gorilla end with the line "END OF FILE".
        if len(cells) == len(self.header) or cells == ["END OF FILE"]:
            return None
        remedy = (
            "put cells with separators in quotes"
            if len(cells) > len(self.header)
            else "complete or remove the row"
        )
        return f"it has {count(len(cells), 'cell')}, and the header {len(self.header)}: {remedy}"


def refuse_long_lines(path: Path) -> None:
    """Refuse very long lines, whose cells would take many times their size in memory."""
    length = 0
    with binary(path) as file:
        while part := file.read(1 << 20):
            end = max(part.rfind(b"\n"), part.rfind(b"\r"))
            length = len(part) - end - 1 + (length if end < 0 else 0)
            if length > LONGEST:
                raise ValueError(
                    f"a line has more than {LONGEST:,} bytes: end each row with a line break"
                )


def is_comment(line: str) -> bool:
    """Return whether a line above the header is a comment, and not a column named "#"."""
    return line.startswith("#") and not re.match(rf"#\s*([{SEPARATORS}]|$)", line)


def _cells(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator), [])


def unescaped(cell: str) -> str:
    """Undo :func:`.safe` in a cell; it may contain several names separated by bars.

    >>> unescaped("'=SUM(A1)"), unescaped("tie|'-x"), unescaped("'tie")
    ('=SUM(A1)', 'tie|-x', "'tie")
    """
    return "|".join(map(no_quote, cell.split("|")))


def binary(path: Path) -> Any:
    return (gzip.open if path.suffix == ".gz" else open)(path, "rb")


def encoding_of(path: Path) -> str:
    """Return the encoding of a file from its first bytes: UTF-16 or UTF-8."""
    with binary(path) as file:
        return "utf-16" if file.read(2) in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"


def opened(path: Path, mode: str = "r") -> TextIO:
    opens: Callable[..., Any] = gzip.open if path.suffix == ".gz" else open
    encoding = encoding_of(path) if mode == "r" else "utf-8"
    return opens(path, mode + "t", encoding=encoding, newline="")
