import { useMemo } from 'react';
import type { EventDetails } from '@/core/api/responses';
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { CompactionBar } from '../../charts/compaction-bar';
import { archiveSize, COMPACTION_STATE, compactionSizes } from '../../events/describe-event';
import { Why } from '../../explain/why';
import { formatDuration } from '../../format/format-duration';
import { formatPercent } from '../../format/format-percent';
import { formatExact } from '../../format/format-tokens';
import { CopyButton } from '../../ui/copy-button';
import { FiguresText } from '../../ui/figures-text';
import { compactionCost } from './compaction-cost';
import type { Archive } from './select-event';
import { useSessionPage } from './session-page';
import { TranscriptLinks } from './transcript-links';

const SENTENCE = {
  pending: 'Reported by a hook. The context ends once the client’s own record arrives.',
  confirmed: null,
  blocked: 'A hook refused it. The context continues.',
  failed: 'The client gave up or never started. The context continues.',
};

interface OpenedCompactionProps {
  event: SessionEvent<'compaction'>;
  archive: Archive | null;
  /** The calls around it; null: not read yet. */
  calls: EventDetails['calls'];
}

export function OpenedCompaction({ event, archive, calls }: OpenedCompactionProps) {
  const { session } = useSessionPage();
  const question = useMemo(() => ({ about: 'compaction', event }) as const, [event]);
  const { trigger, state, reason, postTokens, firstReading, ...detail } = event.detail;
  const { before, after } = compactionSizes(event.detail);
  const limit = detail.limit ?? session.limit;
  const share =
    before === null || limit === null || limit <= 0 ? '' : `, at ${formatPercent(before / limit)}`;
  const cost = compactionCost(event, calls);
  const { counts } = cost;
  const isDone = state === 'confirmed';
  const rows: Fact[] = [
    ['trigger', `${trigger}${share}`],
    !isDone && ['state', COMPACTION_STATE[state]],
    reason !== undefined && ['reason', reason],
    counts !== null && [
      'before',
      `${formatExact(counts.stated)} by the client’s count when it compacted; the last turn had read ${formatExact(counts.read)}, ${
        counts.stated > counts.read ? 'without what followed that turn' : 'with system prompt and tools'
      }`,
    ],
    postTokens !== undefined && [
      'kept',
      `${tokensWord(postTokens)} by the client’s own count, without system prompt and tools`,
    ],
    // A later import stores the transcript without an event; the server's list has it.
    ...(archive === null
      ? [
          [
            'archive',
            <TranscriptLinks
              key="links"
              sessionId={session.id}
              event={event}
              none="no transcript was archived"
            />,
          ] as const,
        ]
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
          afterWord={firstReading !== undefined ? 'first reading after' : 'by the client’s count'}
          freed={(text) => (
            <Why of={question} name="freed">
              {text}
            </Why>
          )}
        />
      ) : (
        <p className="text-ink2">
          {before === null
            ? 'Size before unknown.'
            : `${tokensWord(before)} before it${isDone ? '; no reading since.' : '.'}`}
        </p>
      )}
      <Facts rows={rows} sentence={SENTENCE[state]} />
    </div>
  );
}

function Cost({ cost }: { cost: ReturnType<typeof compactionCost> }) {
  const { dropped, duration, reread, summary } = cost;
  const call = summary === 'unreported' ? null : summary;
  return (
    <dl className="flex flex-wrap gap-x-[36px] gap-y-[8px] xl:col-span-2">
      <CostFigure
        name="dropped"
        value={dropped && formatExact(dropped.tokens)}
        note={dropped && ` tokens, ${formatPercent(dropped.share)}`}
      />
      <CostFigure
        name={duration?.isStated === false ? 'took at most' : 'took'}
        value={duration && formatDuration(duration.ms)}
        note={duration?.isStated === false && ' since the turn before it'}
      />
      <CostFigure
        name="its summary call"
        value={call && formatExact(call.sent)}
        unknown={summary === 'unreported' ? 'not reported' : 'unknown'}
        note={
          call &&
          ` tokens read, ${formatPercent(call.cached / Math.max(1, call.sent))} from the cache${
            call.isFromFile ? '' : `; ${formatExact(call.written)} written`
          }`
        }
      />
      <CostFigure
        name="re-sent by the next turn"
        value={reread === null ? null : formatExact(reread)}
        note={reread !== null && ' tokens, uncached'}
      />
    </dl>
  );
}

interface CostFigureProps {
  name: string;
  /** Null: unknown. */
  value: string | null;
  note?: string | false | null;
  unknown?: string;
}

function CostFigure({ name, value, note = null, unknown = 'unknown' }: CostFigureProps) {
  return (
    <div>
      <dt className="text-small text-ink2">{name}</dt>
      <dd className="text-title">
        {value === null ? <span className="text-ink2">{unknown}</span> : <span className="num">{value}</span>}
        {note ? (
          <span className="text-small text-ink2">
            <FiguresText text={note} />
          </span>
        ) : null}
      </dd>
    </div>
  );
}

/** `false` takes no row. */
export type Fact = readonly [name: string, value: React.ReactNode] | false;

export function Facts({ rows, sentence = null }: { rows: readonly Fact[]; sentence?: string | null }) {
  return (
    <div>
      <dl className="grid grid-cols-[88px_1fr] content-start gap-y-[3px]">
        {rows.map((row) =>
          row === false ? null : (
            <div key={row[0]} className="contents">
              <dt className="text-ink2">{row[0]}</dt>
              <dd className="min-w-0 [overflow-wrap:anywhere]">
                {typeof row[1] === 'string' ? <FiguresText text={row[1]} /> : row[1]}
              </dd>
            </div>
          ),
        )}
      </dl>
      {sentence === null ? null : <p className="mt-[10px] max-w-[64ch] text-ink2">{sentence}</p>}
    </div>
  );
}

export function tokensWord(tokens: number | null): string {
  return tokens === null ? 'unknown' : `${formatExact(tokens)} tokens`;
}

export function archiveFacts({ state, detail }: Archive, session: Session, event: SessionEvent): Fact[] {
  const { path, reason } = detail;
  const isWhole = state === 'stored' || state === 'healed';
  return [
    ['archive', state === 'healed' ? 'restored' : state],
    [
      'transcript',
      <TranscriptLinks key="links" sessionId={session.id} event={event} none="not on this server" />,
    ],
    !isWhole && ['reason', reason ?? 'not stated'],
    path !== undefined && [
      'file',
      // The name of the file on the runner's machine, with its path on hover and to copy.
      <span key="file" className="flex flex-wrap items-center gap-x-[10px] gap-y-[2px]">
        <span className="link min-w-0 decoration-dotted" title={path}>
          {path.split(/[\\/]/).at(-1) || path}
        </span>
        {session.host === null ? null : <span className="text-ink2">on {session.host}</span>}
        <CopyButton text={path} what="the path of the archive" />
      </span>,
    ],
    isWhole && ['size', archiveSize(detail)],
  ];
}
