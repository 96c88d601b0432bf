import { formatExact } from '../../format/format-tokens';
import type { CompareSheet } from './prepare-compare';

/** The boundaries of each side for screen readers. */
export function BoundariesTable({ traces }: Pick<CompareSheet, 'traces'>) {
  return (
    <table className="sr-only">
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
  );
}
