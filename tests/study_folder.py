"""Write the folder of a small study, by a fixture."""

import tomllib

import pytest
from PIL import Image

TEXTS = {
    "consent": "# Consent\n\nDo you agree?\n",
    "instructions": "# What to do\n\nClick.\n",
    "debrief": "# Thank you\n\nGoodbye.\n",
}
SETTINGS = {
    "study": {"name": "ties"},
    "tasks": {"per_participant": 1, "task_size": 10, "practice": 2},
    "asking": {"strategy": "random"},
    "quality": {"fast_ms": 0},  # tests answer at once
}
LIGHT = {"kind": "match_to_sample"}  # a kind whose worker starts fast, because it fits late
CLASSES = "name,file,label\nleft,stimuli/item0.png,0\nright,stimuli/item1.png,1\n"


def as_toml(settings):
    from resemblance.study.settings_file import toml

    lines = []
    for section, values in settings.items():
        lines.append(f"[{section}]")
        for key, value in values.items():
            tables = [toml(one) for one in value if isinstance(one, dict)] if key == "rules" else []
            lines.append(f"{key} = [{', '.join(tables)}]" if tables else f"{key} = {toml(value)}")
    return "\n".join(lines) + "\n"


def all_settings(folder):
    """Return study.toml with all settings, like `check --settings`."""
    from resemblance.study.settings_file import study_toml

    return study_toml(tomllib.loads((folder / "study.toml").read_text()), whole=True)


@pytest.fixture
def make_study(tmp_path):
    """Return a function that writes a study's folder, with defaults for a small study."""

    def make(name="ties", n_items=6, **sections):
        return write_study(tmp_path / name, n_items, **sections)

    return make


def write_study(folder, n_items=6, **sections):
    (folder / "stimuli").mkdir(parents=True)
    (folder / "pages").mkdir()
    for number in range(n_items):
        shade = Image.new("L", (8, 8), 20 * number)
        shade.putpixel((number % 8, 0), 255)
        shade.save(folder / "stimuli" / f"item{number}.png")
    for page, text in TEXTS.items():
        (folder / "pages" / f"{page}.md").write_text(text)
    (folder / "classes.csv").write_text(CLASSES)
    merged = {**SETTINGS, "study": {"name": folder.name}}
    for section, values in sections.items():
        merged[section] = {**merged.get(section, {}), **values}
    (folder / "study.toml").write_text(as_toml(merged))
    return folder
