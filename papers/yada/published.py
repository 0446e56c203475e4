"""List the numbers of tables 1, 2 and 3 of the paper."""

TECHNIQUES = ("Yada", "NMMDS", "S&J", "XNJR", "G&R")

_TABLE_1 = """
1D-RBF -0.52 -0.55 -0.52 -0.53 -0.52
1D-cos -0.49 -0.63 -0.64 -0.63 -0.62
1D-exp -0.13 -0.21 -0.14 -0.16 -0.15
2D-RBF -0.34 -0.36 -0.36 -0.40 -0.36
2D-tanh -0.27 -0.31 -0.34 -0.36 -0.31
2D-poly -0.52 -0.53 -0.54 -0.56 -0.55
Lines -0.55 -0.55 -0.55 -0.55 -0.55
Blobs -0.44 -0.45 -0.44 -0.44 -0.44
Screws -0.57 -0.61 -0.62 -0.60 -0.61
"""
_TABLE_2 = """
1D-RBF 0.01 0.06 0.01 0.03 0.01
1D-cos 0.01 0.41 0.50 0.46 0.44
1D-exp 5.49 11.11 11.06 9.74 9.92
2D-RBF 0.01 0.10 0.17 0.31 0.12
2D-tanh 0.13 0.53 1.82 1.92 1.17
2D-poly 0.00 0.03 0.06 0.11 0.09
"""
_TABLE_3 = """
1D-RBF -0.54 -0.56 -0.54 -0.54 -0.54
1D-cos -0.56 -0.60 -0.61 -0.61 -0.61
1D-exp -0.14 -0.19 -0.15 -0.15 -0.15
2D-RBF -0.35 -0.38 -0.37 -0.40 -0.37
2D-tanh -0.27 -0.31 -0.34 -0.35 -0.32
2D-poly -0.53 -0.54 -0.54 -0.54 -0.55
Lines -0.53 -0.53 -0.53 -0.53 -0.54
Blobs -0.42 -0.42 -0.42 -0.42 -0.42
Screws -0.57 -0.61 -0.61 -0.59 -0.61
"""


def _read(table: str) -> dict[tuple[str, str], float]:
    rows = (line.split() for line in table.strip().splitlines())
    return {
        (world, technique): float(number)
        for world, *numbers in rows
        for technique, number in zip(TECHNIQUES, numbers, strict=True)
    }


TABLE_1, TABLE_2, TABLE_3 = map(_read, (_TABLE_1, _TABLE_2, _TABLE_3))
