"""Geometry: Gram matrices, kernels of features, projections onto psd cones, and Procrustes."""

from resemblance.geometry.eigen import some_eigenvectors as some_eigenvectors
from resemblance.geometry.gram import (
    landmark_positions as landmark_positions,
    positions_from_gram as positions_from_gram,
    principal_axes as principal_axes,
    principal_rotation as principal_rotation,
)
from resemblance.geometry.kernels import (
    center_kernel as center_kernel,
    kernel_matrix as kernel_matrix,
    normalize_kernel as normalize_kernel,
)
from resemblance.geometry.mixtures import probability_product as probability_product
from resemblance.geometry.plane import plane_of as plane_of
from resemblance.geometry.procrustes import (
    align_by_certainty as align_by_certainty,
    procrustes_align as procrustes_align,
)
from resemblance.geometry.projections import (
    project_correlation as project_correlation,
    project_psd as project_psd,
)
