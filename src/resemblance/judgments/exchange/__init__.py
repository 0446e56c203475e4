"""Read and write files of other programs: Salmon, PsiZ, THINGS, cblearn."""
