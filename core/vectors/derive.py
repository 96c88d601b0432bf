#!/usr/bin/env python3
"""Writes the shared test vectors of this folder: `python3 core/vectors/derive.py`.

The expectations come from the rules in the project's accounting page, worked out here a second time with
exact integers and fractions. Nothing is imported from the code that the vectors test. Figures that the rules
state themselves are asserted below, so that an error here does not become everybody's expectation. Who
changes a rule changes it here, runs the script, and reviews the difference of the JSON files line by line.
"""
import hashlib
import json
import math
import sys
import unicodedata
from fractions import Fraction
from pathlib import Path

# The folder to write into: this one, or the one that is named.
TARGET = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
MAX = 2**53 - 1


def number(exact):
    """The double nearest to an exact value; whole ones as integers, as JSON.stringify writes them."""
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


# --- context-usage ------------------------------------------------------------------------------------------

COUNTS = ("input", "output", "cacheRead")


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
    run_usage("cache reads change no pressure", [10_000],
              [(1000, 2000, 1_000_000), (0, 0, 5_000_000), (0, 0, MAX - 6_000_000)]),
    run_usage("a limit of zero or less reads 0.0 whatever was used", [0, -1, -200_000],
              [(1000, 2000, 5), (900_000, 900_000, 0)]),
    run_usage("an overshot limit reads above 1.0 and is never clamped", [1_000, 200_000],
              [(1200, 1200), (500_000, 0)]),
    run_usage("a fresh context reads 0.0", [200_000, 0], ["reset"]),
    run_usage("89, 90 and 91 per cent of 200 000", [200_000], [(178_000, 0), (2_000, 0), (1_000, 1_000)]),
    run_usage("one limit at 0, 50 and 100 per cent", [200_000], [(0, 0), (60_000, 40_000), (0, 100_000)]),
    run_usage("a negative count adds nothing", [1_000], [(100, 200, 50), (-50, 100, -7), (-1, -1, -1)]),
    run_usage("an absent count adds nothing", [1_000],
              [{"output": 5}, {"input": 7}, {"cacheRead": 9}, {}]),
    run_usage("a turn of zeros is a turn and changes no total", [1_000], [(10, 20, 30), (0, 0, 0)]),
    run_usage("reset starts at zero and keeps tracking on", [1_000],
              [(200, 200, 900), "reset", (100, 100, 1)]),
    run_usage("disabled tracking reads 0.0 and adds nothing", [10_000, 200_000],
              [(1000, 2000, 5), "disableTracking", (100, 200, 300)]),
    run_usage("reset zeroes the totals of a disabled context and leaves tracking off", [10_000],
              [(1000, 2000, 5), "disableTracking", "reset", (100, 200, 300)]),
    run_usage("disabling twice is the same as once", [10_000],
              [(1, 2, 3), "disableTracking", "disableTracking", (4, 5, 6)]),
    run_usage("pressure of an odd quotient is the nearest double", [3, 7, 200_000, 128_000],
              [(1, 0), (1, 1), (9, 0)]),
    run_usage("a sum may reach 2^53−1 and no further", [200_000],
              [(MAX - 10, 4), (0, 7), (7, 0), (6, 0), (1, 0)]),
    run_usage("cache reads may reach 2^53−1 and no further", [200_000],
              [(1, 1, MAX), (1, 1, 1), (1, 1, 0)]),
    run_usage("the largest count that is exact is taken", [MAX], [(0, MAX, 0)]),
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
assert pressures["cache reads change no pressure"] == [[0.3], [0.3], [0.3]]
assert usage_cases[1]["steps"][1]["expect"]["totals"] == {"input": 150, "output": 275, "cacheRead": 1500}

write("context-usage",
      "Operations on a cumulative context and what it reads after each. `pressure` lists one value per limit, "
      "compared exactly: it is the double nearest to the exact quotient, which is what dividing two integers gives. "
      "An absent count is 0. A refused turn changes nothing.",
      "Accounting, Cumulative lens and Tracking disabled; document 000, 2.3 to 2.6, 5.1", usage_cases)

# --- pressure-threshold -------------------------------------------------------------------------------------


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
                # The first usage after a boundary brings tracking back; within a context nothing does.
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
                         "pressureRatio": number(exact)}
        pressure = ratio(totals["input"] + totals["output"], limit) if tracking else 0
        out.append({**record, "expect": {"totals": dict(totals), "tracking": tracking,
                                         "pressure": pressure, "error": error}})
    return {"name": name, "given": {"sessionId": session, "limit": limit, "threshold": number(Fraction(threshold))},
            "steps": out}


