"""Secrets stay out of exports."""

import tomllib

from resemblance.study.export import Export, write_export

TOML = """
# an old one: postgresql://me:hunter1@db/old
[recruitment]
source = "prolific"
completion_code = "C0DE-OF-ALL"
redirect = "https://app.prolific.com/submissions/complete?cc=C0DE-OF-ALL"
close = 2031-05-01
[server]
database = "postgresql://study:hunter2@db/study"
[[quality.rules]]
measure = "gold"
below = 0.5
"""


def test_exports_hold_no_password_and_no_completion_code(make_study, serve, tmp_path):
    folder = make_study()
    with (folder / "study.toml").open("a") as file:
        file.write(TOML)
    served = serve(folder, database=f"sqlite:///{tmp_path}/study.sqlite")
    write_export(Export(served.live), tmp_path / "out")
    told = "".join(path.read_text() for path in (tmp_path / "out").iterdir())
    assert not [secret for secret in ("hunter1", "hunter2", "C0DE") if secret in told]
    written = (tmp_path / "out" / "study.toml").read_text()
    kept = tomllib.loads(written)
    whole = tomllib.loads((folder / "study.toml").read_text())
    del whole["recruitment"]["completion_code"], whole["recruitment"]["redirect"]
    del whole["server"]["database"]
    assert kept == whole
    assert [name for name in ("completion_code", "redirect", "database") if name in written] == [
        "completion_code",
        "redirect",
        "database",
    ]


def log_in(served):
    once = served.shared.accounts.invite()
    form = {"secret": once, "password": "a long password"}
    return served.client.post("/desk/login", data=form).headers["set-cookie"]


def test_the_cookie_is_secure_where_the_address_is_https(make_study, serve):
    served = serve(make_study(server={"address": "https://study.example.org"}))
    served.client.http.base_url = "http://study.example.org"  # the proxy says nothing
    assert "Secure" in log_in(served)
    served.client.http.base_url = "http://127.0.0.1:8000"
    assert "Secure" not in log_in(served)
