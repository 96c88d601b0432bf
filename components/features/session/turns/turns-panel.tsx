'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ContextList } from '@/core/api/responses';
import { useLiveRefresh } from '../../../data/use-live-refresh';
import { formatCount, formatExact } from '../../../format/format-tokens';
import { Select } from '../select';
import { useSessionPage } from '../session-page';
import { readPart } from '../session-reads';
import { TurnsTable } from './turns-table';
import { readTurns, type TurnExtent, type TurnFilter } from './use-turn-rows';

const MOST_CONTEXTS = 300;

/** The turns of one chain, or of one of its contexts. */
export default function TurnsPanel({ chain }: { chain: string }) {
  const { session, url, change } = useSessionPage();
  const { context } = url;
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
    queryFn: readPart<ContextList>(session.id, 'contexts'),
    placeholderData: keepPreviousData,
  });
  useLiveRefresh(all, `${session.contextCount} ${session.totals.side.calls}`);
  const contexts = all.data?.contexts ?? [];
  const chains = [...new Set(['main', chain, ...contexts.map((one) => one.chain)])];
  const ofChain = contexts.filter((one) => one.chain === chain).slice(-MOST_CONTEXTS);
  const shown = extent.data?.extent ?? null;
  return (
    <>
      <div className="flex min-h-[34px] flex-wrap items-center gap-x-[22px] gap-y-[4px] py-[4px]">
        <Select
          name="chain"
          value={chain}
          options={chains}
          choose={(value) => change({ turns: value, context: null })}
        />
        <Select
          name="context"
          value={context === null ? 'all' : String(context)}
          options={['all', ...ofChain.toReversed().map(({ index }) => String(index))]}
          choose={(value) => change({ context: value === 'all' ? null : Number(value) })}
        />
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
          {shown !== null
            ? null
            : extent.data !== undefined
              ? 'No turns yet.'
              : extent.failureCount === 0
                ? 'Loading turns…'
                : 'The turns could not be read. Retrying automatically.'}
        </p>
      </div>
      {shown === null ? null : (
        <TurnsTable key={`${chain} ${context ?? ''}`} filter={filter} extent={shown} target={target} />
      )}
      <p className="pt-[6px] text-small text-ink2">
        Counted turns only. The exported files also hold separate readings and inherited or superseded turns.
      </p>
    </>
  );
}

/** Rows that a browser can make one element of; older turns are found by their context. */
const MOST_ROWS = 400_000;

/** Null: the filter leaves no turn. */
async function fetchExtent(filter: TurnFilter, signal: AbortSignal): Promise<{ extent: TurnExtent | null }> {
  const [first, last] = await Promise.all(
    ['asc', 'desc'].map(async (order) => {
      const { turns } = await readTurns(filter, { order, limit: 1 })({ signal });
      return turns[0]?.number;
    }),
  );
  if (first === undefined || last === undefined) return { extent: null };
  return { extent: { first: Math.max(first, last - MOST_ROWS + 1), last } };
}
