"""The commands that create, check, change and export a study."""

import json
import os
import sys
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from resemblance.catalog import PER_NEW_ITEM, STIMULI
from resemblance.cli import options
from resemblance.cli.design import StimulusName
from resemblance.cli.options import StudyPath, argument, option
from resemblance.cli.problems import called
from resemblance.errors import SettingError, count, first_few
from resemblance.files import junk_words, list_folder

if TYPE_CHECKING:
    from resemblance.study.conditions import Conditions
    from resemblance.study.folder import StudyFolder
    from resemblance.study.sections import Recruitment
    from resemblance.study.settings import Server, Settings


DRAWN = "Drawn stimuli"


class Purpose(StrEnum):
    map = "map"
    search = "search"


def new(
    study: Annotated[Path, argument("The folder to create, and name of the study.", "STUDY")],
    images: Annotated[
        Path | None,
        option("Folder of pictures, sounds or films: each is an item.", "FOLDER"),
    ] = None,
    items: Annotated[
        Path | None,
        option("Or a CSV of items, with the columns item, image (or text), name, label, url."),
    ] = None,
    kind: Annotated[
        str | None,
        option(
            "Kind of question: triplet, odd_one_out, one_of_n, pick_k, ranking, pair_rating, "
            "piles, arrangement, match_to_sample, classify. Default: triplet.",
            "KIND",
        ),
    ] = None,
    purpose: Annotated[
        Purpose,
        option("map: a map of all items. search: people find an item by clicking similar ones."),
    ] = Purpose.map,
    language: Annotated[
        list[str] | None,
        option(
            "Language of pages: ar, de, en, es, fr, he, hi, it, ja, ko, nl, pl, pt, tr, zh; may be "
            "given several times. Default: en.",
            "CODE",
        ),
    ] = None,
    features: Annotated[
        Path | None,
        option(
            "A CSV of the items' features, so that fewer answers are needed (see `resemblance "
            "features`); or embedding.csv of a fit to earlier answers, such as a machine's."
        ),
    ] = None,
    link: options.Link = False,
    draw: Annotated[
        StimulusName | None,
        option("Draw the stimuli, and keep their features in the study", panel=DRAWN),
    ] = None,
    grid: Annotated[
        options.Shape | None,
        option(
            "Values of each feature, such as 5x5. Default: the published stimuli.",
            "SHAPE",
            panel=DRAWN,
            parser=options.Shape.of,
        ),
    ] = None,
    bounds: Annotated[
        dict[str, tuple[float, float]] | None,
        options.bounds_option("the published stimuli", DRAWN),
    ] = None,
) -> None:
    """Create a study: a folder with settings, stimuli and texts of pages.

    Give --images, --items or --draw. Then edit the settings (study.toml) and the pages, and run
    `resemblance check`, `rehearse` and `serve`. docs/guide/which-kind.md compares the kinds.
    """
    if [images, items, draw].count(None) != 2:
        raise SettingError("the stimuli are missing: give --images, --items or --draw")
    if (grid and not draw) or (bounds and not grid):
        raise SettingError("--grid needs --draw, and --bounds needs --grid: give them together")
    if draw is not None and (features or link):
        raise SettingError("drawn stimuli have their own features: leave out --features and --link")
    from resemblance.study.creation import create_study
    from resemblance.study.stimuli import list_files

    spoken = language or ["en"]
    with TemporaryDirectory() as folder:
        if draw is not None:
            images, features = drawn(draw, grid, bounds, Path(folder))
        made = create_study(
            study, kind, images, items, link, languages=spoken, features=features, purpose=purpose
        )
    typer.echo(f"{study}: a study of {len(made.stimuli)} items")
    for note in [] if images is None or draw else left_out(images, list_files(images)):
        typer.echo(f"  note: {note}")
    typer.echo("")
    typer.echo(f"  {study / 'study.toml'}    the settings")
    typer.echo(f"  {study / 'pages'}         the texts that people read: write your own")
    following = (f"resemblance {word} {study}" for word in ("check", "rehearse", "serve"))
    typer.echo("\nThen:  " + "\n       ".join(following))


