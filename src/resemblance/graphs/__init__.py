"""The graph of comparisons: contradictions, a part without cycles, what follows from what."""

from resemblance.graphs.cleaning import CleaningReport as CleaningReport, clean as clean
from resemblance.graphs.graph import SimilarityGraph as SimilarityGraph
