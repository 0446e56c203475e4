"""The draft for the Journal of Open Source Software: its references and its figure."""

import re
from pathlib import Path

import pytest
from PIL import Image

from scripts import scripts

FOLDER = Path(__file__).parents[2] / "docs" / "paper"


def test_every_reference_is_cited_and_listed():
    text = (FOLDER / "paper.md").read_text().partition("\n---\n")[2]
    listed = re.findall(r"^@\w+\{(\w+),", (FOLDER / "paper.bib").read_text(), re.M)
    assert sorted(set(re.findall(r"@([a-z]+\d{4})", text))) == sorted(listed)


@pytest.mark.paper
def test_the_command_makes_the_figure(tmp_path):
    with scripts("docs/paper", "figure") as made:
        made.figure.draw(tmp_path / "figure.png")
    with Image.open(tmp_path / "figure.png") as drawn, Image.open(FOLDER / "figure.png") as kept:
        assert drawn.size == kept.size
