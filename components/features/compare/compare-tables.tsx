/** The comparison as tables for screen readers. */
import { formatExact } from '../../format/format-tokens';
import type { Alignment } from '../../sessions/compare-url';
import { type CompareSheet, usedAt } from './prepare-compare';

const STEPS = 20;
const exact = (value: number | string) => (typeof value === 'number' ? formatExact(value) : value);

/** Values along the way, and boundaries. */
export function CompareTables({ sheet: { traces }, by }: { sheet: CompareSheet; by: Alignment }) {
  const longest = Math.max(1, ...traces.map(({ endX }) => endX));
  const places = Array.from({ length: STEPS }, (_, index) => Math.ceil((longest * (index + 1)) / STEPS));
  const step = by === 'turns' ? 'turn' : 'minute';
  return (
    <div className="sr-only">
      <SpokenTable
        caption={`Tokens in use, ${step} by ${step}`}
        heads={[step, ...traces.map(({ name }) => name.toUpperCase())]}
        rows={[...new Set(places)].map((x) => ({
          key: String(x),
          cells: [x, ...traces.map((trace) => exact(usedAt(trace, x)))],
        }))}
      />
      <SpokenTable
        caption="Boundaries of each"
        heads={['side', 'after turn', 'kind', 'tokens before', 'tokens after']}
        rows={traces.flatMap(({ name, boundaries }) =>
          boundaries.map(({ boundary: { id, turn, kind, before, after } }) => ({
            key: `${name}${id}`,
            cells: [
              name.toUpperCase(),
              exact(turn),
              kind,
              exact(before ?? 'unknown'),
              exact(after ?? 'unknown'),
            ],
          })),
        )}
      />
    </div>
  );
}

interface SpokenTableProps {
  caption: string;
  heads: readonly string[];
  rows: readonly { key: string; cells: readonly (string | number)[] }[];
}

function SpokenTable({ caption, heads, rows }: SpokenTableProps) {
  return (
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
        {rows.map(({ key, cells: [first, ...rest] }) => (
          <tr key={key}>
            <th scope="row">{first}</th>
            {rest.map((cell, index) => (
              <td key={heads[index + 1]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
