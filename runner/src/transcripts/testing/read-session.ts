import type { CallOwners, ParserCounts, TranscriptItem } from '../../../../core/agents/agent-format';
import type { TranscriptSession } from '../collect-sources';
import { TranscriptFeed } from '../transcript-feed';

/** All items of a session's files, as import reads them. */
export async function readSession(
  { sources }: TranscriptSession,
  { owners, content }: { owners: CallOwners; content: boolean },
): Promise<{ items: TranscriptItem[]; counts: ParserCounts[] }> {
  const items: TranscriptItem[] = [];
  const counts: ParserCounts[] = [];
  for (const source of sources) {
    const announces = source === sources[0] || source.identity.chain === null;
    const feed = new TranscriptFeed({ source, project: 'harbour', announces, content, owners });
    for await (const batch of feed.pull()) items.push(...batch.items);
    items.push(...feed.parser.settle());
    counts.push(feed.parser.counts);
  }
  return { items, counts };
}
