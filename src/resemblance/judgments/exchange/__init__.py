"""From and to other programs: Salmon, PsiZ, THINGS, cblearn."""
