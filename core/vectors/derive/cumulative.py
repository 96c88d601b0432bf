"""Vectors of the cumulative lens: context-usage and pressure-threshold."""
from fractions import Fraction

from common import COUNTS, MAX, number, ratio, write


def run_usage(name, limits, steps):
    """Steps: a tuple of deltas, a dict of named deltas, or the name of another operation."""
    totals, tracking, out = dict.fromkeys(COUNTS, 0), True, []
    for step in steps:
        refused = None
        if isinstance(step, (tuple, dict)):
            deltas = step if isinstance(step, dict) else dict(zip(COUNTS, step))
            record = {"op": "addTurn", **deltas}
            refused = refuse(totals, deltas) if tracking else None
            if tracking and refused is None:
                for field in COUNTS:
                    totals[field] += max(0, deltas.get(field, 0))
        else:
            record = {"op": step}
            if step == "reset":
                totals = dict.fromkeys(COUNTS, 0)
            elif step == "disableTracking":
                tracking = False
        used = totals["input"] + totals["output"]
        expect = {
            "totals": dict(totals),
            "tracking": tracking,
            "pressure": [ratio(used, limit) if tracking else 0 for limit in limits],
        }
        if refused:
            expect["refused"] = refused
        out.append({**record, "expect": expect})
    return {"name": name, "given": {"limits": limits}, "steps": out}


def refuse(totals, deltas):
    for field in COUNTS:
        value = deltas.get(field, 0)
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MAX:
            return {"code": "invalid_count", "field": field}
    added = {field: max(0, deltas.get(field, 0)) for field in COUNTS}
    for field in COUNTS:
        if totals[field] + added[field] > MAX:
            return {"code": "sum_overflow", "field": field}
    used = totals["input"] + totals["output"]
    if used + added["input"] > MAX:
        return {"code": "sum_overflow", "field": "input"}
    if used + added["input"] + added["output"] > MAX:
        return {"code": "sum_overflow", "field": "output"}
    return None


