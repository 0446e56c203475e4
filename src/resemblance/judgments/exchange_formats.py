"""Read answers in the formats of THINGS, Salmon, PsiZ and PsiZ-Collect."""

import json
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resemblance.errors import FileError, JudgmentError, ResemblanceWarning
from resemblance.files import lines_of, reading
from resemblance.judgments.checks import refuse, whole_numbers
from resemblance.judgments.choices import Choices, OddOneOuts
from resemblance.judgments.experiment import read_sided
from resemblance.judgments.file_io import FileItems, OnError, judgments_of
from resemblance.judgments.items import Items
from resemblance.judgments.labels import Labels, Path_, whole_as_digits
from resemblance.judgments.question_columns import target_names
from resemblance.judgments.tables import Table, read_table
from resemblance.judgments.triplets import Triplets
from resemblance.optional import pd
from resemblance.ranges import check, one_of

THINGS_IMAGES = ["image1", "image2", "image3"]
THINGS_REMEDY = "give the numbers of the stimuli"
Answers = tuple[Table, NDArray[np.int32]]


def text_of(path: Path) -> str:
    with reading(path, "name a UTF-8 text file"):
        return path.read_text(encoding="utf-8-sig")


def read_lines(path: Path) -> list[tuple[str, str]]:
    lines = enumerate(lines_of(text_of(path)), 1)
    return [(f"line {number}", line) for number, line in lines if line.strip()]


def read_json(path: Path) -> Any:
    try:
        return json.loads(text_of(path))
    except json.JSONDecodeError as error:
        raise FileError(
            f"{path}, line {error.lineno}: {error.msg}: check that the file is whole JSON"
        ) from None


def need(record: Any, keys: Sequence[str], where: str) -> list[Any]:
    """Return the values of keys in a JSON object; "a|b" means the key a or b."""
    if not isinstance(record, dict):
        raise FileError(f"{where} is no JSON object: check that the file is of the right kind")
    values = []
    for key in keys:
        present = [name for name in key.split("|") if record.get(name) is not None]
        if not present:
            has = ", ".join(map(repr, record)) or "nothing"
            wanted = " or ".join(map(repr, key.split("|")))
            raise FileError(f"{where} has no {wanted}; it has {has}: add it or remove the record")
        values.append(record[present[0]])
    return values


def plain(record: dict[str, Any], without: Sequence[str]) -> dict[str, Any]:
    return {
        key: value
        for key, value in record.items()
        if key not in without and isinstance(value, str | int | float | bool)
    }


def read_things(
    path: Path_,
    stimuli: Path_ | None = None,
    *,
    on_error: OnError = "raise",
) -> OddOneOuts:
    r"""Read odd-one-out responses in the formats of THINGS.

    A text file has three stimulus numbers per line, counted from 0, the odd one last. A NumPy array
    (``train_90.npy`` of SPoSE and VICE) has the same columns. A CSV file, separated by tabs or
    commas, has the columns ``image1, image2, image3``, counted from 1, and ``choice``, the number
    of the odd image: 1, 2 or 3. ``subject_id`` is the observer, and further columns are kept in
    ``extra``.

    Models without a likelihood for odd ones out need triplets: see
    :func:`triplets_from_odd_one_out`.

    Parameters
    ----------
    path : path
        A file whose name ends in .txt, .npy, .csv or .tsv.
    stimuli : path, optional
        A text file with the name of a stimulus on each line, such as ``unique_id.txt``. Default:
        the items that occur are named by their numbers, counted from 0 in every format.
    on_error : {"raise", "skip"}
        Raise on catch trials (a stimulus is shown twice), or put them into ``.catches``.

    Raises
    ------
    FileError
        If a file is missing or broken, of an unknown type, or lacks a column.
    JudgmentError
        If a line is not a response, or a number exceeds the stimuli; the message names the line.

    References
    ----------
    Hebart, Zheng, Pereira, Baker (2020), Revealing the multidimensional mental representations of
    natural objects underlying human similarity judgements, Nature Human Behaviour. The READMEs of
    ``ViCCo-Group/SPoSE`` and ``LukasMut/VICE`` give the order of the columns.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "trainset.txt"
    ...     _ = path.write_text("4 0 7\n0 7 9\n")
    ...     odd = read_things(path)
    >>> odd.items.names
    ('0', '4', '7', '9')
    >>> odd.index.tolist()  # the odd one first
    [[2, 0, 1], [3, 0, 2]]
    """
    check(on_error=(on_error, one_of("raise", "skip")))
    table, numbers = _things_answers(Path(path))
    with table.located():
        index, items = _things_items(numbers, stimuli)
        people = table.frame.get("subject_id")
        observer = None if people is None else Labels.of(people, "subject_id").as_ids().cells
        extra = table.further(["subject_id"])
        make = OddOneOuts.split_catches if on_error == "skip" else OddOneOuts
        return make(index, index[:, 2], items, observer=observer, extra=extra)


