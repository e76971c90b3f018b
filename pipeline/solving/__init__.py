"""From a problem to a certified result."""
