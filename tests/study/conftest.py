"""A small study in a folder."""

import study_folder

make_study = study_folder.make_study
