"""The errors and warnings of the package.

Every message names the row, column or item that caused it, and a remedy.
"""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

NAMED = 5  # number of items that a message lists before "and ... more"


class ResemblanceError(Exception):
    """Base class of all errors that this package raises deliberately.

    Parameters
    ----------
    *parts : object
        The message.
    setting : str, optional
        The name of the setting to change, such as "n_components". The command line, for example,
        finds its option by this name.

    Examples
    --------
    >>> SettingError("n_components is 9: lower it", setting="n_components").setting
    'n_components'
    """

    def __init__(self, *parts: object, setting: str | None = None) -> None:
        super().__init__(*parts)
        self.setting = setting


class JudgmentError(ResemblanceError, ValueError):
    """Judgments are invalid: a bad row, id, name or weight."""


class RDMError(ResemblanceError, ValueError):
    """Dissimilarity matrices are invalid: asymmetric, not finite, or about other items."""


class FileError(ResemblanceError, ValueError):
    """A file cannot be read or written: missing column, unknown type, broken content."""


class NoFileError(FileError, FileNotFoundError):
    """A file does not exist."""


class SettingError(ResemblanceError, ValueError):
    """A setting is outside its range, or settings contradict each other."""


class EmptyError(SettingError):
    """No dimension is left in a fit, because its penalty is too strong."""


class UnknownQuestionError(ResemblanceError, ValueError):
    """An answer or a log is not about the questions that were asked."""


class UnavailableError(ResemblanceError, RuntimeError):
    """A resource outside the package is missing, such as a data host or optional library."""


class NoPackageError(UnavailableError, ImportError):
    """An optional package is not installed."""


class ResemblanceWarning(UserWarning):
    """Base class of all warnings of this package; for `setting` see :class:`ResemblanceError`."""

    def __init__(self, *parts: object, setting: str | None = None) -> None:
        super().__init__(*parts)
        self.setting = setting


class DisconnectedWarning(ResemblanceWarning):
    """The items form several groups without a judgment between them."""


class RepeatedPairsWarning(ResemblanceWarning):
    """Several rows of counts are about the same pair; they were summed."""


class ConstantFeatureWarning(ResemblanceWarning):
    """Features are the same for all items, so that they carry no information."""


class UnreachableWarning(ResemblanceWarning):
    """Points of the space have no stimulus."""


class CollapsedWarning(ResemblanceWarning):
    """The penalty of a fit moved all items to one position, or removed a dimension."""


class UndeterminedWarning(ResemblanceWarning):
    """The ranks of pairs are too few for a meaningful fit, or seem to be reversed."""


class UnmentionedWarning(ResemblanceWarning):
    """Items that no judgment mentions."""


class RescaledWarning(ResemblanceWarning):
    """A matrix has a constant diagonal other than 0, which was subtracted from every cell."""


if TYPE_CHECKING:

    class NotConvergedWarning(ResemblanceWarning):
        """A fit stopped before it converged."""


def __getattr__(name: str) -> Any:
    """Create ``NotConvergedWarning`` when first used, because importing its base takes a second."""
    if name != "NotConvergedWarning":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sklearn.exceptions import ConvergenceWarning

    doc = "A fit that stopped before it converged; the message says what to change."
    members = {"__doc__": doc, "__module__": __name__}
    made = type(name, (ResemblanceWarning, ConvergenceWarning), members)
    return globals().setdefault(name, made)


@contextmanager
def quiet() -> Iterator[None]:
    """Silence the package's warnings within a block.

    >>> with quiet():
    ...     warnings.warn("not shown", ResemblanceWarning)
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResemblanceWarning)
        yield


def count(n: int, what: str) -> str:
    """Return a number with its noun, in the singular or plural.

    >>> count(1, "fold"), count(2000, "row")
    ('1 fold', '2,000 rows')
    """
    return f"{n:,} {what}{'s'[: n != 1]}"


def first_few(names: Iterable[object], most: int = NAMED) -> str:
    """List the first few names, and the number of further names.

    >>> first_few(range(9))
    '0, 1, 2, 3, 4 and 4 more'
    """
    texts = [str(name) for name in names]
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more
