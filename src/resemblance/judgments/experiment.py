"""Read judgments from the raw files of experiment software."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import FileError, SettingError, count
from resemblance.files import NO_ANSWER, split
from resemblance.judgments.checks import RowError, TableLike
from resemblance.judgments.choices import Choices, OddOneOuts
from resemblance.judgments.column_names import (
    FILE,
    SIDED,
    TABLE,
    THREE,
    WEIGHTS,
    WORDS,
    Tool,
    bare,
    is_time,
)
from resemblance.judgments.confusions import Confusions
from resemblance.judgments.file_io import (
    Filed,
    FileItems,
    OnError,
    judgments_of,
    known_items,
    padded,
    rows_of,
    with_refused,
    without_copies,
    without_marked,
    without_refused,
)
from resemblance.judgments.labels import Columns, Labels, Path_, texts_of, whole_as_digits
from resemblance.judgments.pairs import Ratings, SimilarPairs
from resemblance.judgments.question_columns import Layout, find
from resemblance.judgments.raw_files import raw_table, with_design, with_people, with_pseudonyms
from resemblance.judgments.rows import NOTES
from resemblance.judgments.tables import Table, numbers_of, read_table, typed
from resemblance.judgments.triplets import Quadruplets, Triplets
from resemblance.notebook import Shown
from resemblance.optional import pd
from resemblance.ranges import check, one_of

CLASSES: dict[str, type[Filed]] = {
    "triplets": Triplets,
    "odd_one_outs": OddOneOuts,
    "choices": Choices,
    "quadruplets": Quadruplets,
    "ratings": Ratings,
    "confusions": Confusions,
    "similar_pairs": SimilarPairs,
}


@dataclass(frozen=True)
class Experiment(Shown):
    """Judgments read from a raw file, with a record of how the file was read.

    Attributes
    ----------
    judgments : judgments of some kind
        The judgments; columns that are not part of the question are in ``extra``.
    tool : str
        The tool that wrote the file, or "a table" if no tool was recognised.
    kind : str
        The kind of each row, such as ``"triplets"``.
    columns : dict of str to str
        The column of each part of a question.
    no_judgments : dict of str to int
        For each type of row, the number of rows without a judgment.
    refused : DataFrame
        Rows left out with ``on_error="skip"``: columns ``where`` and ``problem``.
    notes : tuple of str
        Further changes to the data, in sentences.

    Examples
    --------
    >>> table = pd.DataFrame({"head": ["a"], "near": ["b"], "far": ["c"], "subject": ["S1"]})
    >>> read_experiment(table).lines()
    ['who answered: the column subject']
    """

    judgments: Filed
    tool: str
    kind: str
    columns: dict[str, str]
    no_judgments: dict[str, int]
    refused: pd.DataFrame
    notes: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Return sentences about the rows that were read and left out; empty for plain tables."""
        lines = []
        asked = {r: name for r, name in self.columns.items() if r not in NOTES}
        if self.tool != TABLE.name or any(bare(name) != bare(r) for r, name in asked.items()):
            roles = ", ".join(
                role if role == name else f"{role}={name}" for role, name in self.columns.items()
            )
            lines += [f"read as {self.tool}: {len(self.judgments):,} {self.kind} ({roles})"]
        if self.no_judgments:
            counts = ", ".join(f"{what} {n:,}" for what, n in self.no_judgments.items())
            lines.append(f"left out: {count(sum(self.no_judgments.values()), 'row')} ({counts})")
        if len(self.refused):
            first = self.refused.iloc[0]
            lines.append(
                f"{len(self.refused):,} rows were left out; the first: {first['where']}: "
                f"{first['problem']}"
            )
        catches = getattr(self.judgments, "catches", None)
        if catches is not None:
            passed = int(catches.passed.sum())
            lines.append(
                f"left out: {count(len(catches), 'catch trial')}, of which {passed} passed"
            )
        return [*lines, *self.notes]


