"""A study of answers that a file holds: the desk shows its map, and nobody can take part."""

import secrets
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import date
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from resemblance.errors import SettingError, first_few
from resemblance.store import AnswerIn, Store, Wanted
from resemblance.store.records import FILE, Purpose
from resemblance.store.turns import MOST
from resemblance.study.creation import create_study
from resemblance.study.folder import StudyFolder
from resemblance.study.kinds import KINDS, Kind
from resemblance.study.kinds.base import Response
from resemblance.study.live import LiveStudy

if TYPE_CHECKING:
    import pandas as pd

    from resemblance.judgments import Judgments

Told = tuple[Wanted, Response, float | None]
SETTINGS: dict[str, dict[str, Any]] = {
    "tasks": {"gold_share": 0.0, "practice": 0},
    "asking": {"adaptive": False, "start_per_head": 1},  # all that there is, is fitted
    "quality": {"rules": [], "least_answered": 0.0},
    "pages": {"questionnaire": []},
    "recruitment": {"close": date(2000, 1, 1)},  # from then on nobody enters
}

PAGES = {"consent": "# Closed\n\nThe answers of this study were collected elsewhere.\n"}


def create_from_answers(
    folder: Path,
    answers: "Judgments",
    stimuli: Path | None = None,
    database: str | None = None,
) -> StudyFolder:
    """Make a study of answers that were collected elsewhere; it is closed for good.

    Its store holds a person for each observer, and each answer in the order of the rows. Columns
    that a study has no place for are kept with the question.

    Parameters
    ----------
    folder : Path
        The new folder; its name becomes the study's.
    answers : Triplets, Choices, OddOneOuts or Ratings
        What people answered.
    stimuli : Path, optional
        What the items look like: a folder of files called as they are, or a table of items.
        Default: the pictures and titles that they have, or their names.
    database : str, optional
        Where the study is to be served from; default: a file in its folder.

    Raises
    ------
    ResemblanceError
        If no study asks such questions; if rows have weights, several are one response, or they
        have different numbers of options; if the answers name an item that the stimuli lack; if the
        database has a study of this name.
    """
    kind, frame = kind_for(answers), _rows_of(answers)
    records = [_answer(kind, row, answers.extra) for row in frame.to_dict("records")]
    sizes = {len(wanted.spec["options"]) for wanted, _, _ in records}
    if len(sizes) > 1:
        raise SettingError(
            f"rows have {first_few(sorted(sizes))} options or points, and a study has as many in "
            "each: keep those of one number"
        )
    settings = SETTINGS | {"study": {"n_options": sizes.pop()}}

    def fill(made: StudyFolder) -> None:
        if unknown := [name for name in answers.items.names if str(name) not in made.names]:
            raise SettingError(
                f"the answers name {first_few(unknown)}, which {stimuli} lacks: add the items there"
            )
        with closing(Store.open(database or made.database)) as store:
            if store.studies.named(made.name) is not None:
                raise SettingError(f"the database has a study {made.name}: name another folder")
            live = LiveStudy.open(made, store)
            for who, rows in frame.groupby("observer", sort=False).indices.items():
                _enter(live, str(who), [records[row] for row in rows])
            store.studies.set_state(live.record, "closed", FILE)

    with TemporaryDirectory() as scratch:
        source = stimuli or Path(scratch) / "items.csv"
        if stimuli is None:
            answers.items.to_pandas().to_csv(source, index=False)
        images, items = (source, None) if source.is_dir() else (None, source)
        return create_study(
            folder, kind.name, images, items, settings=settings, pages=PAGES, fill=fill
        )


def kind_for(answers: "Judgments") -> Kind:
    """Return the kind of question whose answers are such judgments."""
    name = type(answers).__name__
    kinds = {kind.judgment: kind for kind in KINDS.values() if "filed" in vars(type(kind))}
    if name not in kinds:
        raise SettingError(f"no study asks for {name}: keep {', '.join(sorted(kinds))}")
    return kinds[name]


def _rows_of(answers: Any) -> "pd.DataFrame":
    """Return the rows with names of items, and who answered each."""
    if not len(answers):
        raise SettingError("there are no answers to make a study of")
    if answers.weight is not None:
        raise SettingError("the answers have weights, and a study counts each once: leave them out")
    frame = answers.all_rows()
    if "response_id" in frame and frame.pop("response_id").duplicated().any():
        raise SettingError("several rows are one response, and a study asks for one at a time")
    return frame.assign(observer=frame["observer"].astype(str) if "observer" in frame else FILE)


def _answer(kind: Kind, row: Mapping[Any, Any], extra: Iterable[str]) -> Told:
    """Return a question with its response, and its time where there is one."""
    spec, response = kind.filed(dict(row))
    purpose: Purpose = "main" if spec["gold"] is None else "gold"
    spec["strategy"], time = str(row.get("strategy", FILE)), row.get("rt_ms")
    ms = float(time) if isinstance(time, int | float) and 0 <= time < inf else None
    kept = ("strategy",) if ms is None else ("strategy", "rt_ms")  # in a place of their own
    if more := {name: str(row[name]) for name in extra if name not in kept}:
        spec["file"] = more
    return Wanted(spec, purpose), response, ms


def _enter(live: LiveStudy, who: str, answers: list[Told]) -> None:
    """Let the person in of so many answers."""
    store = live.store
    person = store.people.enter(live.record, FILE, who, secrets.token_hex())
    for at in range(0, len(answers), MOST):
        part = answers[at : at + MOST]
        served = store.questions.serve(person, [wanted for wanted, _, _ in part])
        pairs = zip(served, part, strict=True)
        store.answers.take(person, [AnswerIn(q.id, said, ms) for q, (_, said, ms) in pairs])
    store.people.set_state(person, "finished")
