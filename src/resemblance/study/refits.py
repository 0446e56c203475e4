"""Rules that decide when a study is fitted again."""

GROWTH_OF_MAP = 0.02  # the share of new answers below which a fit would change nothing
GROWTH_OF_MEASURED = 0.1  # growth of a map of measured distances, which chooses no questions
GROWTH_AFTER_KILLS = 0.05  # growth after several fits were killed
QUIET_S = 10.0  # after this many quiet seconds, even a few new answers are fitted
REST = 10.0  # costly reports take at most a tenth of the time


def next_fit(answers: int, growth: float, least: int = 1) -> int:
    """Return the number of answers at the next fit, n + max(least, growth n).

    >>> next_fit(1000, 0.1), next_fit(3, 0.1), next_fit(1000, 0.02, least=30)
    (1100, 4, 1030)
    """
    return answers + max(least, int(growth * answers))
