"""A study's tables in the layout of Psych-DS, with what it asks to be said of them."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from resemblance.study.export.bids import label
from resemblance.study.export.files import write_images, write_json, write_table
from resemblance.study.export.published import card_of, copy_stimuli, readme
from resemblance.study.export.tables import Export, Table
from resemblance.study.files import new_folder


def write_psychds(export: Export, folder: Path, with_pictures: bool = False) -> int:
    """Write the tables of a study in the layout of Psych-DS, whole or not at all.

    Each is ``data/study-..._description-..._data.csv``; ``dataset_description.json`` says what the
    columns are, ``materials/study.toml`` how it was asked.

    Parameters
    ----------
    export : Export
        What is written: one that may be published.
    folder : Path
        Where: a folder that is not there, or empty.
    with_pictures : bool
        Whether the stimuli themselves are in it, in ``materials/stimuli/``.

    Returns
    -------
    int
        How many tables are in it.

    Raises
    ------
    FileError
        If the folder holds something or cannot be written, or two stimuli have one file name.
    SettingError
        If ``[publication]`` lacks a title, authors or a licence.
    """
    from resemblance.judgments.croissant import schema_org

    card, tables, listed = card_of(export), export.tables(), []
    study = label(export.live.settings.study.name)
    with new_folder(folder) as part:
        (part / "data").mkdir()
        (part / "materials").mkdir()
        for table in tables:
            called = f"study-{study}_description-{label(table.name)}_data"
            rows = write_table(replace(table, name=called), part / "data", "csv")
            listed.append(f"- `data/{called}.csv`: {table.about} {rows} rows.")
        write_images(export, part / "data")
        (part / "materials" / "study.toml").write_text(export.settings(), encoding="utf-8")
        listed.append("- `materials/study.toml`: the settings of the study as it ran.")
        listed.append("- `dataset_description.json`: what each column is.")
        (part / "README.md").write_text(readme(export, listed), encoding="utf-8")
        if with_pictures:
            copy_stimuli(export, part / "materials" / "stimuli")
        description = {
            "@context": "https://schema.org/",
            "@type": "Dataset",
            **schema_org(card),
            "variableMeasured": variables(tables),
        }
        write_json(part / "dataset_description.json", description)
    return len(tables)


def variables(tables: Iterable[Table]) -> list[dict[str, str]]:
    """Describe each column once; where tables mean different things, those of each."""
    words: dict[str, dict[str, list[str]]] = {}
    for table in tables:
        for column, text in table.columns.items():
            words.setdefault(column, {}).setdefault(text, []).append(table.name)
    return [
        {
            "@type": "PropertyValue",
            "name": column,
            "description": next(iter(said))
            if len(said) == 1
            else " ".join(f"{', '.join(names)}: {text}" for text, names in said.items()),
        }
        for column, said in words.items()
    ]