usage_cases = [
    run_usage("487 in, 5880 out and 1 432 262 cache reads of 200 000 read 0.031835", [200_000],
              [(487, 5880, 1_432_262)]),
    run_usage("two turns add up", [200_000], [(100, 200, 1000), (50, 75, 500)]),
    run_usage("(500, 1000, 10 000) and (600, 1200, 20 000) of 10 000 read 0.33", [10_000],
              [(500, 1000, 10_000), (600, 1200, 20_000)]),
    run_usage("(200, 200) and (100, 100) of 1 000 read 0.4, then 0.6", [1_000], [(200, 200), (100, 100)]),
    run_usage("cache reads do not change the pressure", [10_000],
              [(1000, 2000, 1_000_000), (0, 0, 5_000_000), (0, 0, MAX - 6_000_000)]),
    run_usage("the pressure is 0.0 for a limit of zero or less", [0, -1, -200_000],
              [(1000, 2000, 5), (900_000, 900_000, 0)]),
    run_usage("the pressure exceeds 1.0 above the limit and is not clamped", [1_000, 200_000],
              [(1200, 1200), (500_000, 0)]),
    run_usage("a fresh context has a pressure of 0.0", [200_000, 0], ["reset"]),
    run_usage("89, 90 and 91 per cent of 200 000", [200_000], [(178_000, 0), (2_000, 0), (1_000, 1_000)]),
    run_usage("one limit at 0, 50 and 100 per cent", [200_000], [(0, 0), (60_000, 40_000), (0, 100_000)]),
    run_usage("a negative count adds nothing", [1_000], [(100, 200, 50), (-50, 100, -7), (-1, -1, -1)]),
    run_usage("an absent count adds nothing", [1_000],
              [{"output": 5}, {"input": 7}, {"cacheRead": 9}, {}]),
    run_usage("a turn of zeros counts as a turn and changes no total", [1_000], [(10, 20, 30), (0, 0, 0)]),
    run_usage("reset sets the totals to zero and keeps tracking enabled", [1_000],
              [(200, 200, 900), "reset", (100, 100, 1)]),
    run_usage("disabled tracking gives a pressure of 0.0 and adds nothing", [10_000, 200_000],
              [(1000, 2000, 5), "disableTracking", (100, 200, 300)]),
    run_usage("reset zeroes the totals of a disabled context and leaves tracking off", [10_000],
              [(1000, 2000, 5), "disableTracking", "reset", (100, 200, 300)]),
    run_usage("disabling twice is the same as once", [10_000],
              [(1, 2, 3), "disableTracking", "disableTracking", (4, 5, 6)]),
    run_usage("the pressure is the double nearest to the quotient", [3, 7, 200_000, 128_000],
              [(1, 0), (1, 1), (9, 0)]),
    run_usage("a sum may reach 2^53−1 and no further", [200_000],
              [(MAX - 10, 4), (0, 7), (7, 0), (6, 0), (1, 0)]),
    run_usage("cache reads may reach 2^53−1 and no further", [200_000],
              [(1, 1, MAX), (1, 1, 1), (1, 1, 0)]),
    run_usage("the largest exact count is accepted", [MAX], [(0, MAX, 0)]),
]
for value, what in [
    (1.5, "a fraction"), (2**53, "a count above 2^53−1"), (-(2**53), "a negative count below −(2^53−1)"),
    ("12", "a text"), ("", "an empty text"), (True, "a boolean"), ([1], "a list"), ({"count": 1}, "an object"),
    ({"$number": "NaN"}, "NaN"), ({"$number": "Infinity"}, "infinity"), ({"$number": "-Infinity"}, "minus infinity"),
]:
    for field in COUNTS if value == 1.5 else ("output",):
        usage_cases.append(run_usage(f"{what} as {field} is refused by name and changes nothing", [1_000],
                                     [(10, 20, 30), {"input": 1, "output": 1, "cacheRead": 1, field: value}, (1, 1, 1)]))

pressures = {case["name"]: [step["expect"]["pressure"] for step in case["steps"]] for case in usage_cases}
assert pressures["487 in, 5880 out and 1 432 262 cache reads of 200 000 read 0.031835"] == [[0.031835]]
assert pressures["(500, 1000, 10 000) and (600, 1200, 20 000) of 10 000 read 0.33"][1] == [0.33]
assert pressures["(200, 200) and (100, 100) of 1 000 read 0.4, then 0.6"] == [[0.4], [0.6]]
assert pressures["cache reads do not change the pressure"] == [[0.3], [0.3], [0.3]]
assert usage_cases[1]["steps"][1]["expect"]["totals"] == {"input": 150, "output": 275, "cacheRead": 1500}

write("context-usage",
      "Operations on a cumulative context, with its totals and pressure after each one. `pressure` lists one value per "
      "limit. Compare the values exactly: each is the double nearest to the exact quotient, as a division of integers "
      "returns it. An absent count is 0. A refused turn changes nothing.",
      "Accounting, The two lenses; document 000, 2.3 to 2.6, 5.1", usage_cases)

def run_threshold(name, limit, threshold, steps, session="task-42"):
    """Steps: usage of a result message (a tuple or null), or "restart", which begins the next context."""
    totals, tracking, fresh, out = dict.fromkeys(COUNTS, 0), True, False, []
    for step in steps:
        if step == "restart":
            totals, fresh = dict.fromkeys(COUNTS, 0), True
            record, error = {"op": "restart"}, None
        else:
            record = {"op": "result", "usage": step if step is None else dict(
                zip(("input_tokens", "output_tokens", "cache_read_input_tokens"), step))}
            if step is None:
                tracking, fresh = False, False
            else:
                # The first usage after a boundary enables tracking; nothing else does.
                tracking, fresh = tracking or fresh, False
                if tracking:
                    for field, delta in zip(COUNTS, step):
                        totals[field] += max(0, delta)
            used = Fraction(totals["input"] + totals["output"])
            exact = used / limit if tracking and limit > 0 else Fraction(0)
            error = None
            if tracking and exact >= Fraction(threshold):
                error = {"sessionId": session or "", "inputTokens": totals["input"],
                         "outputTokens": totals["output"], "cacheReadTokens": totals["cacheRead"],
                         "pressure": number(exact)}
        pressure = ratio(totals["input"] + totals["output"], limit) if tracking else 0
        out.append({**record, "expect": {"totals": dict(totals), "tracking": tracking,
                                         "pressure": pressure, "error": error}})
    return {"name": name, "given": {"sessionId": session, "limit": limit, "threshold": number(Fraction(threshold))},
            "steps": out}