def drawn(
    name: StimulusName,
    grid: options.Shape | None,
    bounds: dict[str, tuple[float, float]] | None,
    folder: Path,
) -> tuple[Path, Path]:
    """Draw stimuli; return the folder of pictures, and the table of features."""
    from resemblance.cli.output import write_csv

    kind = STIMULI[name].load()
    with called(shape="grid"):
        stimuli = kind() if grid is None else kind.on_grid(grid, bounds)
    stimuli.save(folder / name)
    write_csv(folder / "features.csv", stimuli.to_pandas())
    return folder / name, folder / "features.csv"


def check(
    study: StudyPath,
    settings: Annotated[
        bool, option("Print all settings, with the defaults of those that are not set.")
    ] = False,
) -> None:
    """Check a study before it is served, and list all problems with file and line."""
    from resemblance.study.files import read_text
    from resemblance.study.folder import StudyFolder
    from resemblance.study.live import unchanged_since_start
    from resemblance.study.settings_file import FILE, study_toml
    from resemblance.study.thumbnails import refuse_broken

    folder = StudyFolder.open(study)
    if settings:
        given = tomllib.loads(read_text(folder.path / FILE))
        typer.echo(study_toml(given, whole=True), nl=False)
        return
    unchanged_since_start(folder)
    equal = refuse_broken(folder)
    seen = [f"  note: {note}" for note in notes_on_stimuli(folder, equal)]
    for line in (*summary(folder), *seen, *as_it_runs(folder.settings.server)):
        typer.echo(line)


def as_it_runs(server: "Server") -> list[str]:
    from urllib.error import HTTPError
    from urllib.request import urlopen

    from resemblance.cli.serve import HOST, address_of

    address, body = address_of(HOST, server.port), {}
    try:
        with urlopen(f"{address}/ready", timeout=3) as reply:
            body = json.load(reply)
    except HTTPError as refused:
        with suppress(ValueError):
            body = json.load(refused)
    except (OSError, ValueError):
        return []  # no server, or another program, is at this address
    from resemblance.web.addresses import WARNINGS

    ill = [f"it is not ready ({name})" for name, well in body.get("checks", {}).items() if not well]
    odd = [words for code, words in WARNINGS.items() if code in body.get("warnings", ())]
    return [f"  the server at {address}: {words}" for words in (*ill, *odd)]


def summary(folder: "StudyFolder") -> list[str]:
    settings = folder.settings
    tasks, kinds = settings.tasks, {s.type for s in folder.stimuli}
    gold = round(tasks.gold_share * tasks.task_size)
    each = map(settings.in_condition, settings.conditions.names or ("",))
    prompts = dict.fromkeys(part.study.prompt for part in each)
    state = "not yet for people: see the notes" if folder.unready else "fine"
    lines = [
        f"{folder.path}: {state}",
        f"  {len(folder.stimuli)} items ({', '.join(sorted(kinds))})",
        *(f"  {settings.study.kind}: {prompt}" for prompt in prompts),
        f"  {tasks.practice} questions of practice, then {tasks.per_participant} tasks of "
        f"{tasks.task_size} questions, each with {gold} gold",
        *(f"  {line}" for line in described(settings.conditions)),
        f"  questions chosen {'from the answers so far' if settings.adaptive else 'at random'}",
        f"  pages: {', '.join(folder.pages) or 'none'}, in {', '.join(settings.study.languages)}",
    ]
    return lines + [f"  note: {note}" for note in notes(folder)]


def described(conditions: "Conditions") -> list[str]:
    if not conditions.names:
        return []
    arms = ", ".join(arm.replace(">", " then ") for arm in conditions.arms)
    shared = "by the address" if conditions.assign == "address" else "equally many people in each"
    return [f"conditions: {', '.join(conditions.names)}", f"people: {arms} ({shared})"]


