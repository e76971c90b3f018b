"""How steps are presented: lines, reasons, branches, pictures and JSON objects."""
