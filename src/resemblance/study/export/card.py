"""Describe a study for those who read its published data."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from resemblance import __version__
from resemblance.errors import FileError, SettingError
from resemblance.licenses import find_license
from resemblance.study.export.tables import REASONS, Export
from resemblance.study.kinds import Kind
from resemblance.study.sections import Publication
from resemblance.study.settings_file import FILE, read_settings

if TYPE_CHECKING:
    from resemblance.judgments.card import Card


def card_of(export: Export, files: dict[str, str]) -> "Card":
    """Return the description of a study; refuse a study that lacks a part of it.

    Parameters
    ----------
    export : Export
        The study, as it is published.
    files : dict of str to str
        The file of each table, by the name of the table.

    Raises
    ------
    SettingError
        If ``[publication]`` lacks authors or a licence.
    """
    from resemblance.judgments.card import Card

    about = publication_of(export)
    return Card(
        title=str(export.live.settings.study.title),
        asked=export.asked,
        license=find_license(str(about.license)),
        authors=about.authors,
        options=f"Kind of question: {export.kind.about}. {about.description}".strip(),
        people=len({answer.code for answer in export.answered() if not answer.simulated}),
        excluded=exclusions(export),
        use=reading_code(export.kind, files),
        doi=about.doi,
        notes=f"Exported {today()} by resemblance {__version__}. People go by pseudonyms. What "
        "they filled in on pages, the audit trail, and settings that tell of people or machines "
        "are not published.",
    )


def publication_of(export: Export) -> Publication:
    """Return the study's description for publication; refuse one with missing entries."""
    assert export.published
    about = export.live.settings.publication
    about.refuse_unfinished()
    return about


def unpublished_because(study: Path) -> str:
    """Say what ``study.toml``, as it is now, lacks to publish a study; nothing where all is there.

    Parameters
    ----------
    study : Path
        The folder of the study.
    """
    try:
        read_settings(study / FILE).publication.refuse_unfinished()
    except (FileError, SettingError) as error:
        return str(error)
    return ""


def exclusions(export: Export) -> str:
    """Say which answers are not among the judgments, and which are of simulated people."""
    left_out = ", ".join(f"{export.left_out[reason]} {reason}" for reason in REASONS)
    rules = len(export.live.settings.quality.rules)
    kept = "Their answers are kept" if export.with_excluded else "Their answers are left out"
    simulated = export.live.store.people.simulated(export.live.record)
    there = len({answer.code for answer in export.answered() if answer.simulated})
    marked = f" {there} simulated people are among them (column `simulated`)." if there else ""
    return (
        f"Excluded: {len(export.excluded - simulated)} people, by a researcher or by the study's "
        f"{rules} rules (study.toml). {kept}.{marked} Answers that are not among the judgments: "
        f"{left_out}."
    )


def reading_code(kind: Kind, files: dict[str, str]) -> str:
    from resemblance.judgments.dataset import KINDS, reading

    name = kind.tables[0].name
    if name in {entry.name for entry in KINDS}:
        return reading(name, files[name], files["items"])
    return f'import pandas as pd\n\n{name} = pd.read_csv("{files[name]}")'


def citation(title: str | None, about: Publication) -> Iterator[str]:
    """Yield the lines of a citation file (CFF); its texts are JSON, which YAML contains."""
    yield "cff-version: 1.2.0"
    yield "message: If you use these data, please cite them as below."
    yield "type: dataset"
    yield f"title: {_quoted(title)}"
    yield "authors:"
    for author in about.authors:
        family, comma, given = (part.strip() for part in author.partition(","))
        if comma:
            yield f"  - family-names: {_quoted(family)}"
            yield f"    given-names: {_quoted(given)}"
        else:
            yield f"  - name: {_quoted(author)}"
    yield f"license: {about.license}"
    if about.doi:
        yield f"doi: {about.doi}"
    yield f"date-released: {today()}"


def today() -> str:
    """Return the date of today (UTC)."""
    return datetime.now(UTC).date().isoformat()


def _quoted(text: str | None) -> str:
    return json.dumps(text, ensure_ascii=False)
