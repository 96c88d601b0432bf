import { formatExact } from '../../format/format-tokens';
import type { Alignment } from '../../sessions/compare-url';
import { type CompareSheet, pointAt } from './prepare-compare';

const STEPS = 20;

/** The sheet as tables for screen readers: values along the way, and boundaries. */
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
                    {used === null ? (x > trace.endX ? 'ended' : 'unknown') : formatExact(used)}
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
                <td>{before === null ? 'unknown' : formatExact(before)}</td>
                <td>{after === null ? 'unknown' : formatExact(after)}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </div>
  );
}
