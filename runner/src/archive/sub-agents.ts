/** Archives the files of a session's sub-agents. A file that did not grow since its last archive is skipped. */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readSource } from '../transcripts/collect-sources';
import { readArchiveIndex } from './archive-index';
import {
  type ArchiveOutcome,
  type ArchiveRequest,
  archiveTranscript,
  locateTranscript,
} from './archive-transcript';

interface SubAgentFile {
  path: string;
  /** The client's id of the sub-agent. */
  agent: string;
  bytes: number;
  modifiedAt: number;
}

/** Sessions have dozens; the limit protects the hook. */
const MAX_FILES = 1_000;
const AGENT_FILE = /^agent-.+\.jsonl$/;

/** @param request of the session's transcript. @throws what the file system throws for an unreadable index. */
export async function archiveSubAgents(request: ArchiveRequest): Promise<ArchiveOutcome[]> {
  const { input, session, configFolder } = request;
  if (session === null || input.transcriptPath === null) return [];
  const transcript = locateTranscript(input.transcriptPath, input.cwd);
  const outcomes: ArchiveOutcome[] = [];
  for (const { path, agent } of await findChanged(transcript, session, configFolder)) {
    const agentInput = { ...input, transcriptPath: path };
    outcomes.push(await archiveTranscript({ ...request, input: agentInput, agent }));
  }
  return outcomes;
}

export async function findChanged(
  transcript: string,
  session: string,
  configFolder: string,
): Promise<SubAgentFile[]> {
  const files = await findSubAgents(transcript, session);
  if (files.length === 0) return [];
  const { entries } = await readArchiveIndex(configFolder);
  return files.filter(({ path, bytes }) => {
    const last = entries.findLast(({ source, state }) => source === path && state === 'stored');
    return last?.bytes !== bytes;
  });
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
