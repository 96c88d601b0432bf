import type postgres from 'postgres';

type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** Joins conditions with `and`; what is false, null or undefined is left out. Nothing left: true. */
export function allOf(
  sql: postgres.ISql,
  conditions: ReadonlyArray<Fragment | false | null | undefined>,
): Fragment {
  return conditions
    .filter((condition) => !!condition)
    .reduce((joined, condition) => sql`${joined} and ${condition}`, sql`true`);
}
