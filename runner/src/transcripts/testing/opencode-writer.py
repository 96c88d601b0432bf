"""Writes a database of OpenCode. Each line of standard input is a JSON list of the statements of one transaction.

The connection stays open, so the log is never merged into the database.
"""

import json
import sqlite3
import sys

database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("pragma journal_mode = wal")
database.execute("pragma wal_autocheckpoint = 0")
for line in sys.stdin:
    database.execute("begin")
    for statement, parameters in json.loads(line):
        database.execute(statement, parameters)
    database.execute("commit")
    sys.stdout.write("done\n")
    sys.stdout.flush()
