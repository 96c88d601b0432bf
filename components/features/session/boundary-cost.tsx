import { useMemo } from 'react';
import type { EventDetails } from '@/core/api/responses';
import type { SessionEvent } from '@/core/events/event';
import { KINDS } from '@/core/events/kinds';
import type { BoundaryEvent } from '../../charts/list-marks';
import { compactionSizes } from '../../events/describe-event';
import { Why } from '../../explain/why';
import { formatDuration } from '../../format/format-duration';
import { formatPercent } from '../../format/format-percent';
import { formatClock, formatInstant } from '../../format/format-time';
import { formatExact, formatSizes, formatTokens } from '../../format/format-tokens';
import { FiguresText } from '../../ui/figures-text';
import { useSessionPage } from './session-page';
import type { HeldDetails } from './session-reads';

interface BoundaryCostProps {
  /** The newest compaction, or else the newest boundary; null: none so far. */
  event: BoundaryEvent | null;
  held: HeldDetails;
  open: (id: string) => void;
}

export function BoundaryCost({ event, held, open }: BoundaryCostProps) {
  const { data, zone } = useSessionPage();
  if (event === null) {
    return (
      <>
        <h2 className="text-small font-normal text-ink2">last compaction</h2>
        <p className="text-ink2 md:mt-[8px]">No compaction or restart so far.</p>
      </>
    );
  }
  const { before, after } =
    event.kind === 'compaction'
      ? compactionSizes(event.detail)
      : {
          before: event.detail.usedBefore,
          after: data.boundaries.find(({ eventId }) => eventId === event.id)?.after ?? null,
        };
  const pressure = event.kind === 'restart' ? event.detail.pressure : null;
  const at = pressure === null ? '' : ` at ${formatPercent(pressure)}`;
  return (
    <>
      <h2 className="text-small font-normal text-ink2">
        last {KINDS[event.kind].label},{' '}
        <time dateTime={event.at} title={formatInstant(event.at, zone)} className="num">
          {formatClock(event.at, zone)}
        </time>
        {event.kind === 'compaction' ? `, ${event.detail.trigger}` : null}
      </h2>
      <div className="flex flex-wrap items-baseline gap-x-[12px] md:block md:pt-[6px]">
        <button
          type="button"
          className="num text-title font-normal underline decoration-hair2 decoration-1 underline-offset-[5px] hover:decoration-ink"
          title="Open it below"
          onClick={() => open(event.id)}
        >
          {before === null ? 'size unknown' : formatSizes(before, after, formatTokens)}
        </button>
        {event.kind === 'compaction' ? (
          <CompactionLines event={event} held={held} />
        ) : before === null ? (
          <Line>dropped amount unknown</Line>
        ) : (
          <Line title={`${formatExact(before)} tokens`}>{`${formatTokens(before)} dropped${at}`}</Line>
        )}
        {event.kind === 'restart' ? (
          <Line quiet>{`continuation ${event.detail.continuation} started`}</Line>
        ) : null}
      </div>
    </>
  );
}

function CompactionLines({ event, held }: { event: SessionEvent<'compaction'>; held: HeldDetails }) {
  const question = useMemo(() => ({ about: 'compaction', event }) as const, [event]);
  const { data: details, part } = held;
  const { dropped, duration, summary } = compactionCost(event, details?.calls ?? null);
  const { firstReading, postTokens } = event.detail;
  const parts = [
    dropped && `${formatTokens(dropped.tokens)} dropped (${formatPercent(dropped.share)})`,
    duration && `${duration.isStated ? 'in' : 'within'} ${formatDuration(duration.ms)}`,
  ];
  return (
    <>
      <p className="md:mt-[4px]" title={dropped ? `${formatExact(dropped.tokens)} tokens` : undefined}>
        <Why of={question} name="freed">
          <FiguresText text={parts.filter(Boolean).join(' ') || 'size after unknown'} />
        </Why>
      </p>
      {/* Until the next turn, only the client's own count of the kept tokens is known. */}
      {firstReading === undefined && postTokens !== undefined ? (
        <Line quiet>size after by the client’s count</Line>
      ) : null}
      <Line quiet>
        {details === undefined && part.failed ? 'summary call could not be read' : summaryWords(summary)}
      </Line>
    </>
  );
}

function Line(props: { children: string; title?: string | undefined; quiet?: boolean }) {
  const { children, title, quiet = false } = props;
  return (
    <p className={`md:mt-[4px] ${quiet ? 'text-small text-ink2 max-md:w-full' : ''}`} title={title}>
      <FiguresText text={children} />
    </p>
  );
}

function summaryWords(summary: ReturnType<typeof compactionCost>['summary']): string {
  if (summary === null) return 'summary call: loading…';
  if (summary === 'unreported') return 'summary call not reported';
  const { sent, written, isFromFile } = summary;
  return `summary call read ${formatTokens(sent)}${isFromFile ? '' : `, wrote ${formatTokens(written)}`}`;
}

type Call = Pick<NonNullable<NonNullable<EventDetails['calls']>['before']>, 'at' | 'usage' | 'chain'>;

/**
 * Tokens dropped, duration, and tokens read and written for a compaction.
 * @param calls around the event, from `/events/{id}`; null: not read yet
 */
export function compactionCost(
  { detail, at, chain }: SessionEvent<'compaction'>,
  calls: Record<'before' | 'after' | 'summary', Call | null> | null,
) {
  const { before, freed } = compactionSizes(detail);
  const usage = calls?.after?.usage ?? null;
  return {
    /** Dropped tokens, and their share of the used tokens; null: one side is unknown. */
    dropped:
      freed === null || before === null || before <= 0 ? null : { tokens: freed, share: freed / before },
    duration: durationOf(detail.durationMs, at, calls?.before?.at),
    /** Uncached tokens of the first turn after the compaction; null: unknown. */
    reread: usage === null ? null : usage.cacheCreation + usage.input,
    summary: calls === null ? null : summaryOf(calls.summary, chain),
  };
}

/** The call that wrote the summary; `unreported`: no source reported it. */
function summaryOf(call: Call | null, chain: string) {
  if (call === null || call.usage === null) return 'unreported' as const;
  const { input, cacheRead, cacheCreation, output } = call.usage;
  return {
    sent: input + cacheRead + cacheCreation,
    cached: cacheRead,
    written: output,
    /** The call comes from the client's own file, where output counts are often incomplete. */
    isFromFile: call.chain !== chain,
  };
}

/** Duration stated by the client, else the time since the previous turn as an upper bound. Null: unknown. */
function durationOf(stated: number | undefined, at: string, before: string | undefined) {
  if (stated !== undefined) return { ms: stated, isStated: true };
  const ms = before === undefined ? Number.NaN : Date.parse(at) - Date.parse(before);
  return ms >= 0 ? { ms, isStated: false } : null;
}
