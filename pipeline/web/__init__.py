"""A web page: drop a file or paste a puzzle, and see it solved.

    browser ─ server ─ client ─▶ inbox ─ watch ─▶ outbox ─ client, report ─ server ─▶ browser

The server accesses jobs only through the inbox and the outbox; `watch` runs in a child process,
whose metrics `health` reads. `home` is the page, and its script requests the rest.
Only the command line imports this package, which needs the extra `[serve]`.
"""
