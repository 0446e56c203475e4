"""Requests and responses of the search page and its API."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(min_length=1, max_length=1000)]
Clicks = Annotated[str, Field(pattern="^[1-9]*$", max_length=100)]
Number = Annotated[int, Field(ge=0, le=2**31 - 1)]
Numbers = Annotated[list[Annotated[float, Field(allow_inf_nan=False)]], Field(max_length=20_000)]


class Body(BaseModel):
    """Base of requests, which refuse unknown fields."""

    model_config = ConfigDict(extra="forbid")


def places(clicks: str) -> list[int]:
    """Return the indices of the clicked tiles, from 0."""
    return [int(click) - 1 for click in clicks]


class Tile(BaseModel):
    """One item of a page: its index in the map, its name, and its picture or text.

    `link` is the item's own web page.
    """

    number: int
    name: str | None
    url: str | None = None
    text: str | None = None
    link: str | None = None


class Page(BaseModel):
    """The page after some clicks; each digit of `clicks` is a clicked tile, from 1.

    In a study, `space` is the id of the map, which stays the same during a search. Before the first
    map there are no tiles.
    """

    clicks: str
    tiles: list[Tile]
    space: int | None = None


class Found(Body):
    """The end of a search: the clicked tiles and the found tile, with consent to store them.

    `search` is a random id from the page, so that a search that is sent twice is kept once.
    """

    search: Annotated[str, Field(pattern="^[A-Za-z0-9_-]{16,64}$")]
    clicks: Clicks
    tile: Annotated[int, Field(ge=1, le=9)]
    like: Number | None = None
    space: Number | None = None
    agreed: Literal[True]

    @property
    def places(self) -> tuple[list[int], int]:
        """The indices of the clicked tiles and of the found tile, from 0."""
        return places(self.clicks), self.tile - 1


class Kept(BaseModel):
    """The number of judgments that were stored."""

    kept: int


class Neighbour(BaseModel):
    """An item and its distance."""

    item: str
    distance: float


class Neighbours(BaseModel):
    """The nearest items, nearest first."""

    nearest: list[Neighbour]


class Distance(BaseModel):
    """The distance between two items."""

    distance: float


class Probability(BaseModel):
    """The probability that a is judged more similar to the head than b."""

    probability: float


class AllItems(BaseModel):
    """All items and their positions."""

    items: list[str]
    positions: list[list[float]]
    model: str


class Point(Body):
    """A point of the space."""

    point: Numbers
    k: int = Field(default=10, ge=1, le=1000)


class Features(Body):
    """The features of an item, in the order of the fit."""

    features: Numbers


class Answers(Body):
    """Answers about a new item: the options of each question, beginning with the chosen one."""

    answers: list[Annotated[list[Name], Field(min_length=2, max_length=100)]] = Field(
        min_length=1, max_length=1000
    )


class Position(BaseModel):
    """The position of an item; a covariance is given if it comes from answers."""

    position: list[float]
    covariance: list[list[float]] | None = None
