"""Studies without HTTP: settings, questions, participants, answers and worker.

The modules that web processes import load no scientific packages; the worker loads these packages.
"""

from resemblance.optional import need_packages

need_packages("a study needs", "pydantic", "sqlalchemy", "markdown_it")
