"""What can be said of many puzzles beside their solutions, and new ones.

Which are equivalent (`canonical`, `comparing`), which givens are redundant (`minimal`), how hard
they are (`effort`); `generating` makes others. numpy is slow to load: import this late.
"""
