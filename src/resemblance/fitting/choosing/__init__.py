"""What is chosen on answers held out: penalty, share of features, dimensions, choice model."""
