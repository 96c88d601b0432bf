'use client';
import { useLayoutEffect, useRef, useState } from 'react';
import type { TurnRow } from '@/core/api/session';
import { formatExact } from '../../../format/format-tokens';
import { goToMoment } from '../moment-field';
import { useSessionPage } from '../session-page';
import { TURN_COLUMNS } from './turn-columns';
import { ROW_PX, type TurnExtent, type TurnFilter, useTurnPages, useTurnScroll } from './use-turn-rows';

interface TurnsTableProps {
  filter: TurnFilter;
  extent: TurnExtent;
  /** The turn to go to; the same object is gone to once. */
  target: { turn: number } | null;
}

const GRID =
  'grid min-w-[920px] grid-cols-[76px_132px_62px_minmax(96px,1fr)_84px_76px_92px_92px_92px_72px_minmax(120px,1.4fr)] items-center';
const columnSide = (isText = false) => (isText ? 'pl-[16px] min-w-0' : 'text-right');

/** A virtual table of turns. Arrow, Page, Home and End keys move; Enter shows a turn on the sheet. */
export function TurnsTable({ filter, extent, target }: TurnsTableProps) {
  const { session, points, change, zone } = useSessionPage();
  const { lens } = session;
  const count = extent.last - extent.first + 1;
  const [active, setActive] = useState<number | null>(null);
  const wantsFocus = useRef(false);
  const list = useRef<HTMLTableElement>(null);
  const { scroller, items, seen, scrollTo } = useTurnScroll(count, active);
  const { turnAt, failed, retry } = useTurnPages(filter, extent, {
    from: extent.first + seen.from,
    to: extent.first + seen.to,
  });

  const go = (index: number, align: 'auto' | 'center') => {
    const next = Math.max(0, Math.min(index, count - 1));
    wantsFocus.current = true;
    setActive(next);
    scrollTo(next, align);
  };
  const [gone, setGone] = useState<TurnsTableProps['target']>(null);
  useLayoutEffect(() => {
    if (target === null || target === gone) return;
    setGone(target);
    go(target.turn - extent.first, 'center');
  });
  useLayoutEffect(() => {
    if (!wantsFocus.current || active === null) return;
    const button = list.current?.querySelector<HTMLElement>(`[data-turn="${extent.first + active}"]`);
    if (!button) return;
    wantsFocus.current = false;
    button.focus({ preventScroll: true });
  });

  const perPage = Math.max(1, seen.to - seen.from - 1);
  const walk = (event: React.KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const at = active ?? seen.from;
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + perPage,
      PageUp: at - perPage,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to, 'auto');
  };
  const show = (turn: TurnRow | undefined) => {
    if (turn === undefined) return;
    const times = points.map(({ t }) => t);
    change(goToMoment({ at: Date.parse(turn.at), spanMs: 1 }, times) ?? {});
  };
  const tabStop = active !== null && items.some(({ index }) => index === active) ? active : seen.from;

  return (
    <>
      <div ref={scroller} className="max-h-[446px] overflow-auto border-t border-hair2">
        <table
          ref={list}
          aria-label="Turns"
          aria-rowcount={count + 1}
          className="block min-w-[920px]"
          onKeyDown={walk}
        >
          <thead className="sticky top-0 z-10 block bg-paper">
            <tr className={`${GRID} h-[28px] border-b border-hair2 text-small text-ink2`} aria-rowindex={1}>
              <th scope="col" className="pr-[8px] text-right font-normal">
                turn
              </th>
              {TURN_COLUMNS.map(({ header, isText }) => (
                <th key={header} scope="col" className={`font-normal ${columnSide(isText)}`}>
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="relative block overflow-clip" style={{ height: count * ROW_PX }}>
            {items.map(({ index }) => {
              const number = extent.first + index;
              const turn = turnAt(number);
              return (
                <tr
                  key={number}
                  aria-rowindex={index + 2}
                  className={`${GRID} absolute inset-x-0 border-b border-hair hover:bg-sunken`}
                  style={{ top: index * ROW_PX, height: ROW_PX }}
                >
                  <th scope="row" className="pr-[8px] text-right font-normal">
                    <button
                      type="button"
                      data-turn={number}
                      tabIndex={index === tabStop ? 0 : -1}
                      title="Show on the sheet"
                      aria-label={`Show turn ${number} on the sheet`}
                      className="num -outline-offset-2 hover:underline hover:underline-offset-[3px]"
                      onFocus={() => setActive(index)}
                      onClick={() => show(turn)}
                    >
                      {formatExact(number)}
                    </button>
                  </th>
                  {TURN_COLUMNS.map(({ header, isText, draw }) => (
                    <td key={header} className={columnSide(isText)}>
                      {turn === undefined ? null : draw(turn, { lens, zone })}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {failed ? (
        <p role="alert" className="flex items-center gap-[12px] py-[6px]">
          These turns could not be read.
          <button type="button" className="button" onClick={retry}>
            Retry
          </button>
        </p>
      ) : null}
    </>
  );
}
