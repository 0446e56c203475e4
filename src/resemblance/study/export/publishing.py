"""Publish a study in one of the forms of ``EXPORTS``, or say why it cannot be yet."""

from pathlib import Path

from resemblance.errors import FileError, SettingError
from resemblance.study.export.bids import write_bids
from resemblance.study.export.psychds import write_psychds
from resemblance.study.export.published import write_archive, write_study_dataset
from resemblance.study.export.tables import Export
from resemblance.study.settings_file import FILE, read_settings


def publish(
    export: Export, path: Path, to: str, format: str = "csv", with_pictures: bool = False
) -> str:
    """Write what others get of a study; say what that is.

    Parameters
    ----------
    export : Export
        What is written: one that may be published.
    path : Path
        Where: a file or folder that is not there.
    to : "archive", "dataset", "bids" or "psych-ds"
        What it is for.
    format : str
        The type of the tables of an archive.
    with_pictures : bool
        Whether the stimuli are along, where they may be.

    Raises
    ------
    FileError
        If the place is taken or cannot be written, or two stimuli have one file name.
    SettingError
        If ``[publication]`` lacks a title, authors or a licence.
    """
    if to == "archive":
        files = write_archive(export, path, format, with_pictures)
        return f"{len(files)} files, with their checksums"
    if to == "bids":
        return f"events of {write_bids(export, path, with_pictures)} people, as BIDS"
    if to == "psych-ds":
        return f"{write_psychds(export, path, with_pictures)} tables, as Psych-DS"
    write_study_dataset(export, path, with_pictures)
    return "judgments, items and their card, README.md and croissant.json"


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
