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
rs.STE(choice=None)
rs.POE(2, n_init=3)
rs.TSTE(2, 1.0)
rs.Yada(1, bandwidth="wide")
rs.OrdinalEmbedding(rs.choice.Softmax(), 3, n_init=2)
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
    wrong = {6: "call-arg", 7: "attr-defined", 8: "call-arg", 9: "call-arg", 10: "call-arg"}
    for line, code in (wrong | {11: "arg-type"}).items():
        assert code in lines[line]
    assert 12 not in lines
