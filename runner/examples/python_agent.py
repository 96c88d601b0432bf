"""A simulated agent in Python: its context fills up, restarts at the restart line, and continues with a checkpoint.

    python3 python_agent.py

The example needs no dependencies. With a server on this machine, or with BAROGRAPH_URL and BAROGRAPH_TOKEN set, the
example also reports the session to the project `examples`. It prints:

    turn 1: 28.1% of 200 000 tokens (nominal)
    turn 2: 58.1% of 200 000 tokens (elevated)
    turn 3: 88.2% of 200 000 tokens (critical)
    turn 4: the restart line is reached: Context pressure of session python-…: 94.6% (input=180700 output=8500 …)
    turn 5: 14.2% of 200 000 tokens (nominal), in a fresh context
    The tracker counts 4 messages and 27100 tokens, and has nothing to suggest.
    Everything was stored.                         (or, without a server: Nothing was reported: no server is known.)

The session's page then shows a line that rises to 95 %, a restart with its checkpoint, and a second context. The line
does not include the 1 400 000 cache reads of each turn.
"""
from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

import barograph as b  # noqa: E402

LIMIT = 200_000
# Usage as the Claude Agent SDK reports it after each turn.
FIRST_CONTEXT = [(54_300, 1_900), (58_000, 2_000), (57_300, 2_900), (11_100, 1_700)]
SECOND_CONTEXT = [(26_500, 1_900)]
CHECKPOINT = "## Goal\nFix the login form.\n\n## Remaining Tasks\n1. The tests of the form."


def main() -> None:
    client = connect()
    key = f"python-{int(time.time() * 1000)}"
    session = client.session(key, title="An agent in Python", client="example", limit=LIMIT) if client else None
    processor = b.UsageProcessor(limit=LIMIT, session_id=key, session=session)
    turn = 0
    for input_tokens, output_tokens in FIRST_CONTEXT:
        turn += 1
        try:
            count(processor, turn, input_tokens, output_tokens)
        except b.ContextPressureError as error:
            print(f"turn {turn}: the restart line is reached: {error}")
            if session:
                pressure = error.pressure_ratio
                session.restart(continuation=1, reason="threshold", pressure=pressure, checkpoint=CHECKPOINT)
            processor.reset(continuation=1)
    for input_tokens, output_tokens in SECOND_CONTEXT:
        turn += 1
        count(processor, turn, input_tokens, output_tokens, ", in a fresh context")
    track(session)
    if session:
        session.end(reason="done")
    report(client)


def count(processor: b.UsageProcessor, turn: int, input_tokens: int, output_tokens: int, where: str = "") -> None:
    usage = {
        "input_tokens": input_tokens, "output_tokens": output_tokens, "cache_read_input_tokens": 1_400_000,
    }
    # The same fields as `message.usage` of an SDK; an object with these attributes also works.
    processor.process({"usage": usage}, call=f"msg_{turn}", model="example-model")
    pressure = processor.pressure_ratio
    print(f"turn {turn}: {pressure:.1%} of 200 000 tokens ({b.state_of(pressure)}){where}")


def track(session: b.Session | None) -> None:
    tracker = b.ContextTracker(LIMIT, session=session)
    tracker.add_message({"role": "system", "content": "You are careful."}, 100)
    tracker.add_message({"role": "user", "content": "Fix the login form."}, 500)
    tracker.add_message({"role": "assistant", "content": "I begin with the tests."}, 1_500)
    usage = tracker.add_message({"role": "user", "content": "[the test run's output]"}, 25_000)
    advice = tracker.compression_suggestions()
    says = ", ".join(each.description for each in advice) or "has nothing to suggest"
    print(f"The tracker counts {tracker.message_count} messages and {usage.tokens_used} tokens, and {says}.")


def connect() -> b.Client | None:
    try:
        return b.connect("examples", "python-agent")
    except b.SettingError:
        return None


def report(client: b.Client | None) -> None:
    if client is None:
        print("Nothing was reported: no server is known.")
        return
    result = client.close()
    print("Everything was stored." if result.delivered else f"{result.queued} items are queued on disk for the server.")
    for refused in result.refused:
        print(f"refused: {refused.field} {refused.reason}")


if __name__ == "__main__":
    main()
