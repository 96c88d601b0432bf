import { formatExact } from '../format/format-tokens';
import type { Alignment } from './compare-url';
import { type CompareSheet, pointAt } from './prepare-compare';

const STEPS = 20;

/** The sheet as tables, for those who do not see it: what both read along the way, and their boundaries. */
export function TraceStepsTable({ sheet, by }: { sheet: CompareSheet; by: Alignment }) {
  const { traces } = sheet;
  const longest = Math.max(1, ...traces.map(({ endX }) => endX));
  const places = [
    ...new Set(Array.from({ length: STEPS }, (_, index) => Math.ceil((longest * (index + 1)) / STEPS))),
  ];
  return (
    <div className="sr-only">
      <table>
        <caption>Tokens in use, {by === 'turns' ? 'turn by turn' : 'minute by minute'}</caption>
        <thead>
          <tr>
            <th scope="col">{by === 'turns' ? 'turn' : 'minute'}</th>
            {traces.map(({ name }) => (
              <th key={name} scope="col">
                {name.toUpperCase()}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {places.map((x) => (
            <tr key={x}>
              <th scope="row">{x}</th>
              {traces.map((trace) => {
                const used = pointAt(trace, x)?.used ?? null;
                return (
                  <td key={trace.name}>
                    {used === null ? (x > trace.endX ? 'over' : 'unknown') : formatExact(used)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <table>
        <caption>Boundaries of each</caption>
        <thead>
          <tr>
            {['side', 'after turn', 'kind', 'tokens before', 'tokens after'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {traces.flatMap(({ name, boundaries }) =>
            boundaries.map(({ boundary: { id, turn, kind, before, after } }) => (
              <tr key={`${name}${id}`}>
                <th scope="row">{name.toUpperCase()}</th>
                <td>{formatExact(turn)}</td>
                <td>{kind}</td>
                <td>{before === null ? 'not known' : formatExact(before)}</td>
                <td>{after === null ? 'not known' : formatExact(after)}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </div>
  );
}