def _things_answers(path: Path) -> Answers:
    readers = {".txt": _read_text, ".npy": _read_array, ".csv": _read_csv, ".tsv": _read_csv}
    if path.suffix not in readers:
        raise FileError(
            f"{path} is of an unknown type {path.suffix!r}: use .txt, .npy, .csv or .tsv"
        )
    with reading(path, "name a UTF-8 text file"):
        return readers[path.suffix](path)


def _read_text(path: Path) -> Answers:
    table = Table(path, pd.DataFrame(), lambda row: read_lines(path)[row][0])
    try:
        cells = pd.read_csv(path, sep=r"\s+", header=None).to_numpy(dtype=float)
    except ValueError:  # The file has uneven rows or words.
        cells = np.empty((0, 0))
    if cells.shape[1] != 3 or np.isnan(cells).any():
        three = re.compile(r"\s*(\d+(\.0*)?(e\+?\d+)?(\s+|$)){3}", re.IGNORECASE)
        bad = (place for place, line in read_lines(path) if not three.fullmatch(line))
        place = next(bad, "line 1")
        raise FileError(f"{path}, {place}: give three numbers a line, the odd one last")
    with table.located():
        return table, whole_numbers(cells, "stimuli", remedy=THINGS_REMEDY)


def _read_array(path: Path) -> Answers:
    with reading(path, "give an array of np.save"):
        array = np.load(path)
    if array.ndim != 2 or array.shape[1] != 3:
        raise FileError(f"{path} has shape {array.shape}: give three columns, the odd one last")
    table = Table(path, pd.DataFrame(), lambda row: f"row {row}")
    with table.located():
        return table, whole_numbers(array, "stimuli", remedy=THINGS_REMEDY)


def _read_csv(path: Path) -> Answers:
    table = read_table(path)
    table.need([*THINGS_IMAGES, "choice"], "the file: it holds no responses of THINGS")
    with table.located():
        images = np.column_stack([table.numbers(name, name) for name in THINGS_IMAGES])
        choice = table.numbers("choice", "choice")
        refuse(
            ~np.isin(choice, (1, 2, 3)),
            lambda r: f"choice is {choice[r]:g}, but says which was odd: 1, 2 or 3",
        )
        counted = whole_numbers(images, "images", least=1, remedy=THINGS_REMEDY) - 1
    # The two other items keep their order; the odd one goes last.
    order = np.array([[1, 2, 0], [0, 2, 1], [0, 1, 2]])[choice.astype(int) - 1]
    further = table.frame.drop(columns=[*THINGS_IMAGES, "choice"])
    return replace(table, frame=further), np.take_along_axis(counted, order, axis=1)


def _things_items(
    numbers: NDArray[np.int32], stimuli: Path_ | None
) -> tuple[NDArray[np.int32], Items]:
    if stimuli is None:
        occur, positions = np.unique(numbers, return_inverse=True)
        return positions.reshape(numbers.shape).astype(np.int32), Items(occur)
    names = [line.strip() for _, line in read_lines(Path(stimuli))]
    refuse(
        (numbers >= len(names)).any(axis=1),
        lambda r: (
            f"there is no stimulus {numbers[r].max()} (from 0) among the {len(names)} of "
            f"{stimuli}: give the whole list"
        ),
    )
    return numbers, Items(names)


SALMON_SHOWN = ("head", "left", "right", "winner")
SALMON_PARTS = ("head", "left", "right", "chosen")
SALMON_TARGETS = (*SALMON_SHOWN, "loser")
SALMON_DESCRIBED = tuple(
    f"{role}_{how}" for role in SALMON_TARGETS for how in ("html", "filename", "src")
)


