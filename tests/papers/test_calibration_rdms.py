"""Compared RDMs in a few worlds with known truth: the table of papers/calibration, made small."""

import pytest

from scripts import scripts

BOTH = "items", "people"
CONDITIONS = (8, 12, "spearman", BOTH), (1, 16, "pearson", BOTH[:1]), (12, 8, "spearman", BOTH[1:])


@pytest.fixture(scope="module")
def found():
    with scripts("papers/calibration", "rdms") as modules:
        rdms = modules.rdms
        rdms.MANY_ITEMS, rdms.MANY_PEOPLE, rdms.TRUTHS, rdms.RESAMPLES = 150, 300, 10, 100
        table = rdms.table(30, 1, CONDITIONS)
    return table.set_index("what")["found"]


@pytest.mark.parametrize("what", ["similarity in its interval", "difference in its interval"])
def test_intervals_hold_the_truth(found, what):
    shares = [float(text.removesuffix(" %")) for text in found[what]]
    assert len(shares) == len(CONDITIONS)
    assert min(shares) >= 75  # 95 % in many worlds


def test_similarities_are_hardly_biased(found):
    assert all(abs(float(text)) < 0.15 for text in found["bias of the similarity"])