threshold_cases = [
    run_threshold("89 per cent of 200 000 does not reach 0.90", 200_000, "0.9", [(178_000, 0)]),
    run_threshold("90 per cent of 200 000 reaches 0.90", 200_000, "0.9", [(180_000, 0)]),
    run_threshold("91 per cent of 200 000 reaches 0.90", 200_000, "0.9", [(182_000, 0)]),
    run_threshold("one token below 90 per cent does not reach it", 200_000, "0.9", [(179_999, 0), (0, 1)]),
    run_threshold("of 0.4 and 0.6 the second reaches 0.5, with cumulative totals", 1_000, "0.5",
                  [(200, 200, 4_000), (100, 100, 2_500)]),
    run_threshold("a threshold of 1.1 is never reached at the limit itself", 200_000, "1.1",
                  [(100_000, 80_000), (0, 20_000)]),
    run_threshold("huge cache reads alone never reach a threshold", 200_000, "0.7",
                  [(487, 5880, 1_432_262), (0, 0, 900_000_000)]),
    run_threshold("two results below the threshold raise nothing", 10_000, "0.34",
                  [(500, 1000, 10_000), (600, 1200, 20_000)]),
    run_threshold("a result without usage disables tracking, and nothing is raised any more", 1_000, "0.5",
                  [(200, 200, 10), None, (900, 900, 10)]),
    run_threshold("after a restart the sums begin at zero", 1_000, "0.5",
                  [(300, 300, 7), "restart", (100, 100, 1), (200, 100, 2)]),
    run_threshold("after a restart the first result with usage brings tracking back", 1_000, "0.5",
                  [(100, 100), None, "restart", (300, 300, 5)]),
    run_threshold("tracking stays off when the first result after a restart has no usage either", 1_000, "0.5",
                  [None, "restart", None, (300, 300, 5)]),
    run_threshold("a limit of zero raises nothing", 0, "0.9", [(1_000_000, 1_000_000, 0)]),
    run_threshold("an overshoot carries its pressure unclamped", 1_000, "0.9", [(1200, 1200, 3)]),
    run_threshold("without a session id the error carries an empty one", 1_000, "0.5", [(300, 300, 0)], None),
    run_threshold("every further result above the threshold raises again", 1_000, "0.5", [(300, 300, 0), (1, 0, 0)]),
]
raised = {case["name"]: [step["expect"]["error"] is not None for step in case["steps"]] for case in threshold_cases}
assert [raised[n][0] for n in list(raised)[:3]] == [False, True, True]
assert threshold_cases[4]["steps"][1]["expect"]["error"] == {
    "sessionId": "task-42", "inputTokens": 300, "outputTokens": 300, "cacheReadTokens": 6500, "pressureRatio": 0.6}

write("pressure-threshold",
      "Result messages of an agent as a processor sees them: `result` with the vendor's usage (Anthropic's fields) or "
      "null, `restart` for a fresh context. `error` is what the pressure error of that step carries, null when none is "
      "raised. The state after a step is the same whether or not it raised.",
      "Accounting, Cumulative lens, Tracking disabled; document 000, 3.1, 3.2, 4.1, 5.2; document 002, threshold edge cases",
      threshold_cases)

# --- vendor-usage -------------------------------------------------------------------------------------------


def vendor(name, who, raw, *counts, refused=None):
    """counts: input, output, cacheRead, cacheCreation, contextTokens; none for missing usage."""
    if refused:
        expect = {"refused": {"code": "invalid_count", "field": refused}}
    elif not counts:
        expect = {"usage": None, "contextTokens": None}
    else:
        expect = {"usage": dict(zip((*COUNTS, "cacheCreation"), counts[:4])), "contextTokens": counts[4]}
    return {"name": f"{who}: {name}", "given": {"vendor": who, "usage": raw}, "expect": expect}


def openai_chat(prompt, cached, written, completion, reasoning=None):
    raw = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
           "prompt_tokens_details": {"cached_tokens": cached, "cache_write_tokens": written}}
    if reasoning is not None:
        raw["completion_tokens_details"] = {"reasoning_tokens": reasoning}
    return raw, prompt - cached - written, completion, cached, written, prompt + completion


