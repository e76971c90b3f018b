"""Compute traits of puzzles, find equivalent puzzles, and generate puzzles.

These modules work on batches of puzzles in numpy arrays. `comparing` finds equivalent puzzles by
their `canonical` forms. `traits` computes the traits that `--traits` names, and `result_traits`
adds these traits to results. `generating` makes puzzles. Importing numpy is slow: import these
modules only inside the functions that need them.
"""
