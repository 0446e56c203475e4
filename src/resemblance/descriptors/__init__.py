"""Features of stimuli from their files: of pictures, of sounds, or of a network somebody has."""

from resemblance.descriptors.files import describe_stimuli as describe_stimuli
