"""Mappings: from features or kernels to a space, for items seen or unseen."""

from resemblance.mappings.kpsde import KPSDE
from resemblance.mappings.mmc import MMC
from resemblance.mappings.poe import MKPOE, POE
from resemblance.mappings.poe_cv import MKPOECV, POECV
from resemblance.mappings.schultz_joachims import SchultzJoachims
from resemblance.mappings.yada import Yada
from resemblance.mappings.yada_cv import YadaCV

__all__ = ["KPSDE", "MKPOE", "MKPOECV", "MMC", "POE", "POECV", "SchultzJoachims", "Yada", "YadaCV"]
