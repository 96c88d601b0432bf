import type { History } from '@/core/api/history';
import { formatPercent } from '../format/format-percent';
import { formatExact } from '../format/format-tokens';
import { useNow } from '../live/use-clock';
import { slotLabel } from './history-words';

const HEADS = [
  'turns',
  'peak pressure',
  'compactions',
  'restarts',
  'thrash',
  'input',
  'output',
  'cache reads',
  'cache share',
];

/** The panels as a table, for those who do not see them. */
export function SlotTable({ history, zone }: { history: History; zone: string }) {
  const now = useNow(60_000);
  const share = (value: number | null) => (value === null ? 'not known' : formatPercent(value));
  return (
    <div className="sr-only">
      {/* As narrow as what hides it: its words do not wrap, and would stand outside a small window. */}
      <table className="w-px table-fixed">
        <caption>History of the range, slot by slot</caption>
        <thead>
          <tr>
            <th scope="col">slot</th>
            {HEADS.map((name) => (
              <th key={name} scope="col">
                {name}
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
              <td>{formatExact(point.turns)}</td>
              <td>{share(point.peak)}</td>
              <td>{formatExact(point.compactions)}</td>
              <td>{formatExact(point.restarts)}</td>
              <td>{formatExact(point.thrashes)}</td>
              <td>{formatExact(point.input)}</td>
              <td>{formatExact(point.output)}</td>
              <td>{formatExact(point.cacheRead)}</td>
              <td>{share(point.cacheShare)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
