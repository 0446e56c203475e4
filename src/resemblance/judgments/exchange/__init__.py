"""From and to other programs: Salmon, NEXT, PsiZ, THINGS, cblearn."""
