"""The commands `serve` and `accounts`."""

import signal
import socket
import sys
import threading
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Annotated

import typer

from resemblance.cli.options import argument, option
from resemblance.cli.problems import DEBUG
from resemblance.errors import SettingError
from resemblance.files import write_private

if TYPE_CHECKING:
    from resemblance.study.settings import Settings
    from resemblance.web.supervisor import Supervisor

ONCE = "one-time-secret"  # name of the file with a one-time secret
EVERYWHERE = ("0.0.0.0", "::")
HOST = "127.0.0.1"  # other machines cannot reach this address


def serve(
    studies: Annotated[list[Path], argument("Folders of studies.", "STUDY...")],
    host: Annotated[
        str, option("Address to listen on; 0.0.0.0 lets other machines in.", "ADDRESS")
    ] = HOST,
    port: Annotated[
        int | None,
        option("Port to listen on. Default: the port of the first study.", min=0, max=65535),
    ] = None,
    processes: Annotated[
        int, option("Web processes; more than one needs PostgreSQL.", min=1, max=64)
    ] = 1,
    new_secret: Annotated[bool, option("Print a one-time secret to set a new password.")] = False,
) -> None:
    """Serve studies to participants' browsers, with a desk for the researcher, until Ctrl-C.

    It prints the addresses for participants and of the desk, and at the first start a one-time
    secret with which you choose your password. To let other machines in, read
    docs/guide/online.md. The variable RESEMBLANCE_DATABASE overrides the study's database.
    `resemblance --debug serve` logs every request.
    """
    from resemblance.study.settings import database_of_environment
    from resemblance.study.settings_file import FILE as STUDY_FILE, read_settings
    from resemblance.web.accounts import Accounts, file_for
    from resemblance.web.process import set_up
    from resemblance.web.supervisor import Supervisor, Task

    settings = [read_settings(study / STUDY_FILE) for study in studies]
    given = database_of_environment()
    databases = [given or each.server.database or "" for each in settings]
    if processes > 1 and not all(url.startswith("postgres") for url in databases):
        raise SettingError("several --processes need PostgreSQL: set server.database")
    secret = file_for(studies)
    log = "INFO" if DEBUG.get() else "WARNING"
    task = Task(tuple(map(str, studies)), str(secret), host, log)
    set_up(log)
    accounts = Accounts(secret)
    once = accounts.invite(accounts.first) if new_secret or accounts.is_new else None
    port = settings[0].server.port if port is None else port
    supervisor = Supervisor(task, host, port, processes)
    supervisor.start()
    tell(supervisor, settings, host, told_apart(secret.parent, once))
    if len(studies) > 1:
        typer.echo(f"accounts: those of {secret.parent}")
    wait_for_the_end()
    typer.echo("\nstopping: answers that have arrived are stored first")
    supervisor.stop()


def told_apart(study: Path, once: str | None) -> str | Path | None:
    """Return the one-time secret on a terminal; otherwise write it to a private file.

    A file of an earlier start is removed.
    """
    file = (study / ONCE).absolute()
    file.unlink(missing_ok=True)
    if once is None or sys.stdout.isatty():
        return once
    write_private(file, once + "\n")
    return file


def tell(
    supervisor: "Supervisor", settings: "list[Settings]", host: str, once: str | Path | None
) -> None:
    local = address_of(host, supervisor.port)
    for study in settings:
        address, close = study.server.address or local, study.closes()
        where = f"people take part at  {address}/s/{study.study.name}"
        is_open = close is None or close > time()
        typer.echo(f"{study.study.name}: {where if is_open else 'closed'}")
        if is_open and host in EVERYWHERE and sys.stdout.isatty():
            show_code(f"{address}/s/{study.study.name}")
    typer.echo(f"your desk:  {settings[0].server.address or local}/desk")
    if once is None:
        typer.echo("log in with your password (lost? serve --new-secret)")
    elif isinstance(once, Path):
        typer.echo(f"one-time secret, to choose your password: in the file {once}")
    else:
        typer.echo(f"one-time secret, to choose your password:  {once}")
    typer.echo("Ctrl-C stops the server.")


def address_of(host: str, port: int) -> str:
    """Return a server's address. For host 0.0.0.0 or ::, use that of the local network.

    >>> address_of("127.0.0.1", 8000), address_of("::1", 8000)
    ('http://127.0.0.1:8000', 'http://[::1]:8000')
    """
    address = local_address() if host in EVERYWHERE else host
    return f"http://{f'[{address}]' if ':' in address else address}:{port}"


def local_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # address reserved for documentation (RFC 5737)
        except OSError:  # no network
            return HOST
        return str(probe.getsockname()[0])


def show_code(address: str) -> None:
    import segno

    segno.make(address).terminal(compact=True)


def wait_for_the_end() -> None:
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    while not ended.wait(1.0):  # some platforms only handle signals if there is a timeout
        pass


def accounts(
    study: Annotated[Path, argument("Folder of the study with the accounts file.", "STUDY")],
    new_password: Annotated[
        str | None, option("Make a one-time secret for this account.", "NAME")
    ] = None,
) -> None:
    """List the accounts of the desk, or make a one-time secret for a lost password."""
    from resemblance.web.accounts import FILE, Accounts

    file = study / FILE
    if not file.is_file():
        raise SettingError(f"{study} has no accounts file {FILE!r}: serve it first")
    everybody = Accounts(file)
    if new_password is None:
        for name, account in everybody.all.items():
            what = (
                ["may invite others"]
                if account.admin
                else [f"{s}: {r}" for s, r in account.studies.items()]
            )
            what += ["invited"] if account.password is None else []
            what += ["with one-time codes"] if account.totp else []
            typer.echo(f"{name}: {', '.join(what) or 'no study'}")
        return
    if new_password not in everybody.all:
        raise SettingError(f"no account {new_password!r}: give one of {', '.join(everybody.all)}")
    typer.echo("one-time secret, to choose a new password at /desk/-/invitation:")
    typer.echo(everybody.invite(new_password))
