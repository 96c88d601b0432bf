/**
 * Hands a hook's report over to the client's durable queue: now, if the server answers, or with the next client of
 * this machine.
 */
import type { ArchiveEntry } from '../archive/archive-types';
import type { HookInput } from '../archive/read-hook-input';
import { reportArchive, reportPending } from '../archive/tell-outcome';
import type { BarographClient } from '../client/client-types';
import { createClient } from '../client/create-client';
import type { Logger } from '../logger';
import type { RunnerSettings } from '../settings';
import { projectOfTranscript } from '../upload/find-project';
import { VERSION } from '../version';

export interface HookReporter {
  input: HookInput;
  /** Session key. */
  session: string;
  settings: RunnerSettings & { url: string };
  /** When the hook fired, milliseconds since the epoch. */
  now: number;
  logger: Logger;
}

/** Nobody waits for this process, but none should stay for a server that is away. */
const DELIVER_MS = 3_000;

/** @returns the project that the session joins. @throws TypeError for settings no client can be made with. */
export async function reportHook(report: HookReporter & { entry: ArchiveEntry }): Promise<string> {
  const { input, entry, session, settings, now } = report;
  const project = settings.project ?? (await projectOfTranscript(input.transcriptPath, input.cwd));
  const client = openHookClient(report, project);
  const name = clientOf(session);
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
  return project;
}

/** Tells something more of a session that was reported before. */
export async function reportMore(
  reporter: HookReporter,
  project: string,
  tell: (client: BarographClient) => void,
): Promise<void> {
  const client = openHookClient(reporter, project);
  tell(client);
  await client.close(DELIVER_MS);
}

function openHookClient({ session, settings, logger }: HookReporter, project: string): BarographClient {
  return createClient({
    url: settings.url,
    token: settings.token,
    secret: settings.secret,
    project,
    runner: { name: clientOf(session) ?? 'hook', host: settings.host, version: VERSION },
    source: 'hook',
    queueFolder: settings.queueFolder,
    content: settings.content,
    logger,
  });
}

/** The part of a session key that names the agent's client. */
function clientOf(session: string): string | null {
  const client = session.slice(0, session.indexOf(':'));
  return client === '' || client === 'hook' ? null : client;
}