A, C, R, S, G, X, O = ("anthropic", "openai-chat", "openai-responses", "openai-agents", "gemini", "codex", "opencode")
vendor_cases = [
    vendor("cached tokens are not in input, and the reading is the sum of all four", A,
           {"input_tokens": 12, "cache_creation_input_tokens": 90_000, "cache_read_input_tokens": 0, "output_tokens": 500},
           12, 500, 0, 90_000, 90_512),
    vendor("the example of 1 432 262 cache reads", A,
           {"input_tokens": 487, "output_tokens": 5880, "cache_read_input_tokens": 1_432_262},
           487, 5880, 1_432_262, 0, 487 + 5880 + 1_432_262),
    vendor("fields beyond the four change nothing", A,
           {"input_tokens": 3, "output_tokens": 100, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 10,
            "cache_creation": {"ephemeral_5m_input_tokens": 4, "ephemeral_1h_input_tokens": 6},
            "output_tokens_details": {"thinking_tokens": 60}, "service_tier": "standard", "iterations": []},
           3, 100, 20, 10, 133),
    vendor("null fields are 0", A,
           {"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": None, "cache_creation_input_tokens": None},
           5, 7, 0, 0, 12),
    vendor("absent fields are 0", A, {"output_tokens": 7}, 0, 7, 0, 0, 7),
    vendor("usage of zeros is usage, and no reading", A, {"input_tokens": 0, "output_tokens": 0}, 0, 0, 0, 0, None),
    vendor("an empty object is usage of zeros", A, {}, 0, 0, 0, 0, None),
    vendor("null is no usage", A, None),
    vendor("a fraction is refused", A, {"input_tokens": 1.5, "output_tokens": 7}, refused="input"),
    vendor("a text is refused", A, {"input_tokens": 1, "output_tokens": "7"}, refused="output"),
    vendor("a cache read above 2^53−1 is refused", A,
           {"input_tokens": 1, "output_tokens": 7, "cache_read_input_tokens": 2**53}, refused="cacheRead"),

    vendor("the cached part is taken out of input", C, *openai_chat(1200, 1000, 0, 300)),
    vendor("the part written to the cache is taken out of input too", C, *openai_chat(5000, 1024, 2048, 10)),
    vendor("reasoning is part of output already", C, *openai_chat(100, 0, 0, 900, 800)),
    vendor("details may be absent", C, {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
           100, 20, 0, 0, 120),
    vendor("details may be null", C,
           {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, "prompt_tokens_details": None,
            "completion_tokens_details": None}, 100, 20, 0, 0, 120),
    vendor("a detail may be null", C,
           {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": None}}, 100, 20, 0, 0, 120),
    vendor("the reading is total_tokens", C,
           {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 125}, 100, 20, 0, 0, 125),
    vendor("without total_tokens the reading is prompt and completion", C,
           {"prompt_tokens": 100, "completion_tokens": 20}, 100, 20, 0, 0, 120),
    vendor("more cached than prompted leaves an input of 0", C,
           {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": 150}}, 0, 20, 150, 0, 120),
    vendor("usage of zeros is usage, and no reading", C,
           {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, 0, 0, 0, 0, None),
    vendor("null is no usage", C, None),
    vendor("a text among the details is refused", C,
           {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": "5"}},
           refused="cacheRead"),

    vendor("the cached and the written part are taken out of input", R,
           {"input_tokens": 1100, "input_tokens_details": {"cached_tokens": 1000, "cache_write_tokens": 64},
            "output_tokens": 30, "output_tokens_details": {"reasoning_tokens": 5}, "total_tokens": 1130},
           36, 30, 1000, 64, 1130),
    vendor("details may be absent", R, {"input_tokens": 1000, "output_tokens": 20, "total_tokens": 1020},
           1000, 20, 0, 0, 1020),
    vendor("null is no usage", R, None),

    vendor("an entry of requestUsageEntries", S,
           {"inputTokens": 1100, "outputTokens": 30, "totalTokens": 1130, "inputTokensDetails": {"cached_tokens": 1000},
            "outputTokensDetails": {"reasoning_tokens": 5}, "endpoint": "responses.create"}, 100, 30, 1000, 0, 1130),
    vendor("null is no usage", S, None),

    vendor("the cached part is taken out of input, thoughts belong to output", G,
           {"promptTokenCount": 2000, "cachedContentTokenCount": 1500, "candidatesTokenCount": 100,
            "thoughtsTokenCount": 400, "totalTokenCount": 2500}, 500, 500, 1500, 0, 2500),
    vendor("a tool's prompt belongs to input", G,
           {"promptTokenCount": 2000, "toolUsePromptTokenCount": 300, "candidatesTokenCount": 100,
            "totalTokenCount": 2400}, 2300, 100, 0, 0, 2400),
    vendor("without totalTokenCount the reading is the sum of the parts", G,
           {"promptTokenCount": 10, "toolUsePromptTokenCount": 20, "candidatesTokenCount": 30, "thoughtsTokenCount": 40},
           30, 70, 0, 0, 100),
    vendor("a blocked answer has no candidates", G, {"promptTokenCount": 10, "totalTokenCount": 10}, 10, 0, 0, 0, 10),
    vendor("null is no usage", G, None),

    vendor("last_token_usage of a token_count, cached part taken out", X,
           {"input_tokens": 155_000, "cached_input_tokens": 90_000, "cache_write_input_tokens": 0, "output_tokens": 900,
            "reasoning_output_tokens": 0, "total_tokens": 155_900}, 65_000, 900, 90_000, 0, 155_900),
    vendor("reasoning is part of output already, the written part is taken out", X,
           {"input_tokens": 1000, "cached_input_tokens": 600, "cache_write_input_tokens": 100, "output_tokens": 500,
            "reasoning_output_tokens": 400, "total_tokens": 1500}, 300, 500, 600, 100, 1500),
    vendor("after a compaction zeros with a total are a reading", X,
           {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0, "reasoning_output_tokens": 0,
            "total_tokens": 12_965}, 0, 0, 0, 0, 12_965),
    vendor("older versions lack the written part", X,
           {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 9, "total_tokens": 109}, 60, 9, 40, 0, 109),
    vendor("null is no usage", X, None),

    vendor("input is without the cache", O,
           {"total": 9438, "input": 7, "output": 31, "reasoning": 0, "cache": {"write": 400, "read": 9000}},
           7, 31, 9000, 400, 9438),
    vendor("reasoning that the total counts beside output joins it", O,
           {"total": 1000, "input": 100, "output": 200, "reasoning": 300, "cache": {"write": 0, "read": 400}},
           100, 500, 400, 0, 1000),
    vendor("reasoning that the total counts within output does not", O,
           {"total": 1000, "input": 100, "output": 500, "reasoning": 300, "cache": {"write": 0, "read": 400}},
           100, 500, 400, 0, 1000),
    vendor("without a total output is unchanged and the reading is the sum", O,
           {"input": 100, "output": 500, "reasoning": 300, "cache": {"write": 10, "read": 400}}, 100, 500, 400, 10, 1010),
    vendor("the cache may be absent", O, {"input": 100, "output": 500, "reasoning": 0}, 100, 500, 0, 0, 600),
    vendor("DeepSeek's name of the cached part", C,
           {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050, "prompt_cache_hit_tokens": 832,
            "prompt_cache_miss_tokens": 168}, 168, 50, 832, 0, 1050),
    vendor("Moonshot's name of the cached part", C,
           {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100, "cached_tokens": 60}, 30, 10, 60, 0, 100),
    vendor("reasoning that xAI counts beside the completion", C,
           {"prompt_tokens": 100, "completion_tokens": 9, "total_tokens": 409,
            "completion_tokens_details": {"reasoning_tokens": 300}}, 100, 309, 0, 0, 409),
    vendor("reasoning within the completion", C,
           {"prompt_tokens": 100, "completion_tokens": 309, "total_tokens": 409,
            "completion_tokens_details": {"reasoning_tokens": 300}}, 100, 309, 0, 0, 409),
    vendor("null is no usage", O, None),
]
write("vendor-usage",
      "A vendor's usage of one call → deltas and the context's size after it. `usage` null: the vendor gave none, which "
      "disables cumulative tracking. `contextTokens` null: nothing states the size; a size of 0 is no statement. The "
      "`field` of a refusal is the count that the wrong figure belongs to.",
      "Accounting, Vendors; the vendors' own type definitions", vendor_cases)

# --- states -------------------------------------------------------------------------------------------------

BOUNDS = [("redlined", Fraction(1)), ("critical", Fraction(85, 100)), ("warning", Fraction(3, 4)), ("elevated", Fraction(1, 2))]


def line_at(line, limit):
    return math.floor(Fraction(str(line)) * limit)


def state_case(name, used, limit, rooms=(), lines=()):
    if used is None:
        return {"name": name, "given": {"used": None, "limit": limit},
                "expect": {"pressure": None, "percent": None, "state": "unknown", "concerning": False, "needsReset": False}}
    exact = Fraction(used, limit) if limit > 0 else Fraction(0)
    state = next((bound for bound, share in BOUNDS if exact >= share), "nominal")
    remaining = max(0, limit - used)
    return {"name": name, "given": {"used": used, "limit": limit}, "expect": {
        "pressure": number(exact), "percent": number(exact * 100), "state": state,
        "concerning": state in ("warning", "critical", "redlined"), "needsReset": state == "redlined",
        "tokensRemaining": remaining,
        "tokensUntilWarning": max(0, line_at("0.75", limit) - used),
        "tokensUntilRestart": max(0, line_at("0.9", limit) - used),
        "hasRoomFor": [{"tokens": n, "expect": remaining >= n} for n in (*rooms, 0, remaining, remaining + 1)],
        "lines": [{"line": float(line), "tokensAt": line_at(line, limit),
                   "tokensUntil": max(0, line_at(line, limit) - used)} for line in lines]}}


state_cases = [state_case("nothing used is nominal", 0, 200_000, (1, 200_000))]
for share, below, at in [("50", "nominal", "elevated"), ("75", "elevated", "warning"), ("85", "warning", "critical"),
                         ("100", "critical", "redlined")]:
    edge = 200_000 * int(share) // 100
    state_cases += [state_case(f"one token below {share} per cent is still {below}", edge - 1, 200_000),
                    state_case(f"{share} per cent is {at}", edge, 200_000)]
state_cases += [
    state_case("an overshot limit is redlined and has no room", 240_000, 200_000, (1,)),
    state_case("the restart line is no state of its own: 90 per cent is critical", 180_000, 200_000),
    state_case("lines of an odd limit are rounded down", 0, 7, (), ("0.5", "0.85")),
    state_case("a line that is whole in decimals is not lost to binary", 0, 100, (),
               ("0.29", "0.57", "0.58", "0.07", "0.14", "0.28", "0.55", "0.56", "1.1")),
    state_case("a line above 1 lies above the limit", 1_000, 1_000, (), ("1.1",)),
    state_case("tokens until a line that is passed are 0", 185_000, 200_000, (1_000,), ("0.8",)),
    state_case("a limit of zero reads 0.0, nominal, without room", 5_000, 0, (1,)),
    state_case("a negative limit reads 0.0, nominal, without room", 5_000, -1),
    state_case("exactly 85 per cent of a limit that doubles cannot share evenly", 17, 20),
    state_case("exactly 75 per cent of three in four", 3, 4),
    state_case("a limit of 128 000", 96_000, 128_000),
    state_case("a limit of 1 000 000", 899_999, 1_000_000, (), ("0.9",)),
    state_case("an unknown size is unknown, not 0 per cent", None, 200_000),
]
write("states",
      "Used tokens and limit → pressure, state and what is left. `pressure` is compared exactly, `percent` to a relative "
      "1e-12 (100 × pressure rounds once more). `used` null: the size is unknown. Lines: floor(line × limit), the line read as "
      "the decimal it is written as.",
      "Accounting, States and lines; document 004, ContextState and ContextUsage", state_cases)

# --- tracker ------------------------------------------------------------------------------------------------

LABELS = ("nominal", "elevated", "warning", "critical", "redlined")
RESTART = Fraction(9, 10)


class Tracker:
    """A context of messages by the rules, to derive expectations with."""

    def __init__(self, limit, auto):
        self.limit, self.auto, self.messages, self.history, self.events = limit, auto, [], [], []
        self.compared = Fraction(0)

    @property
    def used(self):
        return sum(tokens for _, _, tokens in self.messages)

    def share(self):
        return Fraction(self.used, self.limit) if self.limit > 0 else Fraction(0)

    def state(self, share):
        return next((bound for bound, at in BOUNDS if share >= at), "nominal")

    def compare(self):
        before, now = self.compared, self.share()
        was, is_ = self.state(before), self.state(now)
        if was != is_:
            self.events.append({"type": "stateChanged", "from": was, "to": is_, "percent": number(now * 100)})
        if before < RESTART <= now:
            self.events.append({"type": "approachingRedline", "percent": number(now * 100)})
        if is_ == "redlined" and was != "redlined":
            self.events.append({"type": "redlined", "used": self.used, "limit": self.limit})
        self.compared = now

    def add(self, id_, role, tokens):
        self.messages.append((id_, role, tokens))
        self.history.append(self.used)
        self.compare()
        if self.auto and self.limit > 0 and self.share() >= Fraction(self.auto["atPercent"], 100):
            self.compress(self.auto["toPercent"])

    def clear(self):
        self.events.append({"type": "cleared", "tokensCleared": self.used})
        self.messages, self.compared = [], Fraction(0)

    def compress(self, percent):
        target, before, removed = math.floor(Fraction(self.limit * percent, 100)), self.used, 0
        while self.used > target and len(self.messages) > 1:
            oldest = next((m for m in self.messages if m[1] != "system"), None)
            if oldest is None:
                break
            self.messages.remove(oldest)
            removed += 1
        if removed:
            self.events.append({"type": "compressed", "before": before, "after": self.used, "removed": removed})
            self.compare()

    def suggestions(self):
        found = []
        users = [m for m in self.messages if m[1] == "user"]
        if len(users) > 10:
            old = users[:-5]
            found.append({"kind": "remove_old_user_messages", "messages": len(old),
                          "tokensSaved": sum(m[2] for m in old), "impact": "low"})
        answers = [m for m in self.messages if m[1] == "assistant"]
        tokens = sum(m[2] for m in answers)
        if tokens * 3 > self.limit:
            found.append({"kind": "summarize_assistant_messages", "messages": len(answers),
                          "tokensSaved": tokens // 2, "impact": "medium"})
        return found

    def composition(self):
        roles = {}
        for _, role, tokens in self.messages:
            entry = roles.setdefault(role, {"messages": 0, "tokens": 0})
            entry["messages"] += 1
            entry["tokens"] += tokens
        return roles


def run_tracker(name, limit, steps, auto=None):
    """Steps: (role, tokens), "clear", ("compress", percent), "suggestions", "composition"."""
    tracker, out, count = Tracker(limit, auto), [], 0
    for step in steps:
        tracker.events, extra = [], {}
        if step == "clear":
            record = {"op": "clear"}
            tracker.clear()
        elif step == "suggestions":
            record, extra = {"op": "suggestions"}, {"suggestions": tracker.suggestions()}
        elif step == "composition":
            record, extra = {"op": "composition"}, {"roles": tracker.composition()}
        elif step[0] == "compress":
            record = {"op": "compressToThreshold", "percent": step[1]}
            tracker.compress(step[1])
        else:
            count += 1
            record = {"op": "addMessage", "id": f"m{count}", "role": step[0], "tokens": step[1]}
            tracker.add(f"m{count}", *step)
        share = tracker.share()
        out.append({**record, "expect": {
            "used": tracker.used, "messages": [m[0] for m in tracker.messages], "state": tracker.state(share),
            "redlined": tracker.state(share) == "redlined", "events": tracker.events, **extra}})
    return {"name": name, "given": {"limit": limit, "autoCompress": auto}, "steps": out,
            "expect": {"history": tracker.history}}


def turns(n, user=10, assistant=10):
    return [part for _ in range(n) for part in (("user", user), ("assistant", assistant))]


tracker_cases = [
    run_tracker("messages are counted and keep their order", 1_000,
                [("system", 50), ("user", 20), ("assistant", 30), "composition"]),
    run_tracker("the state changes at 50, 75, 85 and 100 per cent", 100,
                [("user", 49), ("user", 1), ("user", 24), ("user", 1), ("user", 9), ("user", 1), ("user", 14), ("user", 1)]),
    run_tracker("one message from 40 to 120 per cent: state, approaching, redlined, in this order", 100,
                [("user", 40), ("assistant", 80)]),
    run_tracker("approaching the redline is reported once while above 90 per cent", 1_000,
                [("user", 899), ("user", 1), ("user", 50), ("user", 49)]),
    run_tracker("a message that changes no state emits nothing", 1_000, [("user", 10), ("assistant", 20)]),
    run_tracker("clear empties the context, emits only cleared, and resets every warning", 100,
                [("user", 95), "clear", ("user", 95), "clear", "clear"]),
    run_tracker("compression removes the oldest first until the target is reached", 100,
                [("user", 30), ("assistant", 30), ("user", 30), ("compress", 50)]),
    run_tracker("compression stops at the target exactly", 100,
                [("user", 50), ("assistant", 25), ("user", 25), ("compress", 50)]),
    run_tracker("compression keeps system messages wherever they stand", 100,
                [("system", 10), ("user", 30), ("system", 20), ("assistant", 30), ("user", 10), ("compress", 40)]),
    run_tracker("compression leaves at least one message, the newest", 100,
                [("user", 60), ("assistant", 70), ("compress", 10)]),
    run_tracker("system messages alone are never compressed", 100, [("system", 60), ("system", 70), ("compress", 10)]),
    run_tracker("a system message counts as the one that is left", 100,
                [("system", 60), ("user", 50), ("compress", 10)]),
    run_tracker("compression below the target removes nothing and emits nothing", 100, [("user", 40), ("compress", 50)]),
    run_tracker("compression of an empty context does nothing", 100, [("compress", 0)]),
    run_tracker("compression to 0 leaves the newest message", 100, [("user", 5), ("user", 6), ("user", 7), ("compress", 0)]),
    run_tracker("on the way down only the state change follows", 100,
                [("user", 60), ("assistant", 40), ("compress", 50), ("user", 60)]),
    run_tracker("a target is rounded down to whole tokens", 7, [("user", 2), ("user", 2), ("user", 2), ("compress", 50)]),
    run_tracker("ten user messages are no reason to remove any", 100_000, [*turns(10), "suggestions"]),
    run_tracker("eleven user messages: all but the newest five could go", 100_000, [*turns(11), "suggestions"]),
    run_tracker("what is saved is the tokens of the oldest", 100_000,
                [*[("user", n) for n in range(1, 13)], "suggestions"]),
    run_tracker("assistant messages at a third of the limit are not suggested", 300,
                [("user", 10), ("assistant", 100), "suggestions"]),
    run_tracker("assistant messages above a third of the limit could be summarised to half", 300,
                [("user", 10), ("assistant", 60), ("assistant", 41), "suggestions"]),
    run_tracker("a third that is no whole number is not rounded", 100,
                [("assistant", 33), "suggestions", ("assistant", 1), "suggestions"]),
    run_tracker("both suggestions, the lesser loss first", 300, [*turns(11, 5, 12), "suggestions", "composition"]),
    run_tracker("automatic compression begins at its line and goes to its target", 100,
                [("system", 10), ("user", 30), ("assistant", 39), ("user", 1), ("assistant", 5)],
                {"atPercent": 80, "toPercent": 50}),
    run_tracker("the events of a message that is compressed away come before the compression's", 100,
                [("user", 40), ("assistant", 80)], {"atPercent": 80, "toPercent": 90}),
    run_tracker("a message of zero tokens is a message", 100, [("user", 0), ("assistant", 0), "composition"]),
    run_tracker("a limit of zero is nominal whatever is added", 0, [("user", 100), ("assistant", 100)]),
]
assert tracker_cases[2]["steps"][1]["expect"]["events"] == [
    {"type": "stateChanged", "from": "nominal", "to": "redlined", "percent": 120},
    {"type": "approachingRedline", "percent": 120}, {"type": "redlined", "used": 120, "limit": 100}]
write("tracker",
      "A context of messages with given token counts. After each step: tokens, ids that remain in order, state, and the "
      "events this step emitted, in order. `roles` has no order. `autoCompress` null: off. `history` is the used tokens after "
      "each added message.",
      "Accounting, What the runner library must offer (004), States and lines, Events; document 004", tracker_cases)

# --- checkpoint ---------------------------------------------------------------------------------------------

F = "```"
BODY = "## Goal\nFix the login form.\n\n## Remaining Tasks\n1. Tests"


def checkpoint(name, text, expect):
    return {"name": name, "given": {"text": text}, "expect": {"checkpoint": expect, "minimal": expect == ""}}


checkpoint_cases = [
    checkpoint("a well-formed block", f"<checkpoint>\n{BODY}\n</checkpoint>", BODY),
    checkpoint("text around the block is left out", f"Here you are.\n\n<checkpoint>\n{BODY}\n</checkpoint>\n\nI stop now.", BODY),
    checkpoint("a block on one line", "<checkpoint>Goal: ship it</checkpoint>", "Goal: ship it"),
    checkpoint("a block wrapped in an xml fence", f"{F}xml\n<checkpoint>\n{BODY}\n</checkpoint>\n{F}", BODY),
    checkpoint("a block wrapped in a markdown fence", f"{F}markdown\n<checkpoint>\n{BODY}\n</checkpoint>\n{F}\n", BODY),
    checkpoint("a block wrapped in a fence without a language", f"{F}\n<checkpoint>\n{BODY}\n</checkpoint>\n{F}", BODY),
    checkpoint("a fence after an introduction", f"Here it is:\n{F}xml\n<checkpoint>\n{BODY}\n</checkpoint>\n{F}", BODY),
    checkpoint("a fence inside the tags", f"<checkpoint>\n{F}markdown\n{BODY}\n{F}\n</checkpoint>", BODY),
    checkpoint("a code block within the content stays", f"<checkpoint>\nRun this:\n{F}sh\nnpm test\n{F}\nThen stop.\n</checkpoint>",
               f"Run this:\n{F}sh\nnpm test\n{F}\nThen stop."),
    checkpoint("a code block within a wrapped block stays",
               f"{F}markdown\n<checkpoint>\nRun this:\n{F}sh\nnpm test\n{F}\nThen stop.\n</checkpoint>\n{F}",
               f"Run this:\n{F}sh\nnpm test\n{F}\nThen stop."),
    checkpoint("two code blocks at both ends are no wrapper", f"<checkpoint>\n{F}js\na()\n{F}\nand\n{F}js\nb()\n{F}\n</checkpoint>",
               f"{F}js\na()\n{F}\nand\n{F}js\nb()\n{F}"),
    checkpoint("an unclosed tag reads to the end", f"Sure.\n<checkpoint>\n{BODY}", BODY),
    checkpoint("an unclosed tag in a wrapped answer reads to the end of the wrapper", f"{F}xml\n<checkpoint>\n{BODY}\n{F}", BODY),
    checkpoint("no tag: the whole answer", f"I was fixing the login form.\n{BODY}", f"I was fixing the login form.\n{BODY}"),
    checkpoint("no tag in a wrapped answer: its content", f"{F}markdown\n{BODY}\n{F}", BODY),
    checkpoint("no tag: a code block within the answer stays", f"Run:\n{F}sh\nnpm test\n{F}", f"Run:\n{F}sh\nnpm test\n{F}"),
    checkpoint("an empty answer", "", ""),
    checkpoint("an answer of blanks", " \n\t\n ", ""),
    checkpoint("an empty block", "<checkpoint></checkpoint>", ""),
    checkpoint("a block of blanks", "<checkpoint>\n  \n</checkpoint>", ""),
    checkpoint("an opening tag and nothing else", "<checkpoint>", ""),
    checkpoint("an empty block does not fall back to the text around it", "Nothing to report.\n<checkpoint>\n</checkpoint>\nBye.", ""),
    checkpoint("tags in capital letters", f"<CHECKPOINT>\n{BODY}\n</Checkpoint>", BODY),
    checkpoint("of several blocks the first is taken", "<checkpoint>one</checkpoint>\n<checkpoint>two</checkpoint>", "one"),
    checkpoint("a tag named within the block is text", "<checkpoint>Goal: parse <checkpoint> tags</checkpoint>",
               "Goal: parse <checkpoint> tags"),
    checkpoint("a tag announced in a sentence before the block is text",
               f"I write the <checkpoint> block now.\n<checkpoint>\n{BODY}\n</checkpoint>", BODY),
    checkpoint("a pair of tags announced in a sentence before the block is text",
               f"As asked, in <checkpoint></checkpoint> tags:\n\n  <checkpoint>{BODY}</checkpoint>", BODY),
    checkpoint("a block that begins in the middle of a line, where none begins a line",
               f"Here it is: <checkpoint>{BODY}</checkpoint> Bye.", BODY),
    checkpoint("another tag of a similar name is none", "<checkpoints>a</checkpoints>", "<checkpoints>a</checkpoints>"),
    checkpoint("lines that end in CR LF", f"<checkpoint>\r\n## Goal\r\nShip\r\n</checkpoint>\r\n", "## Goal\r\nShip"),
    checkpoint("blank lines and blanks around the content are trimmed", f"<checkpoint>\n\n  {BODY}  \n\n</checkpoint>", BODY),
    checkpoint("letters of any script pass unchanged", "<checkpoint>目标：修复登录 🚀 — étape 2</checkpoint>", "目标：修复登录 🚀 — étape 2"),
    checkpoint("other tags within the content stay", "<checkpoint><b>Goal</b> & more</checkpoint>", "<b>Goal</b> & more"),
]
write("checkpoint",
      "The agent's answer to the checkpoint prompt → the checkpoint, trimmed. `minimal`: it is empty, and the continuation "
      "goes out with the minimal prompt.",
      "Accounting, What the runner library must offer (002); document 002, task 4 and its edge cases", checkpoint_cases)

# --- archive-name -------------------------------------------------------------------------------------------


def repo_key(path):
    path = path.rstrip("/") or "/"
    dashed = "".join(
        "-" if c in "/\\:" else "_" if c in '<>"|?*' or unicodedata.category(c) == "Cc" else c for c in path
    )
    while len(dashed.encode()) > 180:
        dashed = dashed[1:]
    return f"{dashed}-{hashlib.sha256(path.encode()).hexdigest()[:8]}"


UUID = "3b1c9f4e-8a34-4d0f-9a54-2f2d9c1f7c11"
session_cases = [
    {"name": f"a session id that is safe stays: {value}", "given": {"kind": "session", "sessionId": value}, "expect": {"equals": value}}
    for value in (UUID, "task-42", "a.b_c-D9", "x" * 100)
] + [
    {"name": f"{what} as session id reads unknown", "given": {"kind": "session", "sessionId": value}, "expect": {"equals": "unknown"}}
    for what, value in (("null", None), ("an empty text", ""), ("an object", {}), ("a list", ["a"]), ("a boolean", True))
] + [
    {"name": "an absent session id reads unknown", "given": {"kind": "session"}, "expect": {"equals": "unknown"}},
] + [
    {"name": f"{what} in a session id is made safe", "given": {"kind": "session", "sessionId": value}, "expect": {"safe": True}}
    for what, value in (
        ("a path upwards", "../../etc/passwd"), ("an absolute path", "/etc/passwd"), ("a backslash", "..\\..\\x"),
        ("a leading dot", ".hidden"), ("nothing but dots", ".."), ("a blank", "my session"), ("a line break", "a\nb"),
        ("a NUL", "a\u0000b"), ("a script of its own", "会话 42"), ("an emoji", "🚀"), ("a quote", "a'b\"c`d"),
        ("a great length", "x" * 5_000), ("a dollar and a semicolon", "$(rm -rf ~);"))
]
key_cases = [
    {"name": f"the key of {what}", "given": {"kind": "repo", "path": value}, "expect": {"equals": repo_key(value)}}
    for what, value in (
        ("/home/cyou/mala", "/home/cyou/mala"), ("/a-b", "/a-b"), ("/a/b", "/a/b"), ("/a/b with a slash at its end", "/a/b/"),
        ("the root folder", "/"), ("a folder with blanks", "/my work/app"), ("a folder in another script", "/проекты/приложение"),
        ("a folder with a colon", "/a:b"), ("a folder with what some systems forbid", '/a"b?c*d'),
        ("a folder with a line break", "/a\nb"),
        ("a folder with a control character of Latin-1", "/a\x85b"), ("a folder too deep for a file name", "/" + "/".join(["directory"] * 40)))
]
assert key_cases[1]["expect"] != key_cases[2]["expect"] == key_cases[3]["expect"]
extension_cases = [
    {"name": f"the extension of {value}", "given": {"kind": "extension", "path": value}, "expect": {"equals": expect}}
    for value, expect in (
        ("/t/session.jsonl", ".jsonl"), ("/t/session.md", ".md"), ("/t/session.JSON", ".JSON"), ("/t/archive.tar.gz", ".gz"),
        ("/t/session", ".txt"), ("/t/.hidden", ".txt"), ("/t/session.", ".txt"), ("/t/folder.d/session", ".txt"),
        ("session.log", ".log"))
] + [
    {"name": f"{what} as extension is made safe", "given": {"kind": "extension", "path": value}, "expect": {"safe": True}}
    for what, value in (("a blank", "/t/session.a b"), ("a great length", "/t/session." + "x" * 60),
                        ("a script of its own", "/t/session.журнал"), ("a line break", "/t/session.a\nb"))
]
write("archive-name",
      "Names of the local archive, `runs/<repo key>/archives/<session>_<UTC time>_transcript<ext>`. `safe` session: only A–Z "
      "a–z 0–9 . _ -, not empty, not beginning with a dot, at most `maxSessionLength` characters. `safe` extension: a dot and "
      "1 to 31 of A–Z a–z 0–9 . _ ~ + -. `archiveName` is what the file's name matches. A repo key is the absolute path "
      "without slashes at its end, each / \\ : as -, each control character and each of < > \" | ? * as _, then - and the "
      "first 8 hexadecimal digits of the SHA-256 of the path in UTF-8; of a dashed part beyond 180 bytes only its last "
      "characters that fit remain.",
      "Accounting, What the runner library must offer (001); document 001, Repo identity and archive path",
      session_cases + key_cases + extension_cases, maxSessionLength=150,
      archiveName="^<session>_[0-9]{8}[T_-]?[0-9]{6}[0-9A-Za-z_.-]*_transcript<extension>$")

# --- snapshot -----------------------------------------------------------------------------------------------


def run_snapshot(name, limit, steps):
    """Steps: ("main"|"side", total or None, characters or None), or the kind of a boundary."""
    reading, basis, fresh, out = None, None, None, []
    for step in steps:
        if isinstance(step, str):
            record, reading, basis, fresh = {"op": "boundary", "kind": step}, None, None, step
        else:
            scope, total, characters = (*step, None)[:3]
            record = {"op": "call", "scope": scope, "totalTokens": total, "characters": characters}
            if scope == "main":
                unbelievable = fresh == "compaction" and limit > 0 and total is not None and total > limit
                if total is not None and not unbelievable:
                    reading, basis = total, "total"
                elif total is None and characters is not None and basis != "total":
                    reading, basis = math.ceil(Fraction(characters, 4)), "estimate"
                fresh = None
        out.append({**record, "expect": {
            "contextTokens": reading, "basis": basis, "pressure": None if reading is None else ratio(reading, limit)}})
    return {"name": name, "given": {"limit": limit}, "steps": out}


snapshot_cases = [
    run_snapshot("the reading is total_tokens of the last main call", 128_000, [("main", 12_000), ("main", 15_500)]),
    run_snapshot("nothing is summed", 128_000, [("main", 10_000)] * 3),
    run_snapshot("a smaller reading replaces a larger one without an event", 128_000, [("main", 90_000), ("main", 30_000)]),
    run_snapshot("a side call moves nothing", 128_000, [("main", 60_000), ("side", 300), ("side", 127_000), ("main", 61_000)]),
    run_snapshot("before the first main call nothing is known", 128_000, [("side", 300), ("main", 1_000)]),
    run_snapshot("between calls the last reading stays", 128_000, [("main", 5_000), ("side", None, 400)]),
    run_snapshot("a reading above the window reads above 1.0", 128_000, [("main", 160_000)]),
    run_snapshot("without usage the size is estimated as a quarter of the characters, rounded up", 128_000,
                 [("main", None, 401), ("main", None, 404), ("main", None, 1), ("main", None, 0)]),
    run_snapshot("estimates replace one another and are not summed", 128_000, [("main", None, 400), ("main", None, 800)]),
    run_snapshot("a real reading replaces an estimate", 128_000, [("main", None, 400), ("main", 137)]),
    run_snapshot("an estimate never replaces a real reading", 128_000, [("main", 50_000), ("main", None, 4_000)]),
    run_snapshot("a side call without usage is not estimated into the context", 128_000, [("side", None, 4_000)]),
    run_snapshot("after a boundary the size is unknown until the next main call", 128_000,
                 [("main", 120_000), "restart", ("side", 200), ("main", 9_000)]),
    run_snapshot("after a boundary an estimate counts again", 128_000, [("main", 120_000), "clear", ("main", None, 2_000)]),
    run_snapshot("a reading above the window right after a compaction is not used", 258_400,
                 [("main", 250_000), "compaction", ("main", 940_499), ("main", 21_000)]),
    run_snapshot("a limit of zero reads 0.0", 0, [("main", 5_000)]),
]
write("snapshot",
      "Calls in order and the context's size after each. `totalTokens` null: the provider returned no usage; `characters` is "
      "then the length of all text of that call, in and out, which an estimate is made of. `contextTokens` null: unknown.",
      "Accounting, Snapshot lens; document 003, Decision, Scope, Consequences", snapshot_cases)

# --- settings -----------------------------------------------------------------------------------------------


def edits(a, b):
    """Levenshtein distance."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


KNOWN = ["context_restart_threshold", "context_limit", "archive_folder", "content"]


def setting(name, given, expect_nearest, known=KNOWN):
    nearest = min(known, key=lambda candidate: edits(given, candidate))
    assert nearest == expect_nearest, (given, nearest)
    return {"name": name, "given": {"setting": given, "known": known},
            "expect": {"begins": f'Unknown setting "{given}"', "nearest": nearest}}


write("settings",
      "An unknown setting is refused by name. The message begins with `begins` and names `nearest`, the known "
      "setting that takes the fewest edits (insert, delete, replace a letter), the first one among equals. A library may "
      "overlook - and _ and the case of letters when it looks for it.",
      "Accounting, What the runner library must offer (001); document 001, Breaking changes",
      [setting("a letter is missing", "context_restart_treshold", "context_restart_threshold"),
       setting("a letter too many", "context_limitt", "context_limit"),
       setting("two letters changed places", "contnet", "content"),
       setting("a retired setting is refused like any other", "context_restart_threshold", "restart_threshold",
               ["restart_threshold", "archive_folder", "content"]),
       setting("another case of letters is another name", "Content", "content"),
       setting("an environment variable", "BAROGRAPH_TOKKEN", "BAROGRAPH_TOKEN",
               ["BAROGRAPH_URL", "BAROGRAPH_TOKEN", "BAROGRAPH_PROJECT"])])