threshold_cases = [
    run_threshold("89 per cent of 200 000 does not reach 0.90", 200_000, "0.9", [(178_000, 0)]),
    run_threshold("90 per cent of 200 000 reaches 0.90", 200_000, "0.9", [(180_000, 0)]),
    run_threshold("91 per cent of 200 000 reaches 0.90", 200_000, "0.9", [(182_000, 0)]),
    run_threshold("one token below 90 per cent does not reach 0.90", 200_000, "0.9", [(179_999, 0), (0, 1)]),
    run_threshold("of the pressures 0.4 and 0.6, only the second reaches 0.5", 1_000, "0.5",
                  [(200, 200, 4_000), (100, 100, 2_500)]),
    run_threshold("the limit itself does not reach a threshold of 1.1", 200_000, "1.1",
                  [(100_000, 80_000), (0, 20_000)]),
    run_threshold("huge cache reads alone never reach a threshold", 200_000, "0.7",
                  [(487, 5880, 1_432_262), (0, 0, 900_000_000)]),
    run_threshold("two results below the threshold raise nothing", 10_000, "0.34",
                  [(500, 1000, 10_000), (600, 1200, 20_000)]),
    run_threshold("a result without usage disables tracking, and later results raise nothing", 1_000, "0.5",
                  [(200, 200, 10), None, (900, 900, 10)]),
    run_threshold("after a restart the sums begin at zero", 1_000, "0.5",
                  [(300, 300, 7), "restart", (100, 100, 1), (200, 100, 2)]),
    run_threshold("the first result with usage after a restart enables tracking", 1_000, "0.5",
                  [(100, 100), None, "restart", (300, 300, 5)]),
    run_threshold("tracking stays off if the first result after a restart has no usage", 1_000, "0.5",
                  [None, "restart", None, (300, 300, 5)]),
    run_threshold("a limit of zero raises nothing", 0, "0.9", [(1_000_000, 1_000_000, 0)]),
    run_threshold("the error has the unclamped pressure above the limit", 1_000, "0.9", [(1200, 1200, 3)]),
    run_threshold("the error has an empty session id if the id is unknown", 1_000, "0.5", [(300, 300, 0)], None),
    run_threshold("every further result above the threshold raises again", 1_000, "0.5", [(300, 300, 0), (1, 0, 0)]),
]
raised = {case["name"]: [step["expect"]["error"] is not None for step in case["steps"]] for case in threshold_cases}
assert [raised[n][0] for n in list(raised)[:3]] == [False, True, True]
assert threshold_cases[4]["steps"][1]["expect"]["error"] == {
    "sessionId": "task-42", "inputTokens": 300, "outputTokens": 300, "cacheReadTokens": 6500, "pressure": 0.6}

write("pressure-threshold",
      "Result messages of an agent, as a processor receives them. `result` has the vendor's usage (Anthropic's fields) "
      "or null. `restart` starts a fresh context. `error` has the fields of the pressure error that the step raises; "
      "null: no error. The state after a step does not depend on whether the step raises an error.",
      "Accounting, The two lenses; document 000, 3.1, 3.2, 4.1, 5.2; document 002, threshold edge cases",
      threshold_cases)
