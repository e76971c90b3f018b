"""Rules about lines."""