def notes(folder: "StudyFolder") -> list[str]:
    from resemblance.store.engines import ELSEWHERE, checked_url, file_of, share_of
    from resemblance.study.languages import DEFAULT, find_language

    settings, lines = folder.settings, []
    if "consent" not in folder.pages:
        lines.append("there is no consent page: add pages.consent")
    lines += [
        f"nobody can enter: {file} still says {find_language(DEFAULT).placeholder!r} (in its "
        "language): write your own text there"
        for file in folder.unready
    ]
    spoken = [(code, find_language(code)) for code in settings.study.languages]
    if unread := [
        f"{language.name} ({code})" for code, language in spoken if not language.reviewed
    ]:
        lines.append(
            f"no native speaker has reviewed the page's texts in {', '.join(unread)}: let one go "
            "through the study, and correct the texts in pages.strings"
        )
    file = file_of(checked_url(folder.database))
    if file is not None and (share := share_of(file)):
        lines.append(f"{file.name} is on a network file system ({share}): {ELSEWHERE}")
    if unseen := [item.name for item in folder.stimuli if item.type != "text" and not item.alt]:
        named = f"{', '.join(unseen[:10])}{' ...' if len(unseen) > 10 else ''}"
        lines.append(
            f"items without a text for screen readers: {len(unseen)} ({named}). Add a column alt "
            "to the table of items, unless it would give the answer away"
        )
    each = [folder.in_condition(name) for name in settings.conditions.names or ("",)]
    lines += dict.fromkeys(note for part in each for note in part.kind.notes(part.material))
    lines += notes_on_prolific(settings.recruitment)
    lines += notes_on_privacy(settings)
    lines += notes_on_rules(folder)
    if settings.asking.adaptive and not folder.kind.adaptive:
        lines.append(
            f"asking.strategy has no effect on {folder.kind.name}: its questions are random"
        )
    return lines


def notes_on_stimuli(folder: "StudyFolder", equal: list[list[str]]) -> list[str]:
    from resemblance.study.stimuli import MEDIA

    lines = [f"{first_few(map(repr, names))} look the same: keep one of them" for names in equal]
    if odd := [name for name in folder.names if Path(name).suffix.lower() in MEDIA]:
        lines.append(
            f"names of items end like files ({first_few(map(repr, odd))}), also in answers, gold "
            "and features: remove the suffix unless you want it"
        )
    used = (item.path for item in folder.stimuli if item.path is not None)
    return [*lines, *left_out(folder.path / folder.settings.stimuli.folder, used)]


def left_out(folder: Path, used: Iterable[Path]) -> list[str]:
    from resemblance.study.stimuli import MEDIA

    files, junk = list_folder(folder, deep=True)
    items = set(map(os.path.abspath, used))
    spare = [p for p in files if p.suffix.lower() in MEDIA and os.path.abspath(p) not in items]
    lines = [junk_words(junk)] if junk else []
    if spare:
        names = first_few(path.relative_to(folder) for path in spare)
        lines.append(
            f"{count(len(spare), 'file')} in {folder.name} are not items ({names}): move them out "
            "of subfolders, or list them in the table of items"
        )
    return lines


def notes_on_prolific(recruitment: "Recruitment") -> list[str]:
    if recruitment.source != "prolific":
        return []
    lines = []
    if recruitment.admits_simulated:
        lines.append("simulated people can enter without an id: remove recruitment.simulated")
    if not recruitment.completion_code:
        lines.append("Prolific needs recruitment.completion_code")
    if recruitment.signed:
        lines.append(
            "only people whose address Prolific signed can enter: `recruit` switches signing on; "
            "for a study that you create on Prolific's page, switch on its secure study URL"
        )
    else:
        lines.append(
            "anybody who knows a person's Prolific id can enter as that person: set "
            "recruitment.signed, and switch on the secure study URL at Prolific"
        )
    return lines


def notes_on_privacy(settings: "Settings") -> list[str]:
    from resemblance.study.privacy import REVIEW_DAYS

    days, source = settings.privacy.forget_ids_after_days, settings.recruitment.source
    if days is None or days > (review := REVIEW_DAYS.get(source, 0)):
        return []
    return [
        f"ids are erased after {days} days, but work on {source} may wait for approval for "
        f"{review}: approve it before, or raise privacy.forget_ids_after_days; afterwards a "
        "person's second submission cannot be recognised"
    ]


def notes_on_rules(folder: "StudyFolder") -> list[str]:
    from resemblance.study.quality import idle_rules, rule_words

    return [
        f"the rule {rule_words(rule)!r} never acts: it needs {rule.needed} such answers, but a "
        f"person gives at most {most}: "
        + (f"set its after to {most} or less" if most else "remove it")
        for rule, most in idle_rules(folder.settings, folder.material)
    ]


