/**
 * Archives the files of a session's sub-agents beside its transcript: each as an archive of its own, which says whose it
 * is. A file that did not change since it was last archived is not archived again.
 */
import { digestFile } from '../upload/digest-file';
import { archiveIdOf } from './archive-id';
import { appendEntry, readArchiveIndex } from './archive-index';
import { type ArchiveOutcome, archiveTranscript } from './archive-transcript';
import type { ArchiveEntry } from './archive-types';
import { measureFile } from './copy-transcript';
import { findSubAgents, type SubAgentFile } from './find-sub-agents';
import type { HookInput } from './read-hook-input';

export interface SubAgentsAtHook {
  /** The hook's, of the session itself. */
  input: HookInput;
  /** Absolute path of the session's transcript. */
  transcript: string;
  /** Session key. */
  session: string;
  repoPath: string;
  /** Absolute. */
  configFolder: string;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Copies them, as the hook copies the transcript. @throws what the file system throws for an index that cannot be read. */
export async function archiveSubAgents(request: SubAgentsAtHook): Promise<ArchiveOutcome[]> {
  const { input, transcript, session, ...rest } = request;
  const outcomes: ArchiveOutcome[] = [];
  for (const file of await findChanged(transcript, session, request.configFolder)) {
    outcomes.push(
      await archiveTranscript({
        ...rest,
        session,
        input: { ...input, transcriptPath: file.path },
        agent: file.agent,
      }),
    );
  }
  return outcomes;
}

export interface SubAgentsAfterwards {
  transcript: string;
  session: string;
  clientSessionId: string | null;
  trigger: string;
  /** The agent's folder. */
  cwd: string | null;
  /** Absolute. */
  repo: string;
  project: string;
  /** Absolute. */
  configFolder: string;
  now: number;
  signal?: AbortSignal;
}

/**
 * Notes them as they are when a compaction is over: lines of the index and no copies, as with completed transcripts.
 * @throws what the file system throws for the index; the signal's reason.
 */
export async function noteSubAgents(request: SubAgentsAfterwards): Promise<ArchiveEntry[]> {
  const { transcript, session, project, configFolder, signal } = request;
  const made: ArchiveEntry[] = [];
  for (const { path, agent, bytes, modifiedAt } of await findChanged(transcript, session, configFolder)) {
    // What was deleted meanwhile is nobody's loss here: its client did it.
    const digest = await digestFile(path, bytes, signal).catch(() => null);
    signal?.throwIfAborted();
    if (digest === null) continue;
    const entry: ArchiveEntry = {
      id: archiveIdOf(project, session, `agent ${agent} ${digest.sha256}`),
      // It is as old as its last line, whenever somebody comes to note it.
      at: new Date(Math.min(modifiedAt, request.now)).toISOString(),
      state: 'stored',
      reason: null,
      session,
      clientSessionId: request.clientSessionId ?? 'unknown',
      trigger: request.trigger,
      cwd: request.cwd,
      repo: request.repo,
      source: path,
      archive: null,
      bytes: digest.bytes,
      lines: digest.lines,
      sha256: digest.sha256,
      asOf: 'completed',
      upload: 'pending',
      project,
      agent,
    };
    await appendEntry(configFolder, entry);
    made.push(entry);
  }
  return made;
}

/** Those that are not archived as they are now. */
async function findChanged(
  transcript: string,
  session: string,
  configFolder: string,
): Promise<SubAgentFile[]> {
  const files = await findSubAgents(transcript, session);
  if (files.length === 0) return [];
  const { entries } = await readArchiveIndex(configFolder);
  const changed: SubAgentFile[] = [];
  for (const file of files) {
    const last = entries.findLast(({ source, state }) => source === file.path && state === 'stored');
    if (!(await isSame(file, last))) changed.push(file);
  }
  return changed;
}

async function isSame(
  { path, bytes, modifiedAt }: SubAgentFile,
  last: ArchiveEntry | undefined,
): Promise<boolean> {
  if (last === undefined || last.bytes !== bytes) return false;
  if (Math.trunc(modifiedAt) <= Date.parse(last.at)) return true;
  const { sha256 } = await measureFile(path).catch(() => ({ sha256: null }));
  return sha256 === last.sha256;
}
