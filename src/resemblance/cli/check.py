"""The command `check`."""

from typing import TYPE_CHECKING

import typer

from resemblance.cli.options import StudyPath

if TYPE_CHECKING:
    from resemblance.study.folder import StudyFolder


def check(
    study: StudyPath,
) -> None:
    """Check a study before it is served: every problem is told with its file and line."""
    from resemblance.study.folder import StudyFolder
    from resemblance.study.live import unchanged_since_start
    from resemblance.study.thumbnails import refuse_broken

    folder = StudyFolder.open(study)
    unchanged_since_start(folder)
    refuse_broken(folder)
    for line in summary(folder):
        typer.echo(line)


def summary(folder: "StudyFolder") -> list[str]:
    """Say what a study will do."""
    settings = folder.settings
    tasks, kinds = settings.tasks, {s.type for s in folder.stimuli}
    gold = round(tasks.gold_share * tasks.task_size)
    lines = [
        f"{folder.path}: fine",
        f"  {len(folder.stimuli)} items ({', '.join(sorted(kinds))})",
        f"  {settings.study.kind}: {settings.study.prompt}",
        f"  {tasks.practice} questions of practice, then {tasks.per_participant} tasks of "
        f"{tasks.task_size}, {gold} of them gold",
        f"  questions chosen {'by what was answered' if settings.adaptive else 'at random'}",
        f"  pages: {', '.join(folder.pages) or 'none'}",
    ]
    return lines + [f"  note: {note}" for note in notes(folder)]


def notes(folder: "StudyFolder") -> list[str]:
    """Say what is allowed, but may not be meant."""
    settings, found = folder.settings, []
    if "consent" not in folder.pages:
        found.append("nobody is asked for consent: add pages.consent")
    found += folder.kind.notes(folder.material)
    if settings.recruitment.source == "prolific" and not settings.recruitment.completion_code:
        found.append("Prolific needs recruitment.completion_code")
    if settings.asking.adaptive and not folder.kind.adaptive:
        found.append("asking.adaptive does nothing here: these questions are drawn at random")
    return found
