"""Studies without HTTP: settings, questions, participants, answers and worker.

Web processes import modules that load no scientific package; the worker loads these when needed.
"""

from resemblance.optional import need_packages

need_packages("a study needs", "pydantic", "sqlalchemy", "markdown_it")
