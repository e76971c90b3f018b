"""Rules about single cells and pairs of cells."""
