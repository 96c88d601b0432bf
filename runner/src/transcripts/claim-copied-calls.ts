/**
 * A fork copies its parent's lines into a new file, and not every client marks the copied lines. If the parent was
 * never read, its calls would count as the fork's own. So this module finds the file with the fork's first call and
 * claims the calls of that file first.
 */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CallOwners } from '../../../core/agents/agent-format';
import {
  COPIED_AFTER_MS,
  compareSpans,
  readSource,
  readSpan,
  type TranscriptSource,
} from './collect-sources';
import { readLines } from './read-lines';
import { TranscriptFeed } from './transcript-feed';

const HEAD_BYTES = 1024 * 1024;

/** @param isRead whether a file is read anyway, in the order of `collectSources` */
export async function claimCopiedCalls(
  source: TranscriptSource,
  owners: CallOwners,
  isRead: (path: string) => boolean = () => false,
): Promise<void> {
  if (source.format.readsAs(source.path) !== 'lines') return;
  const call = await firstOldCall(source);
  if (call === null) return;
  const folder = dirname(source.path);
  const span = await readSpan(source);
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    if (path === source.path || isRead(path) || !source.format.acceptsPath(path)) continue;
    if (!(await contains(path, call)) || compareSpans(await readSpan({ ...source, path }), span) >= 0)
      continue;
    const neighbour = await readSource(path);
    if (neighbour === null || neighbour.identity.session === source.identity.session) continue;
    await parserOf(neighbour, owners).joinAt(neighbour.bytes);
    return;
  }
}

function parserOf(source: TranscriptSource, owners: CallOwners): TranscriptFeed {
  return new TranscriptFeed({ source, project: '', announces: false, content: false, owners });
}

/** The first call of a file if the call's line is older than the file; otherwise null. */
async function firstOldCall(source: TranscriptSource): Promise<string | null> {
  const info = await stat(source.path).catch(() => null);
  if (info === null) return null;
  const calls: string[] = [];
  const { parser } = parserOf(source, {
    claim(record, session) {
      // The uuid of the line, or the id of its call.
      calls.push(record.split(' ')[0] ?? '');
      return session;
    },
  });
  for await (const { lines } of readLines(source.path, { from: 0, to: HEAD_BYTES })) {
    for (const line of lines) {
      parser.line(line);
      if (calls[0] === undefined) continue;
      const bornAt = info.birthtimeMs || info.ctimeMs;
      return (parser.lastAt ?? bornAt) < bornAt - COPIED_AFTER_MS ? calls[0] : null;
    }
  }
  return null;
}

/** False if the file is gone. */
async function contains(path: string, text: string): Promise<boolean> {
  let carried = '';
  try {
    for await (const chunk of createReadStream(path, { encoding: 'latin1' })) {
      const window = carried + String(chunk);
      if (window.includes(text)) return true;
      carried = window.slice(-text.length);
    }
  } catch {
    // The file is gone.
  }
  return false;
}
