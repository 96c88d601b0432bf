import { basename } from 'node:path';
import { createCallOwners, type TranscriptItem } from '../../runner/src/adapters/format';
import { collectSources } from '../../runner/src/transcripts/collect-sources';
import { TranscriptFeed } from '../../runner/src/transcripts/transcript-feed';
import { readCodex } from './read-codex';

export interface SessionItems {
  name: string;
  items: TranscriptItem[];
}

/** The items of every transcript below a folder: each format the runner reads, and Codex rollouts. */
export async function readSessions(
  folder: string,
): Promise<{ sessions: SessionItems[]; skipped: { path: string; reason: string }[] }> {
  const collected = await collectSources([folder]);
  const owners = createCallOwners();
  const sessions: SessionItems[] = [];
  for (const { session, sources, hasMain } of collected.sessions) {
    const items: TranscriptItem[] = [];
    for (const source of sources) {
      const announces = source.identity.chain === null || !hasMain;
      const feed = new TranscriptFeed({ source, project: 'forecast', announces, content: false, owners });
      for await (const batch of feed.pull()) items.push(...batch.items);
      items.push(...feed.settle());
    }
    sessions.push({ name: session, items: lastOfEachCall(items) });
  }
  const skipped: { path: string; reason: string }[] = [];
  for (const { path, reason } of collected.skipped) {
    const items = path.endsWith('.jsonl') ? await readCodex(path, basename(path, '.jsonl')) : null;
    if (items === null) skipped.push({ path, reason });
    else sessions.push({ name: basename(path, '.jsonl'), items });
  }
  return { sessions, skipped };
}

/** An item with the call of an earlier one amends it and takes its place, as it does on the server. */
function lastOfEachCall(items: readonly TranscriptItem[]): TranscriptItem[] {
  const placed: TranscriptItem[] = [];
  const places = new Map<string, number>();
  for (const item of items) {
    const call = item.type === 'turn' ? item.call : undefined;
    const before = call === undefined ? undefined : places.get(call);
    if (before !== undefined) placed[before] = item;
    else {
      if (call !== undefined) places.set(call, placed.length);
      placed.push(item);
    }
  }
  return placed;
}
