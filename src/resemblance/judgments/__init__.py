"""Judgments: comparisons and counts, their items, their files and conversions."""

from resemblance.judgments.arrangements import Arrangements as Arrangements
from resemblance.judgments.base import (
    Comparison as Comparison,
    Judgments as Judgments,
    OneKind as OneKind,
)
from resemblance.judgments.catches import CatchTrials as CatchTrials
from resemblance.judgments.checks import of_kind as of_kind
from resemblance.judgments.choices import Choices as Choices, OddOneOuts as OddOneOuts
from resemblance.judgments.classifications import Classifications as Classifications
from resemblance.judgments.confusions import Confusions as Confusions
from resemblance.judgments.convert import (
    as_judgments as as_judgments,
    triplets_from_choices as triplets_from_choices,
    triplets_from_odd_one_out as triplets_from_odd_one_out,
    triplets_from_ranks as triplets_from_ranks,
)
from resemblance.judgments.convert_confusions import (
    pair_ranks_from_confusions as pair_ranks_from_confusions,
    quadruplets_from_confusions as quadruplets_from_confusions,
    similar_from_confusions as similar_from_confusions,
    triplets_from_confusions as triplets_from_confusions,
)
from resemblance.judgments.dataset import write_dataset as write_dataset
from resemblance.judgments.distributed import (
    DistributedJudgments as DistributedJudgments,
    Elsewhere as Elsewhere,
    distribute as distribute,
)
from resemblance.judgments.exchange.arrays import (
    read_cblearn as read_cblearn,
    write_cblearn as write_cblearn,
)
from resemblance.judgments.exchange.experiment import (
    Experiment as Experiment,
    read_experiment as read_experiment,
)
from resemblance.judgments.exchange.psiz import read_psiz as read_psiz
from resemblance.judgments.exchange.salmon import read_salmon as read_salmon
from resemblance.judgments.exchange.things import read_things as read_things
from resemblance.judgments.items import Items as Items
from resemblance.judgments.joining import (
    choices_from_triplets as choices_from_triplets,
    join_judgments as join_judgments,
    join_views as join_views,
)
from resemblance.judgments.layout import Layout as Layout
from resemblance.judgments.mixed import (
    AnyJudgments as AnyJudgments,
    Joined as Joined,
    are_answers as are_answers,
    each_kind as each_kind,
    one_kind as one_kind,
)
from resemblance.judgments.pairs import (
    JudgedPairs as JudgedPairs,
    PairRanks as PairRanks,
    SimilarPairs as SimilarPairs,
)
from resemblance.judgments.quadruplets import Quadruplets as Quadruplets
from resemblance.judgments.ratings import Ratings as Ratings
from resemblance.judgments.readers import (
    read_arrangements as read_arrangements,
    read_choices as read_choices,
    read_confusions as read_confusions,
    read_odd_one_outs as read_odd_one_outs,
    read_quadruplets as read_quadruplets,
    read_ratings as read_ratings,
    read_similar_pairs as read_similar_pairs,
    read_triplets as read_triplets,
    scan_choices as scan_choices,
    scan_odd_one_outs as scan_odd_one_outs,
    scan_quadruplets as scan_quadruplets,
    scan_triplets as scan_triplets,
)
from resemblance.judgments.reading_images import read_classifications as read_classifications
from resemblance.judgments.reading_items import read_items as read_items
from resemblance.judgments.reading_matrix import read_confusion_matrix as read_confusion_matrix
from resemblance.judgments.responses import TwoPairs as TwoPairs
from resemblance.judgments.scoring import Scoring as Scoring, Space as Space
from resemblance.judgments.stored import StoredJudgments as StoredJudgments
from resemblance.judgments.triplets import Triplets as Triplets
