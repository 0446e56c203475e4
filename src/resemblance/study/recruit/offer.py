"""The offer of a study to participants, and the interface of recruitment services."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, ClassVar

from resemblance.errors import SettingError
from resemblance.study.folder import StudyFolder
from resemblance.study.recruitment import Recruitment

RECRUITED = "recruited"  # event of the audit trail for an offer
CENT = Decimal("0.01")


@dataclass(frozen=True)
class Offer:
    """A study as people see it before they begin.

    Attributes
    ----------
    study : str
        Its name.
    title, description : str
        What people read.
    address : str
        Where they take part.
    places : int
        How many may.
    pay : Decimal
        What each gets, in units of the currency.
    minutes : float
        How long it takes, as people are told.
    terms : Recruitment
        The currency, and what a person must have done before, as the study says.
    """

    study: str
    title: str
    description: str
    address: str
    places: int
    pay: Decimal
    minutes: float
    terms: Recruitment

    @property
    def hourly(self) -> Decimal:
        """What an hour is paid."""
        return (self.pay * 60 / Decimal(str(self.minutes))).quantize(CENT, ROUND_HALF_UP)

    @property
    def total(self) -> Decimal:
        """What all people get together."""
        return self.pay * self.places


@dataclass(frozen=True)
class Submission:
    """Work that somebody handed in at a service.

    Attributes
    ----------
    id : str
        The service's name for it.
    person : str
        The person's id there.
    waiting : bool
        Whether it waits to be approved.
    paid : bool
        Whether it was approved before.
    """

    id: str
    person: str
    waiting: bool
    paid: bool = False


class Recruiter(ABC):
    """A service that finds people.

    Attributes
    ----------
    source : str
        Its name in study.toml.
    """

    source: ClassVar[str]

    @abstractmethod
    def check(self, offer: Offer) -> None:
        """Refuse an offer that the service would refuse."""

    @abstractmethod
    def fee(self, offer: Offer) -> Decimal:
        """Return what the service takes at most, taxes apart."""

    @abstractmethod
    def request(self, offer: Offer) -> dict[str, Any]:
        """Return what would be sent."""

    @abstractmethod
    def publish(self, offer: Offer) -> str:
        """Make the offer, and give the service's name for it. From now on it costs money."""

    @abstractmethod
    def submissions(self, task: str) -> list[Submission]:
        """Return the work that was handed in for an offer."""

    @abstractmethod
    def approve(self, submission: Submission) -> None:
        """Approve work: its person is paid."""


def offer_of(folder: StudyFolder, places: int | None = None, address: str | None = None) -> Offer:
    """Read from a study's settings what people are offered.

    Raises
    ------
    SettingError
        If it says neither what people are paid nor how many may come, or nobody outside can reach
        its address.
    """
    settings = folder.settings
    wanted = settings.recruitment
    places, address = places or wanted.max_participants, address or settings.server.address
    for lacking, remedy in (
        (not places, "no number of people: give --places, or recruitment.max_participants"),
        (wanted.pay <= 0, "no pay: give recruitment.pay"),
        (
            not (address or "").startswith("https://"),
            "no address that people can reach: give --address https://..., or server.address",
        ),
        (
            wanted.signed and (address or "").rstrip("/") != settings.server.address,
            "recruitment.signed holds for server.address alone: leave --address out, or make "
            "server.address the same",
        ),
    ):
        if lacking:
            raise SettingError(f"{folder.path}/study.toml: {remedy}")
    assert places is not None
    assert address is not None
    return Offer(
        study=folder.name,
        title=settings.study.title,
        description=wanted.description or settings.study.prompt,
        address=f"{address.rstrip('/')}/s/{folder.name}",
        places=places,
        pay=Decimal(str(wanted.pay)).quantize(CENT, ROUND_HALF_UP),
        minutes=settings.exact_minutes,
        terms=wanted,
    )
