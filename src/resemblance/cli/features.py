"""The commands `features` and `distil`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from resemblance.cli import options
from resemblance.cli.options import CHECKING, MODEL, argument, option
from resemblance.cli.problems import warnings_told
from resemblance.cli.source import Source
from resemblance.errors import SettingError
from resemblance.files import need, suffix


def features(
    folder: Annotated[Path, argument("Pictures or sounds, a file for each item.", "FOLDER")],
    out: Annotated[
        Path, option("The table to write: .csv, .parquet or .jsonl. Default: features.csv.")
    ] = Path("features.csv"),
    network: Annotated[
        str | None,
        option(
            "An ONNX network for pictures of shape (n, 3, height, width), or its https:// address; "
            "its first output is written.",
            "FILE",
        ),
    ] = None,
    checksum: Annotated[
        str | None, option("SHA-256 of the network's file; required for an address.", "HEX")
    ] = None,
) -> None:
    """Compute features: colour, texture and shape of pictures, frequency bands of sounds.

    The file is for fit --features, and for [features] of a study. Nothing is downloaded unless
    --network is an address.
    """
    suffix(out)
    from resemblance.cli.output import Work
    from resemblance.descriptors import describe_stimuli
    from resemblance.judgments.tables import write_table

    with Work() as work, warnings_told():
        callback = work.steps("describing")
        items = describe_stimuli(folder, network=network, checksum=checksum, callback=callback)
        work.check()
    write_table(items.to_pandas().drop(columns="image", errors="ignore"), out)
    typer.echo(f"{out}: {len(items):,} items, {len(items.feature_names or ()):,} features")


def distil(
    file: options.File,
    features: options.Features = None,
    feature_columns: options.FeatureColumns = None,
    kind: options.AnyKind = None,
    columns: options.Columns = None,
    items: options.Items = None,
    dims: Annotated[int, option("Outputs of the network.", panel=MODEL, min=1)] = 10,
    folds: Annotated[
        int, option("Folds of the items, each held out once.", panel=CHECKING, min=2)
    ] = 5,
    out: Annotated[Path, option("The network to write.", "FILE")] = Path("head.onnx"),
    seed: options.Seed = 0,
) -> None:
    """Learn from answers how to weight a network's features, and write the weights as ONNX.

    Compares the features without weights, a linear head and Gaussian kernel heads on held-out
    items. The best head is written, with metadata.
    """
    if features is None or len(features) != 1:
        raise SettingError("distil needs one file of features: give --features FILE")
    if out.suffix != ".onnx":
        raise SettingError(f"--out {out} is an ONNX file: name it {out.with_suffix('.onnx')}")
    need(tables=[file, items, *features])
    from resemblance.analysis.distilling import distil as learned
    from resemblance.cli.output import Work
    from resemblance.optional import need_packages
    from resemblance.saving import save_onnx

    need_packages("distil needs", "onnx")
    source = Source(
        *(file, kind, columns),
        items=items,
        features=features,
        feature_columns=feature_columns,
    )
    answers = source.read()
    with Work() as work:
        distilled = learned(
            answers, dims, cv=folds, random_state=seed, callback=work.steps("fitting heads")
        )
        work.check()
    rows = json.loads(distilled.table.to_json(orient="index"))
    card = {"head": distilled.head, "answers": len(answers), "held_out_items": rows}
    save_onnx(distilled.model, out, card)
    typer.echo(f"{'about new items':<24}{'right':>8}{'log loss':>10}")
    for name, row in rows.items():
        mark = "  <- written" if name == distilled.head else ""
        typer.echo(f"{name:<24}{row['accuracy']:>8.1%}{row['log_loss']:>10.3f}{mark}")
    n, d = distilled.model.n_features_in_, distilled.model.embedding_.shape[1]
    typer.echo(f"{out}: {n:,} features in, {d} positions out")
