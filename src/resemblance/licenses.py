"""Licences of data by their SPDX names."""

from dataclasses import dataclass

from resemblance.errors import SettingError

_CC = "https://creativecommons.org"
_ODC = "https://opendatacommons.org/licenses"


@dataclass(frozen=True)
class License:
    spdx: str
    name: str
    address: str
    hub: str  # name that data hubs use


def _table(*licenses: License) -> dict[str, License]:
    return {license.spdx: license for license in licenses}


LICENSES = _table(
    License("CC0-1.0", "CC0 1.0 Universal", f"{_CC}/publicdomain/zero/1.0/", "cc0-1.0"),
    License("CC-BY-4.0", "Attribution 4.0", f"{_CC}/licenses/by/4.0/", "cc-by-4.0"),
    License("CC-BY-SA-4.0", "ShareAlike 4.0", f"{_CC}/licenses/by-sa/4.0/", "cc-by-sa-4.0"),
    License("CC-BY-NC-4.0", "NonCommercial 4.0", f"{_CC}/licenses/by-nc/4.0/", "cc-by-nc-4.0"),
    License(
        "CC-BY-NC-SA-4.0",
        "NonCommercial-ShareAlike 4.0",
        f"{_CC}/licenses/by-nc-sa/4.0/",
        "cc-by-nc-sa-4.0",
    ),
    License("PDDL-1.0", "Public Domain Dedication and License", f"{_ODC}/pddl/1-0/", "pddl"),
    License("ODC-By-1.0", "Attribution License 1.0", f"{_ODC}/by/1-0/", "odc-by"),
    License("ODbL-1.0", "Open Database License 1.0", f"{_ODC}/odbl/1-0/", "odbl"),
)


def find_license(spdx: str) -> License:
    """Return the licence with an SPDX name; the error for an unknown name lists all names.

    >>> find_license("CC-BY-4.0").hub
    'cc-by-4.0'
    """
    if spdx not in LICENSES:
        raise SettingError(f"{spdx!r} is an unknown licence: choose {', '.join(LICENSES)}")
    return LICENSES[spdx]
