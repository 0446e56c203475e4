"""What people answered: triplets, quadruplets, choices; their items; files and conversions."""

from resemblance.judgments.base import Comparison, Judgments
from resemblance.judgments.catches import CatchTrials
from resemblance.judgments.choices import Choices
from resemblance.judgments.convert import (
    as_judgments,
    triplets_from_choices,
    triplets_from_odd_one_out,
    triplets_from_ranks,
)
from resemblance.judgments.items import Items
from resemblance.judgments.quadruplets import Quadruplets
from resemblance.judgments.ranks import PairRanks
from resemblance.judgments.reading import read_choices, read_items, read_quadruplets, read_triplets
from resemblance.judgments.triplets import Triplets
from resemblance.judgments.writing import write_choices, write_quadruplets, write_triplets

__all__ = [
    "CatchTrials",
    "Choices",
    "Comparison",
    "Items",
    "Judgments",
    "PairRanks",
    "Quadruplets",
    "Triplets",
    "as_judgments",
    "read_choices",
    "read_items",
    "read_quadruplets",
    "read_triplets",
    "triplets_from_choices",
    "triplets_from_odd_one_out",
    "triplets_from_ranks",
    "write_choices",
    "write_quadruplets",
    "write_triplets",
]
