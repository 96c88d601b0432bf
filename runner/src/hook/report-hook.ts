/**
 * Hands a hook's report over to the client's durable queue: now, if the server answers, or with the next client of
 * this machine.
 */
import { basename } from 'node:path';
import type { ArchiveEntry } from '../archive/archive-types';
import type { HookInput } from '../archive/read-hook-input';
import { reportArchive, reportPending } from '../archive/tell-outcome';
import { createClient } from '../client/create-client';
import type { Logger } from '../logger';
import type { RunnerSettings } from '../settings';
import { readMainProject, readSource } from '../transcripts/collect-sources';
import { VERSION } from '../version';

export interface HookReport {
  input: HookInput;
  entry: ArchiveEntry;
  /** Session key. */
  session: string;
  settings: RunnerSettings & { url: string };
  /** Milliseconds since the epoch. */
  now: number;
  logger: Logger;
}

/** Nobody waits for this process, but none should stay for a server that is away. */
const DELIVER_MS = 3_000;

/** @throws TypeError for settings no client can be made with. */
export async function reportHook({
  input,
  entry,
  session,
  settings,
  now,
  logger,
}: HookReport): Promise<void> {
  const name = clientOf(session);
  const client = createClient({
    url: settings.url,
    token: settings.token,
    project: settings.project ?? (await projectOf(input)),
    runner: { name: name ?? 'hook', host: settings.host, version: VERSION },
    source: 'hook',
    queueFolder: settings.queueFolder,
    content: settings.content,
    logger,
  });
  // Says whose session it is, and starts nothing: the transcript may have told all of this before, or never will.
  const handle = client.session(session, {
    at: now,
    lens: 'snapshot',
    host: settings.host,
    ...(name === null ? {} : { client: name }),
    ...(input.sessionId === 'unknown' ? {} : { clientSessionId: input.sessionId }),
    ...(input.cwd === null ? {} : { folder: input.cwd }),
  });
  reportPending(handle, input, now);
  reportArchive(handle, entry, now);
  await client.close(DELIVER_MS);
}

/** The part of a session key that names the agent's client. */
function clientOf(session: string): string | null {
  const client = session.slice(0, session.indexOf(':'));
  return client === '' || client === 'hook' ? null : client;
}

/** As who follows the transcript finds it, so that both report to one session. */
async function projectOf({ transcriptPath, cwd }: HookInput): Promise<string> {
  const source = transcriptPath === null ? null : await readSource(transcriptPath).catch(() => null);
  if (source !== null) return readMainProject(source);
  return (cwd === null ? '' : basename(cwd)) || 'default';
}
