"""From and to other programs: Salmon, NEXT, PsiZ, THINGS, cblearn."""

from resemblance.judgments.exchange.arrays import (
    read_cblearn as read_cblearn,
    write_cblearn as write_cblearn,
    write_psiz as write_psiz,
)
from resemblance.judgments.exchange.next import read_next as read_next
from resemblance.judgments.exchange.psiz import read_psiz as read_psiz
from resemblance.judgments.exchange.salmon import read_salmon as read_salmon
from resemblance.judgments.exchange.things import read_things as read_things
