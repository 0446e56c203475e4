"""Stimuli: pictures drawn from a few features each."""

from resemblance.stimuli.blobs import Blobs
from resemblance.stimuli.gabors import Gabors
from resemblance.stimuli.lines import Lines
from resemblance.stimuli.planes import bands, circles, overlapping_gaussians
from resemblance.stimuli.screws import Screws
from resemblance.stimuli.squares import FourSquares
from resemblance.stimuli.stimulus_set import StimulusSet

__all__ = [
    "Blobs",
    "FourSquares",
    "Gabors",
    "Lines",
    "Screws",
    "StimulusSet",
    "bands",
    "circles",
    "overlapping_gaussians",
]
