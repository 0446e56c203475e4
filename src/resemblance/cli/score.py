"""The command `score`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from resemblance.cli import options
from resemblance.cli.options import Kind, OnError, argument, option
from resemblance.cli.output import print_lines
from resemblance.cli.source import CONFUSIONS, Source, need_answers
from resemblance.errors import FileError, SettingError
from resemblance.files import as_json as as_json_text

KEYS = ("settings", "model")  # keys of every report of a fit


def score(
    folder: Annotated[Path, argument("What fit has written.", "FOLDER")],
    file: options.File,
    kind: Annotated[
        Kind | None, option("What a row of the file is. Default: as in the fit.")
    ] = None,
    columns: options.Columns = None,
    on_error: options.OnErrorOption = OnError.fail,
    by: options.ByOption = None,
    as_json: Annotated[bool, option("Print JSON.", name="--json")] = False,
) -> None:
    """Score a fit on the answers, or the confusions, in another file.

    Rows that were fitted say nothing of new answers: of a file that was fitted whole the report of
    the fit is shown, whose error is of answers held out; of another it is told how many were.
    """
    report = read_report(folder)
    fitted_to = report["settings"]["kind"]
    if fitted_to == CONFUSIONS and kind is not None:
        raise SettingError(
            "--kind applies to comparisons, and this is a fit of confusions: leave it out"
        )
    need_answers(file)
    from resemblance.analysis.other_answers import scored
    from resemblance.analysis.wording import lines_of
    from resemblance.fitting import OrdinalEmbedding
    from resemblance.saving import load

    model = load(folder / "model.npz", OrdinalEmbedding)
    answers = Source(file, kind or fitted_to, columns, on_error=on_error).judgments(model.items_)
    scores = scored(model, answers, report, by=by)
    if as_json:
        typer.echo(as_json_text({"folder": folder, "file": file, **scores}))
    else:
        print_lines(lines_of(scores))


def read_report(folder: Path) -> Mapping[str, Any]:
    path = folder / "report.json"
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise FileError(f"{path} is not there: give a folder that fit has written") from None
    except ValueError as error:
        raise FileError(f"{path} is no JSON ({error}): fit again") from None
    if not (isinstance(report, dict) and all(isinstance(report.get(key), dict) for key in KEYS)):
        raise FileError(f"{path} is no report of a fit: give a folder that fit has written")
    return report
