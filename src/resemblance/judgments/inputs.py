"""Check the input of a fit: judgments, arrays, tables, or rows stored elsewhere."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from numpy.typing import ArrayLike

from resemblance.errors import JudgmentError
from resemblance.judgments import (
    AnyJudgments,
    Elsewhere,
    Joined,
    Judgments,
    OneKind,
    StoredJudgments,
    as_judgments,
    distribute,
    join_judgments,
)
from resemblance.judgments.distributed import is_frame
from resemblance.judgments.joining import refuse_machines_among_people, refuse_machines_of_a_scan

JudgmentsLike: TypeAlias = OneKind | ArrayLike
Fitted: TypeAlias = JudgmentsLike | Joined | Sequence[OneKind] | Elsewhere


def checked_judgments(
    X: Fitted, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> AnyJudgments | Elsewhere:
    """Return judgments with the given responses and weights; join those of a list."""
    X = distribute(X) if is_frame(X) else X
    if isinstance(X, list | tuple) and any(isinstance(part, OneKind) for part in X):
        X = join_judgments(X)
    if isinstance(X, Joined):
        refuse_machines_among_people(X)
    if isinstance(X, StoredJudgments):
        refuse_machines_of_a_scan(X)
    if isinstance(X, OneKind | Joined | Elsewhere) and not isinstance(X, Judgments):
        refuse_y(y, X)
        if sample_weight is not None:
            raise JudgmentError(
                f"sample_weight applies to comparisons, and these are {type(X).__name__}: give "
                "them weights of their own"
            )
        return X
    judgments = as_judgments(X, y)
    refuse_machines_among_people(judgments)
    return judgments if sample_weight is None else judgments.weighted(sample_weight)


def of_one_kind(X: JudgmentsLike) -> OneKind:
    """Return judgments of one kind, with arrays and tables read as comparisons."""
    return X if isinstance(X, OneKind) else as_judgments(X)


def refuse_y(y: Any, judgments: object) -> None:
    if y is not None:
        raise JudgmentError(
            f"y is given, but {type(judgments).__name__} hold their answers themselves: leave y out"
        )
