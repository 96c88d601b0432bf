"""Vectors of states and tracker."""
import math
from fractions import Fraction

from common import number, write

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


state_cases = [state_case("an empty context is nominal", 0, 200_000, (1, 200_000))]
for share, below, at in [("50", "nominal", "elevated"), ("75", "elevated", "warning"), ("85", "warning", "critical"),
                         ("100", "critical", "redlined")]:
    edge = 200_000 * int(share) // 100
    state_cases += [state_case(f"one token below {share} per cent is still {below}", edge - 1, 200_000),
                    state_case(f"{share} per cent is {at}", edge, 200_000)]
state_cases += [
    state_case("a size above the limit is redlined and leaves no room", 240_000, 200_000, (1,)),
    state_case("90 per cent is critical, because the restart line is not a state", 180_000, 200_000),
    state_case("lines of an odd limit are rounded down", 0, 7, (), ("0.5", "0.85")),
    state_case("a line with a whole decimal product is exact", 0, 100, (),
               ("0.29", "0.57", "0.58", "0.07", "0.14", "0.28", "0.55", "0.56", "1.1")),
    state_case("a line above 1 lies above the limit", 1_000, 1_000, (), ("1.1",)),
    state_case("0 tokens are left until a passed line", 185_000, 200_000, (1_000,), ("0.8",)),
    state_case("a limit of zero gives 0.0 and nominal, without room", 5_000, 0, (1,)),
    state_case("a negative limit gives 0.0 and nominal, without room", 5_000, -1),
    state_case("17 of 20 tokens are exactly 85 per cent", 17, 20),
    state_case("3 of 4 tokens are exactly 75 per cent", 3, 4),
    state_case("a limit of 128 000", 96_000, 128_000),
    state_case("a limit of 1 000 000", 899_999, 1_000_000, (), ("0.9",)),
    state_case("an unknown size gives an unknown pressure, not 0 per cent", None, 200_000),
]
write("states",
      "Pressure, state and tokens left for used tokens and a limit. Compare `pressure` exactly, and `percent` with a "
      "relative tolerance of 1e-12, because 100 × pressure is rounded once more. `used` null: the size is unknown. "
      "A line in tokens is floor(line × limit), with the line as the written decimal.",
      "Accounting, States, lines, events; document 004, ContextState and ContextUsage", state_cases)

LABELS = ("nominal", "elevated", "warning", "critical", "redlined")
RESTART = Fraction(9, 10)


class Tracker:
    """A context of messages that follows the rules, to derive expectations."""

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
            self.compress(self.auto["toPercent"], kept=self.messages[-1])

    def clear(self):
        self.events.append({"type": "cleared", "tokensCleared": self.used})
        self.messages, self.compared = [], Fraction(0)

    def compress(self, percent, kept=None):
        target, before, removed = math.floor(Fraction(self.limit * percent, 100)), self.used, 0
        while self.used > target and len(self.messages) > 1:
            oldest = next((m for m in self.messages if m[1] != "system" and m is not kept), None)
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
    run_tracker("a rise from 40 to 120 per cent emits state, approaching, redlined, in this order", 100,
                [("user", 40), ("assistant", 80)]),
    run_tracker("approaching_redline is emitted once while above 90 per cent", 1_000,
                [("user", 899), ("user", 1), ("user", 50), ("user", 49)]),
    run_tracker("a message that changes no state emits nothing", 1_000, [("user", 10), ("assistant", 20)]),
    run_tracker("clear empties the context, emits only cleared, and resets every warning", 100,
                [("user", 95), "clear", ("user", 95), "clear", "clear"]),
    run_tracker("compression removes the oldest messages until the target is reached", 100,
                [("user", 30), ("assistant", 30), ("user", 30), ("compress", 50)]),
    run_tracker("compression stops at the target exactly", 100,
                [("user", 50), ("assistant", 25), ("user", 25), ("compress", 50)]),
    run_tracker("compression keeps system messages at any position", 100,
                [("system", 10), ("user", 30), ("system", 20), ("assistant", 30), ("user", 10), ("compress", 40)]),
    run_tracker("compression leaves at least one message, the newest", 100,
                [("user", 60), ("assistant", 70), ("compress", 10)]),
    run_tracker("system messages alone are never compressed", 100, [("system", 60), ("system", 70), ("compress", 10)]),
    run_tracker("a system message counts as the one message that is left", 100,
                [("system", 60), ("user", 50), ("compress", 10)]),
    run_tracker("compression below the target removes nothing and emits nothing", 100, [("user", 40), ("compress", 50)]),
    run_tracker("compression of an empty context does nothing", 100, [("compress", 0)]),
    run_tracker("compression to 0 leaves the newest message", 100, [("user", 5), ("user", 6), ("user", 7), ("compress", 0)]),
    run_tracker("a fall emits only the change of state", 100,
                [("user", 60), ("assistant", 40), ("compress", 50), ("user", 60)]),
    run_tracker("a target is rounded down to whole tokens", 7, [("user", 2), ("user", 2), ("user", 2), ("compress", 50)]),
    run_tracker("ten user messages give no suggestion", 100_000, [*turns(10), "suggestions"]),
    run_tracker("eleven user messages give the suggestion to keep only the newest five", 100_000, [*turns(11), "suggestions"]),
    run_tracker("the suggestion saves the tokens of the oldest messages", 100_000,
                [*[("user", n) for n in range(1, 13)], "suggestions"]),
    run_tracker("assistant messages at a third of the limit give no suggestion", 300,
                [("user", 10), ("assistant", 100), "suggestions"]),
    run_tracker("assistant messages above a third of the limit give the suggestion to summarise half", 300,
                [("user", 10), ("assistant", 60), ("assistant", 41), "suggestions"]),
    run_tracker("a third of the limit is not rounded", 100,
                [("assistant", 33), "suggestions", ("assistant", 1), "suggestions"]),
    run_tracker("of two suggestions, the one with the lower impact comes first", 300, [*turns(11, 5, 12), "suggestions", "composition"]),
    run_tracker("automatic compression starts at its line and stops at its target", 100,
                [("system", 10), ("user", 30), ("assistant", 39), ("user", 1), ("assistant", 5)],
                {"atPercent": 80, "toPercent": 50}),
    run_tracker("the events of a message precede the compression that it starts", 100,
                [("user", 40), ("assistant", 80)], {"atPercent": 80, "toPercent": 90}),
    run_tracker("automatic compression keeps the newest message", 100,
                [("system", 60), ("user", 50), ("assistant", 5)], {"atPercent": 80, "toPercent": 50}),
    run_tracker("a message of zero tokens counts as a message", 100, [("user", 0), ("assistant", 0), "composition"]),
]
assert tracker_cases[2]["steps"][1]["expect"]["events"] == [
    {"type": "stateChanged", "from": "nominal", "to": "redlined", "percent": 120},
    {"type": "approachingRedline", "percent": 120}, {"type": "redlined", "used": 120, "limit": 100}]
write("tracker",
      "A context of messages with given token counts. Each step has the tokens, the ids of the remaining messages in "
      "order, the state, and the events of the step in order. `roles` has no order. `autoCompress` null: off. `history` "
      "has the used tokens after each added message.",
      "Accounting, The library, and States, lines, events; document 004", tracker_cases)
