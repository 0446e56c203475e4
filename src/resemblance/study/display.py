"""Requirements on participants' screens and sound: ``[display]``."""

from itertools import compress, groupby
from typing import Any, Literal

from resemblance.study.sections import Section, setting

GREY = "#808080"
MEASURE = "measure"  # kind of the pages in SCREEN and HEADPHONES
SCREEN, HEADPHONES = "screen", "headphones"
# Number of trials of the headphone check, and of right answers to pass (Woods et al. 2017).
TRIALS, ENOUGH = 6, 5
MEASURED = {  # descriptions of the exported columns
    "pixels_per_cm": "CSS pixels per centimetre of the screen, measured with a bank card.",
    "distance_cm": "Distance of the person from the screen, measured by the left eye's blind spot.",
    "headphones_right": f"Right answers of {TRIALS} in the headphone check.",
    "headphones_passed": f"Whether {ENOUGH} or more were right; no if the check was impossible.",
}
# duration of each measurement in seconds
SECONDS = {"pixels_per_cm": 20, "distance_cm": 45, "headphones_right": 60}
PAGES = {"pixels_per_cm": SCREEN, "distance_cm": SCREEN, "headphones_right": HEADPHONES}
LIMITS = {
    "pixels_per_cm": (10.0, 200.0),
    "distance_cm": (10.0, 300.0),
    "headphones_right": (0.0, float(TRIALS)),
}


class Display(Section):
    """Requirements on screen and sound, measured before the first question."""

    background: str = setting(
        "auto",
        "Background of the stimuli: light, dark, grey or a colour such as #7f7f7f; auto: light or "
        "dark, as each person's device is set.",
        pattern=r"^(auto|light|dark|grey|#[0-9a-fA-F]{6})$",
    )
    min_size: str | None = setting(
        None,
        "Smallest allowed window in CSS pixels, such as 800x600; people are told beforehand.",
        pattern=r"^[0-9]{1,5}x[0-9]{1,5}$",
    )
    measure: Literal["no", "scale", "distance"] = setting(
        "no",
        "scale: people measure their screen with a bank card; distance: also their distance from "
        "it, by the blind spot.",
    )
    headphones: Literal["no", "tell", "refuse"] = setting(
        "no", "Headphone check; people who fail are told and go on (tell), or are refused (refuse)."
    )
    exact: bool = setting(False, "Whether pictures are sent in full size even to smaller screens.")

    @property
    def scheme(self) -> str:
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
        row = {name: values.get(name) for name in self.measures}
        if self.headphones != "no":
            row["headphones_passed"] = passed(values) if "headphones_right" in values else None
        return row


def passed(values: dict[str, Any]) -> bool:
    right = values.get("headphones_right")
    return right is not None and right >= ENOUGH
