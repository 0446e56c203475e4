"""Features of pictures and sounds, from formulas or a network."""

from resemblance.descriptors.files import describe_stimuli as describe_stimuli
