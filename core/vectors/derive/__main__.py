#!/usr/bin/env python3
"""Writes the shared test vectors of the folder above: `python3 core/vectors/derive`.

The expectations come from the rules of the accounting page, which are computed here a second time with exact integers and
fractions. Nothing is imported from the code under test. Figures that the rules state themselves are asserted, so that
an error here does not become an expectation. To change a rule, change it here, run the script, and review the
difference of the JSON files line by line.
"""
import sys

sys.dont_write_bytecode = True

# Each import writes its files.
import cumulative  # noqa: E402, F401
import snapshot  # noqa: E402, F401
import states  # noqa: E402, F401
import texts  # noqa: E402, F401
import vendors  # noqa: E402, F401
