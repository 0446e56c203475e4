"""Features of pictures and sounds, computed from files or by a network."""

from resemblance.descriptors.files import describe_stimuli as describe_stimuli
