/**
 * Reports the size of the context and the window, as Claude Code passes them to its status line. The client draws the line
 * several times in a second, so a file remembers the last size of each session, and a repeated size ends the process
 * before it loads the client.
 */

import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { NAME } from '../../../core/agents/claude-code/about';
import { asFields, asNonEmptyText, present, UUID } from '../../../core/agents/fields';
import { readHookJson } from '../hook/read-hook-json';
import { readJson, replaceFile } from '../private-files';
import { readHookSettings } from '../settings';

const DELIVER_MS = 3_000;
const REMEMBERED_SESSIONS = 50;
const COUNTS = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
] as const;

/** @param now milliseconds since the epoch. @throws what the file system throws */
export async function reportStatusLine(stream: Readable, now: number): Promise<void> {
  const json = await readHookJson(stream);
  const status = json.ok ? readStatusLine(json.value) : null;
  const settings = readHookSettings({}).runner;
  if (status === null || settings === null || settings.url === null) return;
  const { url, queueFolder, host } = settings;
  const { id, folder, transcript, ...reading } = status;
  const file = join(queueFolder, 'status-line.json');
  const last = asFields(readJson(file))?.[id];
  if (last === reading.contextTokens) return;
  const { createClient } = await import('../client/create-client');
  const { clientSettings, identityOf, projectSourceOf } = await import('../transcripts/project-clients');
  const { projectOfTranscript } = await import('../upload/upload-entry');
  const session = `${NAME}:${id}`;
  const project = settings.project ?? (await projectOfTranscript(transcript, folder));
  const { runner, ...identity } = identityOf(session, project, projectSourceOf(settings, folder));
  const client = createClient({
    ...clientSettings({ ...settings, url }),
    ...identity,
    runner: { name: runner, host },
    source: 'hook',
  });
  const handle = client.session(session);
  const about = {
    lens: 'snapshot',
    client: NAME,
    clientSessionId: id,
    host,
    ...present({ folder }),
  } as const;
  if (last === undefined) handle.start({ at: now, ...about });
  handle.reading({ at: now, basis: 'total', ...reading });
  try {
    // Read again, because other sessions may have written.
    const { [id]: _, ...others } = asFields(readJson(file)) ?? {};
    const known = Object.entries(others).slice(1 - REMEMBERED_SESSIONS);
    replaceFile(file, JSON.stringify(Object.fromEntries([...known, [id, reading.contextTokens]])));
  } finally {
    await client.close(DELIVER_MS);
  }
}

/**
 * Null before the first call and after a compaction, where the counts are absent or all 0. The totals in the input are
 * not read: they were sums of the session up to version 2.1.131.
 */
function readStatusLine(value: unknown) {
  const fields = asFields(value);
  const window = asFields(fields?.context_window);
  const usage = asFields(window?.current_usage);
  const id = asNonEmptyText(fields?.session_id);
  if (usage === null || id === null || !UUID.test(id)) return null;
  const counts = COUNTS.map((name) => usage[name] ?? 0);
  const limit = window?.context_window_size;
  if (!counts.every(isCount)) return null;
  const contextTokens = counts.reduce((sum, count) => sum + count, 0);
  if (contextTokens === 0) return null;
  return {
    id,
    folder: asNonEmptyText(fields?.cwd),
    transcript: asNonEmptyText(fields?.transcript_path),
    contextTokens,
    ...(isCount(limit) && limit > 0 && { limit, limitSource: 'status_line' as const }),
    // The suffix selects a window, and transcripts lack it.
    ...present({ model: asNonEmptyText(asFields(fields?.model)?.id)?.replace(/\[1m\]$/, '') ?? null }),
  };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