def read_experiment(
    path: Path_ | TableLike,
    items: FileItems = None,
    *,
    kind: str | None = None,
    columns: Columns = None,
    answers: Mapping[str, str] | None = None,
    only: Mapping[str, str] | None = None,
    design: Path_ | TableLike | None = None,
    people: Path_ | TableLike | None = None,
    reversed: bool = False,
    keep_marked: bool = False,
    on_error: OnError = "raise",
) -> Experiment:
    r"""Read judgments from a raw file of experiment software, or from a table of any shape.

    The files of jsPsych (CSV, JSON), JATOS (results as text, JSON or an archive), PsychoPy and
    Pavlovia, Gorilla, Qualtrics, lab.js, Labvanced and oTree are recognised by their columns, and
    so are logs of sessions (``Session.log``) in JSON lines. The names of columns determine the
    kind:

    ==================  ====================================================================
    kind                columns
    ==================  ====================================================================
    ``triplets``        head, near, far; or head, left, right and chosen
    ``odd_one_outs``    odd and options; or odd, kept_a, kept_b; or first, second, third, odd
    ``choices``         head, options, chosen
    ``quadruplets``     a, b, c, d: a and b are more similar than c and d
    ``ratings``         a, b, rating, points
    ``confusions``      a, b, errors, trials
    ``similar_pairs``   a, b, similar
    ==================  ====================================================================

    Prefixes of a tool (``Spreadsheet: head``, ``player.head``), capitals and underscores are
    ignored. An answer is the name of an option, a word (left, right, first, second, third,
    ArrowLeft, ArrowRight), a key of ``answers``, or the option's position if the tool records
    positions (jsPsych counts from 0).

    Rows without a question (consent, instructions, questionnaires) or without an answer (an empty
    cell, null, None, NaN, NA, --, []) are counted and left out. So are rows that the tool marks
    (previews, spam, rejected work, practice), repeated headers, and rows that equal another in all
    columns, including times. Columns with one trial each (oTree, Qualtrics' loops) become rows.
    Participants with an id of Prolific or MTurk, or an e-mail address, are renamed P1, P2, ... in
    the order of their first row.

    Parameters
    ----------
    path : path or table
        A file (.csv, .tsv, .txt, .json, .jsonl, .xlsx, .parquet; also .csv.gz), an archive (.zip,
        JATOS's .jrzip), a folder with a file for each participant, or a table in memory. Text is
        UTF-8 or UTF-16; cells are separated by commas, semicolons or tabs.
    items : Items, file or table of items, or sequence of names, optional
        As in :func:`read_triplets`.
    kind : str, optional
        The kind of each row; default: the first in the table above whose columns are present.
    columns : dict, optional
        Names of columns in the file, such as ``{"head": "sample", "chosen": "resp"}``, also for
        ``observer``, ``weight`` and ``response_id``. ``points`` may be a number.
    answers : dict, optional
        The option that each key or code means, such as ``{"f": "left", "j": "right"}``. Three
        options are called ``first``, ``second`` and ``third``; options in a list are numbered from
        0. Answers that mean "" are left out: ``{"neither": ""}``.
    only : dict, optional
        Read only rows with these values, such as ``{"Zone Type": "response_button"}``.
    design : path or table, optional
        The questions, if the raw file has only numbers of trials. The tables are joined by the
        columns that both of them have, such as ``trial``.
    people : path or table, optional
        Data about participants, such as Prolific's export of demographics. They are joined by
        participants' ids; columns of ids are then dropped, all other columns become ``extra``.
    reversed : bool
        Reverse ratings of dissimilarity, so that high ratings mean similar.
    keep_marked : bool
        Also read rows that the tool marks (practice, previews, rejected work), and duplicate rows.
    on_error : {"raise", "skip"}
        Raise an error for rows that cannot be judgments (catch trials too), or leave them out and
        list them in ``refused``.

    Raises
    ------
    FileError
        If the file is missing, broken or of an unknown type, an archive contains more than 20,000
        files or 4 GB, or no columns hold the questions; the message shows the first three rows.
    JudgmentError
        If a row cannot be a judgment; the message names the line.
    SettingError
        If a setting has an invalid value.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> raw = '''trial_type,trial_index,subject,head,left,right,response
    ... instructions,0,S1,,,,
    ... image-button-response,1,S1,bow,tie,knot,1
    ... image-button-response,2,S1,knot,bow,tie,0
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "raw.csv"
    ...     _ = path.write_text(raw)
    ...     experiment = read_experiment(path)
    >>> experiment.tool, experiment.judgments.index.tolist(), experiment.no_judgments
    ('jsPsych', [[0, 1, 2], [1, 0, 2]], {'instructions': 1})
    """
    check(on_error=(on_error, one_of("raise", "skip")))
    check(kind=(kind, one_of(None, *CLASSES)))
    table, tool = raw_table(path, on_error)
    table = table if keep_marked else without_copies(table)
    if design is not None:
        table = with_design(table, read_table(design))
    given = {role: str(name) for role, name in (columns or {}).items()}
    layout = find(table, tool, kind, given, reversed)
    if reversed and layout.kind != "ratings":
        raise SettingError(
            f"reversed=True applies to ratings, but {table.name} holds {layout.kind}: leave it out",
            setting="reversed",
        )
    marked = Counter[str]()
    if not keep_marked:
        used = {*layout.columns.values(), *(only or {})}
        who = layout.columns.get("observer")
        table, marked = without_marked(table, who, tool.marked, used)
    table, no_judgments = _asked(table, layout, tool, only, answers)
    no_judgments = {**marked, **no_judgments}
    who = layout.columns.get("observer")
    table = _with_everybody(table, who)
    if people is not None:
        table = with_people(table, who, read_table(people))
    table, notes = with_pseudonyms(_typed(table, layout), who, layout.columns.values())
    if on_error == "skip" and layout.kind == "ratings":
        table, passed = _without_identical(table, layout)
        notes += passed
    meant = {said: option for said, option in (answers or {}).items() if option} or None
    judged = _Judged(layout, tool, meant, known_items(items), reversed)
    judgments, refused = judged.read(table, on_error)
    called = {role: name for role, name in layout.columns.items() if name in table.frame}
    called = {role: "file" if name == FILE else name for role, name in called.items()}
    notes = [*table.notes, *notes, *_roles_taken(table, tool, layout)]
    return Experiment(
        judgments, tool.name, layout.kind, called, no_judgments, refused, tuple(notes)
    )


