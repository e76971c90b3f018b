"""Rules of variants: data, a formula, a drawing and a name each; a new one is a class."""
