'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Session } from '@/core/api/session';
import { useLiveRefresh } from '../../../data/use-live-refresh';
import { useTimeZone } from '../../../data/use-time-zone';
import { formatCount, formatExact } from '../../../format/format-tokens';
import { fetchContexts, fetchTurns, type TurnFilter } from '../session-queries';
import type { SessionUrl } from '../session-url';
import { TurnsTable } from './turns-table';
import type { TurnExtent } from './use-turn-pages';

interface TurnsPanelProps {
  session: Session;
  /** Chain of the address, and the context it is narrowed to. */
  chain: string;
  context: number | null;
  change: (change: Partial<SessionUrl>) => void;
}

/** Offered contexts, newest first. */
const MOST_CONTEXTS = 300;

/** The turns of one chain, or of one of its contexts. */
export default function TurnsPanel({ session, chain, context, change }: TurnsPanelProps) {
  const zone = useTimeZone();
  const [target, setTarget] = useState<{ turn: number } | null>(null);
  const [wanted, setWanted] = useState('');
  const filter = { id: session.id, chain, context };
  const extent = useQuery({
    queryKey: ['sessions', session.id, 'turns', chain, context],
    queryFn: ({ signal }) => fetchExtent(filter, signal),
  });
  useLiveRefresh(extent, `${session.turnCount} ${session.totals.all.calls}`);
  const all = useQuery({
    queryKey: ['sessions', session.id, 'all-contexts'],
    queryFn: ({ signal }) => fetchContexts(session.id, null, signal),
    placeholderData: keepPreviousData,
  });
  useLiveRefresh(all, `${session.contextCount} ${session.totals.side.calls}`);
  const contexts = all.data?.contexts ?? [];
  const chains = [...new Set(['main', chain, ...contexts.map((one) => one.chain)])];
  const ofChain = contexts.filter((one) => one.chain === chain).slice(-MOST_CONTEXTS);
  const shown = extent.data?.extent ?? null;
  const isRead = extent.data !== undefined;
  return (
    <>
      <div className="flex min-h-[34px] flex-wrap items-center gap-x-[22px] gap-y-[4px] py-[4px]">
        <label className="flex items-baseline gap-[6px]">
          <span className="text-ink2">chain</span>
          <select
            className="max-w-[180px] truncate bg-transparent"
            value={chain}
            onChange={({ target }) => change({ turns: target.value, context: null })}
          >
            {chains.map((key) => (
              <option key={key} value={key}>
                {key}
              </option>
            ))}
          </select>
        </label>
        <label className="flex items-baseline gap-[6px]">
          <span className="text-ink2">context</span>
          <select
            className="bg-transparent"
            value={context ?? ''}
            onChange={({ target }) => change({ context: target.value === '' ? null : Number(target.value) })}
          >
            <option value="">all</option>
            {ofChain.toReversed().map(({ index }) => (
              <option key={index} value={index}>
                {index}
              </option>
            ))}
          </select>
        </label>
        <form
          className="flex items-baseline gap-[6px]"
          onSubmit={(event) => {
            event.preventDefault();
            if (/^\d+$/.test(wanted)) setTarget({ turn: Number(wanted) });
          }}
        >
          <label className="flex items-baseline gap-[6px]">
            <span className="text-ink2">go to turn</span>
            <input
              className="num w-[84px] border-b border-hair2 bg-transparent"
              inputMode="numeric"
              value={wanted}
              onChange={(event) => setWanted(event.target.value.trim())}
            />
          </label>
          <button type="submit" className="button h-[22px]">
            Go
          </button>
        </form>
        <p className="text-small text-ink2" role="status">
          {shown === null ? null : shown.first === 1 ? (
            formatCount(shown.last, 'turn')
          ) : (
            <>
              turns <span className="num">{formatExact(shown.first)}</span>–
              <span className="num">{formatExact(shown.last)}</span>
            </>
          )}
          {isRead && shown === null ? 'No turns yet.' : null}
          {!isRead && extent.failureCount === 0 ? 'Loading turns…' : null}
          {!isRead && extent.failureCount > 0 ? 'The turns could not be read. Retrying automatically.' : null}
        </p>
      </div>
      {shown === null ? null : (
        <TurnsTable
          key={`${chain} ${context ?? ''}`}
          filter={filter}
          extent={shown}
          lens={session.lens}
          zone={zone}
          target={target}
          showRange={change}
        />
      )}
      <p className="pt-[6px] text-small text-ink2">
        Counted turns only. The exported files also hold separate readings and inherited or superseded turns.
      </p>
    </>
  );
}

/** Null: the filter leaves no turn. */
async function fetchExtent(filter: TurnFilter, signal: AbortSignal): Promise<{ extent: TurnExtent | null }> {
  const [first, last] = await Promise.all(
    (['asc', 'desc'] as const).map(async (order) => {
      const list = await fetchTurns(filter, { order, limit: '1' }, signal);
      return list.turns[0]?.number;
    }),
  );
  return { extent: first === undefined || last === undefined ? null : { first, last } };
}
