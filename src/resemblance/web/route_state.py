"""State that the routes share."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from resemblance.study.failures import Failure
from resemblance.study.live import LiveStudy
from resemblance.web.accounts import Accounts
from resemblance.web.addresses import Arrivals, Newcomers
from resemblance.web.limits import Sharing
from resemblance.web.search.study import StudySearch

MOST_KNOWN = 100_000  # tokens remembered
STATIC = Path(__file__).parent / "static"


@dataclass
class Shared:
    """State that the routes share: studies, accounts and rate limits."""

    studies: dict[str, LiveStudy]
    accounts: Accounts
    static: Path = STATIC
    clock: Callable[[], float] = time.time
    searches: dict[str, StudySearch] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=set)  # digests of tokens that were found before
    sharing: Sharing = field(default_factory=Sharing)
    arrivals: Arrivals = field(default_factory=Arrivals)

    def __post_init__(self) -> None:
        self.newcomers = Newcomers(self.sharing.processes)
        exact, divided = self.sharing.exact, self.sharing.divided
        self.entries = exact("entries", burst=120, per_second=1)
        self.logins = exact("logins", burst=5, per_second=0.1)  # by network
        self.guesses = self.sharing.growing("guesses", burst=5)  # by name and network
        # by name, for all networks together
        self.tries = exact("tries", burst=100, per_second=0.03)
        self.requests = divided(burst=60, per_second=10)
        self.strangers = divided(burst=1000, per_second=10)

    def remember(self, hashed: str) -> None:
        """Remember a valid token, so that its requests are counted separately."""
        if len(self.tokens) >= MOST_KNOWN:
            self.tokens.clear()
        self.tokens.add(hashed)

    def study(self, name: str) -> LiveStudy:
        if name not in self.studies:
            raise Failure("unknown_study")
        return self.studies[name]
