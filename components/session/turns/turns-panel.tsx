'use client';
import { useState } from 'react';
import type { Context, Session } from '@/core/api/session';
import { formatCount, formatExact } from '../../format/format-tokens';
import { useTimeZone } from '../../live/use-time-zone';
import type { SessionUrl, TurnsPart } from '../session-url';
import { useRefreshed } from '../use-refreshed';
import { fetchAllContexts, fetchExtent, type TurnExtent } from './fetch-turns';
import { TurnsTable } from './turns-table';

interface TurnsPanelProps {
  session: Session;
  /** Which turns the address asks for. */
  part: TurnsPart;
  change: (change: Partial<SessionUrl>) => void;
}

/** A list that long is no choice any more: the newest ones are offered. */
const MOST_CONTEXTS = 300;

/** The turns of one chain, or of one of its contexts. */
export default function TurnsPanel({ session, part: { chain, context }, change }: TurnsPanelProps) {
  const zone = useTimeZone();
  const [target, setTarget] = useState<{ turn: number } | null>(null);
  const [wanted, setWanted] = useState('');
  const [contexts, setContexts] = useState<{ key: string; value: readonly Context[] }>({
    key: '',
    value: [],
  });
  const [extent, setExtent] = useState<{ key: string; value: TurnExtent | null } | null>(null);
  const filterKey = `${chain} ${context ?? ''}`;
  const extentKey = `${filterKey} ${session.turnCount} ${session.totals.all.calls}`;
  const filter = { id: session.id, chain, context };
  const reading = useRefreshed(
    extent?.key === extentKey ? null : extentKey,
    (signal) => fetchExtent(filter, signal),
    (value, key) => {
      setExtent({ key, value });
      return true;
    },
  );
  const contextsKey = `${session.contextCount} ${session.totals.side.calls}`;
  useRefreshed(
    contexts.key === contextsKey ? null : contextsKey,
    (signal) => fetchAllContexts(session.id, signal),
    (value, key) => {
      setContexts({ key, value });
      return true;
    },
  );
  const chains = [...new Set(['main', chain, ...contexts.value.map((one) => one.chain)])];
  const ofChain = contexts.value.filter((one) => one.chain === chain).slice(-MOST_CONTEXTS);
  const shown = extent?.key.startsWith(`${filterKey} `) ? extent.value : null;
  const isRead = extent?.key.startsWith(`${filterKey} `) ?? false;
  return (
    <>
      <div className="flex min-h-[34px] flex-wrap items-center gap-x-[22px] gap-y-[4px] py-[4px]">
        <label className="flex items-baseline gap-[6px]">
          <span className="text-ink2">chain</span>
          <select
            className="max-w-[180px] truncate bg-transparent"
            value={chain}
            onChange={({ target }) => change({ turns: { chain: target.value, context: null } })}
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
            onChange={({ target }) =>
              change({ turns: { chain, context: target.value === '' ? null : Number(target.value) } })
            }
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
          {isRead && shown === null ? 'No turn here yet.' : null}
          {!isRead && !reading.failed ? 'Reading the turns.' : null}
          {!isRead && reading.failed ? 'The turns could not be read; this is tried again by itself.' : null}
        </p>
      </div>
      {shown === null ? null : (
        <TurnsTable
          key={filterKey}
          filter={filter}
          extent={shown}
          lens={session.lens}
          zone={zone}
          target={target}
          showRange={change}
        />
      )}
      <p className="pt-[6px] text-small text-ink2">
        Turns that are in the totals. The files above hold readings on their own, inherited and superseded
        turns as well.
      </p>
    </>
  );
}
