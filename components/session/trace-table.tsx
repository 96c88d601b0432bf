import type { SeriesPoint } from '@/core/api/series';
import { formatPercent } from '../format/format-percent';
import { formatInstant } from '../format/format-time';
import { formatExact } from '../format/format-tokens';
import type { StripContext } from './prepare-strip';

interface TraceTableProps {
  strip: readonly StripContext[];
  points: readonly SeriesPoint[];
  limit: number | null;
  zone: string;
}

const LAST_TURNS = 20;
const MOST_CONTEXTS = 100;

/** The sheet as tables, for those who do not see it: each context, and the last turns. */
export function TraceTable({ strip, points, limit, zone }: TraceTableProps) {
  return (
    <div className="sr-only">
      <table>
        <caption>Contexts of this session</caption>
        <thead>
          <tr>
            {['context', 'from', 'to', 'turns', 'peak tokens', 'ended by'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {strip.slice(-MOST_CONTEXTS).map((context) => (
            <tr key={context.index}>
              <th scope="row">{context.index}</th>
              <td>{formatInstant(context.fromAt, zone)}</td>
              <td>{formatInstant(context.toAt, zone)}</td>
              <td>{formatExact(context.turns)}</td>
              <td>{context.peak === null ? 'not known' : formatExact(context.peak)}</td>
              <td>{context.endedBy ?? 'open'}</td>
            </tr>
          ))}
        </tbody>
      </table>
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
