/** The Python client against a real server on a real database. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findPython, type Python } from '@/runner/testing/find-python';
import { preparePlace } from './server-process';
import { storedRows } from './stored-rows';

const library = fileURLToPath(new URL('../../runner/python/', import.meta.url));
const page = readFileSync(new URL('../../docs/connect/python.md', import.meta.url), 'utf8');
const documented = /```python\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
const searchPath = process.env.PATH ?? '';
const python = findPython(searchPath);

const place = preparePlace();
let folder: string;
let queues: string;
let children: ChildProcess[];

/** The start of each program. */
const PROLOGUE = `
import os, sys
import barograph as b
url, token, queues = sys.argv[1:4]
def connect(**options):
    return b.Client(url, token, project="wire", runner="python", queue_folder=queues,
                    timing={"base": 0.02, "cap": 0.2}, **options)
`;

/** 40 turns, a restart, 20 turns, one without usage, a compaction, 10 turns: cumulative sums with boundaries. */
const STORY = `
def tell(session):
    session.start(lens="cumulative", limit=200_000, model="m", title="From Python")
    for turn in range(1, 41):
        session.turn({"input": 100 + turn, "output": turn, "cacheRead": turn * 1000}, call=f"a{turn}")
    session.restart(continuation=1, reason="threshold", pressure=0.9, checkpoint="## Goal")
    for turn in range(1, 21):
        session.turn({"input": 10, "output": 1}, call=f"b{turn}", context_tokens=5_000 + turn)
    session.turn(None, call="lost")
    session.compaction("auto", "confirmed", pre_tokens=150_000, post_tokens=3_000)
    for turn in range(1, 11):
        session.turn(b.read_usage({"input_tokens": 7, "output_tokens": 3, "cache_read_input_tokens": 50}), call=f"c{turn}")
`;

