"""Requirements on participants' screens and sound: ``[display]``."""

from itertools import compress, groupby
from typing import Any, Literal

from pydantic import model_validator

from resemblance.study.sections import Count, Section, setting

GREY = "#808080"
MEASURE = "measure"  # the kind of a page on which something is measured
SCREEN, HEADPHONES = "screen", "headphones"  # such pages
TRIALS, ENOUGH = 6, 5  # trials of the headphone check (Woods et al. 2017), and correct ones to pass
MEASURED = {  # descriptions of measured columns of people
    "pixels_per_cm": "Pixels of the page in a centimetre of the screen, by a card held to it.",
    "distance_cm": "How far the person sat from the screen, by the blind spot of the left eye.",
    "headphones_right": f"Right answers of {TRIALS} in the check of headphones.",
    "headphones_passed": f"Whether these are {ENOUGH} or more; no, where it could not be done.",
}
# seconds of each measurement
SECONDS = {"pixels_per_cm": 20, "distance_cm": 45, "headphones_right": 60}
PAGES = {"pixels_per_cm": SCREEN, "distance_cm": SCREEN, "headphones_right": HEADPHONES}
LIMITS = {
    "pixels_per_cm": (10.0, 200.0),
    "distance_cm": (10.0, 300.0),
    "headphones_right": (0.0, float(TRIALS)),
}


class Display(Section):
    """Conditions of display and sound, measured before the first question."""

    scheme: Literal["auto", "light", "dark", "grey"] = setting(
        "auto", "Colours of the page: light, dark or grey for all people; auto: as each has it."
    )
    surround: str | None = setting(
        None,
        "Colour around and behind the stimuli for all people, such as #7f7f7f.",
        pattern=r"^#[0-9a-fA-F]{6}$",
    )
    min_width: Count = setting(0, "Smallest window in pixels of the page; people are told before.")
    min_height: Count = setting(0, "And its height.")
    scale: bool = setting(False, "Whether people measure their screen by a bank card.")
    distance: bool = setting(False, "Whether the distance is measured, by the blind spot.")
    headphones: Literal["no", "tell", "refuse"] = setting(
        "no", "Check of headphones: who fails is told, and goes on, or may not take part."
    )
    heard: bool = setting(
        True,
        "Whether an answer is taken only after all sounds of a question were heard to the end.",
    )
    frames: bool = setting(False, "Whether it is kept how evenly the screen draws.")
    exact: bool = setting(
        False, "Whether pictures are sent as they are, though the screen shows them smaller."
    )

    @model_validator(mode="after")
    def _goes_together(self) -> "Display":
        if self.surround and self.scheme != "auto":
            raise ValueError("surround decides about all colours: leave scheme out, or surround")
        if self.distance and not self.scale:
            raise ValueError("the distance is told by the scale of the screen: set scale to true")
        return self

    @property
    def around(self) -> str | None:
        return GREY if self.scheme == "grey" else self.surround

    @property
    def measures(self) -> list[str]:
        asked = (self.scale, self.distance, self.headphones != "no")
        return list(compress(PAGES, asked))

    @property
    def seconds(self) -> int:
        return sum(SECONDS[measure] for measure in self.measures)

    @property
    def pages(self) -> dict[str, list[str]]:
        return {page: list(of) for page, of in groupby(self.measures, key=PAGES.__getitem__)}

    def refuses(self, page: str, values: dict[str, Any]) -> bool:
        """Return whether the measurements of a page exclude a person."""
        return page == HEADPHONES and self.headphones == "refuse" and not passed(values)

    def row(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return the measurements as columns of a person; missing ones are None."""
        row = {name: values.get(name) for name in self.measures}
        if self.headphones != "no":
            row["headphones_passed"] = passed(values) if "headphones_right" in values else None
        return row


def passed(values: dict[str, Any]) -> bool:
    """Return whether a person passed the headphone check; None if it could not be done.

    >>> passed({"headphones_right": 5}), passed({"headphones_right": None})
    (True, False)
    """
    right = values.get("headphones_right")
    return right is not None and right >= ENOUGH
