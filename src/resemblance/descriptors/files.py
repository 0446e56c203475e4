"""Compute features of the stimuli in a folder."""

import warnings
from os import PathLike
from pathlib import Path

import numpy as np

from resemblance.descriptors.features import Network, describe_picture, describe_sound
from resemblance.errors import FileError, ResemblanceWarning, SettingError
from resemblance.files import junk_words, label_text, list_folder
from resemblance.judgments import Items
from resemblance.progress import Steps, Told

PICTURES = ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".avif"
SOUNDS = ".wav", ".flac", ".ogg", ".mp3"


def describe_stimuli(
    folder: str | PathLike[str],
    *,
    network: str | PathLike[str] | None = None,
    checksum: str | None = None,
    callback: Told | None = None,
) -> Items:
    """Compute features of the stimuli in a folder. Each file is an item.

    The features of a file do not depend on other files, so that files can be added later. Pictures
    have about fifty features of colour, texture, edges and shape. Sounds have 41 features of
    frequency bands and duration. Only networks with an address are downloaded.

    Parameters
    ----------
    folder : path
        A folder of pictures or sounds, not both.
    network : path or str, optional
        The file or address of an ONNX network for pictures (n, 3, height, width). Its first output
        is used as features instead.
    checksum : str, optional
        SHA-256 of the network's file. It is required for an address.
    callback : callable, optional
        Called with (files done, number of files).

    Returns
    -------
    Items
        Items with ``features`` (n, d) and ``feature_names``, and ``images`` for pictures.

    Raises
    ------
    FileError
        If the folder is empty, or contains another kind of file or an unreadable file.
    SettingError
        For a network with sounds, or an address without a checksum.

    Warns
    -----
    ResemblanceWarning
        If system files (Thumbs.db, .DS_Store, ...) are left out.

    Examples
    --------
    >>> import resemblance as rs
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = rs.stimuli.Blobs().save(folder)
    ...     items = rs.describe_stimuli(folder)
    >>> items.features.shape[1], items.feature_names[:3]
    (53, ('colour_L', 'colour_a', 'colour_b'))
    """
    files = _listed(Path(folder))
    sounds = [file for file in files if file.suffix.lower() in SOUNDS]
    if sounds and network is not None:
        raise SettingError(
            f"{sounds[0]} is a sound, and a network takes pictures: leave sounds out",
            setting="network",
        )
    if sounds and len(sounds) < len(files):
        raise FileError(f"{folder} contains pictures and sounds: put them in separate folders")
    describe = describe_sound if sounds else describe_picture
    if network is not None:
        describe = Network(str(network), checksum).describe
    rows = [describe(path) for path in Steps(callback, len(files)).each(files)]
    features = np.array([list(row.values()) for row in rows])
    names = [label_text(path.stem) for path in files]
    images = None if sounds else files
    return Items(names, features, images=images, feature_names=list(rows[0]))


def _listed(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise FileError(f"{folder} is not a folder: give one with a file for each item")
    files, junk = list_folder(folder)
    if junk:
        warnings.warn(junk_words(junk), ResemblanceWarning, stacklevel=3)
    if not files:
        raise FileError(f"{folder} is empty: put a file for each item there")
    for path in files:
        if path.suffix.lower() not in PICTURES + SOUNDS:
            raise FileError(
                f"{path} is neither a picture ({', '.join(PICTURES)}) nor a sound "
                f"({', '.join(SOUNDS)}): take it out, and give its features in a table"
            )
    return files
