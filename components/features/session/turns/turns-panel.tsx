'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ContextList } from '@/core/api/responses';
import type { Context } from '@/core/api/session';
import { useLiveRefresh } from '../../../data/use-live-refresh';
import { formatCount, formatExact } from '../../../format/format-tokens';
import { Select, useSessionPage } from '../session-page';
import { readPart } from '../session-reads';
import { TurnsTable } from './turns-table';

const MOST_CONTEXTS = 300;

export default function TurnsPanel({ chain }: { chain: string }) {
  const { session, url, change } = useSessionPage();
  const { context } = url;
  const [target, setTarget] = useState<{ turn: number } | null>(null);
  const [wanted, setWanted] = useState('');
  const all = useQuery({
    queryKey: ['sessions', session.id, 'all-contexts'],
    queryFn: readPart<ContextList>(session.id, 'contexts'),
    placeholderData: keepPreviousData,
  });
  useLiveRefresh(all, `${session.contextCount} ${session.turnCount} ${session.totals.all.calls}`);
  const contexts = all.data?.contexts ?? [];
  const chains = [...new Set(['main', chain, ...contexts.map((one) => one.chain)])];
  const ofChain = contexts.filter((one) => one.chain === chain);
  const extent = extentOf(ofChain, context);
  const waiting =
    all.data !== undefined
      ? 'No turns yet.'
      : all.failureCount === 0
        ? 'Loading turns…'
        : 'The turns could not be read. Retrying automatically.';
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
          options={[
            'all',
            ...ofChain
              .slice(-MOST_CONTEXTS)
              .toReversed()
              .map(({ index }) => String(index)),
          ]}
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
          {extent === null ? (
            waiting
          ) : extent.first === 1 ? (
            formatCount(extent.last, 'turn')
          ) : (
            <>
              turns <span className="num">{formatExact(extent.first)}</span>–
              <span className="num">{formatExact(extent.last)}</span>
            </>
          )}
        </p>
      </div>
      {extent === null ? null : (
        <TurnsTable key={`${chain} ${context ?? ''}`} chain={chain} extent={extent} target={target} />
      )}
      <p className="pt-[6px] text-small text-ink2">
        Counted turns only. Exports also contain separate readings and inherited turns.
      </p>
    </>
  );
}

/** Maximum rows that a browser can lay out in one element. The context filter gives access to older turns. */
const MOST_ROWS = 400_000;

/** Numbers of the first and last turn, inclusive; null: no turn. Turns are numbered through all contexts of a chain. */
function extentOf(contexts: readonly Context[], context: number | null) {
  const sum = (of: readonly Context[]) => of.reduce((turns, { turnCount }) => turns + turnCount, 0);
  const last = sum(context === null ? contexts : contexts.filter(({ index }) => index <= context));
  const before = context === null ? 0 : sum(contexts.filter(({ index }) => index < context));
  return last === before ? null : { first: Math.max(before + 1, last - MOST_ROWS + 1), last };
}
