"""Export a study as files: answers, participants by pseudonym, and a codebook."""

from resemblance.study.export.archive import write_archive
from resemblance.study.export.files import FORMATS, as_archive, write_export
from resemblance.study.export.tables import Export

__all__ = ["FORMATS", "Export", "as_archive", "write_archive", "write_export"]
