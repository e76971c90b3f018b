"""What a Sudoku is: cells, units, values and rules."""
