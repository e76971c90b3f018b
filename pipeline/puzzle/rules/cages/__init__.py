"""Rules about groups of cells and their sums."""
