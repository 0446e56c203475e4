"""Studies without HTTP: settings, questions, participants, answers and worker.

What a web process imports from here loads no science; the worker does so late.
"""

from resemblance.optional import need_packages

need_packages("a study needs", "pydantic", "sqlalchemy", "markdown_it")
