"""Rules about regions: cells in which values do not repeat."""