def add_items(
    study: StudyPath,
    images: Annotated[
        Path | None, option("Folder of new pictures, sounds or films: each is an item.", "FOLDER")
    ] = None,
    items: Annotated[
        Path | None,
        option("Or a CSV of new items, as for `new`, if the study has such a table."),
    ] = None,
    features: Annotated[
        Path | None,
        option("A CSV of the new items' features, if the study has features of its items."),
    ] = None,
    link: options.Link = False,
) -> None:
    """Add items to a study that has begun, even while it runs. New items are asked about first."""
    if (images is None) == (items is None):
        raise SettingError("the new items are missing: give either --images or --items")
    from resemblance.study.creation import add_items

    added = add_items(study, images, items, link, features)
    names, folder = added.names, added.folder
    more = " ..." if len(names) > 5 else ""
    typer.echo(f"{study}: {len(names)} new ({', '.join(names[:5])}{more})")
    typer.echo(f"  {len(folder.names)} items in total; a running server picks them up by itself")
    if folder.settings.adaptive and folder.settings.fits:
        typer.echo(f"  each new item gets {PER_NEW_ITEM} answers first, then is asked like others")


class Format(StrEnum):
    csv = "csv"
    parquet = "parquet"
    json = "json"


class Target(StrEnum):
    tables = "tables"
    archive = "archive"


def export(
    study: StudyPath,
    out: Annotated[
        Path | None,
        option("A new folder, or archive. Default: the study's name with -export, or .zip."),
    ] = None,
    to: Annotated[
        Target,
        option(
            "tables: all tables, for yourself. archive: one zip file to publish, with descriptions "
            "of its tables."
        ),
    ] = Target.tables,
    format: Annotated[Format, option("Format of the tables")] = Format.csv,
    identified: Annotated[
        bool, option("Include ids at the recruiting service, which are personal data.")
    ] = False,
    with_excluded: Annotated[bool, option("Keep the answers of excluded people.")] = False,
    with_simulated: Annotated[bool, option("Keep the answers of simulated people.")] = False,
    with_pictures: Annotated[bool, option("Include the stimuli in the archive.")] = False,
) -> None:
    """Write a study's tables into a new folder, with pseudonyms of people and a codebook.

    `fit`, `clean` and `templates` can read the files of judgments.
    """
    refuse_unused_by(to, format, with_pictures)
    from resemblance.study.export import Export, write_archive, write_export
    from resemblance.study.live import open_stored

    kept: dict[str, Any] = {"identified": identified, "with_excluded": with_excluded}
    kept["with_simulated"] = with_simulated
    with open_stored(study) as live:
        name = live.folder.name
        if to is Target.tables:
            path = out or Path(f"{name}-export")
            tables = Export(live, **kept, beside=path)
            tell_export(path, write_export(tables, path, format.value))
        else:
            path = out or Path(f"{name}.zip")
            tables = Export(live, **kept, published=True)
            files = write_archive(tables, path, with_pictures)
            typer.echo(f"{path}: {len(files)} files, with their checksums")
        if n := tables.left_out["simulated"]:
            typer.echo(f"left out: {n} answers of simulated people; --with-simulated keeps them")


def refuse_unused_by(to: Target, format: Format, with_pictures: bool) -> None:
    if with_pictures and to is Target.tables:
        raise SettingError("--with-pictures applies only to --to archive: leave it out")
    if format is not Format.csv and to is Target.archive:
        raise SettingError("the tables of an archive are always CSV: leave --format out")


def tell_export(folder: Path, codebook: dict[str, Any]) -> None:
    for table in codebook["tables"].values():
        typer.echo(f"{folder / table['file']}: {count(table['rows'], 'row')}")
    typer.echo(f"descriptions of the columns: {folder / 'codebook.md'}")
    typer.echo(f"next: cd {folder}; {codebook['use']}")


