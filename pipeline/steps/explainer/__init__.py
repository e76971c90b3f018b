"""Techniques in the order of Sudoku Explainer 1.2.1, and how it finds and rates each of them.

The modules are compiled to machine code.
"""
