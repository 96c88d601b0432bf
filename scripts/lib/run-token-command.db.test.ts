import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createToken, touchToken, verifyToken } from '../../db/queries/tokens';
import { createTestDatabase } from '../../db/testing/test-database';
import { projectFolder } from './project-folder';
import { parseTokenCommand, runTokenCommand } from './run-token-command';

const database = await createTestDatabase();
afterAll(() => database.close());

const run = (...args: string[]) => runTokenCommand(database.sql, parseTokenCommand(args));
const make = async (name: string, scope: string) => (await run('--name', name, '--scope', scope)).output;
async function idOf(token: string): Promise<number> {
  return (await verifyToken(database.sql, token))?.id ?? Number.NaN;
}

describe('npm run token', () => {
  it('lists active tokens with their last use, without their secrets', async () => {
    const used = await make('laptop', 'ingest');
    const idle = await createToken(database.sql, { name: 'curl\u001b[2J', scopes: ['read'] });
    await touchToken(database.sql, await idOf(used), '127.0.0.1');
    const { output } = await run('--list');
    const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\dZ`;
    expect(output).toMatch(/^id +scope +project +created +expires +last used +from +name$/m);
    expect(output).toMatch(
      new RegExp(`^${await idOf(used)} +ingest +all +${time} +never +${time} +127.0.0.1 +laptop$`, 'm'),
    );
    expect(output).toMatch(
      new RegExp(`^${await idOf(idle)} +read +all +${time} +never +never +curl\\?\\[2J$`, 'm'),
    );
    expect(output).not.toContain('bg_');
  });

  it('creates a token that may only write one project', async () => {
    const { output, note } = await run('--name', 'bound', '--scope', 'ingest', '--project', 'shop');
    expect(note).toContain('"bound" of scope ingest for the project "shop"');
    expect(await verifyToken(database.sql, output)).toMatchObject({ scopes: ['ingest'], projects: ['shop'] });
    expect((await run('--list')).output).toMatch(/ingest +shop .* bound$/m);
  });

  it('revokes by name and by id', async () => {
    const byName = await make('old', 'read');
    const byId = await make('older', 'read');
    expect((await run('--revoke', 'old')).output).toMatch(/^Revoked \d+ "old" of scope read\.$/);
    await run('--revoke', String(await idOf(byId)));
    expect(await verifyToken(database.sql, byName)).toBeNull();
    expect(await verifyToken(database.sql, byId)).toBeNull();
    expect((await run('--list')).output).not.toMatch(/\bold(er)?$/m);
    await expect(run('--revoke', 'old')).rejects.toThrow('No active token has the name or id "old"');
  });

  it('refuses the name of an active token', async () => {
    await make('twin', 'read');
    await expect(make('twin', 'ingest')).rejects.toThrow('the name "twin" is taken');
    await run('--revoke', 'twin');
    await make('twin', 'ingest,archive');
  });

  it('rotates a token: its former secret ends after the overlap', async () => {
    const first = await make('rotated', 'read');
    const { output: second, note } = await run('--rotate', 'rotated', '--overlap', '2');
    expect(note).toContain('ends in 2 hours');
    expect(await idOf(second)).toBe(await idOf(first));
    const { output: third } = await run('--rotate', 'rotated', '--overlap', '0');
    expect(await Promise.all([first, second, third].map(idOf))).toEqual([
      Number.NaN,
      Number.NaN,
      await idOf(third),
    ]);
    expect(await idOf(third)).not.toBeNaN();
  });

  it('creates a token that expires', async () => {
    const { output, note } = await run('--name', 'brief', '--scope', 'read', '--days', '30');
    expect(note).toContain('It ends in 30 days.');
    expect((await verifyToken(database.sql, output))?.validForMs).toBeGreaterThan(29 * 86_400_000);
    await database.sql`update tokens set expires_at = now() where name = 'brief'`;
    expect(await verifyToken(database.sql, output)).toBeNull();
  });

  it('prints its usage on --help, without a database', () => {
    const args = ['--import', 'tsx', join(projectFolder, 'scripts/manage-tokens.ts'), '--help'];
    const env = { NODE_ENV: 'test', DATABASE_URL: 'postgres://127.0.0.1:1/none' } as const;
    const { status, stdout } = spawnSync(process.execPath, args, {
      cwd: projectFolder,
      env,
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^Usage: npm run token/) });
  });

  it.each([
    [[]],
    [['--name', 'x']],
    [['--name', ' ', '--scope', 'read']],
    [['--name', 'a\u001b[2J', '--scope', 'read']],
    [['--name', 'x', '--scope', 'write']],
    [['--name', 'x', '--scope', 'admin', '--project', 'p']],
    [['--name', 'x', '--scope', 'read', '--days', '1.5']],
    [['--rotate', 'x', '--overlap', '-1']],
    [['--rotate', 'x', '--list']],
    [['--name', 'x', '--scope', 'ingest', '--project', ' ']],
    [['--list', '--revoke', 'x']],
    [['--revoke', '']],
    [['--revoke']],
    [['--remove', 'x']],
  ])('shows its usage for %j', (args) => {
    expect(() => parseTokenCommand(args)).toThrow('--revoke NAME_OR_ID');
  });
});
