import { afterAll, describe, expect, it } from 'vitest';
import { grantAccess, serverUrlOf, setOwner } from './access';
import { connect } from './client';
import { ensureMonths, listMonths } from './partitions';
import { limitReads } from './queries/limit-reads';
import { createTestFeed, testTurn } from './queries/testing-feed';
import { openTestDatabase } from './testing/test-database';
import { recordAudit } from './transcripts/record-audit';

const { sql: owner, url } = await openTestDatabase();
const server = connect(serverUrlOf(url), 2);
setOwner(server, owner);
afterAll(() => server.end());

for (const project of ['atlas', 'borealis']) {
  const feed = await createTestFeed(owner, { project });
  await feed.tell(
    { type: 'session_start', session: project, lens: 'snapshot', limit: 10_000 },
    testTurn(project, 9_900),
    { type: 'compaction', session: project, trigger: 'auto', state: 'confirmed' },
    testTurn(project, 1_000),
  );
  await recordAudit(owner, { actor: 'a', action: 'settings_changed', project });
}

it('protects every table', async () => {
  const tables = await owner`
    select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and not relispartition and not relrowsecurity`;
  expect(tables).toEqual([]);
});

describe("the server's role", () => {
  it('owns nothing and has no attribute', async () => {
    const [role] = await server`
      select rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls as special,
        (select count(*)::int from pg_class where relowner = r.oid) as owned
      from pg_roles r where rolname = current_user`;
    expect(role).toEqual({ special: false, owned: 0 });
  });

  it.each([
    "update audit_log set actor = 'x'",
    'delete from audit_log',
    'truncate audit_log',
    'drop table audit_log',
    'alter table audit_log disable row level security',
    'drop policy barograph_member on sessions',
    'alter table sessions add column more int',
    'drop table turns',
    'create table more (id int)',
    'create schema more',
    'create function more() returns int language sql as $$ select 1 $$',
    'create trigger more before delete on audit_log execute function drop_unused_segments()',
    'drop table turns_m83',
    'select * from turns_m83',
    'select * from drizzle.__drizzle_migrations',
    'set role barograph',
    'set session authorization barograph',
    'alter role barograph_server superuser',
    'grant barograph to barograph_server',
    "copy projects to '/tmp/projects'",
  ])('is refused: %s', async (statement) => {
    const month = (await listMonths(owner))[0];
    const text = statement.replace('turns_m83', `turns_m${month}`);
    await expect(server.unsafe(text)).rejects.toMatchObject({
      code: expect.stringMatching(/^(42501|0LP01)$/),
    });
  });

  it('adds to the audit log, and creates partitions through the owner', async () => {
    await recordAudit(server, { actor: 'b', action: 'settings_changed', project: 'atlas' });
    await ensureMonths(server, [90]);
    expect(await listMonths(server)).toContain(90);
  });
});

describe("a member's client", () => {
  const member = limitReads(server, ['atlas']);
  const TABLES = [
    'sessions',
    'runners',
    'turns',
    'events',
    'reports',
    'session_streams',
    'streams',
    'audit_log',
  ];

  it.each(TABLES)('reads only rows of its projects without a condition: %s', async (table) => {
    const count = async (client: typeof server) =>
      Number((await client.unsafe(`select count(*)::int as n from ${table}`))[0]?.n);
    const [all, own, none] = [await count(server), await count(member), await count(limitReads(server, []))];
    expect(own).toBeGreaterThan(0);
    expect(own).toBeLessThan(all);
    expect(none).toBe(0);
  });

  it.each(['tokens', 'credentials', 'passkeys', 'challenges', 'server_identity'])(
    'is refused: %s',
    async (table) => {
      await expect(member.unsafe(`select * from ${table}`)).rejects.toMatchObject({ code: '42501' });
    },
  );

  it('writes only rows of its projects', async () => {
    expect((await member`update sessions set title = 'x' returning key`).map(({ key }) => key)).toEqual([
      'atlas',
    ]);
    expect((await member`delete from notes`).count).toBe(0);
    const foreign = owner`select id from sessions where key = 'borealis'`;
    const [session] = await foreign;
    await expect(
      member`insert into notes (session_id, at, text) values (${session?.id}, now(), 'x')`,
    ).rejects.toMatchObject({ code: '42501' });
    await expect(member`update people set preferences = ''`).rejects.toMatchObject({ code: '42501' });
  });

  it('leaves no role and no projects on the connection', async () => {
    const one = connect(serverUrlOf(url), 1);
    await limitReads(one, ['atlas'])`select 1`;
    const [state] = await one`select current_user as role, current_setting('barograph.projects') as projects,
      (select count(*)::int from sessions) as sessions`;
    expect(state).toEqual({ role: 'barograph_server', projects: '', sessions: 2 });
    await one.end();
  });

  it('keeps the error of a statement, fragments and parallel statements', async () => {
    await expect(member`select 1 / 0`).rejects.toMatchObject({ code: '22012' });
    const condition = member`key = ${'atlas'}`;
    const rows = await Promise.all(
      Array.from({ length: 9 }, () => member`select key from sessions where ${condition}`),
    );
    expect(rows.flat().map(({ key }) => key)).toEqual(Array(9).fill('atlas'));
  });
});

it('gives the privileges to a role of the operator', async () => {
  await owner`create role operated login password 'operated'`;
  try {
    const operated = new URL(url);
    operated.username = 'operated';
    operated.password = 'operated';
    expect(await grantAccess(url, operated.href)).toBeNull();
    const client = connect(operated.href, 1);
    expect(await client`select name from projects order by 1`).toHaveLength(2);
    expect(await limitReads(client, ['atlas'])`select name from projects`).toEqual([{ name: 'atlas' }]);
    await expect(client`delete from audit_log`).rejects.toMatchObject({ code: '42501' });
    await client.end();
  } finally {
    await owner`drop owned by operated`;
    await owner`drop role operated`;
  }
});

it('reports a role that may create no roles, and works without the second layer', async () => {
  await owner`create role poor login password 'poor'`;
  try {
    const poor = new URL(url);
    poor.username = 'poor';
    poor.password = 'poor';
    expect(await grantAccess(poor.href, null)).toMatch(/permission denied|must be owner/);
    await owner`grant select on projects to poor`;
    const client = connect(poor.href, 1);
    expect(await limitReads(client, ['atlas'])`select name from projects`).toEqual([]);
    await client.end();
  } finally {
    await owner`revoke all on projects from poor`;
    await owner`drop role poor`;
  }
});
