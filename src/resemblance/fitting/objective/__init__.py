"""The loss of all judgments as a function of parameters, and the way to its minimum."""
