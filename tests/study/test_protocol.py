"""The page's types are made from the messages of the server."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MADE = ROOT / "frontend/src/protocol.ts"


@pytest.fixture(scope="module")
def schema():
    return subprocess.check_output([sys.executable, "-m", "resemblance.study.protocol"])


def test_the_types_are_of_the_messages_as_they_are(schema):
    digest = hashlib.sha256(schema).hexdigest()
    assert f"// schema {digest}\n" in MADE.read_text(), "make protocol"


def test_nobody_changed_the_types_by_hand(schema):
    node = shutil.which("node", path=str(Path(sys.executable).parent)) or shutil.which("node")
    if node is None or not (ROOT / "frontend/node_modules/json-schema-to-typescript").is_dir():
        pytest.skip("needs Node and make frontend")
    command = [node, "frontend/protocol.mjs"]
    made = subprocess.run(command, cwd=ROOT, input=schema, capture_output=True, check=True)
    assert made.stdout.decode() == MADE.read_text(), "make protocol"
