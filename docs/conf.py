"""Sphinx settings: the guide, the reference from docstrings, the decisions."""

from importlib.metadata import version as version_of

project = "resemblance"
author = "the resemblance developers"
copyright = "2026, the resemblance developers"
version = release = version_of("resemblance")

extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "myst_parser"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "resemblance"
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
