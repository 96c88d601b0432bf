import { useMemo } from 'react';
import type { EventDetails } from '@/core/api/responses';
import type { SessionEvent } from '@/core/events/event';
import { KINDS } from '@/core/events/kinds';
import { compactionSizes } from '../../events/describe-event';
import { Why } from '../../explain/why';
import { formatDuration } from '../../format/format-duration';
import { formatPercent } from '../../format/format-percent';
import { formatClock, formatInstant } from '../../format/format-time';
import { formatExact, formatTokens } from '../../format/format-tokens';
import { FiguresText } from '../../ui/figures-text';
import { type CompactionCost, compactionCost, type SummaryCall } from './compaction-cost';

interface BoundaryCostProps {
  /** The newest compaction, or else the newest boundary; null: there was none yet. */
  event: SessionEvent | null;
  /** Null: not read yet. */
  details: EventDetails | null;
  /** They could not be read; the read is retried automatically. */
  failed: boolean;
  zone: string;
  open: (id: string) => void;
}

/** The cost of the last boundary, with a link to its event. */
export function BoundaryCost({ event, details, failed, zone, open }: BoundaryCostProps) {
  if (event === null) {
    return (
      <>
        <h2 className="text-small font-normal text-ink2">last compaction</h2>
        <p className="text-ink2 md:mt-[8px]">None so far, and no restart.</p>
      </>
    );
  }
  const { value, lines, counts } =
    event.kind === 'compaction' ? ofCompaction(event, details) : ofOther(event);
  const trigger = event.kind === 'compaction' ? event.detail.trigger : '';
  return (
    <>
      <h2 className="text-small font-normal text-ink2">
        last {KINDS[event.kind].label},{' '}
        <time dateTime={event.at} title={formatInstant(event.at, zone)} className="num">
          {formatClock(event.at, zone)}
        </time>
        {trigger === '' ? null : `, ${trigger}`}
      </h2>
      <div className="flex flex-wrap items-baseline gap-x-[12px] md:block md:pt-[6px]">
        <button
          type="button"
          className="num text-title font-normal underline decoration-hair2 decoration-1 underline-offset-[5px] hover:decoration-ink"
          title="Open it below"
          onClick={() => open(event.id)}
        >
          {value}
        </button>
        {event.kind === 'compaction' ? <CountSources event={event} counts={counts} /> : null}
        {lines.map(({ id, text, title, quiet }) => (
          <p
            key={id}
            className={`md:mt-[4px] ${quiet ? 'text-small text-ink2 max-md:w-full' : ''}`}
            {...(title === undefined ? {} : { title })}
          >
            <FiguresText
              text={id === 'own' && failed && details === null ? 'summary call could not be read' : text}
            />
          </p>
        ))}
      </div>
    </>
  );
}

/** Two sizes before it: the client's count, and the last turn's, which trace and peak use. */
function CountSources({
  event,
  counts,
}: {
  event: SessionEvent<'compaction'>;
  counts: CompactionCost['counts'];
}) {
  const question = useMemo(() => ({ about: 'compaction', event }) as const, [event]);
  if (counts === null) return null;
  return (
    <p className="text-small text-ink2 max-md:w-full md:mt-[4px]">
      <Why of={question} name="size before the compaction" title={`${formatExact(counts.stated)} tokens`}>
        client counted <span className="num">{formatTokens(counts.stated)}</span>
      </Why>
      , last turn{' '}
      <span className="num" title={`${formatExact(counts.read)} tokens, by the API`}>
        {formatTokens(counts.read)}
      </span>
    </p>
  );
}

interface Words {
  value: string;
  counts: CompactionCost['counts'];
  lines: Array<{ id: string; text: string; title?: string; quiet?: boolean }>;
}

function ofCompaction(event: SessionEvent<'compaction'>, details: EventDetails | null): Words {
  const { before, after } = compactionSizes(event.detail);
  const { dropped, duration, summary, counts } = compactionCost(event, details?.calls ?? null);
  const took =
    duration === null ? null : `${duration.isStated ? 'in' : 'within'} ${formatDuration(duration.ms)}`;
  const gone =
    dropped === null ? null : `${formatTokens(dropped.tokens)} dropped (${formatPercent(dropped.share)})`;
  // Until the next turn reads the context, only the client's own count of what it kept is known.
  const isRead = event.detail.firstReading !== undefined;
  return {
    value: `${before === null ? '?' : formatTokens(before)} → ${after === null ? '?' : formatTokens(after)}`,
    counts,
    lines: [
      {
        id: 'gone',
        text: [gone, took].filter((part) => part !== null).join(' ') || 'size after unknown so far',
        ...(dropped === null ? {} : { title: `${formatExact(dropped.tokens)} tokens` }),
      },
      ...(after === null || isRead
        ? []
        : [{ id: 'kept', text: 'after it by the client’s count', quiet: true }]),
      { id: 'own', text: summaryWords(summary), quiet: true },
    ],
  };
}

/** The call that wrote the summary, in a few words. */
function summaryWords(summary: SummaryCall | 'unreported' | null): string {
  if (summary === null) return 'summary call: loading…';
  if (summary === 'unreported') return 'summary call not reported';
  return summary.isFromFile
    ? `summary call read ${formatTokens(summary.sent)}`
    : `summary call read ${formatTokens(summary.sent)}, wrote ${formatTokens(summary.written)}`;
}

function ofOther({ kind, detail }: SessionEvent): Words {
  const given = 'usedBefore' in detail ? detail.usedBefore : null;
  const share = kind === 'restart' ? detail.pressure : null;
  return {
    value: given === null ? '? → 0' : `${formatTokens(given)} → 0`,
    counts: null,
    lines: [
      {
        id: 'given',
        text:
          given === null
            ? 'dropped amount unknown'
            : `${formatTokens(given)} dropped${share === null ? '' : ` at ${formatPercent(share)}`}`,
        ...(given === null ? {} : { title: `${formatExact(given)} tokens` }),
      },
      ...(kind === 'restart'
        ? [
            {
              id: 'next',
              text: `continuation ${detail.continuation} took over`,
              quiet: true,
            },
          ]
        : []),
    ],
  };
}
