"""Sphinx settings: the guide, the reference from docstrings, the decisions."""

import sys
from importlib.metadata import metadata, version as version_of
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "gallery")]
from _reading import add_opening  # noqa: E402
from sphinx.addnodes import toctree  # noqa: E402

project = "resemblance"
author = "the resemblance developers"
copyright = "2026, the resemblance developers"
version = release = version_of("resemblance")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_nb",  # with it myst_parser
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb"}
exclude_patterns = ["_build", "gallery", "paper", "pictures/*.ipynb"]
templates_path = ["_templates"]  # a class with its methods
html_theme = "furo"
html_title = "resemblance"
urls = dict(url.split(", ", 1) for url in metadata("resemblance").get_all("Project-URL") or [])
html_theme_options = (
    {
        "source_repository": urls["Repository"],
        "source_branch": "main",
        "source_directory": "docs/",
    }
    if "Repository" in urls
    else {}
)
html_static_path = ["_static"]
html_css_files = ["own.css"]
autosummary_generate = True
autodoc_typehints = "none"
nitpicky = True  # and `make docs` makes a warning an error
nitpick_ignore_regex = [("py:class", r"dict\[str")]
numpydoc_show_class_members = False
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "force"  # notebooks/ runs at every build
nb_execution_raise_on_error = True
nb_execution_timeout = 120  # seconds, of a cell
nb_output_stderr = "warn"  # and a warning fails the build
nb_merge_streams = True
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "pictures",  # built, git-ignored
    "filename_pattern": "/plot_",
    "ignore_pattern": "_scraper",
    "image_scrapers": ("_scraper",),
    "reset_modules": (),
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 1000,
    "write_computation_times": False,
}


def setup(app):
    app.connect("source-read", add_opening)
    app.connect("missing-reference", find_by_last_names)
    app.connect("env-updated", leave_the_reference_folded)


def find_by_last_names(app, env, node, content):
    """Resolve a name without its package, or with one from which it is not documented."""
    if node.get("refdomain") != "py":
        return None
    domain, kind = env.domains["py"], node["reftype"]
    n_parts = 2 if kind in ("meth", "attr") else 1
    ending = "." + ".".join(node["reftarget"].split(".")[-n_parts:])
    if ending.count(".") < n_parts:  # a method of any class
        return None
    kinds = domain.objtypes_for_role(kind) or []
    names = [n for n, o in domain.objects.items() if n.endswith(ending) and o.objtype in kinds]
    if not names:
        return None
    name = min(names, key=len)
    return domain.resolve_xref(env, node["refdoc"], app.builder, kind, name, node, content)


def leave_the_reference_folded(app, env):
    """Keep the 300 pages of the reference out of every page's sidebar: they are in its index."""
    for tree in list(env.tocs["api/index"].findall(toctree)):
        tree.parent.remove(tree)
