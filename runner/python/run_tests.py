"""Runs the library's tests and writes one JSON line for each: `python3 run_tests.py [--list] [part of a name …]`.

`{"file", "test", "title", "outcome": "passed" | "failed" | "skipped", "detail"}`. Exits with 1 if one failed.
"""
from __future__ import annotations

import json
import logging
import sys
import time
import unittest
from pathlib import Path
from typing import Any, Dict, Iterator

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


class Lines(unittest.TestResult):
    def _write(self, test: unittest.TestCase, outcome: str, detail: str = "") -> None:
        ms = int((time.perf_counter() - self._began) * 1000)
        line = {**describe(test), "outcome": outcome, "detail": detail, "ms": ms}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._began = time.perf_counter()

    def addSuccess(self, test: unittest.TestCase) -> None:
        self._write(test, "passed")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self._write(test, "skipped", reason)

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self._write(test, "failed", self.failures[-1][1])

    def addError(self, test: Any, err: Any) -> None:
        super().addError(test, err)
        if isinstance(test, unittest.TestCase):
            self._write(test, "failed", self.errors[-1][1])
        else:
            # A module failed to load.
            line = {"file": str(test), "test": str(test), "title": str(test), "outcome": "failed", "ms": 0}
            sys.stdout.write(json.dumps({**line, "detail": self.errors[-1][1]}) + "\n")


def describe(test: unittest.TestCase) -> Dict[str, str]:
    _, name, method = test.id().rsplit(".", 2)
    title = test.shortDescription() or method
    return {"file": type(test).__module__, "test": f"{name}.{method}", "title": title}


def tests_of(suite: Any) -> Iterator[unittest.TestCase]:
    for each in suite:
        if isinstance(each, unittest.TestCase):
            yield each
        else:
            yield from tests_of(each)


def main() -> None:
    # Keep the library's log out of the output.
    logging.getLogger("barograph").propagate = False
    wanted = [argument for argument in sys.argv[1:] if argument != "--list"]
    found = unittest.defaultTestLoader.discover(str(HERE), "test_*.py", str(HERE))
    chosen = [test for test in tests_of(found) if not wanted or any(part in test.id() for part in wanted)]
    if "--list" in sys.argv[1:]:
        for test in chosen:
            sys.stdout.write(json.dumps(describe(test)) + "\n")
        return
    result = Lines()
    unittest.TestSuite(chosen).run(result)
    sys.exit(0 if chosen and result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
