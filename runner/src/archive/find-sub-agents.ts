/** The files that a session's sub-agents write beside its transcript. */

import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readSource } from '../transcripts/collect-sources';

export interface SubAgentFile {
  /** Absolute path. */
  path: string;
  /** Its id, as the client names it. */
  agent: string;
  bytes: number;
  /** When it was last written, milliseconds since the epoch. */
  modifiedAt: number;
}

/** A session has dozens; what is beyond is a mistake that must not keep a hook busy. */
const MAX_FILES = 1_000;
const AGENT_FILE = /^agent-.+\.jsonl$/;

/**
 * Below `<session>/subagents/`; of older clients, those beside the transcript whose lines name the session.
 * @param transcript absolute path of the session's own. @param session key that they have to belong to. Never throws.
 */
export async function findSubAgents(transcript: string, session: string): Promise<SubAgentFile[]> {
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

/** In the order of their names; links are not followed. */
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
