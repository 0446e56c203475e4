"""Studies without HTTP: settings, questions, participants, answers and worker.

Modules that a web process imports load no scientific packages; the worker loads them when needed.
"""

from resemblance.optional import need_packages

need_packages("a study needs", "pydantic", "sqlalchemy", "markdown_it")