def read_salmon(
    path: Path_,
    items: FileItems = None,
    *,
    on_error: OnError = "raise",
) -> Triplets:
    r"""Read the responses that Salmon's dashboard exports: responses.csv or responses.json.

    The columns are ``head, left, right, winner``: the winner becomes near, the other option far,
    and ``extra["side"]`` is the side that won (0: left). ``puid`` is the observer. If the file has
    the HTML of the targets (``head_html``, ...), an item is named by the file of its picture or
    film without the suffix, or by its text; repeated names get Salmon's index. Otherwise the
    indices are the names. Further columns are kept in ``extra``.

    Parameters
    ----------
    path : path
        A file whose name ends in .csv (or .csv.gz, .jsonl, .parquet) or .json.
    items
        As in :func:`read_triplets`.
    on_error : {"raise", "skip"}
        Raise on rows that cannot be answers, such as a winner that was not shown, or leave them
        out, as in :func:`read_triplets`.

    Raises
    ------
    FileError
        If the file is missing, broken or lacks a column.
    JudgmentError
        If a row cannot be a judgment, or two targets have one index.

    References
    ----------
    Sievert, Nowak, Rogers (2023), Efficiently learning relative similarity embeddings with
    crowdsourcing, JOSS. The columns are from `/responses` in Salmon's
    ``salmon/frontend/private.py``.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "responses.csv"
    ...     _ = path.write_text("head,left,right,winner,puid\n0,1,2,2,ann\n2,0,1,0,bob\n")
    ...     triplets = read_salmon(path)
    >>> triplets.index.tolist(), triplets.extra["side"].tolist()
    ([[0, 2, 1], [2, 0, 1]], [1, 0])
    """
    table = _salmon_table(Path(path))
    table.need(SALMON_SHOWN, "the file: it holds no responses of Salmon")
    with table.located():
        answers = pd.DataFrame(dict(zip(SALMON_PARTS, _salmon_names(table.frame), strict=True)))
    if "puid" in table.frame and not table.frame["puid"].isna().all():
        answers["observer"] = table.frame["puid"]
    further = table.frame.drop(
        columns=[*SALMON_TARGETS, *SALMON_DESCRIBED, "puid"], errors="ignore"
    )
    table = replace(table, frame=answers.join(further))
    return read_sided(table, items, on_error)


def _salmon_table(path: Path) -> Table:
    if path.suffix != ".json":
        return read_table(path)
    responses = read_json(path)
    if not isinstance(responses, list) or not responses:
        raise FileError(f"{path} is no list of responses: give what Salmon's dashboard downloads")
    places = [f"response {number}" for number, _ in enumerate(responses, 1)]
    for response, place in zip(responses, places, strict=True):
        need(response, SALMON_SHOWN, f"{path}, {place}")
    return Table(path, pd.DataFrame(responses), places.__getitem__)


def _salmon_names(frame: "pd.DataFrame") -> "list[pd.Series]":
    cells = {role: pd.Series(Labels.of(frame[role], role).cells) for role in SALMON_SHOWN}
    described = [role for role in SALMON_SHOWN if f"{role}_html" in frame]
    if not described:
        return list(cells.values())
    indices = {role: column.map(_digits) for role, column in cells.items()}
    htmls = {role: Labels.of(frame[f"{role}_html"], f"{role}_html").cells for role in described}
    pairs = [pd.DataFrame({"index": indices[role], "html": htmls[role]}) for role in described]
    targets = pd.concat(pairs).drop_duplicates()
    twice = targets["index"].duplicated()
    if twice.any():
        raise JudgmentError(
            f"the target {targets.loc[twice, 'index'].iloc[0]} has two descriptions: read the "
            "responses of each experiment alone"
        )
    names = target_names(dict(targets.to_numpy()))
    return [column.map(names) for column in indices.values()]


def _digits(text: str) -> str:
    return whole_as_digits(text) or text


# domain (two letters), subdomain (three digits) and id of a stimulus
PSIZ_ASSET = re.compile(r"[A-Z]{2}\d{3}([0-9A-Z]+)")


