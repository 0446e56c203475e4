"""People who differ: weights of their own in one space, and groups of them."""
