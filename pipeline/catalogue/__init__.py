"""Further facts about many puzzles, and new puzzles.

`comparing` finds equivalent puzzles by their `canonical` forms, `traits` finds what `--also` adds,
`generating` makes puzzles. numpy is slow to load: import this late.
"""
