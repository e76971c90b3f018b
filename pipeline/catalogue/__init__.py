"""Further facts about many puzzles, and new puzzles.

`comparing` finds equivalent puzzles by their `canonical` forms, `traits` computes what `--traits`
asks for, `also` adds it to results, `generating` makes puzzles. numpy is slow to load: import this
late.
"""
