"""A study that was served, opened beside the server: to export, erase, recruit."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from resemblance.errors import SettingError
from resemblance.store import Store
from resemblance.web.live import LiveStudy
from resemblance.web.study import StudyFolder

SQLITE = "sqlite:///"


@contextmanager
def stored(path: Path, database: str | None = None) -> Iterator[LiveStudy]:
    """Open a study where its answers are kept; nothing is made that is not there.

    Parameters
    ----------
    path : Path
        The study's folder.
    database : str, optional
        The database that it is served from; default: as the study says.

    Raises
    ------
    SettingError
        If it was never served from this database.
    """
    folder = StudyFolder.open(path)
    url = database or folder.database
    never = SettingError(
        f"{path} was never served from {_shown(url)}: serve it first, or name its --database"
    )
    if url.startswith(SQLITE) and not Path(url.removeprefix(SQLITE)).is_file():
        raise never
    with Store.open(url) as store:
        record = store.study(folder.name)
        if record is None:
            raise never
        yield LiveStudy(folder, store, record)


def _shown(url: str) -> str:
    """Name a database without its password."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"
