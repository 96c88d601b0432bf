/** Archives the files of a session's sub-agents. A file that did not grow since its last archive is skipped. */
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sessionKeyOf } from '../../../core/agents/registry';
import { expandPath, readSource } from '../transcripts/collect-sources';
import { readArchiveIndex } from './archive-index';
import {
  type ArchiveOutcome,
  type ArchiveRequest,
  archiveTranscript,
  locateTranscript,
} from './archive-transcript';
import { AGENT_END } from './read-hook-input';

interface SubAgentFile {
  path: string;
  /** The client's id of the sub-agent. */
  agent: string;
  bytes: number;
}

/** A session rarely has more than some dozens of files; the limit keeps the hook fast. */
const MAX_FILES = 1_000;

/**
 * @param request for the session's own transcript. At the end of a sub-agent, only this sub-agent's file is archived.
 * @throws what the file system throws for an unreadable index.
 */
export async function archiveSubAgents(request: ArchiveRequest): Promise<ArchiveOutcome[]> {
  const { input, session, configFolder } = request;
  if (session === null || input.transcriptPath === null) return [];
  const transcript = locateTranscript(input.transcriptPath, input.cwd);
  const outcomes: ArchiveOutcome[] = [];
  for (const { path, agent } of await findChanged(transcript, session, configFolder)) {
    if (input.event === AGENT_END && agent !== input.agentId) continue;
    const agentInput = { ...input, transcriptPath: path };
    outcomes.push(await archiveTranscript({ ...request, input: agentInput, agent }));
  }
  return outcomes;
}

export async function findChanged(transcript: string, session: string, configFolder: string) {
  const files = await findSubAgents(transcript, session);
  if (files.length === 0) return [];
  const { entries } = await readArchiveIndex(configFolder);
  return files.filter(({ path, bytes }) => {
    const last = entries.findLast(({ source, state }) => source === path && state === 'stored');
    return last?.bytes !== bytes;
  });
}

/** Files below the session's folder, and next to it, where older clients wrote them. Never throws; follows no links. */
async function findSubAgents(transcript: string, session: string): Promise<SubAgentFile[]> {
  const folder = dirname(transcript);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const beside = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
  const near = [...(await expandPath(transcript, { followsLinks: false })), ...beside].filter(
    (path) => path !== transcript,
  );
  // If the path names another session, skip the file without reading it.
  const possible = near.filter((path) => (sessionKeyOf(path) ?? session) === session);
  const found: SubAgentFile[] = [];
  for (const path of possible.sort().slice(0, MAX_FILES)) {
    const source = await readSource(path).catch(() => null);
    if (source === null || source.identity.session !== session || source.identity.chain === null) continue;
    found.push({ path, agent: source.identity.chain, bytes: source.bytes });
  }
  return found;
}
