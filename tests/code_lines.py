"""Count the lines of code of a file, without docstrings, comments and blank lines.

python tests/code_lines.py PATH ...
"""

import ast
import sys
from pathlib import Path

DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def code_lines(path: Path) -> int:
    source = path.read_text(encoding="utf-8")
    texts = (line.strip() for line in source.split("\n"))
    lines = {n for n, text in enumerate(texts, 1) if text and not text.startswith("#")}
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            docstrings |= span(node.body[0])
        elif isinstance(node, ast.Constant | ast.JoinedStr):
            lines |= span(node)  # blank lines of a string count, too
    return len(lines - docstrings)


def span(node: ast.stmt | ast.expr) -> set[int]:
    return {*range(node.lineno, (node.end_lineno or 0) + 1)}


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        paths = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        print(f"{sum(map(code_lines, paths)):7,} {len(paths):5} files  {name}")
