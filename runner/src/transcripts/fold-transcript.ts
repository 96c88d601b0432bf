/** Folds a transcript on this machine, as the server folds its items. Needs no server. */
import { emptySessionFold, foldItem } from '../../../core/accounting/fold';
import type { SessionFold } from '../../../core/accounting/fold-types';
import { summarizeSession } from '../../../core/accounting/summarize-session';
import { DEFAULT_THRESHOLDS } from '../../../core/accounting/thresholds';
import type { TranscriptItem } from '../../../core/agents/agent-format';
import type { TranscriptSource } from './collect-sources';
import type { FeedState } from './feed-store';
import { TranscriptFeed } from './transcript-feed';

/** How far a transcript was folded; JSON values only. */
export interface FoldedTranscript {
  feed: FeedState;
  fold: SessionFold;
  position: number;
}

/** @param saved continues after the lines that it contains. @throws what the file system throws */
export async function foldTranscript(source: TranscriptSource, saved?: FoldedTranscript) {
  const feed = new TranscriptFeed({
    ...{ source, project: source.identity.project, announces: true, content: true, saved: saved?.feed },
    // Only one file is read, so no other file can own its records.
    owners: { claim: (_record, session) => session },
  });
  const fold = saved?.fold ?? emptySessionFold();
  let position = saved?.position ?? 0;
  const take = (items: readonly TranscriptItem[]) => {
    for (const item of items) {
      position += 1;
      const place = { position, at: item.at, clockOff: false, source: 'transcript' as const };
      foldItem(fold, { ...place, item: { ...item, seq: position } }, { thresholds: DEFAULT_THRESHOLDS });
    }
  };
  for await (const { items } of feed.pull()) take(items);
  const reached: FoldedTranscript = structuredClone({ feed: feed.state(), fold, position });
  // The newest call may still change, so the saved part is without it.
  take(feed.parser.settle());
  return { reached, summary: summarizeSession(fold, DEFAULT_THRESHOLDS) };
}
