"""What type checkers see of the public names."""

import subprocess
import sys
from pathlib import Path

CODE = """
import resemblance as rs

reveal_type(rs.TSTE(n_components=2))
reveal_type(rs.read_triplets("answers.csv"))
rs.TSTE(n_component=2)
rs.nonsense
"""


def test_editors_see_classes_settings_and_names(tmp_path):
    snippet = tmp_path / "snippet.py"
    snippet.write_text(CODE)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", str(snippet)]
    told = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[1]
    ).stdout
    told_lines = [line for line in told.splitlines() if line.count(":") > 2]
    lines: dict[int, str] = {}
    for line in told_lines:
        number = int(line.split(":")[1])
        lines[number] = lines.get(number, "") + line
    assert "TSTE" in lines[4]
    assert "Triplets" in lines[5]
    for line, code in {6: "call-arg", 7: "attr-defined"}.items():
        assert code in lines[line]
