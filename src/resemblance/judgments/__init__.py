"""Judgments of similarity (comparisons and counts), their items, files and conversions."""

from resemblance.judgments.arrangements import Arrangements as Arrangements
from resemblance.judgments.base import (
    Comparison as Comparison,
    Judgments as Judgments,
    Layout as Layout,
    OneKind as OneKind,
    Scoring as Scoring,
    Space as Space,
)
from resemblance.judgments.cblearn import (
    read_cblearn as read_cblearn,
    write_cblearn as write_cblearn,
)
from resemblance.judgments.checks import of_kind as of_kind
from resemblance.judgments.choices import Choices as Choices, OddOneOuts as OddOneOuts
from resemblance.judgments.classifications import (
    Classifications as Classifications,
    read_classifications as read_classifications,
)
from resemblance.judgments.confusions import (
    Confusions as Confusions,
    read_confusion_matrix as read_confusion_matrix,
)
from resemblance.judgments.convert import (
    as_judgments as as_judgments,
    pair_ranks_from_confusions as pair_ranks_from_confusions,
    quadruplets_from_confusions as quadruplets_from_confusions,
    similar_from_confusions as similar_from_confusions,
    triplets_from_choices as triplets_from_choices,
    triplets_from_confusions as triplets_from_confusions,
    triplets_from_odd_one_out as triplets_from_odd_one_out,
    triplets_from_ranks as triplets_from_ranks,
)
from resemblance.judgments.dataset import write_dataset as write_dataset
from resemblance.judgments.distributed import (
    DistributedJudgments as DistributedJudgments,
    Elsewhere as Elsewhere,
    distribute as distribute,
)
from resemblance.judgments.exchange_formats import (
    read_psiz as read_psiz,
    read_salmon as read_salmon,
    read_things as read_things,
)
from resemblance.judgments.experiment import (
    Experiment as Experiment,
    read_experiment as read_experiment,
)
from resemblance.judgments.items import Items as Items
from resemblance.judgments.joining import (
    AnyJudgments as AnyJudgments,
    Joined as Joined,
    are_answers as are_answers,
    choices_from_triplets as choices_from_triplets,
    each_kind as each_kind,
    join_judgments as join_judgments,
    join_views as join_views,
    one_kind as one_kind,
)
from resemblance.judgments.labels import read_items as read_items
from resemblance.judgments.pairs import (
    JudgedPairs as JudgedPairs,
    PairRanks as PairRanks,
    Ratings as Ratings,
    SimilarPairs as SimilarPairs,
)
from resemblance.judgments.stored import StoredJudgments as StoredJudgments
from resemblance.judgments.triplets import (
    CatchTrials as CatchTrials,
    Quadruplets as Quadruplets,
    Triplets as Triplets,
    TwoPairs as TwoPairs,
)

read_triplets, scan_triplets = Triplets.read, Triplets.scan
read_quadruplets, scan_quadruplets = Quadruplets.read, Quadruplets.scan
read_choices, scan_choices = Choices.read, Choices.scan
read_odd_one_outs, scan_odd_one_outs = OddOneOuts.read, OddOneOuts.scan
read_confusions, read_ratings = Confusions.read, Ratings.read
read_similar_pairs, read_arrangements = SimilarPairs.read, Arrangements.read
