import { useMemo } from 'react';
import type { Session, SessionEvent } from '@/core/api/session';
import { Why } from '../explain/why';
import { formatDuration } from '../format/format-duration';
import { formatPercent } from '../format/format-percent';
import { formatExact } from '../format/format-tokens';
import { CompactionBar } from './compaction-bar';
import { COMPACTION, count, freedTokens, word } from './describe-event';
import { type Fact, Facts, Sentence, tokensWord } from './event-facts';
import { archiveFacts } from './opened-archive';
import type { Archive } from './select-event';
import { TranscriptLinks } from './transcript-links';

const SENTENCE: Readonly<Record<string, string>> = {
  pending:
    'A hook fires before a compaction. It ends the context only once the client’s own record of it arrives.',
  blocked: 'A hook refused it: the context goes on as it was.',
  failed: 'The client gave it up, or never began it: the context goes on as it was.',
};

interface OpenedCompactionProps {
  event: SessionEvent;
  session: Session;
  /** Null: none was reported. */
  archive: Archive | null;
}

export function OpenedCompaction({ event, session, archive }: OpenedCompactionProps) {
  const { detail } = event;
  const question = useMemo(() => ({ about: 'compaction', event }) as const, [event]);
  const figures = freedTokens(detail);
  const limit = count(detail.limit) ?? session.limit;
  const state = word(detail.state) || 'confirmed';
  const before = figures?.before ?? count(detail.preTokens) ?? count(detail.lastReading);
  const share =
    before === null || limit === null || limit <= 0 ? '' : `, at ${formatPercent(before / limit)}`;
  const duration = count(detail.durationMs);
  const rows: Fact[] = [
    ['trigger', `${word(detail.trigger) || 'not stated'}${share}`],
    ['duration', duration === null ? 'not stated' : formatDuration(duration)],
    ...(state === 'confirmed' ? [] : ([['state', COMPACTION[state] ?? state]] as Fact[])),
    ...(word(detail.reason) === '' ? [] : ([['reason', word(detail.reason)]] as Fact[])),
    ...(count(detail.postTokens) === null
      ? []
      : ([['kept', `${tokensWord(detail.postTokens)} by the client’s own count`]] as Fact[])),
    ...(archive === null
      ? // Who read the transcript later hands it over without a word to the session: the server's list knows.
        ([
          [
            'archive',
            <TranscriptLinks
              key={event.id}
              sessionId={session.id}
              event={event}
              none="no transcript was archived"
            />,
          ],
        ] as Fact[])
      : archiveFacts(archive, session, event)),
  ];
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-x-[32px] gap-y-[16px] xl:grid-cols-[360px_minmax(0,1fr)]">
      {figures && state === 'confirmed' ? (
        <CompactionBar
          seed={event.id}
          before={figures.before}
          after={figures.after}
          limit={limit}
          afterWord="first reading after"
          freed={(text) => (
            <Why of={question} name="freed">
              {text}
            </Why>
          )}
        />
      ) : (
        <p className="text-ink2">{sizeWords(before, state)}</p>
      )}
      <div>
        <Facts rows={rows} />
        {SENTENCE[state] === undefined ? null : <Sentence>{SENTENCE[state]}</Sentence>}
      </div>
    </div>
  );
}

function sizeWords(before: number | null, state: string): string {
  if (before === null) return 'The size before it is not known.';
  const tokens = `${formatExact(before)} tokens before it`;
  return state === 'confirmed' ? `${tokens}; the first reading after it has not come yet.` : `${tokens}.`;
}
