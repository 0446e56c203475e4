"""Studies without HTTP: settings, questions, participants, answers and worker."""

from resemblance.optional import need_packages

need_packages("a study needs", "pydantic", "sqlalchemy", "markdown_it")
