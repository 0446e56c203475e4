"""Read the answers that Salmon has collected."""

from dataclasses import replace
from pathlib import Path

from resemblance.errors import FileError, JudgmentError
from resemblance.judgments.exchange.experiment import read_sided
from resemblance.judgments.exchange.finding import target_names
from resemblance.judgments.exchange.things import need, read_json
from resemblance.judgments.file_io import FileItems, OnError
from resemblance.judgments.labels import Labels, Path_, whole_as_digits
from resemblance.judgments.tables import Table, read_table
from resemblance.judgments.triplets import Triplets
from resemblance.optional import pd

SHOWN = ("head", "left", "right", "winner")
PARTS = ("head", "left", "right", "chosen")
TARGETS = (*SHOWN, "loser")
_DESCRIBED = tuple(f"{role}_{how}" for role in TARGETS for how in ("html", "filename", "src"))


def read_salmon(
    path: Path_,
    items: FileItems = None,
    *,
    on_error: OnError = "raise",
) -> Triplets:
    r"""Read the responses of Salmon, as its dashboard gives them: responses.csv or responses.json.

    Of the columns ``head, left, right, winner`` the winner is near, the other one far, and
    ``extra["side"]`` says which side won (0: left). ``puid`` is the observer. Where the file has
    the HTML of the targets (``head_html``, ...), an item is called as the file of its picture or
    film without the suffix, or as its words; names that are repeated get Salmon's index. Otherwise
    the indices are the names. Further columns are kept in ``extra``.

    Parameters
    ----------
    path : path
        A file whose name ends in .csv (or .csv.gz, .jsonl, .parquet) or .json.
    items
        As in :func:`read_triplets`.
    on_error : {"raise", "skip"}
        Treatment of rows whose winner was not shown, or that cannot be answers otherwise, as
        in :func:`read_triplets`.

    Returns
    -------
    Triplets

    Raises
    ------
    FileError
        If the file is missing, broken or lacks a column.
    JudgmentError
        If a row cannot be a judgment, or one index stands for two targets.

    References
    ----------
    Sievert, Nowak, Rogers (2023), Efficiently learning relative similarity embeddings with
    crowdsourcing, JOSS. The columns are those of `/responses` in Salmon's
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
    table = _read(Path(path))
    table.need(SHOWN, "the file: it holds no responses of Salmon")
    with table.located():
        answers = pd.DataFrame(dict(zip(PARTS, _named(table.frame), strict=True)))
    if "puid" in table.frame and not table.frame["puid"].isna().all():
        answers["observer"] = table.frame["puid"]
    further = table.frame.drop(columns=[*TARGETS, *_DESCRIBED, "puid"], errors="ignore")
    table = replace(table, frame=answers.join(further))
    return read_sided(table, items, on_error)


def _read(path: Path) -> Table:
    if path.suffix != ".json":
        return read_table(path)
    responses = read_json(path)
    if not isinstance(responses, list) or not responses:
        raise FileError(f"{path} is no list of responses: give what Salmon's dashboard downloads")
    places = [f"response {number}" for number, _ in enumerate(responses, 1)]
    for response, place in zip(responses, places, strict=True):
        need(response, SHOWN, f"{path}, {place}")
    return Table(path, pd.DataFrame(responses), places.__getitem__)


def _named(frame: "pd.DataFrame") -> "list[pd.Series]":
    cells = {role: pd.Series(Labels.of(frame[role], role).cells) for role in SHOWN}
    described = [role for role in SHOWN if f"{role}_html" in frame]
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
