/**
 * The files that a session's sub-agents write: archived beside the transcript, each as its own archive. A file that
 * did not change since its last archive is skipped.
 */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readSource } from '../transcripts/collect-sources';
import { digestFile } from '../upload/file-digest';
import { appendEntry, readArchiveIndex } from './archive-index';
import { archiveIdOf } from './archive-names';
import { type ArchiveOutcome, archiveTranscript } from './archive-transcript';
import type { ArchiveEntry } from './archive-types';
import { measureFile } from './copy-transcript';
import type { HookInput } from './read-hook-input';

interface SubAgentFile {
  /** Absolute path. */
  path: string;
  /** The client's id of the sub-agent. */
  agent: string;
  bytes: number;
  /** Milliseconds since the epoch. */
  modifiedAt: number;
}

/** Sessions have dozens; the limit protects the hook. */
const MAX_FILES = 1_000;
const AGENT_FILE = /^agent-.+\.jsonl$/;

export interface SubAgentsAtHook {
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

/** Copy changed sub-agent files. @throws what the file system throws for an unreadable index. */
export async function archiveSubAgents(request: SubAgentsAtHook): Promise<ArchiveOutcome[]> {
  const { input, transcript, session, ...rest } = request;
  const outcomes: ArchiveOutcome[] = [];
  for (const { path, agent } of await findChanged(transcript, session, request.configFolder)) {
    const agentInput = { ...input, transcriptPath: path };
    outcomes.push(await archiveTranscript({ ...rest, session, input: agentInput, agent }));
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
}

/** Add index entries for changed sub-agent files after a compaction, without copies. @throws as `archiveSubAgents`. */
export async function noteSubAgents(request: SubAgentsAfterwards): Promise<void> {
  const { transcript, session, project, configFolder } = request;
  for (const { path, agent, bytes, modifiedAt } of await findChanged(transcript, session, configFolder)) {
    const digest = await digestFile(path, bytes).catch(() => null);
    // Deleted by its client.
    if (digest === null) continue;
    await appendEntry(configFolder, {
      id: archiveIdOf(project, session, `agent ${agent} ${digest.sha256}`),
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
    });
  }
}

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

async function isSame(file: SubAgentFile, last: ArchiveEntry | undefined): Promise<boolean> {
  if (last === undefined || last.bytes !== file.bytes) return false;
  if (Math.trunc(file.modifiedAt) <= Date.parse(last.at)) return true;
  const { sha256 } = await measureFile(file.path).catch(() => ({ sha256: null }));
  return sha256 === last.sha256;
}

/** Files below `<session>/subagents/`, and for older clients those beside the transcript. Never throws. */
async function findSubAgents(transcript: string, session: string): Promise<SubAgentFile[]> {
  const inside = await list(join(transcript.replace(/\.jsonl$/, ''), 'subagents'), true);
  const beside = await list(dirname(transcript), false);
  const found: SubAgentFile[] = [];
  for (const path of [...inside, ...beside].slice(0, MAX_FILES)) {
    if (path === transcript) continue;
    const source = await readSource(path).catch(() => null);
    if (source === null || source.identity.session !== session || source.identity.chain === null) continue;
    const { bytes, modifiedAt } = source;
    found.push({ path, agent: source.identity.chain, bytes, modifiedAt });
  }
  return found;
}

/** Sorted by name; links are not followed. */
async function list(folder: string, isDeep: boolean): Promise<string[]> {
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true, recursive: isDeep }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && AGENT_FILE.test(basename(entry.name)))
    .map((entry) => join(parentOf(entry) ?? folder, entry.name))
    .sort();
}

/** Node 20.9 calls it `path`, later versions `parentPath`. */
function parentOf(entry: Dirent): string | undefined {
  const { parentPath, path } = entry as { parentPath?: string; path?: string };
  return parentPath ?? path;
}
