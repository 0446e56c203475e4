"""Stimuli: pictures drawn from a few features each."""

from resemblance.stimuli.planes import (
    bands as bands,
    circles as circles,
    overlapping_gaussians as overlapping_gaussians,
)
from resemblance.stimuli.shapes import (
    Blobs as Blobs,
    Gabors as Gabors,
    Lines as Lines,
    Screws as Screws,
)
from resemblance.stimuli.squares import FourSquares as FourSquares
from resemblance.stimuli.stimulus_set import StimulusSet as StimulusSet
