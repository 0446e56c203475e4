"""The command `export`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from resemblance.cli.options import Database, StudyPath, option


class Format(StrEnum):
    """The type of the tables."""

    csv = "csv"
    parquet = "parquet"
    json = "json"


def export(
    study: StudyPath,
    out: Annotated[
        Path | None, option("A new folder. Default: the study's name with -export.", "DIR")
    ] = None,
    format: Annotated[Format, option("Type of the tables")] = Format.csv,
    database: Database = None,
    identified: Annotated[bool, option("Tell people's ids at the source: personal data.")] = False,
    with_excluded: Annotated[bool, option("Keep the answers of excluded people.")] = False,
) -> None:
    """Write a study's answers into a new folder, with a codebook. People go by pseudonyms.

    The judgments are in files that `fit`, `clean` and `templates` read as they are.
    """
    from resemblance.study.export import Export, write_export
    from resemblance.study.live import open_stored

    with open_stored(study, database) as live:
        folder = out or Path(f"{live.folder.name}-export")
        tables = Export(live, identified=identified, with_excluded=with_excluded, beside=folder)
        codebook = write_export(tables, folder, format.value)
    for table in codebook["tables"].values():
        typer.echo(f"{folder / table['file']}: {table['rows']} rows")
    typer.echo(f"what each column is: {folder / 'codebook.md'}")
    typer.echo(f"next: cd {folder}; {codebook['use']}")
