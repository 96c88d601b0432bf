import type { History } from '@/core/api/history';
import { useNow } from '../../data/use-clock';
import { formatPercent } from '../../format/format-percent';
import { formatCount, formatExact } from '../../format/format-tokens';
import { slotLabel } from './history-words';
import type { Slot } from './prepare-history';

const COLUMNS = [
  ['turns', 'turns'],
  ['peak', 'peak pressure'],
  ['compactions', 'compactions'],
  ['restarts', 'restarts'],
  ['thrashes', 'thrash'],
  ['input', 'input'],
  ['output', 'output'],
  ['cacheRead', 'cache reads'],
  ['cacheShare', 'cache share'],
] as const;

/** The panels as a table for screen readers. */
export function SlotTable({ history, zone }: { history: History; zone: string }) {
  const now = useNow(60_000);
  return (
    <div className="sr-only">
      {/* A fixed width: unwrapped words would stick out of a small window. */}
      <table className="w-px table-fixed">
        <caption>History of the range by bucket</caption>
        <thead>
          <tr>
            <th scope="col">bucket</th>
            {COLUMNS.map(([id, head]) => (
              <th key={id} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {history.points.map((point) => (
            <tr key={point.from}>
              <th scope="row">
                {slotLabel(Date.parse(point.from), Date.parse(point.to), zone, Date.parse(point.to) > now)}
              </th>
              {COLUMNS.map(([id]) => {
                const value = point[id];
                const isShare = id === 'peak' || id === 'cacheShare';
                return (
                  <td key={id}>
                    {value === null ? 'unknown' : isShare ? formatPercent(value) : formatExact(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A bucket in one sentence for screen readers. */
export function describeSlot({ from, to, point, partial }: Slot, zone: string): string {
  const parts = [
    formatCount(point.turns, 'turn'),
    point.peak === null ? 'peak pressure unknown' : `peak pressure ${formatPercent(point.peak)}`,
    `${formatExact(point.input)} tokens in, ${formatExact(point.output)} out`,
    point.cacheShare === null ? null : `${formatPercent(point.cacheShare)} from the cache`,
    point.compactions > 0 ? formatCount(point.compactions, 'compaction') : null,
    point.restarts > 0 ? formatCount(point.restarts, 'restart') : null,
    point.thrashes > 0 ? 'thrash' : null,
  ];
  return `${slotLabel(from, to, zone, partial)}: ${parts.filter((part) => part !== null).join(', ')}`;
}
