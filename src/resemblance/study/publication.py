"""Description of a study where its data are published: ``[publication]``."""

from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

from resemblance.errors import SettingError
from resemblance.licenses import LICENSES, find_license
from resemblance.study.sections import Section, setting

NEEDED = ("authors", "license")


def _known_license(spdx: str) -> str:
    find_license(spdx)
    return spdx


LicenseName = Annotated[
    str, AfterValidator(_known_license), WithJsonSchema({"type": "string", "enum": list(LICENSES)})
]


class Publication(Section):
    """Description of the study where its data are published, for `export --to`."""

    authors: list[str] = setting([], 'Who made it: "Young, Ann", or the name of a group.')
    license: LicenseName | None = setting(None, f"{', '.join(LICENSES)}.")
    doi: str | None = setting(
        None, "Its DOI, such as 10.17605/OSF.IO/ABCDE.", pattern=r"^10\.[0-9]{4,9}/\S+$"
    )
    description: str = setting("", "What the study is about.")

    def refuse_unfinished(self) -> None:
        """Refuse to publish without authors or licence; the error names every missing one.

        >>> Publication(authors=["Young, Ann"]).refuse_unfinished()
        Traceback (most recent call last):
        resemblance.errors.SettingError: what is published needs publication.license: ...
        """
        if lacking := [f"publication.{name}" for name in NEEDED if not getattr(self, name)]:
            raise SettingError(
                f"what is published needs {', '.join(lacking)}: give it in study.toml, under "
                "[publication]"
            )
