"""The answers that NEXT has collected."""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from resemblance.errors import FileError, ResemblanceWarning
from resemblance.judgments.exchange.experiment import read_sided
from resemblance.judgments.exchange.records import need, plain, read_json
from resemblance.judgments.exchange.salmon import PARTS, SHOWN
from resemblance.judgments.exchange.targets import target_names
from resemblance.judgments.labelled import FileItems, OnError
from resemblance.judgments.labels import Labels
from resemblance.judgments.reading_items import Path_
from resemblance.judgments.tables import Table, read_table
from resemblance.judgments.triplets import Triplets
from resemblance.optional import pd

# What the columns are called: by the dashboards, by R after reading those, by the newer server.
SPELLINGS = {
    "head": ("Center", "target_center"),
    "left": ("Left", "target_left"),
    "right": ("Right", "target_right"),
    "winner": ("Answer", "target_winner"),
    "observer": ("Participant ID", "Participant.ID", "participant_uid"),
}
_USED = (
    "target_indices",
    "target_winner",
    "index_winner",
    "participant_uid",
    "exp_uid",
    "_id",
    "q",
)


def read_next(
    path: Path_,
    items: FileItems = None,
    *,
    catches: Literal["error", "keep"] = "error",
    on_error: OnError = "raise",
) -> Triplets:
    r"""Read the responses to triplet queries of NEXT: a CSV of answers, or participants.json.

    In a CSV the columns are ``Center, Left, Right, Answer`` and ``Participant ID`` (also with dots
    for spaces, as R writes them), or ``target_center, target_left, target_right, target_winner``
    and ``participant_uid``. In JSON, ``participant_responses`` holds the queries of each
    participant; those without an answer are left out, with a warning. ``extra["side"]`` says
    which side won (0: left); further columns, in JSON those of plain values, are kept in ``extra``.

    An item is called as its target is described: a file of a picture or film without the suffix,
    or words.

    Parameters
    ----------
    path : path
        A file whose name ends in .csv (or .csv.gz, .jsonl, .parquet) or .json.
    items, catches
        As in :func:`read_triplets`.
    on_error : {"raise", "skip"}
        As in :func:`read_salmon`.

    Returns
    -------
    Triplets

    Raises
    ------
    FileError
        If the file is missing, broken or lacks a column; if a response lacks what was shown.
    JudgmentError
        If a row cannot be a judgment.

    Warns
    -----
    ResemblanceWarning
        If there are queries without an answer.

    References
    ----------
    Jamieson, Jain, Fernandez, Glattard, Nowak (2015), NEXT: a system for real-world development,
    evaluation, and application of active learning, NIPS. The formats are those of NEXT's
    ``apps/PoolBasedTripletMDS/myApp.py`` and ``next/api/resources/participants.py``.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "answers.csv"
    ...     _ = path.write_text("Participant ID,Center,Left,Right,Answer\nx7,jazz,soul,punk,soul\n")
    ...     read_next(path).items.names
    ('jazz', 'punk', 'soul')
    """
    table = _read(Path(path))
    column_of = {role: _column(table, role) for role in SPELLINGS}
    for role in SHOWN:
        if column_of[role] is None:
            table.need(SPELLINGS[role][:1], "the file: it holds no answers of NEXT")
    with table.located():
        cells = [Labels.of(table.frame[column_of[role]], role).cells for role in SHOWN]
        labels = {str(label): str(label) for column in cells for label in column}
        names = target_names(labels)
        answers = pd.DataFrame(
            {part: pd.Series(column).map(names) for part, column in zip(PARTS, cells, strict=True)}
        )
    if column_of["observer"] is not None:
        answers["observer"] = table.frame[column_of["observer"]]
    further = table.frame.drop(columns=[column for column in column_of.values() if column])
    table = replace(table, frame=answers.join(further))
    return read_sided(table, items, catches, on_error)


def _column(table: Table, role: str) -> str | None:
    return next((name for name in SPELLINGS[role] if name in table.frame), None)


def _read(path: Path) -> Table:
    if path.suffix != ".json":
        return read_table(path)
    (people,) = need(read_json(path), ["participant_responses"], str(path))
    if not isinstance(people, dict):
        raise FileError(f"{path}: participant_responses is no object: give one list a participant")
    rows, places, unanswered = [], [], 0
    for place, uid, response in _responses(people):
        need(response, [], f"{path}, {place}")
        if _winner(response) is None:
            unanswered += 1
            continue
        rows.append(_row(response, uid, f"{path}, {place}"))
        places.append(place)
    if unanswered:
        warnings.warn(
            f"{unanswered:,} of {unanswered + len(rows):,} queries have no answer: left out",
            ResemblanceWarning,
            stacklevel=3,
        )
    if not rows:
        raise FileError(f"{path} has no answered queries: it needs one at least")
    return Table(path, pd.DataFrame(rows), places.__getitem__)


def _responses(people: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    for uid, responses in people.items():
        for number, response in enumerate(responses, 1):
            yield f"participant {uid}, response {number}", uid, response


def _winner(response: dict[str, Any]) -> Any:
    return response.get("target_winner", response.get("index_winner"))


def _row(response: dict[str, Any], uid: str, where: str) -> dict[str, Any]:
    """Take what was shown where, and what won, out of a response."""
    names, winner = {}, None
    (targets,) = need(response, ["target_indices"], where)
    for target in targets:
        id_, side = need(target, ["target_id|index", "label"], where)
        about = target.get("target") or target  # older servers put the description deeper
        names[side] = about.get("primary_description") or about.get("target_id") or id_
        winner = names[side] if id_ == _winner(response) and side != "center" else winner
    center, left, right = need(names, ["center", "left", "right"], where)
    if winner is None:
        raise FileError(f"{where}: the winner {_winner(response)!r} was not shown: remove it")
    person = str(response.get("participant_uid", uid)).removeprefix(f"{response.get('exp_uid')}_")
    columns = (spellings[0] for spellings in SPELLINGS.values())
    cells = zip(columns, (center, left, right, winner, person), strict=True)
    return {**plain(response, _USED), **dict(cells)}
