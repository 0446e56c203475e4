"""The command `accounts`."""

from pathlib import Path
from typing import Annotated

import typer

from resemblance.cli.options import argument, option
from resemblance.errors import SettingError


def accounts(
    study: Annotated[Path, argument("Folder of a study: the first one that is served.", "STUDY")],
    new_password: Annotated[
        str | None, option("Make a one-time secret for this account.", "NAME")
    ] = None,
) -> None:
    """List the accounts of a server's desk, or help with a lost password, on this machine alone."""
    from resemblance.web.accounts import FILE, Accounts

    file = study / FILE
    if not file.is_file():
        raise SettingError(f"{study} was never served: it has no file {FILE!r}")
    found = Accounts(file)
    if new_password is None:
        for name, one in found.all.items():
            what = (
                ["may invite others"]
                if one.admin
                else [f"{s}: {r}" for s, r in one.studies.items()]
            )
            what += ["invited"] if one.password is None else []
            what += ["with one-time codes"] if one.totp else []
            typer.echo(f"{name}: {', '.join(what) or 'no study'}")
        return
    if new_password not in found.all:
        raise SettingError(f"no account {new_password!r}: there are {', '.join(found.all)}")
    typer.echo("one-time secret, to choose a new password at /desk/-/invitation:")
    typer.echo(found.invite(new_password))
