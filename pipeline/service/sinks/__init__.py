"""Where results go: a set of files, a table, or a tree."""
