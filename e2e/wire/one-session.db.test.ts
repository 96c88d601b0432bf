/** One session of a client, reported by a watcher, the hook and an import at once. */
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@/db/testing/test-database';
import { archiveTranscript } from '@/runner/src/archive/archive-transcript';
import { readHookInput } from '@/runner/src/archive/read-hook-input';
import { reportHook } from '@/runner/src/hook/report-hook';
import { settingsOf } from '@/runner/src/testing/settings';
import { collectSources } from '@/runner/src/transcripts/collect-sources';
import { FeedStore } from '@/runner/src/transcripts/feed-store';
import { importTranscripts } from '@/runner/src/transcripts/import-transcripts';
import { ProjectClients } from '@/runner/src/transcripts/project-clients';
import {
  boundaryLine,
  callLine,
  promptLine,
  SESSION_ID,
} from '@/runner/src/transcripts/testing/write-transcript';
import { TranscriptWatcher } from '@/runner/src/transcripts/transcript-watcher';
import { makeIngestToken, type ServerProcess, startServerProcess } from './server-process';

let database: TestDatabase;
let token: string;
let server: ServerProcess;
const folder = mkdtempSync(path.join(tmpdir(), 'one-session-'));

beforeAll(async () => {
  database = await createTestDatabase();
  token = await makeIngestToken(database.sql);
  server = await startServerProcess(database.url);
}, 60_000);
afterAll(async () => {
  await server?.kill();
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

const waiting = { timeout: 20_000, interval: 50 };

/** A runner with its own data folder. */
function makeRunner(data: string, flags: { uploadArchives?: string } = {}) {
  const environment = {
    BAROGRAPH_DATA_DIR: path.join(folder, data),
    BAROGRAPH_URL: server.url,
    BAROGRAPH_TOKEN: token,
  };
  const settings = { ...settingsOf(environment, { flags }), url: server.url };
  const clients = new ProjectClients({ settings });
  const store = new FeedStore(settings.queueFolder, { url: server.url, token });
  return { settings, clients, store };
}

const sessions = () => database.sql`
  select p.name as project, s.key, s.title, (select count(*)::int from turns t where t.session_id = s.id) as turns,
    (select count(*)::int from contexts c where c.session_id = s.id) as contexts,
    (select count(*)::int from transcripts t where t.session = s.public_id) as archives
  from sessions s join projects p on p.id = s.project_id order by p.name`;

test('a session that begins without a folder is one session in the right project, with its archive', async () => {
  const root = path.join(folder, 'projects');
  const file = path.join(root, '-home-dev-guessed', `${SESSION_ID}.jsonl`);
  mkdirSync(path.dirname(file), { recursive: true });
  const watch = makeRunner('watch');
  const watcher = new TranscriptWatcher({
    ...watch,
    roots: [root],
    fromStart: false,
    now: Date.now,
    timing: { sweepMs: 20, hotMs: 10, quietMs: 20 },
  });
  await watcher.start();
  writeFileSync(
    file,
    `${JSON.stringify({ type: 'mode', mode: 'default', sessionId: SESSION_ID })}\n`.repeat(3),
  );
  await vi.waitFor(() => expect(watcher.stats().files).toBe(1), waiting);
  const hook = makeRunner('hook');
  const input = readHookInput({
    session_id: SESSION_ID,
    hook_event_name: 'PreCompact',
    trigger: 'auto',
    transcript_path: file,
    cwd: '/home/dev/harbour',
  });
  const configFolder = path.join(folder, 'config');
  const now = Date.now();
  const { entry } = await archiveTranscript({
    input,
    repoPath: '/home/dev/harbour',
    configFolder,
    session: null,
    now,
  });
  const logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  const about = {
    input,
    entry,
    session: entry.session ?? '',
    repo: entry.repo,
    settings: hook.settings,
    configFolder,
    now,
    logger,
  };
  const reported = reportHook(about, Promise.resolve());
  await vi.waitFor(async () => expect(await sessions()).toHaveLength(1), waiting);
  const at = new Date().toISOString();
  appendFileSync(
    file,
    promptLine('Work', at) + callLine('msg_1', 5, at) + boundaryLine(randomUUID(), 'auto', at),
  );
  appendFileSync(file, callLine('msg_2', 6, at));
  await vi.waitFor(async () => expect(await sessions()).toMatchObject([{ turns: 2 }]), waiting);
  await reported;
  await watcher.stop();
  await watch.clients.close(5_000);
  const expected = { project: 'harbour', key: SESSION_ID, title: 'Work', turns: 2, contexts: 2 };
  const found = await sessions();
  expect(found).toMatchObject([expected]);
  expect(found[0]?.archives).toBeGreaterThan(0);

  const lost = makeRunner('lost');
  const signal = new AbortController().signal;
  await importTranscripts((await collectSources([root])).sessions, {
    ...lost,
    signal,
    again: false,
    onProgress: () => undefined,
  });
  await lost.clients.close(5_000);
  expect(await sessions()).toEqual(found);
}, 90_000);
