"""Compute features of pictures and sounds, by formulas or by a network."""

from resemblance.descriptors.files import describe_stimuli as describe_stimuli
