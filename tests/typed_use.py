"""Use public names in ways that mypy should accept or refuse; ``make lint`` checks this file.

Nothing runs it. Each ``type: ignore`` comment names the error that mypy must find in its line.
"""

from typing import Any, assert_type

import resemblance as rs


def use_as_editors_see_it() -> None:
    """Use names correctly, and with mistakes."""
    assert_type(rs.TSTE(n_components=2), rs.TSTE)
    assert_type(rs.read_triplets("answers.csv"), rs.Triplets)
    assert_type(rs.load("digits.npz").embedding_, Any)
    assert_type(rs.load("digits.npz", rs.STE), rs.STE)
    assert_type(rs.load("digits.npz", rs.STE).score([[0, 1, 2]]), float)
    rs.load("digits.npz", rs.Triplets)  # type: ignore[type-var]
    rs.TSTE(n_component=2)  # type: ignore[call-arg]
    print(rs.nonsense)  # type: ignore[attr-defined]
    rs.STE(choice=None)  # type: ignore[call-arg]
    rs.POE(2, n_init=3)  # type: ignore[call-arg]
    rs.TSTE(2, 1.0)  # type: ignore[arg-type, call-arg]
    rs.Yada(1, bandwidth="wide")  # type: ignore[arg-type]
    rs.OrdinalEmbedding(rs.choice.Softmax(), 3, n_init=2)
