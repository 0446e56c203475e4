"""Choose penalty, share of features, dimensions and choice model on held-out answers."""
