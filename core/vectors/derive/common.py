"""What all vectors share: exact numbers, and the file of a set of cases."""
import json
import sys
from fractions import Fraction
from pathlib import Path

# The output folder: the first argument, or the folder above.
TARGET = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent
MAX = 2**53 - 1
COUNTS = ("input", "output", "cacheRead")


def number(exact):
    """The double nearest to an exact value; a whole value becomes an integer, as in JSON.stringify."""
    value = float(exact)
    return int(value) if value.is_integer() else value


def ratio(used, limit):
    return number(Fraction(used, limit)) if limit > 0 else 0


def write(name, description, source, cases, **more):
    document = {"description": description, "source": source, **more, "cases": cases}
    names = [case["name"] for case in cases]
    assert len(set(names)) == len(names), f"{name}: a name occurs twice"
    text = json.dumps(document, indent=2, ensure_ascii=False)
    (TARGET / f"{name}.json").write_text(text + "\n", encoding="utf-8")
