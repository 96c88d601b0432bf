import type { SeriesPoint } from '@/core/api/series';
import { formatPercent } from '../../format/format-percent';
import { formatInstant } from '../../format/format-time';
import { formatExact } from '../../format/format-tokens';

interface TraceTableProps {
  points: readonly SeriesPoint[];
  limit: number | null;
  zone: string;
}

const LAST_TURNS = 20;

/** The sheet as a table, for those who do not see it: its last turns. */
export function TraceTable({ points, limit, zone }: TraceTableProps) {
  return (
    <div className="sr-only">
      <table>
        <caption>The last turns on the sheet</caption>
        <thead>
          <tr>
            {['turn', 'time', 'context', 'tokens', 'pressure', 'cache reads'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.slice(-LAST_TURNS).map((point) => {
            const whole = point.limit ?? limit;
            return (
              <tr key={point.n}>
                <th scope="row">{point.n}</th>
                <td>{formatInstant(point.t, zone)}</td>
                <td>{point.context}</td>
                <td>
                  {point.used === null
                    ? point.untracked
                      ? 'not tracked'
                      : 'unknown'
                    : formatExact(point.used)}
                </td>
                <td>
                  {point.used === null || whole === null || whole <= 0
                    ? ''
                    : formatPercent(point.used / whole)}
                </td>
                <td>{formatExact(point.cacheRead)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
