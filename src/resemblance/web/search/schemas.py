"""Requests and responses of the API of a space."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(min_length=1, max_length=1000)]
Clicks = Annotated[str, Field(pattern="^[1-9]*$", max_length=100)]
Number = Annotated[int, Field(ge=0, le=2**31 - 1)]
Numbers = Annotated[list[Annotated[float, Field(allow_inf_nan=False)]], Field(max_length=20_000)]


class Body(BaseModel):
    """A request: what it does not know is refused."""

    model_config = ConfigDict(extra="forbid")


def places(clicks: str) -> list[int]:
    """Return the tiles clicked, from 0."""
    return [int(click) - 1 for click in clicks]


class Tile(BaseModel):
    """One item of a page: its number in the map, its name, and its picture, or the text that it is.

    `link` is the item's own page.
    """

    number: int
    name: str | None
    url: str | None = None
    text: str | None = None
    link: str | None = None


class Page(BaseModel):
    """What is shown after some clicks: `clicks` has a digit for each, 1 for the first tile.

    In a study `space` is the map that is searched: a search goes on in the one that it began in.
    Before there is a map there are no tiles.
    """

    clicks: str
    tiles: list[Tile]
    space: int | None = None


class Found(Body):
    """The end of a search: the tiles clicked, and which one was it, with leave to keep them.

    `search` is an id that its page drew; what comes twice under one id is kept once.
    """

    search: Annotated[str, Field(pattern="^[A-Za-z0-9_-]{16,64}$")]
    clicks: Clicks
    tile: Annotated[int, Field(ge=1, le=9)]
    like: Number | None = None
    space: Number | None = None
    agreed: Literal[True]

    @property
    def places(self) -> tuple[list[int], int]:
        """Return the tiles clicked, and the last one, from 0."""
        return places(self.clicks), self.tile - 1


class Kept(BaseModel):
    """How many judgments were kept."""

    kept: int


class Neighbour(BaseModel):
    """An item, and how far it is."""

    item: str
    distance: float


class Neighbours(BaseModel):
    """The nearest items, nearest first."""

    nearest: list[Neighbour]


class Distance(BaseModel):
    """The distance between two items."""

    distance: float


class Probability(BaseModel):
    """The probability that a is judged more similar to the head than b is."""

    probability: float


class AllItems(BaseModel):
    """All items and where they are."""

    items: list[str]
    positions: list[list[float]]
    model: str


class Point(Body):
    """A point of the space."""

    point: Numbers
    k: int = Field(default=10, ge=1, le=1000)


class Features(Body):
    """The features of an item, as the model was fitted to."""

    features: Numbers


class Answers(Body):
    """Answers about a new item: the options of each question, the one chosen first."""

    answers: list[Annotated[list[Name], Field(min_length=2, max_length=100)]] = Field(
        min_length=1, max_length=1000
    )


class Position(BaseModel):
    """Where an item is; how sure that is, where it came from answers."""

    position: list[float]
    covariance: list[list[float]] | None = None
