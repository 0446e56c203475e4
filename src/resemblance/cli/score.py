"""The command `score`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from resemblance.cli import options
from resemblance.cli.options import By, Catches, Kind
from resemblance.cli.problems import told
from resemblance.cli.source import Source
from resemblance.cli.yada import CountSource, read_counts
from resemblance.errors import FileError, SettingError
from resemblance.files import need

if TYPE_CHECKING:
    from resemblance.fitting import OrdinalEmbedding
    from resemblance.judgments import Confusions, Judgments

KEYS = ("settings", "model")  # that every report of a fit has


def score(
    folder: Annotated[Path, typer.Argument(help="What fit has written.", metavar="FOLDER")],
    file: options.File,
    kind: Annotated[
        Kind | None, typer.Option(help="What a row of the file is. Default: as in the fit.")
    ] = None,
    columns: options.Columns = None,
    catches: options.CatchesOption = Catches.error,
    by: options.ByOption = None,
    seed: options.Seed = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    debug: options.Debug = False,
) -> None:
    """Score a fit on the answers, or the confusions, in another file.

    The interval is a bootstrap, which draws responses or people as a whole.
    """
    with told(debug, file, folder):
        fitted_to = read_report(folder)["settings"]["kind"]
        need(tables=[file])
        from resemblance.saving import load

        model = load(folder / "model.npz")
        if fitted_to == CountSource.kind:
            refuse_options_of_comparisons(kind, catches)
            counts = read_counts(file, columns, model.items_)
            scores = scores_of_counts(model, counts, by, seed)
        else:
            source = Source(file, kind or Kind(fitted_to), columns, catches)
            scores = scores_of(model, source.judgments(model.items_), by, seed)
    if as_json:
        from resemblance.cli.output import plain

        typer.echo(json.dumps(plain({"folder": folder, "file": file, **scores}), indent=2))
    else:
        tell(scores)


def read_report(folder: Path) -> Mapping[str, Any]:
    """Read the report of a fit."""
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


def refuse_options_of_comparisons(kind: Kind | None, catches: Catches) -> None:
    """Refuse what says nothing of counts."""
    given = {"kind": kind is not None, "catches": catches is not Catches.error}
    for name in (name for name, is_given in given.items() if is_given):
        raise SettingError(f"--{name} is of comparisons, the fit of confusions: leave it out")


def scores_of(
    model: "OrdinalEmbedding", judgments: "Judgments", by: By | None, seed: int
) -> dict[str, Any]:
    """Measure error, log loss and noise ceiling of judgments that the model has not seen."""
    from resemblance.cli import report
    from resemblance.cli.validation import kept_whole
    from resemblance.scores import bootstrap_interval, noise_ceiling, triplet_losses

    whole = kept_whole(judgments, by)
    losses = triplet_losses(model.embedding_, judgments)
    groups = None if whole is None else getattr(judgments, whole)
    return {
        "rows": len(judgments),
        "error": 1 - model.score(judgments),
        "interval": bootstrap_interval(losses, judgments.weights, groups, random_state=seed),
        "interval_by": whole or "row",
        "log_loss": model.log_loss(judgments),
        "guessing": report.guessing(judgments),
        "noise_ceiling": report.ceiling_of(noise_ceiling(judgments, random_state=seed)),
        "catch_trials": report.catches_of(getattr(judgments, "catches", None)),
    }


def scores_of_counts(
    model: "OrdinalEmbedding", counts: "Confusions", by: By | None, seed: int
) -> dict[str, Any]:
    """Measure the likelihood of confusions that the model has not seen."""
    from numpy import log

    from resemblance.cli.counts import own_ratios
    from resemblance.cli.validation import kept_whole
    from resemblance.scores import bootstrap_interval

    whole = kept_whole(counts, by)
    p = model.predict_proba(counts)
    right = counts.trials - counts.errors
    likelihood = (counts.errors * log(p[:, 0]) + right * log(p[:, 1])) / counts.trials
    groups = None if whole is None else getattr(counts, whole)
    return {
        "rows": len(counts),
        "trials": counts.trials.sum(),
        "log_likelihood": model.score(counts),
        "interval": bootstrap_interval(likelihood, counts.trials, groups, random_state=seed),
        "interval_by": whole or "row",
        "guessing": {"log_likelihood": -log(2.0)},
        "own_ratios": own_ratios(counts),
    }


def tell(scores: Mapping[str, Any]) -> None:
    """Print the scores."""
    from rich.console import Console

    from resemblance.cli import summary

    lines = lines_of_counts(scores) if "trials" in scores else lines_of(scores)
    summary.print_lines(Console(highlight=False), lines)


def lines_of_counts(scores: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Say the scores of confusions, one a line."""
    low, high = scores["interval"]
    likelihood = (
        f"{scores['log_likelihood']:.3f} (95% interval {low:.3f} to {high:.3f}, drawn by "
        f"{scores['interval_by']}; guessing {scores['guessing']['log_likelihood']:.3f})"
    )
    return [
        ("rows", f"{scores['rows']:,} pairs, {scores['trials']:,} trials"),
        ("log-likelihood", likelihood),
        ("at most", f"{scores['own_ratios']:.3f}, that of each pair's own share of errors"),
    ]


def lines_of(scores: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Say the scores of comparisons, one a line."""
    from resemblance.cli import summary

    low, high = scores["interval"]
    guess = scores["guessing"]
    error = (
        f"{scores['error']:.3f} (95% interval {low:.3f} to {high:.3f}, drawn by "
        f"{scores['interval_by']}; guessing {guess['error']:.3f})"
    )
    return [
        ("rows", f"{scores['rows']:,}"),
        *summary.catch_lines(scores["catch_trials"]),
        ("error", error),
        ("log loss", f"{scores['log_loss']:.3f} (guessing {guess['log_loss']:.3f})"),
        ("noise ceiling", summary.ceiling_words(scores["noise_ceiling"])),
    ]
