/** The sheet as tables, for screen readers. */
import type { SeriesPoint, SubAgentList } from '@/core/api/series';
import { formatPercent } from '../../format/format-percent';
import { formatInstant } from '../../format/format-time';
import { formatExact } from '../../format/format-tokens';

interface HiddenTableProps {
  caption: string;
  heads: readonly string[];
  /** The first cell heads its row. */
  rows: ReadonlyArray<readonly string[]>;
}

function HiddenTable({ caption, heads, rows }: HiddenTableProps) {
  return (
    <div className="sr-only">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells]) => (
            <tr key={`${name} ${cells[0]}`}>
              <th scope="row">{name}</th>
              {cells.map((cell, index) => (
                <td key={heads[index + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const LAST_TURNS = 20;
const HEADS = ['turn', 'time', 'context', 'tokens', 'pressure', 'input', 'output'];
const CACHE_HEADS = ['cache reads', 'cache writes', 'cache reads so far', 'cache writes so far'];

interface TraceTableProps {
  points: readonly SeriesPoint[];
  limit: number | null;
  zone: string;
}

/** The last turns. */
export function TraceTable({ points, limit, zone }: TraceTableProps) {
  const rows = points.slice(-LAST_TURNS).map((point) => {
    const { n, turns, t, context, used, untracked } = point;
    const whole = point.limit ?? limit;
    return [
      turns > 1 ? `${n - turns + 1}–${n}` : String(n),
      formatInstant(t, zone),
      String(context),
      used === null ? (untracked ? 'not tracked' : 'unknown') : formatExact(used),
      used === null || whole === null || whole <= 0 ? '' : formatPercent(used / whole),
      ...[point.input, point.output, point.cacheRead, point.cacheCreation].map((count) => formatExact(count)),
      ...[point.totalCacheRead, point.totalCacheCreation].map((total) =>
        total === null ? 'not known' : formatExact(total),
      ),
    ];
  });
  return <HiddenTable caption="The last turns on the sheet" heads={[...HEADS, ...CACHE_HEADS]} rows={rows} />;
}

/** The thin traces. */
export function AgentsTable({ list: { agents, total }, zone }: { list: SubAgentList; zone: string }) {
  const part = total > agents.length ? `, the last ${agents.length} of ${total}` : '';
  const rows = agents.map(({ chain, firstAt, lastAt, turnCount, points }) => {
    const known = points.flatMap(({ used }) => (used === null ? [] : [used]));
    return [
      chain,
      formatInstant(firstAt, zone),
      formatInstant(lastAt, zone),
      formatExact(turnCount),
      known.length === 0 ? 'not known' : formatExact(Math.max(...known)),
    ];
  });
  const heads = ['sub-agent', 'from', 'to', 'turns', 'peak tokens'];
  return <HiddenTable caption={`Sub-agents on the sheet${part}`} heads={heads} rows={rows} />;
}
