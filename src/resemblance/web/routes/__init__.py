"""The routes: thin, one file for each noun."""
