"""Stimuli: pictures drawn from a few features each."""

from resemblance.stimuli.blobs import Blobs as Blobs
from resemblance.stimuli.gabors import Gabors as Gabors
from resemblance.stimuli.lines import Lines as Lines
from resemblance.stimuli.planes import (
    bands as bands,
    circles as circles,
    overlapping_gaussians as overlapping_gaussians,
)
from resemblance.stimuli.screws import Screws as Screws
from resemblance.stimuli.squares import FourSquares as FourSquares
from resemblance.stimuli.stimulus_set import StimulusSet as StimulusSet
