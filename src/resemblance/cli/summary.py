"""The short summary of a report for the terminal."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

Report = Mapping[str, Any]


def print_fit(report: Report, folder: Path) -> None:
    """Print what a fit found, and where its files are."""
    console = Console(highlight=False)
    counted = report["data"]["kind"] == "confusions"
    print_lines(console, count_lines(report) if counted else fit_lines(report))
    for warning in report["warnings"]:
        console.print(Text.assemble(("warning: ", "bold yellow"), warning))
    if report["status"] != "complete":
        console.print(Text(f"{report['status']}: what there was is kept", "bold yellow"))
    console.print(Text(f"map: {folder / 'map.html'}", "bold green"), soft_wrap=True)
    others = ["map.png", "embedding.csv", "report.json"]
    others += [
        name
        for name in ("model.npz", "dimensions.png", "kernel_weights.png")
        if (folder / name).exists()
    ]
    console.print(Text(f"and in the same folder: {', '.join(others)}"), soft_wrap=True)


def print_lines(console: Console, lines: Iterable[tuple[str, str]]) -> None:
    """Print names and what is said of them, in two columns."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, said in lines:
        table.add_row(name, Text(said))
    console.print(table)


def fit_lines(report: Report) -> list[tuple[str, str]]:
    """Say the main things of a fit's report, one a line."""
    data, checked = report["data"], report["cross_validation"]
    lines = [
        *data_lines(data),
        ("model", model_words(report)),
        ("held-out error", "not measured" if checked is None else held_out_words(checked)),
    ]
    if checked and checked["log_loss"] is not None:
        guess = checked["guessing"]["log_loss"]
        lines.append(("log loss", f"{checked['log_loss']:.3f} (guessing {guess:.3f})"))
    lines.append(("noise ceiling", ceiling_words(report["noise_ceiling"])))
    if report.get("kernel_weights"):
        lines.append(("kernels", weight_words(report)))
    if report["labels"]:
        lines.append(("label error", label_words(report["labels"])))
    if report["dimensions"]:
        lines.append(("dimensions", dimension_words(report["dimensions"])))
    return lines


def count_lines(report: Report) -> list[tuple[str, str]]:
    """Say the main things of a report on confusions, one a line."""
    data, checked = report["data"], report["cross_validation"]
    share = data["errors"] / data["trials"]
    lines = [
        ("rows", f"{data['rows']:,} pairs, {data['trials']:,} trials, {share:.0%} of them errors"),
        ("items", f"{data['items']:,}"),
        ("features", ", ".join(report["features"])),
        ("model", model_words(report)),
        ("settings", setting_words(report)),
    ]
    if checked is None:
        lines.append(("held-out log-likelihood", "not measured"))
    else:
        own = f"{checked['own_ratios']:.3f}, that of each pair's own share of errors"
        lines.append(("held-out log-likelihood", held_out_words(checked, "log_likelihood")))
        lines.append(("at most", own))
    return lines + ([("label error", label_words(report["labels"]))] if report["labels"] else [])


def setting_words(report: Report) -> str:
    """Give mu and the bandwidth, and how they were found."""
    values = report["model"]["parameters"]
    names = ["mu", "bandwidth"] if values["kernel"] == "rbf" else ["mu"]
    values = values | {"mu": values["penalty"]}
    said = ", ".join(f"{name} {values[name]:.4g}" for name in names)
    if report["tuning"] is None:
        return said
    return f"{said} ({' and '.join(report['tuning']['chosen'])} chosen on held-out pairs)"


def weight_words(report: Report) -> str:
    """Give the share of each kernel, and beta and how it was found."""
    shares = sorted(report["kernel_weights"].items(), key=lambda share: -share[1])
    said = ", ".join(f"{view} {share:.1%}" for view, share in shares)
    how = "" if report["tuning"] is None else " (chosen on held-out answers)"
    return f"{said}; beta {report['model']['parameters']['beta']:g}{how}"


def data_lines(data: Report) -> list[tuple[str, str]]:
    """Count rows, items, observers and catch trials."""
    stray = len(data["unmentioned"])
    items = f"{data['items']:,}" + (f", of which {stray:,} in no answer" if stray else "")
    rows = f"{data['rows']:,} {data['kind']}"
    if data["clicks"] is not None:
        rows += f" and {data['clicks']['rows']:,} clicks"
    lines = [("rows", rows), ("items", items)]
    lines += [(what, f"{data[what]:,}") for what in ("observers", "groups") if data[what]]
    return lines + catch_lines(data["catch_trials"])


def catch_lines(catch: Report | None) -> list[tuple[str, str]]:
    """Say how many catch trials were passed, where there are any."""
    if catch is None:
        return []
    passed = f"{catch['passed']:,} of {catch['rows']:,} passed ({catch['pass_rate']:.0%})"
    return [("catch trials", f"{passed}; they are kept apart")]


def model_words(report: Report) -> str:
    """Say which model was fitted, and how that went."""
    model, fit = report["model"], report["fit"]
    dims = model["parameters"]["n_components"] or fit["dimensions"]
    ended = "settled" if fit["converged"] else "stopped"
    return (
        f"{model['name']} in {dims} dimension{'s'[: dims > 1]}, {ended} after "
        f"{fit['n_iter']} iterations ({fit['seconds']:.1f} s)"
    )


def held_out_words(checked: Report, what: str = "error") -> str:
    """Give what was measured on rows held out, its standard error, and that of guessing."""
    done, asked = checked["folds_finished"], checked["folds"]
    if not done:
        return f"not measured: no fold of {asked} is finished"
    spread = checked["standard_error"]
    score = f"{checked[what]:.3f}" + ("" if spread is None else f" ± {spread:.3f}")
    folds = f"{asked} folds" if done == asked else f"{done} of {asked} folds"
    return f"{score} ({folds} by {checked['by']}; guessing {checked['guessing'][what]:.3f})"


def ceiling_words(ceiling: Report) -> str:
    """Say how low the error can get on the repeated questions."""
    if ceiling["error"] is None:
        return f"unknown: {ceiling['why']}"
    low, high = ceiling["interval"]
    n = ceiling["repeated_questions"]
    return (
        f"error {ceiling['error']:.3f} ({low:.3f} to {high:.3f}) is the least possible on the "
        f"{n:,} question{'s'[: n > 1]} asked repeatedly"
    )


def label_words(labels: Report) -> str:
    """Give the label error of nearest neighbours beside that of the majority label."""
    return (
        f"{labels['neighbour_error']:.3f} by the nearest item (always the most frequent label "
        f"{labels['majority_error']:.3f}); balanced over classes "
        f"{labels['balanced_neighbour_error']:.3f} ({labels['balanced_majority_error']:.3f})"
    )


def dimension_words(curve: Report) -> str:
    """Say which number of dimensions was chosen among which."""
    return (
        f"{curve['chosen']} chosen of {curve['dims'][0]} to {curve['dims'][-1]} by the "
        f"one-standard-error rule (lowest error at {curve['best']})"
    )
