"""Export a study's tables in the layout of Psych-DS."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from resemblance.errors import count
from resemblance.study.export.bids import label
from resemblance.study.export.files import write_images, write_json, write_table
from resemblance.study.export.published import card_of, copy_stimuli, readme
from resemblance.study.export.tables import Export, Table
from resemblance.study.files import new_folder


def write_psychds(export: Export, folder: Path, with_pictures: bool = False) -> int:
    """Write the tables of a study in the layout of Psych-DS, whole or not at all; count them.

    Each is ``data/study-..._description-..._data.csv``; ``dataset_description.json`` says what the
    columns are, ``materials/`` how it was asked, with the stimuli where they are asked for.

    Raises
    ------
    FileError
        If the folder holds something or cannot be written, or two stimuli have one file name.
    SettingError
        If ``[publication]`` lacks a title, authors or a licence.
    """
    from resemblance.judgments.croissant import schema_org

    card, tables, study = card_of(export), export.tables(), label(export.live.settings.study.name)
    listed = [
        "- `dataset_description.json`: what each column is.",
        "- `materials/study.toml`: the settings of the study as it ran.",
    ]
    with new_folder(folder) as part:
        (part / "data").mkdir()
        (part / "materials").mkdir()
        for table in tables:
            called = f"study-{study}_description-{label(table.name)}_data"
            rows = write_table(replace(table, name=called), part / "data", "csv")
            listed.append(f"- `data/{called}.csv`: {table.about} {count(rows, 'row')}.")
        write_images(export, part / "data")
        (part / "materials" / "study.toml").write_text(export.settings(), encoding="utf-8")
        if with_pictures:
            copy_stimuli(export, part / "materials" / "stimuli")
        (part / "README.md").write_text(readme(export, listed), encoding="utf-8")
        head = {"@context": "https://schema.org/", "@type": "Dataset", **schema_org(card)}
        words = head | {"variableMeasured": variables(tables)}
        write_json(part / "dataset_description.json", words)
    return len(tables)


def variables(tables: Iterable[Table]) -> list[dict[str, str]]:
    """Describe each column once; where tables mean different things, those of each."""
    words: dict[str, dict[str, list[str]]] = {}
    for table in tables:
        for column, text in table.columns.items():
            words.setdefault(column, {}).setdefault(text, []).append(table.name)
    described = []
    for column, said in words.items():
        each = " ".join(f"{', '.join(names)}: {text}" for text, names in said.items())
        text = each if len(said) > 1 else next(iter(said))
        described.append({"@type": "PropertyValue", "name": column, "description": text})
    return described
