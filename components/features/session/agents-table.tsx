import type { SubAgentList } from '@/core/api/series';
import { formatInstant } from '../../format/format-time';
import { formatExact } from '../../format/format-tokens';

/** The thin traces as a table, for those who do not see them. */
export default function AgentsTable({ list, zone }: { list: SubAgentList; zone: string }) {
  const { agents, total } = list;
  return (
    <div className="sr-only">
      <table>
        <caption>
          Sub-agents on the sheet{total > agents.length ? `, the last ${agents.length} of ${total}` : ''}
        </caption>
        <thead>
          <tr>
            {['sub-agent', 'from', 'to', 'turns', 'peak tokens'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {agents.map(({ chain, firstAt, lastAt, turnCount, points }) => {
            const known = points.flatMap(({ used }) => (used === null ? [] : [used]));
            return (
              <tr key={chain}>
                <th scope="row">{chain}</th>
                <td>{formatInstant(firstAt, zone)}</td>
                <td>{formatInstant(lastAt, zone)}</td>
                <td>{formatExact(turnCount)}</td>
                <td>{known.length === 0 ? 'not known' : formatExact(Math.max(...known))}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
