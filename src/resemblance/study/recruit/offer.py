"""The offer of a study to participants, and the interface of recruitment services."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, ClassVar

from resemblance.errors import SettingError
from resemblance.study.folder import StudyFolder
from resemblance.study.sections import Recruitment

RECRUITED = "recruited"  # event of the audit trail for an offer
CENT = Decimal("0.01")


@dataclass(frozen=True)
class Offer:
    study: str
    title: str
    description: str
    address: str
    places: int  # number of people
    pay: Decimal  # for each person, in units of the currency
    minutes: float  # the duration that people are told
    terms: Recruitment  # currency and requirements

    @property
    def hourly(self) -> Decimal:
        return (self.pay * 60 / Decimal(str(self.minutes))).quantize(CENT, ROUND_HALF_UP)

    @property
    def total(self) -> Decimal:
        return self.pay * self.places


@dataclass(frozen=True)
class Submission:
    id: str  # the service's id
    person: str  # the person's id there
    waiting: bool  # for approval
    paid: bool = False


class Recruiter(ABC):
    """A recruiting service, by its name in study.toml."""

    source: ClassVar[str]

    @abstractmethod
    def check(self, offer: Offer) -> None:
        """Refuse an offer that the service would refuse."""

    @abstractmethod
    def fee(self, offer: Offer) -> Decimal:
        """Return the highest fee of the service, without taxes."""

    @abstractmethod
    def request(self, offer: Offer) -> dict[str, Any]:
        """Return the request that would be sent."""

    @abstractmethod
    def publish(self, offer: Offer) -> str:
        """Publish the offer, and return the service's id. This costs money."""

    @abstractmethod
    def submissions(self, task: str) -> list[Submission]: ...

    @abstractmethod
    def approve(self, submission: Submission) -> None: ...


def offer_of(folder: StudyFolder, places: int | None = None) -> Offer:
    """Read a study's offer; raise SettingError if pay, places or a public address are missing."""
    settings = folder.settings
    wanted = settings.recruitment
    places, address = places or wanted.max_participants, settings.server.address or ""
    for lacking, remedy in (
        (not places, "no number of people: give --places, or recruitment.max_participants"),
        (wanted.pay <= 0, "no pay: give recruitment.pay"),
        (
            not address.startswith("https://"),
            "no address that people can reach: give server.address, https://...",
        ),
    ):
        if lacking:
            raise SettingError(f"{folder.path}/study.toml: {remedy}")
    assert places is not None
    return Offer(
        study=folder.name,
        title=settings.study.title,
        description=wanted.description or settings.study.prompt,
        address=f"{address}/s/{folder.name}",
        places=places,
        pay=Decimal(str(wanted.pay)).quantize(CENT, ROUND_HALF_UP),
        minutes=settings.exact_minutes,
        terms=wanted,
    )
