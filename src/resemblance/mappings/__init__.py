"""Mappings: from features or kernels to a space, for items seen or unseen."""

from resemblance.mappings.kpsde import KPSDE as KPSDE
from resemblance.mappings.mmc import MMC as MMC
from resemblance.mappings.poe import MKPOE as MKPOE, POE as POE
from resemblance.mappings.poe_cv import MKPOECV as MKPOECV, POECV as POECV
from resemblance.mappings.schultz_joachims import SchultzJoachims as SchultzJoachims
from resemblance.mappings.yada import Yada as Yada
from resemblance.mappings.yada_cv import YadaCV as YadaCV
