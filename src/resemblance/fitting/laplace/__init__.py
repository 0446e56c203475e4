"""How sure positions are by a likelihood: noise, slopes of answers, Laplace covariances."""
