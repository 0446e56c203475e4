"""Pictures that are drawn from a few features, as stimuli."""

from resemblance.stimuli.shapes import (
    Blobs as Blobs,
    Gabors as Gabors,
    Lines as Lines,
    Screws as Screws,
)
from resemblance.stimuli.stimulus_set import StimulusSet as StimulusSet
from resemblance.stimuli.template_stimuli import (
    FourSquares as FourSquares,
    bands as bands,
    circles as circles,
    overlapping_gaussians as overlapping_gaussians,
)
