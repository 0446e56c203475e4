"""Tables as Markdown."""

import pandas as pd


def markdown(table: pd.DataFrame) -> str:
    """Write a table as Markdown, numbers with three digits."""
    rows = [list(table.columns), ["---"] * table.shape[1], *table.to_numpy().tolist()]
    cells = [[f"{x:.3f}" if isinstance(x, float) else str(x) for x in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)
