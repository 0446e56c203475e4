"""The code in README and in the guide runs as it stands, page by page; pages know their order.

The notebooks run at each build of the documentation, which an error ends.
"""

import re
import runpy
from pathlib import Path
from unittest import mock

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "resemblance"
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.md"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md")), *NOTEBOOKS]


READING = runpy.run_path(str(ROOT / "docs" / "_reading.py"))
BUILT = "pictures/"  # by the gallery, with the documentation


def built_from(target):
    name = re.sub(r"(?:sphx_glr_)?(.+?)(?:_\d+)?\.(?:png|rst)", r"\1.py", Path(target).name)
    return "gallery/" + name.replace("index.py", "GALLERY_HEADER.rst")


def code_of(page):
    text = page.read_text(encoding="utf-8")
    return "\n".join(re.findall(r"^```(?:python|{code-cell})\n(.*?)^```", text, re.M | re.S))


@pytest.mark.guide
@pytest.mark.parametrize("page", sorted({*PAGES} - {*NOTEBOOKS}), ids=lambda p: p.stem)
@pytest.mark.filterwarnings("error")
def test_code_of_the_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code_of(page), page.name, "exec"), {})


def targets(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", text):
        if not target.startswith("http"):
            built = target.removeprefix("../").startswith(BUILT)
            yield ROOT / "docs" / built_from(target) if built else page.parent / target


def test_links_lead_somewhere():
    paths = [path for page in [ROOT / "docs/index.md", *PAGES] for path in targets(page)]
    assert len(paths) > 100
    assert not [path for path in paths if not path.exists()]


def test_the_guide_lists_each_page_once():
    names = [page.name for page in READING["reading_order"]()]
    assert sorted([*names, "index"]) == sorted(p.stem for p in (ROOT / "docs/guide").glob("*.md"))


def test_previous_and_next_follow_the_lists_of_the_guide():
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    names = [page.name for page in READING["reading_order"]()]
    assert re.findall(r"^guide/([\w-]+)$", index, re.M) == ["index", *names]


def test_what_a_page_teaches_stands_below_its_title():
    source = ["# The desk\n\nWords.\n"]
    sphinx = mock.Mock()
    READING["add_opening"](sphinx, "guide/desk", source)
    title, _, _, words, *_, last = source[0].splitlines()
    assert (title, last) == ("# The desk", "Words.")
    assert words == "**On this page:** watch and steer a study that runs."
    sphinx.env.note_dependency.assert_called_once_with("guide/index.md")
    other = ["# Other\n"]
    READING["add_opening"](sphinx, "scale", other)
    assert other == ["# Other\n"]


def change_index():
    """Return the rows of the change index."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    index = text[text.index("## Places that names do not tell") : text.index("## Words")]
    rows = [line.strip("| ").split(" | ") for line in index.splitlines() if line[:2] == "| "]
    return rows[1:]


def opened(path):
    beside = ROOT / path
    return beside if beside.exists() else PACKAGE / path


def test_the_change_index_of_the_architecture_is_sorted_and_leads_somewhere():
    rows = change_index()
    subjects = [subject.lower() for subject, _ in rows]
    assert subjects == sorted(set(subjects))
    for _, places in rows:
        for path in re.findall(r"`([\w./-]+/[\w./-]*|\w+\.py)`", places):
            assert opened(path).exists(), path
        for path, names in re.findall(r"`([\w./-]+)` \(([^)]*)\)", places):
            for name in re.findall(r"`(\w+)`", names):
                assert name in opened(path).read_text(encoding="utf-8"), (path, name)
    assert len(rows) <= 60


def test_the_architecture_lists_every_module():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    tables = text[text.index("## Packages") : text.index("## How an answer")]
    listed = set()
    for line in re.findall(r"^\| (.*)` \|$", tables, re.M):
        *_, folder, _, names = line.split("|")
        listed.update(folder.strip(" `") + name for name in names.strip(" `").split())
    modules = {
        path.relative_to(PACKAGE).with_suffix("").as_posix()
        for path in PACKAGE.rglob("*.py")
        if path.name not in ("__init__.py", "__main__.py") and "migrations" not in path.parts
    }
    pages = {
        path.relative_to(ROOT / "frontend" / "src").with_suffix("").as_posix()
        for path in (ROOT / "frontend" / "src").rglob("*.ts")
    }
    assert listed == modules | pages


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_no_table_is_cut_by_a_blank_line(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    blocks = re.findall(r"(?:^\|.*\n)+", text, re.M)
    assert not [block for block in blocks if not re.match(r".*\n\|[ :|-]+\|\n", block)]
