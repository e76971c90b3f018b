"""Traits of puzzles, equivalent puzzles, and new puzzles, in batches held as numpy arrays.

`comparing` finds equivalent puzzles by their `canonical` forms, `traits` computes the traits that
`--traits` names, `result_traits` adds them to results, and `generating` makes puzzles. numpy is
slow to load: import these modules late.
"""
