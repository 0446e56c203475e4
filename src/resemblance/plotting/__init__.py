"""Draw figures and write pages: maps of items, neighbours, dimensions and curves."""

from resemblance.optional import need_packages

need_packages("pictures need", "matplotlib", "PIL")

from resemblance.plotting.benchmark import plot_benchmark as plot_benchmark
from resemblance.plotting.curves import (
    plot_dimensions as plot_dimensions,
    plot_learning_curve as plot_learning_curve,
    plot_scale as plot_scale,
)
from resemblance.plotting.graph import plot_similarity_graph as plot_similarity_graph
from resemblance.plotting.loadings import plot_loadings as plot_loadings
from resemblance.plotting.map import plot_map as plot_map
from resemblance.plotting.multiple_maps import plot_several_maps as plot_several_maps
from resemblance.plotting.neighbours import plot_neighbours as plot_neighbours
from resemblance.plotting.page import PageView as PageView, show_map as show_map
from resemblance.plotting.save import save_loadings as save_loadings, save_map as save_map
from resemblance.plotting.shepard import plot_shepard as plot_shepard
from resemblance.plotting.templates import plot_templates as plot_templates
from resemblance.plotting.weights import (
    plot_groups as plot_groups,
    plot_kernel_weights as plot_kernel_weights,
)
