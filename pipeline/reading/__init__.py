"""From bytes to puzzles."""
