"""Compute, read, write and compare representational dissimilarity matrices (RDMs)."""

from resemblance.rdms.aligning import (
    UnsupervisedAlignment as UnsupervisedAlignment,
    unsupervised_alignment as unsupervised_alignment,
)
from resemblance.rdms.ceiling import (
    RDMCeiling as RDMCeiling,
    rdm_noise_ceiling as rdm_noise_ceiling,
)
from resemblance.rdms.comparing import RDMComparison as RDMComparison, compare_rdms as compare_rdms
from resemblance.rdms.files import read_rdms as read_rdms, write_rdms as write_rdms
from resemblance.rdms.rdms import RDMs as RDMs
from resemblance.rdms.sources import rdm as rdm, rdm_from_arrangements as rdm_from_arrangements
