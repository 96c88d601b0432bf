/** Figures of the history page: how they are drawn, asked about, and said to screen readers. */
import { useMemo } from 'react';
import { stateOf } from '@/core/accounting/state';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import type { History } from '@/core/api/history';
import type { HistoryFacts, HistoryFigure } from '@/core/explain/explain-history';
import { Why } from '../../explain/why';
import { formatPercent } from '../../format/format-percent';
import { formatCount, formatExact, formatTokens } from '../../format/format-tokens';
import { StateGlyph } from '../../ui/glyphs';
import { Percent } from '../../ui/percent';
import { STATE_WORD } from '../../ui/state-label';
import { slotLabel } from './history-words';
import { type Slot, slotsOf } from './prepare-history';

/** Cells of the tables: names at the left, figures in columns that line up at the right. */
export const CELL = {
  head: 'h-[28px] border-b border-hair2 text-left text-small font-normal whitespace-nowrap text-ink2',
  name: 'h-[36px] w-[26%] max-w-0 min-w-[150px] border-b border-hair py-[2px] pr-[16px] text-left font-normal min-[1680px]:w-[18%]',
  body: 'h-[36px] border-b border-hair py-[2px]',
  figure: 'w-[1%] pl-[18px] text-right! whitespace-nowrap max-[600px]:pl-[10px] min-[1680px]:pl-[32px]',
  spare:
    'w-[1%] pl-[18px] text-right! whitespace-nowrap max-[600px]:hidden max-[600px]:pl-[10px] min-[1680px]:pl-[32px]',
  trace: 'min-w-[140px] pr-[12px] max-[900px]:hidden',
  reason: 'max-w-[46ch] min-w-[220px] pr-[12px] text-small text-ink2 max-[900px]:hidden',
};

/** A table that scrolls in itself, with the words for screen readers. */
export function HistoryTable({ children }: { children: React.ReactNode }) {
  return (
    <div className="relative overflow-x-auto border-t border-ink">
      <table className="w-full table-auto border-collapse">{children}</table>
    </div>
  );
}

/** Columns of the tables; the first two stay on a phone. */
export const COLUMNS = [
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

interface HistoryWhyProps {
  figure: HistoryFigure;
  facts: HistoryFacts;
  name: string;
  title?: string;
  children: React.ReactNode;
}

/** A number of a range that answers "why?". */
export function HistoryWhy({ figure, facts, ...rest }: HistoryWhyProps) {
  const question = useMemo(() => ({ about: 'history', figure, facts }) as const, [figure, facts]);
  return <Why of={question} {...rest} />;
}

/** A peak with the sign of its state. */
export function PeakFigure({ peak }: { peak: number | null }) {
  if (peak === null) {
    return (
      <span className="text-ink2" title="No pressure was known">
        –
      </span>
    );
  }
  const state = stateOf(peak, DEFAULT_THRESHOLDS);
  return (
    <span data-state={state} className="inline-flex items-center gap-[5px]">
      <span className="text-state" title={STATE_WORD[state]}>
        <StateGlyph state={state} size={10} />
        <span className="sr-only">{STATE_WORD[state]}</span>
      </span>
      <Percent ratio={peak} />
    </span>
  );
}

/** The panels as a table for screen readers. */
export function SlotTable({ history, zone, now }: { history: History; zone: string; now: number }) {
  return (
    <div className="sr-only">
      {/* A fixed width: unwrapped words would stick out of a small window. */}
      <table className="w-px table-fixed">
        <caption>History of the range by bucket</caption>
        <thead>
          <tr>
            {[['from', 'bucket'], ...COLUMNS].map(([id, head]) => (
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
              {COLUMNS.map(([id]) => {
                const value = slot.point[id];
                const write = id === 'peak' || id === 'cacheShare' ? formatPercent : formatExact;
                return <td key={id}>{value === null ? 'unknown' : write(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A bucket in one sentence for screen readers. */
export function describeSlot(slot: Slot, zone: string): string {
  const { turns, peak, input, output, cacheShare, compactions, restarts, thrashes } = slot.point;
  const parts = [
    formatCount(turns, 'turn'),
    `peak pressure ${peak === null ? 'unknown' : formatPercent(peak)}`,
    `${formatExact(input)} tokens in, ${formatExact(output)} out`,
    cacheShare !== null && `${formatPercent(cacheShare)} from the cache`,
    compactions > 0 && formatCount(compactions, 'compaction'),
    restarts > 0 && formatCount(restarts, 'restart'),
    thrashes > 0 && 'thrash',
  ];
  return `${slotLabel(slot, zone)}: ${parts.filter((part) => part !== false).join(', ')}`;
}

const COUNTS = [
  ['turns', 'turn', 'turns'],
  ['restarts', 'restart', 'restarts'],
  ['compactions', 'compaction', 'compactions'],
  ['thrashes', 'thrash', 'thrash'],
  ['cacheStorms', 'cache storm', 'cache storms'],
] as const;

/** The totals of the range. */
export function TotalsLine({ history }: { history: History | null }) {
  const facts = useMemo<HistoryFacts | null>(
    () => history && { ...history, of: 'all matching sessions' },
    [history],
  );
  return (
    <dl className="relative flex min-h-[41px] flex-wrap items-center gap-x-[20px] gap-y-[2px] border-t border-hair py-[6px]">
      {facts === null ? null : <Totals facts={facts} />}
    </dl>
  );
}

function Totals({ facts }: { facts: HistoryFacts }) {
  const { input, output, cacheShare, peak } = facts.total;
  const figures: [HistoryFigure, name: string, content: React.ReactNode, title?: string][] = [
    ...COUNTS.map(([of, one, many]): [HistoryFigure, string, string] => {
      const count = facts.total[of];
      return [of, count === 1 ? one : many, formatExact(count)];
    }),
    ['peak', 'highest peak', <PeakFigure key="peak" peak={peak} />],
    ['input', 'tokens in', formatTokens(input), formatExact(input)],
    ['output', 'out', formatTokens(output), formatExact(output)],
    ['cacheShare', 'from the cache', cacheShare === null ? '–' : <Percent key="share" ratio={cacheShare} />],
  ];
  return figures.map(([figure, name, content, title]) => (
    <div key={figure} className="flex flex-row-reverse items-baseline gap-[5px]">
      <dt className="text-ink2">{name}</dt>
      <dd className="num strong">
        <HistoryWhy figure={figure} facts={facts} name={name} {...(title !== undefined && { title })}>
          {content}
        </HistoryWhy>
      </dd>
    </div>
  ));
}
