"""Export a study as files: answers, participants by pseudonym, and a codebook."""

from resemblance.study.export.files import FORMATS, as_archive, write_export
from resemblance.study.export.psychds import write_psychds
from resemblance.study.export.published import write_archive, write_study_dataset
from resemblance.study.export.publishing import publish
from resemblance.study.export.tables import Export

__all__ = [
    "FORMATS",
    "Export",
    "as_archive",
    "publish",
    "write_archive",
    "write_export",
    "write_psychds",
    "write_study_dataset",
]
