import { useMemo } from 'react';
import type { EventDetails } from '@/core/api/responses';
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { CompactionBar } from '../../charts/compaction-bar';
import { COMPACTION_STATE, compactionSizes } from '../../events/describe-event';
import { Why } from '../../explain/why';
import { formatDuration } from '../../format/format-duration';
import { formatPercent } from '../../format/format-percent';
import { formatExact } from '../../format/format-tokens';
import { type CompactionCost, compactionCost } from './compaction-cost';
import { archiveFacts, type Fact, Facts, Sentence, tokensWord } from './event-facts';
import type { Archive } from './select-event';
import { TranscriptLinks } from './transcript-links';

const SENTENCE: Readonly<Record<string, string>> = {
  pending: 'Reported by a hook. The context ends once the client’s own record arrives.',
  blocked: 'A hook refused it. The context continues.',
  failed: 'The client gave up or never started. The context continues.',
};

interface OpenedCompactionProps {
  event: SessionEvent<'compaction'>;
  session: Session;
  /** Null: none was reported. */
  archive: Archive | null;
  /** The calls around it; null: not read yet. */
  calls: EventDetails['calls'];
}

export function OpenedCompaction({ event, session, archive, calls }: OpenedCompactionProps) {
  const { detail } = event;
  const question = useMemo(() => ({ about: 'compaction', event }) as const, [event]);
  const { before, after } = compactionSizes(detail);
  const limit = detail.limit ?? session.limit;
  const { state } = detail;
  const share =
    before === null || limit === null || limit <= 0 ? '' : `, at ${formatPercent(before / limit)}`;
  const cost = compactionCost(event, calls);
  const isDone = state === 'confirmed';
  const rows: Fact[] = [
    ['trigger', `${detail.trigger}${share}`],
    ...(isDone ? [] : ([['state', COMPACTION_STATE[state]]] as Fact[])),
    ...(detail.reason === undefined ? [] : ([['reason', detail.reason]] as Fact[])),
    ...(cost.counts === null
      ? []
      : ([
          [
            'before',
            `${formatExact(cost.counts.stated)} by the client’s count when it compacted; the last turn had read ${formatExact(cost.counts.read)}${
              cost.counts.stated > cost.counts.read
                ? ', without what followed that turn'
                : ', with system prompt and tools'
            }`,
          ],
        ] as Fact[])),
    ...(detail.postTokens === undefined
      ? []
      : ([
          [
            'kept',
            `${tokensWord(detail.postTokens)} by the client’s own count, without system prompt and tools`,
          ],
        ] as Fact[])),
    ...(archive === null
      ? // A later import stores the transcript without an event; the server's list has it.
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
      {before !== null && after !== null && isDone ? (
        <CompactionBar
          seed={event.id}
          before={before}
          after={after}
          limit={limit}
          afterWord={detail.firstReading !== undefined ? 'first reading after' : 'by the client’s count'}
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

/** The cost in four figures. */
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
            title="No source reported the call that wrote the summary, so its cost is in no total"
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
      <CostFigure name="re-sent by the next turn">
        {reread === null ? null : (
          <>
            <span className="num">{formatExact(reread)}</span>{' '}
            <span className="text-small text-ink2">tokens, uncached</span>
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
      <dd className="text-title">{children ?? <span className="text-ink2">unknown</span>}</dd>
    </div>
  );
}

function sizeWords(before: number | null, state: string): string {
  if (before === null) return 'Size before unknown.';
  const tokens = `${formatExact(before)} tokens before it`;
  return state === 'confirmed' ? `${tokens}; no reading since.` : `${tokens}.`;
}
