"""Maps without code: a page on which files of answers are dropped; `resemblance open` serves it."""
