"""The command `features`."""

from pathlib import Path
from typing import Annotated

import typer

from resemblance.cli.options import argument, option
from resemblance.cli.problems import warnings_told
from resemblance.files import suffix


def features(
    folder: Annotated[Path, argument("Pictures or sounds, a file for each item.", "FOLDER")],
    out: Annotated[
        Path, option("The table to write: .csv, .parquet or .jsonl. Default: features.csv.")
    ] = Path("features.csv"),
    network: Annotated[
        str | None,
        option(
            "An ONNX network of pictures (n, 3, height, width), or its https:// address: its first "
            "output is written instead.",
            "FILE",
        ),
    ] = None,
    checksum: Annotated[
        str | None, option("SHA-256 of the network's file; an address needs it.", "HEX")
    ] = None,
) -> None:
    """Describe stimuli by features: colour, texture and shape of pictures, the bands of sounds.

    What is written goes to fit --features, and to [features] of a study. Nothing is downloaded
    unless --network is an address.
    """
    suffix(out)
    from resemblance.cli.progress import Work
    from resemblance.descriptors import describe_stimuli
    from resemblance.judgments.tables import write_table

    with Work() as work, warnings_told():
        callback = work.steps("describing")
        items = describe_stimuli(folder, network=network, checksum=checksum, callback=callback)
        work.check()
    write_table(items.to_pandas().drop(columns="image", errors="ignore"), out)
    typer.echo(f"{out}: {len(items):,} items, {len(items.feature_names or ()):,} features")
