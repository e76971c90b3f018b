"""What can be said of many puzzles beside their solutions, and new ones.

Which are equivalent (`canonical`, `comparing`), which givens are redundant (`minimal`), how hard
they are (`effort`); `traits` and `telling` find all of these for `--also`, `generating` makes other
puzzles. numpy is slow to load: import this late.
"""
