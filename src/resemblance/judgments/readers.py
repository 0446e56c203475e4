"""Public readers, one for each kind of judgment."""

from resemblance.judgments.arrangements import Arrangements
from resemblance.judgments.choices import Choices, OddOneOuts
from resemblance.judgments.confusions import Confusions
from resemblance.judgments.pairs import SimilarPairs
from resemblance.judgments.quadruplets import Quadruplets
from resemblance.judgments.ratings import Ratings
from resemblance.judgments.triplets import Triplets

read_triplets = Triplets.read
read_quadruplets = Quadruplets.read
read_choices = Choices.read
read_odd_one_outs = OddOneOuts.read
read_confusions = Confusions.read
read_ratings = Ratings.read
read_similar_pairs = SimilarPairs.read
read_arrangements = Arrangements.read

scan_triplets, scan_quadruplets = Triplets.scan, Quadruplets.scan
scan_choices, scan_odd_one_outs = Choices.scan, OddOneOuts.scan