function start(found: Python, program: string, server: { url: string }): ChildProcess {
  const script = path.join(folder, 'program.py');
  writeFileSync(script, PROLOGUE + STORY + program);
  const child = spawn(found.executable, [script, server.url, place.token, queues], {
    env: {
      NODE_ENV: 'test',
      PATH: searchPath,
      HOME: folder,
      PYTHONPATH: library,
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return child;
}

async function run(found: Python, program: string, server: { url: string }): Promise<string> {
  const child = start(found, program, server);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  expect(code, output).toBe(0);
  return output.trim();
}

async function expectStory(key: string): Promise<void> {
  const { turns, contexts, events } = await storedRows(place.database.sql, key);
  expect(turns.map((turn) => turn.context)).toEqual([
    ...Array(40).fill(0),
    ...Array(21).fill(1),
    ...Array(10).fill(2),
  ]);
  expect(turns[39]).toMatchObject({
    cumulative_input: 4_820,
    cumulative_output: 820,
    cumulative_cache_read: 820_000,
  });
  expect(turns[59]).toMatchObject({ cumulative_input: 200, cumulative_output: 20, reading: 5_020 });
  expect(turns[70]).toMatchObject({
    cumulative_input: 70,
    cumulative_output: 30,
    cumulative_cache_read: 500,
    limit_tokens: 200_000,
  });
  expect(contexts.map((context) => [context.calls, context.complete, context.ended_by])).toEqual([
    [40, true, 'restart'],
    [21, true, 'compaction'],
    [10, true, null],
  ]);
  const kinds = events.map((event) => event.kind);
  expect(kinds).toEqual(
    expect.arrayContaining(['restart', 'tracking_disabled', 'compaction', 'tracking_enabled']),
  );
  expect(kinds).not.toContain('turns_dropped');
}

function stories(found: Python): void {
  const { serve } = place;
  beforeEach(() => {
    ({ folder } = place);
    queues = path.join(folder, 'queues');
    children = [];
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
  });

  test('stores the items with the right sums, and the client empties its queue', async () => {
    const output = await run(
      found,
      'client = connect()\ntell(client.session("plain"))\nprint(client.close(20))',
      await serve(),
    );
    expect(output).toContain('delivered=True, queued=0, outstanding=[], refused=[]');
    await expectStory('plain');
    expect(readdirSync(queues)).toEqual([]);
  });

  test('stores nothing twice when a queue is sent again', async () => {
    const server = await serve();
    const { port } = server;
    await server.stop();
    await run(found, 'client = connect()\ntell(client.session("twice"))\nclient.close(0)', server);
    const copy = path.join(folder, 'copy');
    cpSync(queues, copy, { recursive: true });
    const again = await serve(port);
    const drain = `
import time
client = connect()
until = time.monotonic() + 20
while client.stats()["acknowledged"] < 74 and time.monotonic() < until:
    time.sleep(0.02)
counts = client.stats()
client.close(5)
print(counts["acknowledged"], counts["duplicates"])
`;
    expect(await run(found, drain, again)).toBe('74 0');
    await expectStory('twice');
    cpSync(copy, queues, { recursive: true });
    expect(await run(found, drain, again)).toBe('74 74');
    await expectStory('twice');
  });

  test('splits a batch that the server refuses with 413, and delivers all of it', async () => {
    const server = await serve();
    const { port } = server;
    await server.stop();
    // 5 000 turns of a kilobyte: more than the 4 MiB that the server takes.
    const queue = `
client = connect()
session = client.session("large")
for turn in range(5_000):
    session.turn({"input": 1, "output": 2}, call=f"t{turn}", model="m" * 900)
client.close(0)
`;
    await run(found, queue, server);
    const program = `
import time
from barograph import delivery
delivery._FRAME_ITEMS, delivery._FRAME_BYTES = 5_000, 10_000_000
answers, handle = [], delivery.Delivery._handle_failure
def note(self, spool, batch, code, body):
    answers.append(code)
    return handle(self, spool, batch, code, body)
delivery.Delivery._handle_failure = note
client = connect()
until = time.monotonic() + 60
while client.stats()["acknowledged"] < 5_000 and time.monotonic() < until:
    time.sleep(0.05)
print(client.stats()["acknowledged"], sorted(set(answers)))
client.close(5)
`;
    expect(await run(found, program, await serve(port))).toBe('5000 [413]');
    expect((await storedRows(place.database.sql, 'large')).turns).toHaveLength(5_000);
  });

  test('loses and duplicates nothing when Python is killed while it sends', async () => {
    const server = await serve();
    const program = `
client = connect()
session = client.session("killed")
session.start(lens="cumulative", limit=1_000_000)
for turn in range(1, 100_000):
    session.turn({"input": 1, "output": 2}, call=f"t{turn}")
    print(turn, flush=True)
`;
    const child = start(found, program, server);
    let handedOver = 0;
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      handedOver = Number(line);
      if (handedOver === 1_500) child.kill('SIGKILL');
    }
    await run(found, 'client = connect()\nclient.session("killed").end()\nclient.close(20)', server);
    const { turns } = await storedRows(place.database.sql, 'killed');
    expect(turns.length).toBeGreaterThanOrEqual(handedOver);
    expect(turns.length).toBeLessThanOrEqual(handedOver + 1);
    expect(turns.at(-1)).toMatchObject({
      cumulative_input: turns.length,
      cumulative_output: 2 * turns.length,
    });
    expect(readdirSync(queues)).toEqual([]);
  });

  test('stores the calls that the documented functions report, each once, and never raises', async () => {
    const program = `
import os
from types import SimpleNamespace as N
os.environ.update(BAROGRAPH_URL=url, BAROGRAPH_TOKEN=token)
${documented}
usage = N(input_tokens=40, output_tokens=25, cache_read_input_tokens=900, cache_creation_input_tokens=60)
message = N(id="msg_1", model="claude-test-1", usage=usage)
report_anthropic("task-1", "planner", message)
report_anthropic("task-1", "planner", message)
usage = N(prompt_tokens=1200, completion_tokens=300, prompt_tokens_details=N(cached_tokens=1000))
report_openai("task-1", "planner", N(id="chatcmpl-1", model="gpt-test-1", usage=usage))
os.environ["BAROGRAPH_URL"] = "http://127.0.0.1:9"
report_anthropic("task-1", "planner", message)
`;
    expect(await run(found, program, await serve())).toMatch(/^Barograph: .*refused/);
    const { turns } = await storedRows(place.database.sql, 'task-1');
    expect(turns).toMatchObject([
      { chain: 0, input: 40, output: 25, cache_read: 900, cache_creation: 60, reading: 1_025 },
      { chain: 0, input: 200, output: 300, cache_read: 1_000, cache_creation: 0, reading: 1_500 },
    ]);
  });

  test('shows the archive and the pending compaction of the Python hook', async () => {
    const server = await serve();
    const transcript = path.join(folder, 'session.jsonl');
    writeFileSync(transcript, '{"type":"user","cwd":"/src/app"}\n');
    // On a busy machine, items that miss the half second of the hook would only arrive with the next client.
    const patient = 'from barograph import hook; hook._DELIVER_SECONDS = 20; hook.main()';
    const child = spawn(found.executable, ['-c', patient, 'hook'], {
      env: {
        NODE_ENV: 'test',
        PATH: searchPath,
        HOME: folder,
        PYTHONPATH: library,
        BAROGRAPH_URL: server.url,
        BAROGRAPH_TOKEN: place.token,
        BAROGRAPH_DATA_DIR: folder,
        BAROGRAPH_CONFIG_DIR: path.join(folder, 'config'),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    children.push(child);
    child.stdin?.end(JSON.stringify({ session_id: 'h1', transcript_path: transcript, trigger: 'auto' }));
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    const key = `claude-code:${path.basename(folder)}/session`;
    const kindsOf = async () => (await storedRows(place.database.sql, key)).events.map((event) => event.kind);
    await expect.poll(kindsOf).toEqual(expect.arrayContaining(['compaction', 'archive_stored']));
  });
}

test.skipIf(python === null)('finds a Python of 3.9 or newer', () => {
  expect(python?.version).toMatch(/^3\.(9|\d\d)/);
});
if (python !== null) describe('a server with a Python client', () => stories(python));
