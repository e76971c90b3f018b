"""Rules whose clues stand outside the grid."""
