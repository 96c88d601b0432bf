import { useMemo } from 'react';
import type { EventDetails } from '@/core/api/responses';
import type { Session, SessionEvent } from '@/core/api/session';
import { Why } from '../explain/why';
import { formatDuration } from '../format/format-duration';
import { formatPercent } from '../format/format-percent';
import { formatExact } from '../format/format-tokens';
import { archiveFacts } from './archive-facts';
import { CompactionBar } from './compaction-bar';
import { type CompactionCost, compactionCost } from './compaction-cost';
import { COMPACTION, count, freedTokens, word } from './describe-event';
import { type Fact, Facts, Sentence, tokensWord } from './event-facts';
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
  /** The calls around it; null: not read yet. */
  calls: EventDetails['calls'];
}

export default function OpenedCompaction({ event, session, archive, calls }: OpenedCompactionProps) {
  const { detail } = event;
  const question = useMemo(() => ({ about: 'compaction', event }) as const, [event]);
  const figures = freedTokens(detail);
  const limit = count(detail.limit) ?? session.limit;
  const state = word(detail.state) || 'confirmed';
  const before = figures?.before ?? count(detail.preTokens) ?? count(detail.lastReading);
  const share =
    before === null || limit === null || limit <= 0 ? '' : `, at ${formatPercent(before / limit)}`;
  const cost = compactionCost(event, calls);
  const isDone = state === 'confirmed';
  const isRead = count(detail.firstReading) !== null;
  const rows: Fact[] = [
    ['trigger', `${word(detail.trigger) || 'not stated'}${share}`],
    ...(isDone ? [] : ([['state', COMPACTION[state] ?? state]] as Fact[])),
    ...(word(detail.reason) === '' ? [] : ([['reason', word(detail.reason)]] as Fact[])),
    ...(cost.counts === null
      ? []
      : ([
          [
            'before',
            `${formatExact(cost.counts.stated)} by the client’s count when it compacted; the last turn had read ${formatExact(cost.counts.read)}${
              cost.counts.stated > cost.counts.read
                ? ': what came after that turn is in the first alone'
                : ', with system prompt and tools'
            }`,
          ],
        ] as Fact[])),
    ...(count(detail.postTokens) === null
      ? []
      : ([
          [
            'kept',
            `${tokensWord(detail.postTokens)} by the client’s own count, without system prompt and tools`,
          ],
        ] as Fact[])),
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
      {isDone ? <Cost cost={cost} /> : null}
      {figures && isDone ? (
        <CompactionBar
          seed={event.id}
          before={figures.before}
          after={figures.after}
          limit={limit}
          afterWord={isRead ? 'first reading after' : 'by the client’s count'}
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

/** The answer in four figures, for those who have seconds. */
function Cost({ cost: { dropped, duration, reread, summary } }: { cost: CompactionCost }) {
  return (
    <dl className="flex flex-wrap gap-x-[36px] gap-y-[8px] xl:col-span-2">
      <CostFigure name="dropped">
        {dropped === null ? null : (
          <>
            <span className="num">{formatExact(dropped.tokens)}</span>{' '}
            <span className="text-small text-ink2">
              tokens, <span className="num">{formatPercent(dropped.share)}</span>
            </span>
          </>
        )}
      </CostFigure>
      <CostFigure name={duration?.isStated === false ? 'took at most' : 'took'}>
        {duration === null ? null : (
          <>
            <span className="num">{formatDuration(duration.ms)}</span>
            {duration.isStated ? null : (
              <span className="text-small text-ink2"> since the turn before it</span>
            )}
          </>
        )}
      </CostFigure>
      <CostFigure name="its summary call">
        {summary === null ? null : summary === 'unreported' ? (
          <span
            className="text-ink2"
            title="No source told of the call that wrote the summary: what it cost is in no total"
          >
            not reported
          </span>
        ) : (
          <>
            <span className="num">{formatExact(summary.sent)}</span>{' '}
            <span className="text-small text-ink2">
              tokens read,{' '}
              <span className="num">{formatPercent(summary.cached / Math.max(1, summary.sent))}</span> from
              the cache
              {summary.isFromFile ? null : (
                <>
                  ; <span className="num">{formatExact(summary.written)}</span> written
                </>
              )}
            </span>
          </>
        )}
      </CostFigure>
      <CostFigure name="read anew by the next turn">
        {reread === null ? null : (
          <>
            <span className="num">{formatExact(reread)}</span>{' '}
            <span className="text-small text-ink2">tokens not in the cache</span>
          </>
        )}
      </CostFigure>
    </dl>
  );
}

function CostFigure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-small text-ink2">{name}</dt>
      <dd className="text-title">{children ?? <span className="text-ink2">not known</span>}</dd>
    </div>
  );
}

function sizeWords(before: number | null, state: string): string {
  if (before === null) return 'The size before it is not known.';
  const tokens = `${formatExact(before)} tokens before it`;
  return state === 'confirmed' ? `${tokens}; the first reading after it has not come yet.` : `${tokens}.`;
}
