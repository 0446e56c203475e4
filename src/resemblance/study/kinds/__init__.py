"""The kinds of questions that a study can ask."""

from resemblance.study.kinds.base import Kind, ResponseError, Spec
from resemblance.study.kinds.classify import Classify
from resemblance.study.kinds.comparison import OneOfN, Triplet
from resemblance.study.kinds.match_to_sample import MatchToSample
from resemblance.study.kinds.odd_one_out import OddOneOut

KINDS: dict[str, Kind] = {
    kind.name: kind for kind in (Triplet(), OneOfN(), OddOneOut(), MatchToSample(), Classify())
}

__all__ = [
    "KINDS",
    "Classify",
    "Kind",
    "MatchToSample",
    "OddOneOut",
    "OneOfN",
    "ResponseError",
    "Spec",
    "Triplet",
]