def read_sided(table: Table, items: FileItems, on_error: OnError) -> Triplets:
    roles = ("head", *SIDED, "chosen")
    layout = Layout("triplets", roles, {role: role for role in roles})
    judged = _Judged(layout, TABLE, None, known_items(items))
    triplets, refused = judged.read(table, on_error)
    triplets = with_refused(triplets, refused, table) if len(refused) else triplets
    return cast("Triplets", triplets)


def _roles_taken(table: Table, tool: Tool, layout: Layout) -> list[str]:
    used = set(layout.columns.values())
    others = [name for name in table.frame if name not in used]
    notes = []
    who = layout.columns.get("observer")
    if who is None and (could_be := [name for name in others if _names_people(table.frame[name])]):
        notes.append(
            f"no column names the observer; {', '.join(map(repr, could_be))} could: name it with "
            f"columns={{'observer': {could_be[0]!r}}}"
        )
    elif who not in (None, "observer"):
        notes.append(f"who answered: {'each file' if who == FILE else f'the column {who}'}")
    weight = layout.columns.get("weight")
    if weight is not None:
        notes.append(f"weights of answers: the column {weight}")
    elif tool is TABLE and (unused := [name for name in others if WEIGHTS.search(bare(name))]):
        notes.append(
            f"not used: {', '.join(map(repr, unused))}; if one says how often an answer was given, "
            f"name it with columns={{'weight': {unused[0]!r}}}"
        )
    return notes


def _with_everybody(table: Table, who: str | None) -> Table:
    frame = table.frame
    if FILE not in frame or who == FILE:
        return table
    if who is not None:
        named = texts_of(frame[who])
        frame = frame.assign(**{who: named.where(named != "", frame[FILE])})
    return replace(table, frame=frame.drop(columns=FILE))


def _names_people(column: pd.Series) -> bool:
    """Return whether a column could name people: rows with equal cells must be adjacent."""
    codes, people = pd.factorize(texts_of(column))
    if is_time(str(column.name)) or not 2 <= len(people) <= len(codes) / 5:
        return False
    return int((np.diff(codes) != 0).sum()) == len(people) - 1


