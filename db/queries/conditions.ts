import type postgres from 'postgres';

type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** Words of a search that are looked for; more say nothing. */
const MAX_WORDS = 10;

/** Joins conditions with `and`; what is false, null or undefined is left out. Nothing left: true. */
export function allOf(
  sql: postgres.ISql,
  conditions: ReadonlyArray<Fragment | false | null | undefined>,
): Fragment {
  return conditions
    .filter((condition) => !!condition)
    .reduce((joined, condition) => sql`${joined} and ${condition}`, sql`true`);
}

/** Every word of the text, anywhere in `subject`, in any case. */
export function hasWords(sql: postgres.ISql, text: string, subject: Fragment): Fragment {
  return allOf(
    sql,
    text
      .split(/\s+/)
      .slice(0, MAX_WORDS)
      .map((word) => sql`${subject} ilike ${`%${word.replace(/[\\%_]/g, '\\$&')}%`}`),
  );
}
