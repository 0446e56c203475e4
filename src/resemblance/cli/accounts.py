"""The command `accounts`."""

from pathlib import Path
from typing import Annotated

import typer

from resemblance.cli.options import argument, option
from resemblance.errors import SettingError


def accounts(
    study: Annotated[Path, argument("Folder of the study whose accounts `serve` names.", "STUDY")],
    new_password: Annotated[
        str | None, option("Make a one-time secret for this account.", "NAME")
    ] = None,
) -> None:
    """List the accounts of a server's desk, or help with a lost password, on this machine alone."""
    from resemblance.web.accounts import FILE, Accounts

    file = study / FILE
    if not file.is_file():
        raise SettingError(f"{study} was never served: it has no file {FILE!r}")
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
        raise SettingError(f"no account {new_password!r}: there are {', '.join(everybody.all)}")
    typer.echo("one-time secret, to choose a new password at /desk/-/invitation:")
    typer.echo(everybody.invite(new_password))