def _without_identical(table: Table, layout: Layout) -> tuple[Table, list[str]]:
    a, b = (texts_of(table.frame[layout.columns[role]]) for role in "ab")
    same = (a == b).to_numpy()
    if not same.any():
        return table, []
    return table.take(~same), [f"{same.sum():,} catch trials (an item with itself) are kept apart"]


def _asked(
    table: Table,
    layout: Layout,
    tool: Tool,
    only: Mapping[str, str] | None,
    answers: Mapping[str, str] | None,
) -> tuple[Table, dict[str, int]]:
    frame = table.frame
    table.need(list(only or {}), "only=", "only")
    wanted = only or {name: value for name, value in tool.only.items() if name in frame}
    answer = layout.answer
    parts = {role: layout.columns[role] for role in layout.roles if layout.columns[role] in frame}
    items = {
        name
        for role in parts
        if role != answer
        for text in texts_of(frame[parts[role]]).unique()
        for name in (split(text) if role == "options" else [text])
    }
    none = {
        "",
        *(NO_ANSWER - items),
        *(said for said, meant in (answers or {}).items() if not meant),
    }
    empty = pd.DataFrame(
        {
            role: _cells(frame[name], (none if role == answer else {""}).__contains__)
            for role, name in parts.items()
        }
    )
    asked = [texts_of(frame[name]) for role, name in parts.items() if role != answer]
    as_none = asked[0].isin(NO_ANSWER)  # R writes missing options as text, such as "NA, NA, NA".
    for part in asked:
        as_none = as_none & (part == asked[0])
    nothing = (
        empty.drop(columns=[answer] if answer else []).all(axis=1).to_numpy() | as_none.to_numpy()
    )
    for name, value in wanted.items():
        nothing = nothing | _cells(frame[name], value.__ne__)
    silent = empty[answer].to_numpy() & ~nothing if answer else np.zeros(len(frame), dtype=bool)
    has_steps = tool.step in frame.columns
    steps = frame[tool.step] if has_steps else pd.Series("other", frame.index)
    counts = Counter(steps[nothing].astype(object).fillna("other").astype(str))
    if silent.any():
        counts["no answer"] = int(silent.sum())
    if (nothing | silent).all():
        raise FileError(f"{table.name} holds no answers, only: {dict(counts)}")
    return table.take(~(nothing | silent)), dict(counts)


def _cells(column: pd.Series, test: Callable[[str], bool]) -> NDArray[np.bool_]:
    codes, texts = pd.factorize(texts_of(column))
    return np.array([test(text) for text in texts], dtype=bool)[codes]


@dataclass(frozen=True)
class _Judged:
    layout: Layout
    tool: Tool
    answers: Mapping[str, str] | None
    items: Any
    is_reversed: bool = False

    def read(self, table: Table, on_error: OnError) -> tuple[Filed, pd.DataFrame]:
        kind = CLASSES[self.layout.kind]
        table, refused = without_refused(
            table, lambda part: rows_of(kind, self._table(part), self.items), on_error
        )
        return judgments_of(kind, self._table(table), self.items, on_error=on_error), refused

    def _table(self, table: Table) -> Table:
        frame, called = table.frame, self.layout.columns
        roles = {name: role for role, name in called.items()}
        of_tool = ["weight"] if self.tool is not TABLE and "weight" not in called else []
        others = {name: f"{name} (file)" for name in (*called, *of_tool) if name not in roles}
        frame = frame.rename(columns={**others, **roles})
        if "points" in self.layout.roles and "points" not in frame:
            frame = frame.assign(points=int(called["points"]))
        with table.located():
            if self.is_reversed and self.layout.kind == "ratings":
                rating, points = (
                    numbers_of(frame[role], role, decimal=table.decimal)
                    for role in ("rating", "points")
                )
                frame = frame.assign(rating=points + 1 - rating)
            frame = _by_name(frame, self.layout.roles, self.tool, self.answers)
        return replace(table, frame=frame)


def _typed(table: Table, layout: Layout) -> Table:
    named = [layout.columns[role] for role in (*layout.roles, "observer") if role in layout.columns]
    others = {str(name): cells for name, cells in table.frame.items() if name not in named}
    filled = [name for name, cells in others.items() if cells.notna().any() or name in NOTES]
    cells = {name: typed(_flat(others[name]), table.decimal) for name in filled}
    return replace(table, frame=table.frame.drop(columns=list(others)).assign(**cells))


