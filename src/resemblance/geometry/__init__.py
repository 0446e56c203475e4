"""Gram matrices, kernels of features, projections of matrices, and Procrustes analysis."""

from resemblance.geometry.gram import (
    eigenvectors_between as eigenvectors_between,
    landmark_positions as landmark_positions,
    plane_of as plane_of,
    positions_from_gram as positions_from_gram,
    principal_axes as principal_axes,
    principal_rotation as principal_rotation,
    project_correlation as project_correlation,
    project_psd as project_psd,
    some_eigenvectors as some_eigenvectors,
)
from resemblance.geometry.kernels import (
    center_kernel as center_kernel,
    kernel_matrix as kernel_matrix,
    normalize_kernel as normalize_kernel,
    probability_product as probability_product,
)
from resemblance.geometry.procrustes import (
    align_by_certainty as align_by_certainty,
    procrustes_align as procrustes_align,
)