def erase(
    study: StudyPath,
    participant: Annotated[
        str,
        argument("Pseudonym, such as P0001-K7QXM, or id at the service.", "PARTICIPANT"),
    ],
    yes: Annotated[bool, option("Do not ask for confirmation.")] = False,
) -> None:
    """Erase a person's answers, pages, id and browser data. Only the pseudonym is kept.

    This cannot be undone. A running server leaves the answers out of its next fit. Exports and
    backups are not changed.
    """
    from resemblance.store import StoreError
    from resemblance.store.engines import empty_log
    from resemblance.study.live import open_stored
    from resemblance.study.privacy import ids_of

    with open_stored(study) as live:
        people = live.store.people.all(live.record)
        matching = [person for person in people if participant == person.code] or [
            person
            for person in people
            if person.external_id in ids_of(live.folder.path, person.source, participant)
        ]
        if not matching:
            raise SettingError(
                f"{study} has no participant {participant!r}: give a complete pseudonym from an "
                "export or the desk, such as P0001-K7QXM, or an id at the recruiting service"
            )
        failed: list[str] = []
        for person in matching:
            n = len(live.store.answers.of(person))
            if not yes:
                typer.confirm(f"Erase {person.code} with {n} answers for good?", abort=True)
            try:
                live.store.people.erase(person, "researcher")
            except StoreError as error:  # continues with the next person
                failed.append(str(error))
                with suppress(StoreError):  # truncates the log of the failed transaction
                    empty_log(live.store.database.url, "nobody is erased")
                continue
            typer.echo(f"{person.code} is erased: {n} answers, pages, id and browser are gone")
        if failed:
            raise StoreError("; ".join(failed))


def forget(
    study: StudyPath,
    yes: Annotated[bool, option("Do not ask for confirmation.")] = False,
) -> None:
    """Erase ids and browser data of people whose last visit was long ago. Answers are kept.

    privacy.forget_ids_after_days sets the time. A running server also does this. It cannot be
    undone. Exports and backups are not changed.
    """
    from resemblance.study.live import open_stored
    from resemblance.study.privacy import forget_ids

    with open_stored(study) as live:
        days = live.settings.privacy.forget_ids_after_days
        if days is None:
            raise SettingError("the number of days is missing: set privacy.forget_ids_after_days")
        if not yes:
            typer.confirm(f"Erase ids of people away for {days} days for good?", abort=True)
        n = forget_ids(live, "researcher", days)
    typer.echo(f"{study}: ids and browser data of {n} people are erased")


def backup(
    study: StudyPath,
    file: Annotated[Path, argument("The backup to write, outside the study's folder.", "FILE.zip")],
) -> None:
    """Back up a study in one file, even while it runs: folder, accounts, people and answers.

    The backup is tested by restoring it. Links are replaced by their targets. The file contains
    personal data, and only its owner can read it.
    """
    from resemblance.study.backup import back_up

    kept = back_up(study, file)
    n = kept["counts"]
    typer.echo(
        f"{file}: {n['answers']:,} answers of {n['people']:,} people about {n['stimuli']:,} "
        "stimuli, tested by a trial restore"
    )
    for name in kept["left_out"]:
        typer.echo(
            f"  note: {name} is left out: it is another study or database, not a file, or a link "
            "to nothing or to a folder around it; back it up separately, if you need it"
        )


def restore(
    file: Annotated[Path, argument("A backup.", "FILE.zip")],
    study: Annotated[Path, argument("The folder to create.", "STUDY")],
) -> None:
    """Restore a study from a backup, into the same database or another one.

    The variable RESEMBLANCE_DATABASE names another database. In a terminal you are asked which
    accounts to restore; otherwise no account is restored. Researchers must log in again, and
    participants must enter again. People who were erased after the backup are restored too: erase
    them again.
    """
    from resemblance.files import need
    from resemblance.study.backup import restore as put_back

    need(file)
    kept = put_back(file, study, settle_accounts)
    typer.echo(f"{study}: the study {kept['study']} as it was at {kept['made']}")
    typer.echo(f"  {kept['rows'].get('answers', 0):,} answers; people erased since are back, too")


def settle_accounts(folder: Path) -> None:
    from resemblance.web.accounts import FILE, Accounts

    if not (folder / FILE).is_file():
        return
    accounts, names = Accounts(folder / FILE), []
    for name, account in accounts.all.items():
        rights = "may invite others" if account.admin else ", ".join(account.studies) or "no study"
        if sys.stdin.isatty() and typer.confirm(f"Keep the account {name} ({rights})?"):
            names.append(name)
        else:
            typer.echo(f"  removed: the account {name} ({rights})")
    accounts.begin_anew(names)
