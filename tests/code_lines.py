"""Count the lines of code of a file, without docstrings, comments and blank lines.

python tests/code_lines.py PATH ...
"""

import ast
import sys
import tokenize
from pathlib import Path

WORDLESS = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.ENCODING,
}


def docstring_lines(source: str) -> set[int]:
    """Return the line numbers of docstrings."""
    lines: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            lines |= {*range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)}
    return lines


def code_lines(path: Path) -> int:
    lines: set[int] = set()
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type not in WORDLESS:
                lines |= {*range(token.start[0], token.end[0] + 1)}
    return len(lines - docstring_lines(path.read_text(encoding="utf-8")))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        paths = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        print(f"{sum(map(code_lines, paths)):7,} {len(paths):5} files  {name}")
