/**
 * Upgrades from each released version. `versions/` has a backup of a filled database per version that changed the
 * schema; its first migrations must stay as they are.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type postgres from 'postgres';
import { expect, test } from 'vitest';
import { deliver, numbered, openTestStream } from '../ingest/ingest-testing';
import { migrate } from '../migrate';
import { transact } from '../transact';
import { linesOf, withEmpty } from './backup-testing';
import { restoreBackup } from './restore-backup';

const migrations = fileURLToPath(new URL('../migrations', import.meta.url));
const folder = new URL('./versions/', import.meta.url);
const versions = readdirSync(folder).filter((name) => name.endsWith('.sql.gz'));

/** Columns that a migration replaced by others. */
const REPLACED: Record<string, string[]> = { 'public.tokens': ['scope', 'project'] };

/** The columns of each table, as in the COPY blocks of a script, without those that a migration replaced. */
function tablesOf(text: string): { table: string; columns: string }[] {
  return [...text.matchAll(/^copy (\S+) \((.*)\) from stdin;$/gm)]
    .map(([, table = '', columns = '']) => ({
      table,
      columns: columns
        .split(', ')
        .filter((name) => !REPLACED[table]?.includes(name.replaceAll('"', '')))
        .join(', '),
    }))
    .filter(({ table }) => !table.startsWith('drizzle.'));
}

/** Number and hash of the rows of each table, in these columns. */
async function contentOf(sql: postgres.Sql, tables: ReturnType<typeof tablesOf>) {
  const found: Record<string, string> = {};
  for (const { table, columns } of tables) {
    const [row] = await sql.unsafe(`
      select count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as sum
      from (select ${columns} from ${table}) t`);
    found[table] = String(row?.sum);
  }
  return found;
}

test('there is a backup of the first version', () => {
  expect(versions).toContain('0.1.0.sql.gz');
});

test.each(versions)(
  'upgrades %s while it is written to, keeps every row, and continues its sums',
  async (version) => {
    const text = gunzipSync(readFileSync(new URL(version, folder))).toString();
    const tables = tablesOf(text);
    await withEmpty(async (sql, url) => {
      await restoreBackup(sql, linesOf(text));
      const before = await contentOf(sql, tables);
      const tokens = await sql<{ scope: string; project: string | null }[]>`
        select scope, project from tokens order by id`;
      // A server of the old version still writes: its transactions end before or after the upgrade, and none fails.
      let isMigrated = false;
      let writes = 0;
      const writing = (async () => {
        while (!isMigrated) {
          await transact(sql, async (tx) => {
            await tx`select from sessions order by id for update`;
            await tx`update sessions set version = version + 1`;
            await tx`update sessions set version = version - 1`;
          });
          writes += 1;
        }
      })();
      await Promise.all([migrate(url, migrations), migrate(url, migrations)]).finally(() => {
        isMigrated = true;
      });
      await writing;
      expect(writes).toBeGreaterThan(0);
      expect(await contentOf(sql, tables)).toEqual(before);
      expect([...(await sql`select scopes, projects from tokens order by id`)]).toEqual(
        tokens.map(({ scope, project }) => ({
          scopes: scope === 'ingest' ? ['ingest', 'archive'] : [scope],
          projects: project === null ? null : [project],
        })),
      );

      const sumOf = async () => {
        const [row] = await sql<{ key: string; project: string; turns: number; input: number }[]>`
        select s.key, p.name as project, count(*) as turns, sum(t.input)::float8 as input
        from sessions s join projects p on p.id = s.project_id join turns t on t.session_id = s.id
        group by s.id, s.key, p.name order by s.id limit 1`;
        return row ?? { key: '', project: '', turns: 0, input: 0 };
      };
      const old = await sumOf();
      const stream = await openTestStream(sql, { project: old.project });
      const turn = {
        type: 'turn',
        session: old.key,
        at: Date.UTC(2026, 10, 2),
        usage: { input: 5 },
      } as const;
      const { outcomes } = await deliver(sql, stream, numbered([turn]));
      expect(outcomes.flat()).toEqual([{ outcome: 'stored' }]);
      expect(await sumOf()).toEqual({ ...old, turns: old.turns + 1, input: old.input + 5 });
    });
  },
);
