/** The library and `barograph import` report the same session of the Agent SDK, each to its own project. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runCli } from '@/runner/src/cli/testing/run-cli';
import { createClient, type RunnerSession } from '@/runner/src/index';
import { createClaudeAgent, runWithRestarts } from '@/runner/src/restart';
import { fakeQuery, type Message } from '@/runner/src/restart/testing/claude-stream';
import { UsageProcessor } from '@/runner/src/usage';
import { preparePlace } from './server-process';

const fixtures = fileURLToPath(new URL('../../runner/fixtures/claude-agent-sdk/', import.meta.url));
const RECORDED = '76469b65-126d-4f78-9fc8-a60abf7ac363';

let folder: string;
let id: string;
let url: string;
const place = preparePlace();

beforeEach(async () => {
  ({ folder } = place);
  id = randomUUID();
  ({ url } = await place.serve());
  const settings = {
    URL: url,
    TOKEN: place.token,
    DATA_DIR: folder,
    CONFIG_DIR: folder,
    UPLOAD_ARCHIVES: 'off',
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(`BAROGRAPH_${name}`, value);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const recorded = (name: string) => readFileSync(path.join(fixtures, name), 'utf8').replaceAll(RECORDED, id);

function stream(): Message[] {
  return recorded('query-stream.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Reports with the library, in a session that the agent's owner named. */
async function report(run: (session: RunnerSession) => Promise<unknown>): Promise<void> {
  const open = createClient({
    url,
    token: place.token,
    project: 'night-shift',
    runner: { name: 'orchestrator' },
    queueFolder: path.join(folder, 'library'),
  });
  await run(open.session(`ticket-${id}`));
  expect(await open.close()).toMatchObject({ delivered: true, refused: [] });
}

const runLoop = () =>
  report(async (session) => {
    const { query } = fakeQuery([stream()]);
    await runWithRestarts({ agent: createClaudeAgent({ query }), prompt: 'p', session });
  });

/** The owner reads the stream and counts the calls of the main loop. */
const countCalls = () =>
  report(async (session) => {
    const processor = new UsageProcessor({ session });
    for (const message of stream()) {
      if (message.type === 'assistant' && message.parent_tool_use_id === null) processor.process(message);
    }
  });

async function importTranscript(): Promise<void> {
  const project = path.join(folder, 'projects', '-home-dev-project');
  mkdirSync(project, { recursive: true });
  writeFileSync(path.join(project, `${id}.jsonl`), recorded('transcript.jsonl'));
  expect(await runCli(['import', path.join(folder, 'projects')])).toMatchObject({ code: 0, problems: '' });
}

/** Each import has its own machine: on one machine, equal lines in two sessions count as copies by a fork. */
async function importedAlone() {
  const joined = { id, folder };
  ({ folder } = place);
  id = randomUUID();
  folder = path.join(folder, 'alone');
  for (const name of ['DATA_DIR', 'CONFIG_DIR']) vi.stubEnv(`BAROGRAPH_${name}`, folder);
  await importTranscript();
  const alone = await stored();
  ({ id, folder } = joined);
  for (const name of ['DATA_DIR', 'CONFIG_DIR']) vi.stubEnv(`BAROGRAPH_${name}`, folder);
  return alone;
}

/** The session and its calls; fails if there is more than one session. */
async function stored() {
  const { sql } = place.database;
  const sessions = await sql`
    select s.id, s.lens, s.turn_count from sessions s
    where s.adopted_by is null and (s.key like ${`%${id}%`}
      or s.id in (select session_id from session_aliases where client_session_id = ${id}))`;
  expect(sessions).toHaveLength(1);
  const calls = await sql`
    select input, output, cache_read, cache_creation, reading, context from turns
    where session_id = ${sessions[0]?.id} order by position`;
  return { lens: sessions[0]?.lens, turns: sessions[0]?.turn_count, calls: [...calls] };
}

const REPORTERS = [
  ['the restart loop', runLoop],
  ['a usage processor', countCalls],
] as const;

test.each(REPORTERS)('each call counts once if %s reports before the transcript', async (_, run) => {
  const alone = await importedAlone();
  await run();
  await importTranscript();
  expect(await stored()).toEqual(alone);
});

test.each(REPORTERS)('each call counts once if %s reports after the transcript', async (_, run) => {
  const alone = await importedAlone();
  await importTranscript();
  await run();
  expect(await stored()).toEqual(alone);
});

test.each(REPORTERS)('each call counts once if %s and the transcript report together', async (_, run) => {
  const alone = await importedAlone();
  await Promise.all([run(), importTranscript()]);
  expect(await stored()).toEqual(alone);
});
