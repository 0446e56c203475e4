"""Load judgments of music artists (aset400), which the paper on t-STE used."""

from html import unescape
from pathlib import Path

import numpy as np
from scipy.io import loadmat

from resemblance.datasets.dataset import Dataset, RemoteFile, fetch_file, read_columns
from resemblance.errors import FileError
from resemblance.judgments import Items, Triplets
from resemblance.optional import require

_RELEASE = "alphaprime/Stabilized_Stochastic_BB/ad67e56e2d47df5719cd30abc3181d0537a1f6a3/Data/Music"
TRIPLETS = RemoteFile(
    "music_triplets.mat",
    f"{_RELEASE}/music_triplets.mat",
    "ce7b33bbb208ea9e441f2860d59574a98272a0d110fc1b4d9e96d4c88d59b313",
)
TAGS = RemoteFile(
    "music_labels.mat",
    f"{_RELEASE}/music_labels.mat",
    "1f783ac2f9f02257e599ed8fe3661938334bc6ca03b071ece6a8e6b46e47312f",
)
NAMES = RemoteFile(
    "musician_names_cblearn.txt",
    "cblearn/cblearn/d0beebfd08f4f76f88506386f6000fef051ec298/"
    "cblearn/datasets/data/musician_names.txt",
    "d909ba18c81ef9e4ef0eceb6b4cad97128e18737926246a3440caca1137b75cf",
)
_GENRES = "artists_derived.csv"
_SECOND_NAME = "a_new_found_glory"  # second name of the artist new_found_glory in the list

# The genre of an artist is the first genre with one of the artist's tags, or "other". The tags
# blues, gospel and latin pop do not change any genre.
_TAGS_OF_GENRE = {
    "rock": "alternative rock|art rock|blues rock|blues-rock|experimental rock|folk rock|funk rock"
    "|grunge|hard rock|heartland rock|indie rock|post-grunge|power pop|progressive rock"
    "|psychedelic rock|punk rock|rap rock|rock|rock and roll|roots rock|ska punk|soft rock"
    "|southern rock",
    "metal": "alternative metal|funk metal|heavy metal|industrial metal|nu metal|pop punk"
    "|post-punk",
    "pop": "blue-eyed soul|dance-pop|disco|funk|new jack swing|pop|pop rock|synthpop",
    "dance": "alternative dance|dance|electronica|eurodance|house|new wave|soul",
    "hiphop": "alternative hip hop|hip hop|r&b|trip hop",
    "jazz": "adult contemporary|jazz",
    "country": "country|country rock|folk",
    "reggae": "reggae",
}


def fetch_music_artists(
    path: str | Path | None = None, data_home: str | Path | None = None, *, genres: bool = True
) -> Dataset:
    """Fetch people's answers on the similarity of 400 music artists.

    Upstream has 9,107 rows. In 17 rows the head is also an option; these are ``judgments.catches``,
    and 9,090 triplets remain. People chose the most similar of several artists. Rows with the same
    head and near artist have the same response id: 2,298 responses, of which 2,296 have triplets.

    The upstream triplets have numbers instead of names. The names are assumed to be the
    alphabetical list of cblearn without the second name of one artist, which agrees with all tags.
    Source: Ellis, Whitman, Berenzweig, Lawrence (2002), The quest for ground truth in musical
    artist similarity, ISMIR. Van der Maaten, Weinberger (2012), Stochastic triplet embedding, MLSP.

    Parameters
    ----------
    path : str or Path, optional
        Folder with ``music_triplets.mat``, ``musician_names_cblearn.txt`` and, for genres,
        ``artists_derived.csv`` (columns artist, superclass) or ``music_labels.mat``. With it,
        nothing is downloaded.
    data_home : str or Path, optional
        Cache folder; by default ``RESEMBLANCE_DATA`` or the system's cache folder.
    genres : bool, default=True
        Whether the labels of items are genres: the first of rock, metal, pop, dance, hiphop, jazz,
        country and reggae that matches a tag of the artist, or other. Reading ``music_labels.mat``
        (MATLAB v7.3) needs h5py.

    Returns
    -------
    Dataset
        ``judgments`` are Triplets with responses and catches; ``items`` have names and labels.

    Raises
    ------
    FileError
        If a file is missing in ``path``, or a download has another checksum.
    UnavailableError
        If the host cannot be reached, or h5py is needed and missing.

    Examples
    --------
    >>> from resemblance.datasets import fetch_music_artists
    >>> music = fetch_music_artists()  # doctest: +SKIP
    >>> music.judgments.shape, len(music.items)  # doctest: +SKIP
    ((9090, 3), 400)
    """
    rows = loadmat(fetch_file(TRIPLETS, path, data_home))["triplets"].astype(np.int64) - 1
    lines = fetch_file(NAMES, path, data_home).read_text(encoding="utf-8").splitlines()
    names = np.array([name for line in lines if (name := line.split()[0]) != _SECOND_NAME])
    labels = _genres(path, data_home) if genres else None
    if labels is not None and len(labels) != len(names):
        raise FileError(f"{len(labels)} artists have a genre but {len(names)} have a name.")
    used, index = np.unique(rows, return_inverse=True)
    items = Items(names[used], labels=None if labels is None else labels[used])
    index = index.reshape(rows.shape)
    _, response = np.unique(index[:, :2], axis=0, return_inverse=True)
    return Dataset(
        description="Which of the artists shown is most similar to the head? Asked on the web; "
        "contradictory triplets were removed by the authors of the embedding paper.",
        citation="Ellis, Whitman, Berenzweig, Lawrence (2002), ISMIR; "
        "van der Maaten, Weinberger (2012), MLSP.",
        licence="Triplets and tags: none stated upstream. Names: MIT (cblearn).",
        items=items,
        judgments=Triplets.split_catches(index, items=items, response_id=response.reshape(-1)),
    )


def _genres(path: str | Path | None, data_home: str | Path | None) -> np.ndarray:
    if path is not None and (Path(path).expanduser() / _GENRES).is_file():
        table = read_columns(Path(path).expanduser() / _GENRES, ["superclass"])
        return table["superclass"].to_numpy(dtype=str)
    return np.array([_genre(tags) for tags in _tags(fetch_file(TAGS, path, data_home))])


def _genre(tags: set[str]) -> str:
    hits = (genre for genre, its in _TAGS_OF_GENRE.items() if tags & set(its.split("|")))
    return next(hits, "other")


def _tags(file: Path) -> list[set[str]]:
    needing = f"the genres, in the MATLAB v7.3 file {TAGS.name}, need"
    h5py = require(needing, "h5py", "or do without them (genres=False)")
    with h5py.File(file) as content:
        # A cell array stores references to texts of 16-bit characters, which have HTML entities.
        texts = (np.ravel(content[cell]) for cell in np.ravel(content["lablist"]))
        tags = np.array([unescape("".join(map(chr, text))) for text in texts])
        artists = np.asarray(content["label_matrix"], dtype=bool).T  # HDF5 stores the transpose
    return [set(tags[artist].tolist()) for artist in artists]
