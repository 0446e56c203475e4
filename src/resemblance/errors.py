"""Define the errors and warnings of the package.

Every message names the offending row, column or item, and a remedy.
"""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

NAMED = 5  # number of items that a message names before "and ... more"


class ResemblanceError(Exception):
    """Base class of all errors that this package raises deliberately.

    Parameters
    ----------
    *parts : object
        The message.
    setting : str, optional
        The name of the setting to change, such as "n_components", from which other interfaces find
        their own name of it, such as an option of the command line.

    Examples
    --------
    >>> SettingError("n_components is 9: lower it", setting="n_components").setting
    'n_components'
    """

    def __init__(self, *parts: object, setting: str | None = None) -> None:
        super().__init__(*parts)
        self.setting = setting


class JudgmentError(ResemblanceError, ValueError):
    """Invalid judgments: a bad row, id, name or weight."""


class RDMError(ResemblanceError, ValueError):
    """Invalid dissimilarity matrices: asymmetric, not finite, or about other items."""


class FileError(ResemblanceError, ValueError):
    """A file that cannot be read or written: missing column, unknown type, broken content."""


class NoFileError(FileError, FileNotFoundError):
    """A file that is not there."""


class SettingError(ResemblanceError, ValueError):
    """A setting outside its range, or settings that make no sense together."""


class EmptyError(SettingError):
    """A penalty so strong that a fit is empty."""


class UnknownQuestionError(ResemblanceError, ValueError):
    """An answer or a log that does not fit the questions asked."""


class UnavailableError(ResemblanceError, RuntimeError):
    """A resource outside the package is missing: a data host, an optional library."""


class NoPackageError(UnavailableError, ImportError):
    """An optional package that is not installed."""


class ResemblanceWarning(UserWarning):
    """Base class of all warnings of this package; `setting` as in :class:`ResemblanceError`."""

    def __init__(self, *parts: object, setting: str | None = None) -> None:
        super().__init__(*parts)
        self.setting = setting


class DisconnectedWarning(ResemblanceWarning):
    """Items that form several groups without a judgment between them."""


class RepeatedPairsWarning(ResemblanceWarning):
    """Several rows of counts about the same pair, which were summed."""


class ConstantFeatureWarning(ResemblanceWarning):
    """Features that are the same for all items, so that they carry no information."""


class UnreachableWarning(ResemblanceWarning):
    """Points of a space without a stimulus."""


class CollapsedWarning(ResemblanceWarning):
    """A fit whose penalty moved all items to one place, or removed a dimension."""


class UndeterminedWarning(ResemblanceWarning):
    """Ranks of pairs that are too few for a meaningful fit, or seem to be reversed."""


class UnmentionedWarning(ResemblanceWarning):
    """Items that no judgment mentions."""


class RescaledWarning(ResemblanceWarning):
    """A matrix with a constant diagonal other than 0, which was subtracted from every cell."""


if TYPE_CHECKING:

    class NotConvergedWarning(ResemblanceWarning):
        """A fit that stopped before it converged."""


def __getattr__(name: str) -> Any:
    """Create ``NotConvergedWarning`` on first use, since importing its base takes a second."""
    if name != "NotConvergedWarning":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sklearn.exceptions import ConvergenceWarning

    doc = "A fit that stopped before it converged; the message says what to change."
    members = {"__doc__": doc, "__module__": __name__}
    made = type(name, (ResemblanceWarning, ConvergenceWarning), members)
    return globals().setdefault(name, made)


@contextmanager
def quiet() -> Iterator[None]:
    """Ignore the package's warnings in a block.

    >>> with quiet():
    ...     warnings.warn("not shown", ResemblanceWarning)
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResemblanceWarning)
        yield


def count(n: int, what: str) -> str:
    """Return a number with its noun.

    >>> count(1, "fold"), count(2000, "row")
    ('1 fold', '2,000 rows')
    """
    return f"{n:,} {what}{'s'[: n != 1]}"


def first_few(names: Iterable[object], most: int = NAMED) -> str:
    """Name the first few, and count the rest.

    >>> first_few(range(9))
    '0, 1, 2, 3, 4 and 4 more'
    """
    texts = [str(name) for name in names]
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more
