"""Export answers as BIDS events, one file per participant."""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from resemblance import __version__
from resemblance.files import no_formula
from resemblance.study.export import columns
from resemblance.study.export.files import write_json
from resemblance.study.export.published import copy_stimuli, publication_of, readme
from resemblance.study.export.tables import Export
from resemblance.study.files import new_folder
from resemblance.study.kinds.base import Row

VERSION = "1.10.0"  # version of BIDS
EVENT: dict[str, dict[str, Any]] = {
    "onset": {
        "Description": "When the question was painted, from this person's first one on: when the "
        "server stored the answer, less the response time. Late where the network was slow.",
        "Units": "s",
    },
    "duration": {"Description": "How long the question was shown: until the answer.", "Units": "s"},
    "trial_type": {
        "Description": "What the question was for.",
        "Levels": {
            "main": "Its answer counts.",
            "gold": "The right answer is known.",
            "repeat": "It was asked before.",
            "practice": "Before the first task; it never counts.",
        },
    },
    "response_time": {"Description": "From the paint of the question to the answer.", "Units": "s"},
    "stim_file": {"Description": "File of the head, in stimuli/, where the files are there."},
    "kind": {"Description": columns.LOG["kind"]},
    "head": {"Description": columns.LOG["head"]},
    "options": {"Description": "Options in the order shown, as a list in JSON."},
    "chosen": {"Description": columns.LOG["chosen"]},
    "question": {"Description": columns.LOG["question"]},
    "right": {"Description": columns.LOG["right"], "Levels": {"true": "Yes.", "false": "No."}},
    "skipped": {"Description": columns.LOG["skipped"], "Levels": {"true": "Yes.", "false": "No."}},
    "strategy": {"Description": columns.LOG["strategy"]},
    "answer": {"Description": columns.LOG["answer"]},
}
ID = {"Description": "sub- and the person's pseudonym, without its hyphen."}


def write_bids(export: Export, folder: Path, with_pictures: bool = False) -> int:
    """Write all answers and skips as events in the layout of BIDS, whole or not at all.

    Each person has ``sub-.../beh/sub-..._task-..._events.tsv``; ``task-..._events.json`` says what
    the columns are. ``participants.tsv`` has the people with the quality of their answers. Answers
    of excluded people are there as the export says.

    Parameters
    ----------
    export : Export
        What is written: one that may be published.
    folder : Path
        Where: a folder that is not there, or empty.
    with_pictures : bool
        Whether the stimuli themselves are in it, in ``stimuli/``.

    Returns
    -------
    int
        How many people are in it.

    Raises
    ------
    FileError
        If the folder holds something or cannot be written, or two stimuli have one file name.
    SettingError
        If ``[publication]`` lacks a title, authors or a licence.
    """
    publication_of(export)
    tables = {table.name: table for table in export.tables()}
    task = f"task-{label(export.live.settings.study.name)}"
    answers: dict[str, list[Row]] = {}
    for row in tables["answers"].rows():
        if export.with_excluded or not row["excluded"]:
            answers.setdefault(row["observer"], []).append(row)
    people = [row for row in tables["participants"].rows() if row["observer"] in answers]
    files = _files(export) if with_pictures else {}
    columns = EVENT | {name: {"Description": words} for name, words in export.condition.items()}
    with new_folder(folder) as part:
        for observer, rows in answers.items():
            sub = f"sub-{label(observer)}"
            (part / sub / "beh").mkdir(parents=True)
            _write(part / sub / "beh" / f"{sub}_{task}_events.tsv", columns, _events(rows, files))
        write_json(part / f"{task}_events.json", columns | _task(export))
        _write_people(part, people, tables["participants"].columns)
        write_json(part / "dataset_description.json", _description(export))
        listed = ["- `sub-*/beh/*_events.tsv`: answers; the columns are in `*_events.json`."]
        (part / "README.md").write_text(readme(export, listed), encoding="utf-8")
        if with_pictures:
            copy_stimuli(export, part / "stimuli")
    return len(people)


def label(name: str) -> str:
    """Write a name as BIDS takes it: letters and digits alone.

    Examples
    --------
    >>> label("P0001-K7QXM")
    'P0001K7QXM'
    """
    return re.sub(r"[^0-9A-Za-z]", "", name)


def _files(export: Export) -> dict[str, str]:
    return {s.name: s.path.name for s in export.live.folder.stimuli if s.path is not None}


def _events(rows: Iterable[Row], files: Mapping[str, str]) -> list[Row]:
    """Lay out the answers of a person in the order of their onsets; a file may tell no times."""
    took = [(None if row["rt_ms"] is None else row["rt_ms"] / 1000, row) for row in rows]
    timed = [(_seconds(row["time"]) - (seconds or 0), seconds, row) for seconds, row in took]
    timed.sort(key=lambda event: (event[0], event[2]["answer"]))
    return [
        {
            **row,
            "onset": round(at - timed[0][0], 3),
            "duration": seconds and round(seconds, 4),
            "response_time": seconds and round(seconds, 4),
            "trial_type": row["purpose"],
            "stim_file": files.get(row["head"] or ""),
            "options": json.dumps(row["options"], ensure_ascii=False),
        }
        for at, seconds, row in timed
    ]


def _seconds(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()


def _write(path: Path, names: Collection[str], rows: Iterable[Row]) -> None:
    """Write tab-separated values; what is not there is n/a."""
    with path.open("w", encoding="utf-8", newline="") as file:
        cells = [list(names), *([_cell(row.get(name)) for name in names] for row in rows)]
        file.writelines("\t".join(line) + "\n" for line in cells)


def _cell(value: Any) -> str:
    """Write a value, no text as a formula; tabs and ends of lines become spaces."""
    if value is None or value == "":
        return "n/a"
    if isinstance(value, bool):
        return str(value).lower()
    text = " ".join(str(value).splitlines()).replace("\t", " ")
    return no_formula(text) if isinstance(value, str) else text


def _write_people(folder: Path, people: Iterable[Row], words: Mapping[str, str]) -> None:
    names = [name for name in words if name != "observer"]
    rows = (
        {**row, "participant_id": f"sub-{label(row['observer'])}", "flags": _listed(row["flags"])}
        for row in people
    )
    _write(folder / "participants.tsv", ["participant_id", *names], rows)
    described = {name: {"Description": words[name]} for name in names}
    write_json(folder / "participants.json", {"participant_id": ID} | described)


def _listed(flags: Any) -> Any:
    return ", ".join(flags) if isinstance(flags, list) else flags


def _task(export: Export) -> dict[str, Any]:
    """Say what was asked, and what showed it."""
    about, study = publication_of(export), export.live.settings.study
    return {
        "TaskName": study.name,
        "TaskDescription": f"{export.kind.about}. {about.description}".strip(),
        "Instructions": export.asked,
        "StimulusPresentation": {"SoftwareName": "resemblance", "SoftwareVersion": __version__},
    }


def _description(export: Export) -> dict[str, Any]:
    about = publication_of(export)
    doi = {"DatasetDOI": f"doi:{about.doi}"} if about.doi else {}
    return {
        "Name": about.title,
        "BIDSVersion": VERSION,
        "DatasetType": "raw",
        "License": about.license,
        "Authors": list(about.authors),
        **doi,
        "GeneratedBy": [{"Name": "resemblance", "Version": __version__}],
    }
