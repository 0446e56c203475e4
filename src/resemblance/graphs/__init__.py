"""The graph of comparisons: contradictions, acyclic subgraphs, implied comparisons."""

from resemblance.graphs.cleaning import CleaningReport as CleaningReport, clean as clean
from resemblance.graphs.graph import SimilarityGraph as SimilarityGraph
