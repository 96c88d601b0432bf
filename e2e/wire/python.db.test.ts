/** The Python package against a real server on a real database. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readArchiveIndex } from '@/runner/src/archive/archive-index';
import {
  boundaryLine,
  callLine,
  promptLine,
  SESSION_ID,
} from '@/runner/src/transcripts/testing/write-transcript';
import { findPython, type Python } from '@/runner/testing/find-python';
import { prepareWire } from './prepare-wire';
import { storedRows } from './stored-rows';

const library = fileURLToPath(new URL('../../runner/python/', import.meta.url));
const page = readFileSync(new URL('../../docs/connect/python.md', import.meta.url), 'utf8');
const documented = /```python\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
const searchPath = process.env.PATH ?? '';
const python = findPython(searchPath);

/** Stand-ins for the clients on the page. */
const CLIENTS = `
import os
from types import SimpleNamespace as N

def client(path, answer):
    *parents, name = path.split(".")
    made = N(**{name: lambda *_: answer})
    for parent in reversed(parents):
        made = N(**{parent: made})
    return made

usage = N(input_tokens=40, output_tokens=25, cache_read_input_tokens=900, cache_creation_input_tokens=60)
message = N(id="msg_1", model="claude-test-1", usage=usage)
anthropic_client = client("messages.create", message)
usage = N(prompt_tokens=1200, completion_tokens=300, prompt_tokens_details=N(cached_tokens=1000))
openai_client = client("chat.completions.create", N(id="chatcmpl-1", model="gpt-test-1", usage=usage))
usage = {"input_tokens": 2000, "output_tokens": 50, "input_token_details": {"cache_read": 1500, "cache_creation": 300}}
langchain_model = client("invoke", N(id="run-1", response_metadata={"model_name": "m"}, usage_metadata=usage))
`;

function stories(found: Python): void {
  const wire = prepareWire();

  /** Rejects if the program fails. */
  async function run(args: string[], env: Record<string, string> = {}, input = '') {
    const running = promisify(execFile)(found.executable, ['-B', ...args], {
      env: { NODE_ENV: 'test', PATH: searchPath, HOME: wire.home.folder, PYTHONPATH: library, ...env },
    });
    running.child.stdin?.end(input);
    return running;
  }

  test('stores the calls that the documented functions report, each once, and never raises', async () => {
    const dead = 'os.environ["BAROGRAPH_URL"] = "http://127.0.0.1:9"\n';
    const once = `report_anthropic("task-1", "planner", message)\n`;
    const { stderr } = await run(['-c', CLIENTS + documented + documented + dead + once], wire.env);
    expect(stderr).toMatch(/^A call was not reported to Barograph: .*refused.*\n$/);
    const { turns } = await storedRows(wire.database.sql, 'task-1');
    expect(turns).toMatchObject([
      { chain: 0, input: 40, output: 25, cache_read: 900, cache_creation: 60, reading: 1_025 },
      { chain: 0, input: 200, output: 300, cache_read: 1_000, cache_creation: 0, reading: 1_500 },
      { chain: 0, input: 200, output: 50, cache_read: 1_500, cache_creation: 300, reading: 2_050 },
      { chain: 0, input: 100, output: 300, cache_read: 900, cache_creation: 0, reading: 1_300 },
    ]);
  });

  test('watch uploads the archive of the hook, and reports the session with its compaction', async () => {
    const { home } = wire;
    const { sql } = wire.database;
    const transcript = join(home.folder, '.claude', 'projects', '-home-dev-harbour', `${SESSION_ID}.jsonl`);
    const now = () => new Date().toISOString();
    mkdirSync(dirname(transcript), { recursive: true });
    writeFileSync(transcript, promptLine('Go on', now()) + callLine('msg_1', 5, now()));
    const atHook = createHash('sha256').update(readFileSync(transcript)).digest('hex');
    const given = home.payload({ session_id: SESSION_ID, transcript_path: transcript });
    expect((await run(['-m', 'barograph', 'hook'], {}, given)).stdout).toBe('{}\n');
    const [hook] = (await readArchiveIndex(join(home.folder, '.config', 'barograph'))).entries;
    expect(hook).toMatchObject({ state: 'stored', upload: 'pending', sha256: atHook });

    wire.env.BAROGRAPH_UPLOAD_ARCHIVES = 'on';
    await wire.watch('--from-start');
    appendFileSync(transcript, boundaryLine('b1', 'auto', now()) + callLine('msg_2', 6, now()));
    const compactions = async () => {
      const { events } = await storedRows(sql, SESSION_ID);
      return events.filter(({ kind }) => kind === 'compaction').map(({ detail }) => detail);
    };
    await expect
      .poll(compactions, { timeout: 60_000 })
      .toMatchObject([{ state: 'confirmed', boundary: 'b1' }]);
    const archives = async () => [
      ...(await sql`
        select t.archive::text, t.version, t.state, t.sha256, t.trigger from transcripts t
        join sessions s on s.public_id = t.session where s.key = ${SESSION_ID} order by t.bytes`),
    ];
    await expect.poll(archives, { timeout: 60_000 }).toMatchObject([
      { archive: hook?.id, version: 'hook', state: 'stored', sha256: atHook, trigger: 'auto' },
      { version: 'completed', state: 'stored', trigger: 'auto' },
    ]);
    // The archive may be stored before the call after the compaction is.
    const contexts = async () => (await storedRows(sql, SESSION_ID)).turns.map(({ context }) => context);
    await expect.poll(contexts, { timeout: 60_000 }).toEqual([0, 1]);
  });
}

test.skipIf(python === null)('finds a Python of 3.9 or newer', () => {
  expect(python?.version).toMatch(/^3\.(9|\d\d)/);
});
if (python !== null) describe('a server with the Python package', () => stories(python));
