import { createCallOwners, type TranscriptItem } from '../../runner/src/adapters/format';
import { measureItems } from '../../runner/src/adapters/measure/measure-items';
import type { MeasuredSession } from '../../runner/src/adapters/measure/measured-session';
import type { TranscriptSession } from '../../runner/src/transcripts/collect-sources';
import { TranscriptFeed } from '../../runner/src/transcripts/transcript-feed';

/** The numbers of each session by parser and fold alone, without a server: shows which half is wrong. */
export async function measureByFold(
  sessions: readonly TranscriptSession[],
): Promise<Map<string, MeasuredSession>> {
  const owners = createCallOwners();
  const measured = new Map<string, MeasuredSession>();
  for (const session of sessions) {
    const items: TranscriptItem[] = [];
    for (const source of session.sources) {
      const announces = source.identity.chain === null || !session.hasMain;
      const feed = new TranscriptFeed({ source, project: 'truth', announces, content: true, owners });
      for await (const batch of feed.pull()) items.push(...batch.items);
      items.push(...feed.settle());
    }
    measured.set(session.session, measureItems(items));
  }
  return measured;
}
