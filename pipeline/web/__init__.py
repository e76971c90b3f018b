"""A page in the browser: drop a file or paste a puzzle, see it solved and drawn.

    browser ─ server ─ client ─▶ inbox ─ watch ─▶ outbox ─ client, report ─ server ─▶ browser

It is a client of the two folders like any other. `watch` runs beside it, in a child process. Only
the command line knows of this package, which needs the extra `[serve]`.
"""
