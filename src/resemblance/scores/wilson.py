"""The interval of a share that was counted."""

import numpy as np
from scipy.stats import norm

from resemblance.errors import SettingError


def wilson_interval(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    r"""Return the interval of a share that was found among n independent answers.

    .. math:: \frac{p + z^2 / 2n \pm z \sqrt{p (1 - p) / n + z^2 / 4n^2}}{1 + z^2 / n}

    It keeps within 0 and 1, and does not shrink to nothing at a share of 0 or 1. Source: Wilson
    1927, Probable inference, the law of succession, and statistical inference, JASA 22.

    Parameters
    ----------
    share : float
        p, from 0 to 1; ties may have counted their share.
    n : float
        The number of answers, above 0.
    level : float
        The coverage, between 0 and 1.

    Returns
    -------
    (float, float)

    Raises
    ------
    SettingError
        If a number is out of range.

    Examples
    --------
    >>> low, high = wilson_interval(0.2, 50)
    >>> round(low, 3), round(high, 3)
    (0.112, 0.33)
    """
    if not (0.0 <= share <= 1.0 and n > 0 and 0.0 < level < 1.0):
        raise SettingError(
            f"share is {share!r}, n {n!r} and level {level!r}: give a share from 0 to 1, a number "
            "of answers above 0, and a level between 0 and 1."
        )
    z = norm.ppf(0.5 + 0.5 * level)
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    # exactly 0 below a share of 0, and 1 above one of 1, whatever is rounded
    return float(np.clip(middle - half, 0.0, share)), float(np.clip(middle + half, share, 1.0))
