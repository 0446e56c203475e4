"""What people answered: comparisons and counts; their items; files and conversions."""

from resemblance.judgments.base import Comparison, Judgments
from resemblance.judgments.catches import CatchTrials
from resemblance.judgments.choices import Choices
from resemblance.judgments.classifications import Classifications
from resemblance.judgments.confusions import Confusions
from resemblance.judgments.convert import (
    as_judgments,
    triplets_from_choices,
    triplets_from_odd_one_out,
    triplets_from_ranks,
)
from resemblance.judgments.convert_confusions import (
    pair_ranks_from_confusions,
    quadruplets_from_confusions,
    similar_from_confusions,
    triplets_from_confusions,
)
from resemblance.judgments.exchange import (
    read_cblearn,
    read_next,
    read_psiz,
    read_salmon,
    read_things,
    write_cblearn,
    write_psiz,
)
from resemblance.judgments.items import Items
from resemblance.judgments.joining import choices_from_triplets, join_judgments
from resemblance.judgments.layout import Layout
from resemblance.judgments.odd_one_outs import OddOneOuts
from resemblance.judgments.pairs import CountedPairs
from resemblance.judgments.quadruplets import Quadruplets
from resemblance.judgments.ranks import PairRanks
from resemblance.judgments.ratings import Ratings
from resemblance.judgments.reading import (
    read_choices,
    read_confusions,
    read_items,
    read_odd_one_outs,
    read_quadruplets,
    read_ratings,
    read_similar_pairs,
    read_triplets,
)
from resemblance.judgments.reading_images import read_classifications
from resemblance.judgments.reading_matrix import read_confusion_matrix
from resemblance.judgments.similar import SimilarPairs
from resemblance.judgments.triplets import Triplets
from resemblance.judgments.views import join_views
from resemblance.judgments.writing import (
    write_choices,
    write_confusions,
    write_odd_one_outs,
    write_quadruplets,
    write_ratings,
    write_similar_pairs,
    write_triplets,
)

__all__ = [
    "CatchTrials",
    "Choices",
    "Classifications",
    "Comparison",
    "Confusions",
    "CountedPairs",
    "Items",
    "Judgments",
    "Layout",
    "OddOneOuts",
    "PairRanks",
    "Quadruplets",
    "Ratings",
    "SimilarPairs",
    "Triplets",
    "as_judgments",
    "choices_from_triplets",
    "join_judgments",
    "join_views",
    "pair_ranks_from_confusions",
    "quadruplets_from_confusions",
    "read_cblearn",
    "read_choices",
    "read_classifications",
    "read_confusion_matrix",
    "read_confusions",
    "read_items",
    "read_next",
    "read_odd_one_outs",
    "read_psiz",
    "read_quadruplets",
    "read_ratings",
    "read_salmon",
    "read_similar_pairs",
    "read_things",
    "read_triplets",
    "similar_from_confusions",
    "triplets_from_choices",
    "triplets_from_confusions",
    "triplets_from_odd_one_out",
    "triplets_from_ranks",
    "write_cblearn",
    "write_choices",
    "write_confusions",
    "write_odd_one_outs",
    "write_psiz",
    "write_quadruplets",
    "write_ratings",
    "write_similar_pairs",
    "write_triplets",
]
