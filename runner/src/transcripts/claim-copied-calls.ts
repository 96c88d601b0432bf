/**
 * A fork copies its parent's lines into a new file, and not every client marks them. Where the parent was
 * never read (a watch that began later), its calls would count as the fork's own: so the neighbour that
 * holds the copy's first call is read for the ids of its calls alone.
 */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CallOwners } from '../adapters/format';
import { readSource, type TranscriptSource } from './collect-sources';
import { TranscriptFeed } from './transcript-feed';

/** Lines this much older than their file were written elsewhere. */
const COPIED_AFTER_MS = 10_000;
const HEAD_BYTES = 1024 * 1024;

export async function claimCopiedCalls(source: TranscriptSource, owners: CallOwners): Promise<void> {
  const call = await firstOldCall(source.path);
  if (call === null) return;
  for (const name of await readdir(dirname(source.path)).catch(() => [])) {
    const path = join(dirname(source.path), name);
    if (path === source.path || !source.format.accepts(path) || !(await contains(path, call))) continue;
    const neighbour = await readSource(path);
    if (neighbour === null || neighbour.identity.session === source.identity.session) continue;
    const feed = new TranscriptFeed({
      source: neighbour,
      project: '',
      announces: false,
      content: false,
      owners,
    });
    for await (const _ of feed.pull()) {
      // Parsing claims the calls; nothing is handed over.
    }
    return;
  }
}

/** The first call of a file, where its line is older than the file; null otherwise. */
async function firstOldCall(path: string): Promise<string | null> {
  const info = await stat(path).catch(() => null);
  if (info === null) return null;
  const bornAt = info.birthtimeMs || info.ctimeMs;
  let head = '';
  for await (const chunk of createReadStream(path, { encoding: 'utf8', end: HEAD_BYTES - 1 })) head += chunk;
  for (const line of head.split('\n')) {
    const id = /"id":\s?"(msg_[^"]{4,100})"/.exec(line)?.[1];
    if (id === undefined) continue;
    const at = Date.parse(/"timestamp":\s?"([^"]{10,40})"/.exec(line)?.[1] ?? '');
    return Number.isFinite(at) && at < bornAt - COPIED_AFTER_MS ? id : null;
  }
  return null;
}

async function contains(path: string, text: string): Promise<boolean> {
  let carried = '';
  try {
    for await (const chunk of createReadStream(path, { encoding: 'latin1' })) {
      const window = carried + String(chunk);
      if (window.includes(text)) return true;
      carried = window.slice(-text.length);
    }
  } catch {
    // Gone meanwhile: it is no parent any more.
  }
  return false;
}
