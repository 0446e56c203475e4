"""The command-line application with all its commands."""

from collections.abc import Callable
from inspect import getdoc
from typing import Annotated

import typer

from resemblance import __version__
from resemblance.cli.benchmark import benchmark
from resemblance.cli.clean import clean
from resemblance.cli.compare import compare, compare_rdms
from resemblance.cli.convert import convert
from resemblance.cli.demo import demo
from resemblance.cli.design import design
from resemblance.cli.features import distil, features
from resemblance.cli.fit import fit, score
from resemblance.cli.options import option
from resemblance.cli.plan import plan
from resemblance.cli.problems import DEBUG, telling
from resemblance.cli.recruit import recruit
from resemblance.cli.rehearse import rehearse
from resemblance.cli.search import open_, search
from resemblance.cli.serve import accounts, serve
from resemblance.cli.simulate import simulate
from resemblance.cli.studies import add_items, backup, check, erase, export, forget, new, restore
from resemblance.cli.templates import templates

app = typer.Typer(
    name="resemblance",
    no_args_is_help=True,
    add_completion=False,
    epilog="With answers: resemblance fit answers.csv. With pictures: new, check, rehearse, serve, "
    "export and fit, in this order. Options of a command: resemblance COMMAND --help.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS = {  # heading in the help to commands
    "Begin": (demo, open_),
    "Answers": (fit, score, compare, compare_rdms, clean, convert, templates),
    "Features and stimuli": (features, distil, benchmark, design),
    "Studies": (plan, new, check, rehearse, serve, recruit, add_items, export, simulate),
    "Care of a study": (accounts, backup, restore, erase, forget),
    "Search": (search,),
}
EXAMPLES = {
    "demo": "demo --once",
    "open": "open",
    "fit": "fit answers.csv --columns head=target,near=chosen,far=other",
    "score": "score answers-map more-answers.csv",
    "compare": "compare triplets.csv --people participants.csv --by language",
    "compare-rdms": "compare-rdms people.csv network.csv",
    "clean": "clean answers.csv --out consistent.csv",
    "convert": "convert answers.csv answers.parquet",
    "templates": "templates trials.csv --images pictures --by observer",
    "features": "features pictures --out features.csv",
    "distil": "distil answers.csv --features network.csv --out eyes.onnx",
    "benchmark": "benchmark clip.npy resnet.npy --data things",
    "design": "design counts-map --grid 4x4",
    "plan": "plan --items 60 --target 0.2",
    "new": "new shapes --images pictures",
    "check": "check shapes",
    "rehearse": "rehearse shapes",
    "serve": "serve shapes",
    "recruit": "recruit shapes",
    "add-items": "add-items shapes --images more-pictures",
    "export": "export shapes --out answers",
    "simulate": "simulate answers.csv --items 30",
    "accounts": "accounts shapes",
    "backup": "backup shapes shapes.zip",
    "restore": "restore shapes.zip shapes",
    "erase": "erase shapes P0001-K7QXM",
    "forget": "forget shapes",
    "search": "search answers-map/model.npz --images pictures",
}


def help_of(command: Callable[..., None]) -> str:
    """Return the command's docstring with each paragraph as a single line."""
    paragraphs = (getdoc(command) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


for heading, commands in COMMANDS.items():
    for command in commands:
        name, run = command.__name__.strip("_").replace("_", "-"), telling(command)
        app.command(
            name,
            help=f"{help_of(run)}\n\nExample: resemblance {EXAMPLES[name]}",
            rich_help_panel=heading,
        )(run)


def _tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"resemblance {__version__}")
        raise typer.Exit


@app.callback()
def describe(
    version: Annotated[
        bool,
        option("Print the version.", "", "--version", callback=_tell_version, is_eager=True),
    ] = False,
    debug: Annotated[bool, option("Show the whole traceback of an error.", "", "--debug")] = False,
) -> None:
    """Ask people what looks similar, make maps of their answers, and test the maps."""
    DEBUG.set(debug)