@dataclass
class Trial:
    place: str
    query: str
    references: list[str]
    selected: list[str]
    ranked: bool
    notes: dict[str, Any] = field(default_factory=dict)

    def choices(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the choices that the selection implies, as (chosen reference, options).

        In a ranked selection, the first reference was chosen from all references, the next from the
        remaining references. In a selection without an order, each selected reference was chosen
        from itself and all unselected references. In a catch trial, whose query is among its
        references, only the first choice counts.
        """
        left = list(self.references)
        for name in self.selected:
            rivals = [n for n in self.references if n == name or n not in self.selected]
            options = left if self.ranked else rivals
            if len(options) > 1:
                yield name, options
            if self.query in self.references:
                return
            left = [n for n in left if n != name]


def read_psiz(
    path: Path_,
    stimuli: Path_ | None = None,
    *,
    on_error: OnError = "raise",
) -> Choices:
    r"""Read trials that select k of N references, from JSON of PsiZ-Collect or PsiZ's datasets.

    A ranked selection, such as 8-rank-2, becomes k choices with one response id, whose likelihoods
    PsiZ's own model multiplies: the first of all N references, the second of the remaining N - 1,
    and so on. :func:`triplets_from_choices` turns the choices into the implied triplets (13 for
    8-rank-2). A selection without an order becomes a choice of each selected reference among itself
    and all unselected references, with one response id; the product of their likelihoods is an
    approximation.

    Parameters
    ----------
    path : path
        A JSON file, or a folder of them: sequences of PsiZ (``data``, each with ``sequence`` and
        ``anonymous_id``), or one object or a list as PsiZ-Collect posts it (``docket`` and
        ``workerId``).
    stimuli : path, optional
        The file ``stimuli.txt``: a path on each line (PsiZ-Collect), or a table
        ``local_id|filepath|...`` (PsiZ's datasets). An item is named by its file without the
        suffix; without ``stimuli``, by its index or id.
    on_error : {"raise", "skip"}
        Raise on catch trials (the query is a reference), or put their first choices into
        ``.catches``.

    Returns
    -------
    Choices
        The observer is ``anonymous_id`` or ``workerId``, ``extra["rt_ms"]`` the time of the trial.

    Raises
    ------
    FileError
        If a file is missing, broken or of another format; the message names file, person and trial.
    JudgmentError
        If a trial cannot be a judgment.

    Warns
    -----
    ResemblanceWarning
        If there are trials without an answer, or steps of other kinds than rank.

    References
    ----------
    Roads, Mozer (2019), Obtaining psychological embeddings through joint kernel and metric
    learning, Behavior Research Methods. The formats are from ``psiz-org/psiz-datasets``
    (``utils/parse_rank_timestep.py``) and from ``psiz-org/psiz-collect``
    (``website/static/js/AppController.js``, ``website/php/postObs.php``).

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> trial = {"content": "trial", "query": 0, "references": [1, 2, 3], "choices": [2, 3, 1]}
    >>> session = {"workerId": "ann", "docket": [{**trial, "nSelect": 2, "isRanked": True}]}
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "session.json"
    ...     _ = path.write_text(json.dumps(session))
    ...     choices = read_psiz(path)
    >>> choices.index.tolist(), choices.response_id.tolist()
    ([[0, 2, 1, 3], [0, 3, 1, -1]], [0, 0])
    """
    path = Path(path)
    names = None if stimuli is None else _names(Path(stimuli))
    trials = list(_answered(path))
    rows = [
        {
            **trial.notes,
            "head": trial.query,
            "chosen": chosen,
            "options": options,
            "response_id": number,
        }
        for number, trial in enumerate(trials if names is None else _renamed(trials, names, path))
        for chosen, options in trial.choices()
    ]
    if not rows:
        raise FileError(f"{path} holds no trial in which something was selected: give other files")
    frame = pd.DataFrame(rows)
    table = Table(path, frame, lambda row: trials[frame["response_id"][row]].place)
    items = None if names is None else list(names.values())
    return judgments_of(Choices, table, items, on_error=on_error)


def _answered(path: Path) -> Iterator[Trial]:
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    unanswered = 0
    for file in files:
        within = f"{file.name}, " if path.is_dir() else ""
        for trial in _trials(read_json(file), path, within):
            unanswered += not trial.selected
            if trial.selected:
                yield trial
    if unanswered:
        message = f"{unanswered:,} trials have no answer: left out"
        warnings.warn(message, ResemblanceWarning, stacklevel=4)


def _trials(content: Any, path: Path, within: str) -> Iterator[Trial]:
    for session in content if isinstance(content, list) else [content]:
        (parts,) = need(session, ["data|docket"], f"{path}, {within}a session")
        if "docket" in session:
            yield from _collected(session, path, within)
        else:
            for sequence in parts:
                yield from _sequenced(sequence, path, within)


def _collected(session: dict[str, Any], path: Path, within: str) -> Iterator[Trial]:
    person = session.get("workerId") or session.get("assignmentId")
    who = {} if person is None else {"observer": str(person)}
    for number, page in enumerate(session["docket"], 1):
        place = f"{within}{f'worker {person}, ' if who else ''}page {number}"
        (content,) = need(page, ["content"], f"{path}, {place}")
        if content != "trial":
            continue
        query, listed, n, ranked = need(
            page, ["query", "references", "nSelect", "isRanked"], f"{path}, {place}"
        )
        selected = (page.get("choices") or [])[: int(n)]
        time = {"rt_ms": page["submitRtMs"]} if "submitRtMs" in page else {}
        # PsiZ-Collect fills up to eight references with -1
        references = [str(index) for index in listed if index != -1]
        chosen = [str(index) for index in selected]
        yield Trial(place, str(query), references, chosen, bool(ranked), who | time)


def _sequenced(sequence: Any, path: Path, within: str) -> Iterator[Trial]:
    person, steps = need(sequence, ["anonymous_id", "sequence"], f"{path}, {within}a sequence")
    for number, step in enumerate(steps, 1):
        place = f"{within}person {person}, step {number}"
        (kind,) = need(step, ["kind"], f"{path}, {place}")
        if not str(kind).startswith("rank:"):
            if not str(kind).startswith("questionnaire:"):
                message = f"steps of the kind {kind!r} rank nothing: left out"
                warnings.warn(message, ResemblanceWarning, stacklevel=6)
            continue
        (interactions,) = need(step, ["interactions"], f"{path}, {place}")
        by_role: dict[str, dict[int, str]] = {"query": {}, "reference": {}, "rank": {}}
        for interaction in interactions:
            what, detail = need(interaction, ["kind", "detail"], f"{path}, {place}")
            role, _, rank = str(what).rpartition(":")[2].partition("_")
            if role in by_role:
                by_role[role][int(rank or 0)] = str(detail)
        query, references, selected = ([ids[n] for n in sorted(ids)] for ids in by_role.values())
        if len(query) != 1:
            raise FileError(f"{path}, {place} has no query: remove the step")
        time = {"rt_ms": step["response_time_ms"]} if "response_time_ms" in step else {}
        notes = {"observer": str(person), **time}
        yield Trial(place, query[0], references, selected, True, notes)


def _renamed(trials: list[Trial], names: dict[str, str], path: Path) -> Iterator[Trial]:
    for trial in trials:
        ids = {
            id_: (PSIZ_ASSET.fullmatch(id_) or [id_, id_])[1]
            for id_ in (trial.query, *trial.references, *trial.selected)
        }
        for id_, local in ids.items():
            if local not in names:
                raise FileError(
                    f"{path}, {trial.place}: {id_!r} is not among the {len(names)} stimuli: give "
                    "the list that belongs to the file"
                )
        name = {id_: names[local] for id_, local in ids.items()}
        yield replace(
            trial,
            query=name[trial.query],
            references=[name[id_] for id_ in trial.references],
            selected=[name[id_] for id_ in trial.selected],
        )


def _names(path: Path) -> dict[str, str]:
    lines = read_lines(path)
    if not lines or not lines[0][1].startswith("local_id|"):
        return target_names({str(index): line.strip() for index, (_, line) in enumerate(lines)})
    files = {}
    for place, line in lines[1:]:
        local_id, bar, rest = line.strip().partition("|")
        if not bar:
            raise FileError(f"{path}, {place}: give a local_id, a bar and a filepath")
        files[local_id] = rest.partition("|")[0]
    return target_names(files)
