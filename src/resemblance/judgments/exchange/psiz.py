"""Read trials of PsiZ and PsiZ-Collect."""

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from resemblance.errors import FileError, ResemblanceWarning
from resemblance.judgments.choices import Choices
from resemblance.judgments.exchange.finding import target_names
from resemblance.judgments.exchange.things import need, read_json, read_lines
from resemblance.judgments.file_io import OnError, judgments_of
from resemblance.judgments.labels import Path_
from resemblance.judgments.tables import Table
from resemblance.optional import pd

_ASSET = re.compile(r"[A-Z]{2}\d{3}([0-9A-Z]+)")  # domain, subdomain, and the id of a stimulus


@dataclass
class Trial:
    place: str
    query: str
    references: list[str]
    selected: list[str]
    ranked: bool
    notes: dict[str, Any] = field(default_factory=dict)

    def choices(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the choices implied by the selection: the chosen reference, and the options.

        The first was chosen from all references, the next from the remaining ones. Without an
        order, each was chosen from itself and those not selected. In a catch trial, whose query is
        among its references, only the first choice counts.
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
    r"""Read the trials of PsiZ-Collect or of PsiZ's datasets (JSON), where k of N were selected.

    A ranked selection, such as 8-rank-2, is the product of choices that PsiZ's own model makes of
    it: the first of all N references, the second of the N - 1 left, and so on, in one response.
    :func:`triplets_from_choices` makes of it the triplets that it implies (13 of 8-rank-2). A
    selection without an order gives, in one response, a choice of each selected reference before
    all that were not; there the product of the likelihoods is an approximation.

    Parameters
    ----------
    path : path
        A JSON file, or a folder of them: sequences of PsiZ (``data``, each with ``sequence`` and
        ``anonymous_id``), or what PsiZ-Collect posts (``docket`` and ``workerId``), one or a list.
    stimuli : path, optional
        ``stimuli.txt``: of PsiZ-Collect a path on each line, of PsiZ's datasets a table
        ``local_id|filepath|...``. An item is called as its file without the suffix; without
        ``stimuli``, by its index or id.
    on_error : {"raise", "skip"}
        Raise on trials with the query among the references, or set them apart as ``.catches``; of
        them the first choice counts alone.

    Returns
    -------
    Choices
        The observer is ``anonymous_id`` or ``workerId``, ``extra["rt_ms"]`` the time of the trial.

    Raises
    ------
    FileError
        If a file is missing, broken, or no such JSON; the message names file, person and trial.
    JudgmentError
        If a trial cannot be a judgment.

    Warns
    -----
    ResemblanceWarning
        If there are trials without an answer, or steps of other kinds than rank.

    References
    ----------
    Roads, Mozer (2019), Obtaining psychological embeddings through joint kernel and metric
    learning, Behavior Research Methods. The formats are those of ``psiz-org/psiz-datasets``
    (``utils/parse_rank_timestep.py``) and of ``psiz-org/psiz-collect``
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
    """Read the trials of a file, or of a folder's files; report those without an answer."""
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
    """Read PsiZ-Collect's format, with the selected references first in `choices`."""
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
        # -1 fills up to eight references
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
    """Replace ids of stimuli by names; PsiZ's ids end with the stimulus's id."""
    for trial in trials:
        ids = {
            id_: (_ASSET.fullmatch(id_) or [id_, id_])[1]
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
    """Read stimuli.txt: paths by index, or a table with local ids."""
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
