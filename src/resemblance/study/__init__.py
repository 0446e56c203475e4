"""A study: its settings, questions, participants, answers and worker, below any web framework.

What a web process imports from here loads no science; the worker does so late.
"""

from resemblance.optional import need_packages

need_packages("a study needs", "pydantic", "sqlalchemy", "markdown_it")
