"""From and to other programs: Salmon, NEXT, PsiZ, THINGS, cblearn."""

from resemblance.judgments.exchange.arrays import read_cblearn, write_cblearn, write_psiz
from resemblance.judgments.exchange.next import read_next
from resemblance.judgments.exchange.psiz import read_psiz
from resemblance.judgments.exchange.salmon import read_salmon
from resemblance.judgments.exchange.things import read_things

__all__ = [
    "read_cblearn",
    "read_next",
    "read_psiz",
    "read_salmon",
    "read_things",
    "write_cblearn",
    "write_psiz",
]
