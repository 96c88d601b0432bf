'use client';
/** Figures of the history page: totals, tables, and the words for screen readers. */
import { useMemo } from 'react';
import { stateOf } from '@/core/accounting/state';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import type { History, HistoryPoint } from '@/core/api/history';
import type { HistoryFacts, HistoryFigure } from '@/core/explain/explain-history';
import { Why } from '../../explain/why';
import { formatPercent } from '../../format/format-percent';
import { formatExact, formatTokens } from '../../format/format-tokens';
import { useFirstRows } from '../../ui/data-table';
import { StateGlyph } from '../../ui/glyphs';
import { Percent } from '../../ui/percent';
import { STATE_WORD } from '../../ui/state-label';
import { type Slot, slotLabel } from './history-words';
import { slotsOf } from './prepare-history';

const FIGURE = 'w-[1%] pl-[18px] text-right! whitespace-nowrap max-[600px]:pl-[10px] min-[1680px]:pl-[32px]';
/** Columns of the tables. Figures are aligned right; less important columns are hidden on a phone. */
export const CELL = {
  figure: FIGURE,
  spare: `${FIGURE} max-[600px]:hidden`,
  trace: 'min-w-[140px] pr-[12px] max-[900px]:hidden',
  reason: 'max-w-[46ch] min-w-[220px] pr-[12px] text-small text-ink2 max-[900px]:hidden',
};
const HEAD = 'h-[28px] border-b border-hair2 text-left text-small font-normal whitespace-nowrap text-ink2';
const NAME =
  'h-[36px] w-[26%] max-w-0 min-w-[150px] border-b border-hair py-[2px] pr-[16px] text-left font-normal min-[1680px]:w-[18%]';

export interface HistoryColumn<Row> {
  id: string;
  head: React.ReactNode;
  sorted?: 'ascending' | 'descending' | 'none';
  className?: string;
  cell: (row: Row) => React.ReactNode;
}

interface HistoryTableProps<Row> {
  /** The first column names the row. */
  columns: readonly HistoryColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  first: number;
}

export function HistoryTable<Row>({ columns, rows, keyOf, first }: HistoryTableProps<Row>) {
  const [shown, showAll] = useFirstRows(rows, first);
  return (
    <>
      <div className="relative overflow-x-auto border-t border-ink">
        <table className="w-full table-auto border-collapse">
          <thead>
            <tr>
              {columns.map(({ id, head, sorted, className = '' }) => (
                <th key={id} scope="col" aria-sort={sorted} className={`${HEAD} ${className}`}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={keyOf(row)} className="hover:bg-sunken">
                {columns.map(({ id, className = '', cell }, index) =>
                  index === 0 ? (
                    <th key={id} scope="row" className={NAME}>
                      {cell(row)}
                    </th>
                  ) : (
                    <td key={id} className={`h-[36px] border-b border-hair py-[2px] ${className}`}>
                      {cell(row)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {showAll}
    </>
  );
}

export const FIGURES = [
  ['peak', 'peak'],
  ['turns', 'turns'],
  ['restarts', 'restarts'],
  ['compactions', 'compactions'],
  ['thrashes', 'thrash'],
  ['input', 'input'],
  ['output', 'output'],
  ['cacheRead', 'cache reads'],
  ['cacheShare', 'cache share'],
] as const satisfies readonly (readonly [HistoryFigure, string])[];

interface FigureProps {
  id: HistoryFigure;
  value: number | null;
  /** Draw a zero in full ink. */
  isTotal?: boolean;
}

export function Figure({ id, value, isTotal = false }: FigureProps) {
  if (value === null) return <span className="text-ink2">–</span>;
  if (id === 'cacheShare') return <Percent ratio={value} />;
  if (id === 'input' || id === 'output' || id === 'cacheRead') {
    return (
      <span className="num" title={formatExact(value)}>
        {formatTokens(value)}
      </span>
    );
  }
  if (id !== 'peak') {
    return <span className={`num ${value === 0 && !isTotal ? 'text-ink2' : ''}`}>{formatExact(value)}</span>;
  }
  const state = stateOf(value, DEFAULT_THRESHOLDS);
  return (
    <span data-state={state} className="inline-flex items-center gap-[5px]">
      <span className="text-state" title={STATE_WORD[state]}>
        <StateGlyph state={state} size={10} />
        <span className="sr-only">{STATE_WORD[state]}</span>
      </span>
      <Percent ratio={value} />
    </span>
  );
}

interface HistoryWhyProps {
  figure: HistoryFigure;
  facts: HistoryFacts;
  name?: string;
  children: React.ReactNode;
}

export function HistoryWhy({ figure, facts, name = '', ...rest }: HistoryWhyProps) {
  const question = useMemo(() => ({ about: 'history', figure, facts }) as const, [figure, facts]);
  return <Why of={question} name={name} {...rest} />;
}

const TOTALS: readonly (readonly [figure: HistoryFigure, name: string, one?: string])[] = [
  ['turns', 'turns', 'turn'],
  ['restarts', 'restarts', 'restart'],
  ['compactions', 'compactions', 'compaction'],
  ['thrashes', 'thrash'],
  ['cacheStorms', 'cache storms', 'cache storm'],
  ['peak', 'highest peak'],
  ['input', 'tokens in'],
  ['output', 'out'],
  ['cacheShare', 'from the cache'],
];

export function TotalsLine({ history }: { history: History | null }) {
  const facts = useMemo(() => history && { ...history, of: 'all matching sessions' }, [history]);
  return (
    <dl className="relative flex min-h-[41px] flex-wrap items-center gap-x-[20px] gap-y-[2px] border-t border-hair py-[6px]">
      {facts === null
        ? null
        : TOTALS.map(([figure, many, one = many]) => {
            const value = facts.total[figure];
            const name = value === 1 ? one : many;
            return (
              <div key={figure} className="flex flex-row-reverse items-baseline gap-[5px]">
                <dt className="text-ink2">{name}</dt>
                <dd className="num strong">
                  <HistoryWhy figure={figure} facts={facts} name={name}>
                    <Figure id={figure} value={value} isTotal />
                  </HistoryWhy>
                </dd>
              </div>
            );
          })}
    </dl>
  );
}

const figureText = (point: HistoryPoint, id: (typeof FIGURES)[number][0]) => {
  const value = point[id];
  if (value === null) return 'unknown';
  return id === 'peak' || id === 'cacheShare' ? formatPercent(value) : formatExact(value);
};

/** A bucket in words: `20 Oct, 14:00–15:00: peak 91 %, turns 12, …`. */
export function describeSlot(slot: Slot, zone: string): string {
  const parts = FIGURES.map(([id, head]) => `${head} ${figureText(slot.point, id)}`);
  return `${slotLabel(slot, zone)}: ${parts.join(', ')}`;
}

/** The panels as a table for screen readers. */
export function SlotTable({ history, zone, now }: { history: History; zone: string; now: number }) {
  return (
    <div className="sr-only">
      {/* Without a fixed width, long words would widen a small window. */}
      <table className="w-px table-fixed">
        <caption>History of the range by bucket</caption>
        <thead>
          <tr>
            {[['from', 'bucket'], ...FIGURES].map(([id, head]) => (
              <th key={id} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {slotsOf(history.points, now).map((slot) => (
            <tr key={slot.from}>
              <th scope="row">{slotLabel(slot, zone)}</th>
              {FIGURES.map(([id]) => (
                <td key={id}>{figureText(slot.point, id)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
