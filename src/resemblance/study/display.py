"""Requirements on participants' screens and sound: ``[display]``."""

from itertools import compress, groupby
from typing import Any, Literal

from resemblance.study.sections import Section, setting

GREY = "#808080"
MEASURE = "measure"  # the kind of a page on which something is measured
SCREEN, HEADPHONES = "screen", "headphones"  # names of the pages that measure something
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

    background: str = setting(
        "auto",
        "Around and behind the stimuli: light, dark, grey or a colour such as #7f7f7f for all "
        "people; auto: as each has it.",
        pattern=r"^(auto|light|dark|grey|#[0-9a-fA-F]{6})$",
    )
    min_size: str | None = setting(
        None,
        "Smallest window in pixels of the page, such as 800x600; people are told before.",
        pattern=r"^[0-9]{1,5}x[0-9]{1,5}$",
    )
    measure: Literal["no", "scale", "distance"] = setting(
        "no",
        "Whether people measure their screen by a bank card (scale), and by the blind spot how far "
        "they sit from it, too (distance).",
    )
    headphones: Literal["no", "tell", "refuse"] = setting(
        "no", "Check of headphones: who fails is told, and goes on, or may not take part."
    )
    exact: bool = setting(
        False, "Whether pictures are sent as they are, though the screen shows them smaller."
    )

    @property
    def scheme(self) -> str:
        """The colours of the page, where none is fixed: auto, light or dark."""
        return "auto" if self.surround else self.background

    @property
    def surround(self) -> str | None:
        colour = GREY if self.background == "grey" else self.background
        return colour if colour.startswith("#") else None

    @property
    def smallest(self) -> tuple[int, int]:
        width, _, height = (self.min_size or "0x0").partition("x")
        return int(width), int(height)

    @property
    def measures(self) -> list[str]:
        asked = (self.measure != "no", self.measure == "distance", self.headphones != "no")
        return list(compress(PAGES, asked))

    @property
    def seconds(self) -> int:
        return sum(SECONDS[measure] for measure in self.measures)

    @property
    def pages(self) -> dict[str, list[str]]:
        return {page: list(of) for page, of in groupby(self.measures, key=PAGES.__getitem__)}

    def refuses(self, page: str, values: dict[str, Any]) -> bool:
        return page == HEADPHONES and self.headphones == "refuse" and not passed(values)

    def row(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return the measurements as columns of a person; missing ones are None."""
        row = {name: values.get(name) for name in self.measures}
        if self.headphones != "no":
            row["headphones_passed"] = passed(values) if "headphones_right" in values else None
        return row


def passed(values: dict[str, Any]) -> bool:
    """Return whether a person passed the headphone check; None if it could not be done."""
    right = values.get("headphones_right")
    return right is not None and right >= ENOUGH
