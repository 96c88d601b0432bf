"""Vectors of the snapshot lens."""
from common import ratio, write


def run_snapshot(name, limit, steps):
    """Steps: ("main"|"side", total or None, estimate or None), or the kind of a boundary."""
    reading, basis, fresh, out = None, None, None, []
    for step in steps:
        if isinstance(step, str):
            record, reading, basis, fresh = {"op": "boundary", "kind": step}, None, None, step
        else:
            scope, total, estimate = (*step, None)[:3]
            record = {"op": "call", "scope": scope, "totalTokens": total, "estimate": estimate}
            if scope == "main":
                unbelievable = fresh == "compaction" and limit > 0 and total is not None and total > limit
                if total is not None and not unbelievable:
                    reading, basis = total, "total"
                elif total is None and estimate is not None and basis != "total":
                    reading, basis = estimate, "estimate"
                fresh = None
        out.append({**record, "expect": {
            "contextTokens": reading, "basis": basis, "pressure": None if reading is None else ratio(reading, limit)}})
    return {"name": name, "given": {"limit": limit}, "steps": out}


snapshot_cases = [
    run_snapshot("the reading is total_tokens of the last main call", 128_000, [("main", 12_000), ("main", 15_500)]),
    run_snapshot("nothing is summed", 128_000, [("main", 10_000)] * 3),
    run_snapshot("a smaller reading replaces a larger one without an event", 128_000, [("main", 90_000), ("main", 30_000)]),
    run_snapshot("a side call changes nothing", 128_000, [("main", 60_000), ("side", 300), ("side", 127_000), ("main", 61_000)]),
    run_snapshot("the size is unknown before the first main call", 128_000, [("side", 300), ("main", 1_000)]),
    run_snapshot("the last reading applies between calls", 128_000, [("main", 5_000), ("side", None, 400)]),
    run_snapshot("a reading above the window gives a pressure above 1.0", 128_000, [("main", 160_000)]),
    run_snapshot("without usage the size is the estimate of the text", 128_000,
                 [("main", None, 401), ("main", None, 404), ("main", None, 1), ("main", None, 0)]),
    run_snapshot("estimates replace one another and are not summed", 128_000, [("main", None, 400), ("main", None, 800)]),
    run_snapshot("a real reading replaces an estimate", 128_000, [("main", None, 400), ("main", 137)]),
    run_snapshot("an estimate never replaces a real reading", 128_000, [("main", 50_000), ("main", None, 4_000)]),
    run_snapshot("a side call without usage adds no estimate", 128_000, [("side", None, 4_000)]),
    run_snapshot("after a boundary the size is unknown until the next main call", 128_000,
                 [("main", 120_000), "restart", ("side", 200), ("main", 9_000)]),
    run_snapshot("an estimate counts again after a boundary", 128_000, [("main", 120_000), "clear", ("main", None, 2_000)]),
    run_snapshot("a reading above the window right after a compaction is not used", 258_400,
                 [("main", 250_000), "compaction", ("main", 940_499), ("main", 21_000)]),
    run_snapshot("the pressure is 0.0 for a limit of zero", 0, [("main", 5_000)]),
]
write("snapshot",
      "Calls in order, and the context's size after each call. `totalTokens` null: the provider returned no usage, so the "
      "size is `estimate`, the estimated tokens of all text sent and received. `contextTokens` null: unknown.",
      "Accounting, The two lenses; document 003, Decision, Scope, Consequences", snapshot_cases)
