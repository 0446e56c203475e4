"""Mappings from features or kernels to a space, for items with and without answers."""

from resemblance.mappings.cross_validation import (
    MKPOECV as MKPOECV,
    POECV as POECV,
    YadaCV as YadaCV,
)
from resemblance.mappings.kpsde import KPSDE as KPSDE
from resemblance.mappings.mmc import MMC as MMC
from resemblance.mappings.poe import MKPOE as MKPOE, POE as POE
from resemblance.mappings.schultz_joachims import SchultzJoachims as SchultzJoachims
from resemblance.mappings.yada import Yada as Yada
