"""Mappings from features or kernels to a space, learned from judgments."""

from resemblance.mappings.cross_validation import (
    MKPOECV as MKPOECV,
    POECV as POECV,
    YadaCV as YadaCV,
)
from resemblance.mappings.metric_learners import (
    KPSDE as KPSDE,
    MMC as MMC,
    SchultzJoachims as SchultzJoachims,
)
from resemblance.mappings.poe import MKPOE as MKPOE, POE as POE
from resemblance.mappings.yada import Yada as Yada