def _flat(column: pd.Series) -> pd.Series:
    if pd.api.types.infer_dtype(column, skipna=True) in ("mixed", "mixed-integer"):
        return column.map(lambda cell: json.dumps(cell) if isinstance(cell, list) else cell)
    return column


def _by_name(
    frame: pd.DataFrame, roles: tuple[str, ...], tool: Tool, answers: Mapping[str, str] | None
) -> pd.DataFrame:
    answer = "odd" if "odd" in roles else "chosen"
    places = next((names for names in (SIDED, THREE) if set(names) <= set(roles)), None)
    if places is None and not ("options" in roles and answer in roles):
        return frame
    columns = [Labels.of(frame[name], name) for name in (*(places or ["options"]), answer)]
    if all(str(whole_as_digits(text)).isdecimal() for c in columns[:-1] for text in c.texts):
        columns = [c.as_ids() for c in columns]
    texts = sorted({text for column in columns for text in column.texts})
    number = {text: code for code, text in enumerate(texts)}
    *several, said = (np.array([number[text] for text in c.texts])[c.codes] for c in columns)
    options = np.column_stack(several) if places else padded(several[0], columns[0].rows)
    chosen = _chosen(options, said, texts, answer, tool, answers)

    def named(place: NDArray[np.intp]) -> Any:
        codes = options[np.arange(len(options)), place]
        return pd.Categorical.from_codes(codes, pd.Index(texts))

    if places is None:
        return frame.assign(**{answer: named(chosen)})
    frame = frame.drop(columns=list(places))
    if places == THREE:
        listed = np.array(texts, dtype=object)[options].tolist()
        return frame.assign(odd=named(chosen), options=pd.Series(listed, frame.index))
    answered = {"near": named(chosen), "far": named(1 - chosen), "side": chosen}
    others = frame.drop(columns="chosen").rename(
        columns={name: f"{name} (file)" for name in answered}
    )
    return pd.DataFrame(answered, index=frame.index).join(others)


def _chosen(
    options: NDArray[Any],
    said: NDArray[Any],
    texts: list[str],
    role: str,
    tool: Tool,
    answers: Mapping[str, str] | None,
) -> NDArray[np.intp]:
    """Return the position, from 0, of the option that each answer means.

    The entries of ``options`` and ``said`` are indices into ``texts``.
    """
    same = options == said[:, None]
    if answers is None and same.any(axis=1).all():
        return same.argmax(axis=1)
    width = options.shape[1]
    codes = {word: place for word, place in WORDS.items() if place < width}
    if tool.first is not None:
        codes |= {str(place + tool.first): place for place in range(width)}
    for said_as, meant in (answers or {}).items():
        place = codes.get(str(meant).lower(), int(meant) if str(meant).isdigit() else width)
        if place >= width:
            raise SettingError(
                f"answers= says {said_as}={meant}: an option is called "
                f"{', '.join(codes) or 'by its number'}",
                setting="answers",
            )
        codes[_code(str(said_as))] = place
    places = np.array([codes.get(_code(text), -1) for text in texts])[said]
    if answers is None:  # Without ``answers``, an answer may also be the name of an option.
        places = np.where(same.any(axis=1), same.argmax(axis=1), places)
        if same.any() and (places[~same.any(axis=1)] >= 0).any():
            places[~same.any(axis=1)] = -1  # Answers must either all be names or all be positions.
    if (places < 0).any():
        row = int((places < 0).argmax())
        several = {"1": "first", "2": "second", "3": "third"}
        example = {2: {"f": "left", "j": "right"}, 3: several}.get(width, {"1": "0", "2": "1"})
        raise RowError(
            row,
            f"{role} is {texts[said[row]]!r}, and shown were "
            f"{', '.join(repr(texts[code]) for code in options[row] if code >= 0)}: say what it "
            f"means, such as answers={example}; an answer that means none of them is "
            f"answers={{{texts[said[row]]!r}: ''}}",
            "answers",
        )
    return places


def _code(text: str) -> str:
    """Normalise an answer: lower case, "1.0" becomes "1" and "['left']" becomes "left"."""
    return re.sub(r"^\['?|'?\]$", "", text).lower().removesuffix(".0")
