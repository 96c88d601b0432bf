import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../client';
import { clusterFolder } from './create-cluster';
import { isAlive, livePostmaster, readPostmaster } from './processes';
import { type EmbeddedDatabase, findRunningEmbedded, startEmbedded } from './start-embedded';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'barograph-embedded-'));
  chmodSync(folder, 0o711);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function ask<T>(url: string, statement: string): Promise<T[]> {
  const sql = connect(url, 1);
  try {
    return [...(await sql.unsafe<T[]>(statement))];
  } finally {
    await sql.end();
  }
}

async function withDatabase(work: (database: EmbeddedDatabase) => Promise<void>): Promise<void> {
  const database = await startEmbedded({ folder });
  try {
    await work(database);
  } finally {
    await database.stop();
  }
}

/** Start a process that runs the database of `folder` and waits. Resolves once the database accepts connections. */
async function startElsewhere(): Promise<{ child: ChildProcess; postgresPid: number }> {
  const script = `
    import { startEmbedded } from ${JSON.stringify(new URL('./start-embedded.ts', import.meta.url).pathname)};
    const database = await startEmbedded({ folder: ${JSON.stringify(folder)} });
    process.stdout.write(String(database.pid));
    setInterval(() => undefined, 1000);`;
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', script],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, postgresPid: Number(chunk.toString()) };
}

describe('embedded database', () => {
  it('keeps its rows over restarts', async () => {
    await withDatabase(async ({ url }) => {
      await ask(url, 'create table kept (n int)');
      await ask(url, 'insert into kept values (7)');
    });
    await withDatabase(async ({ url }) => {
      expect(await ask(url, 'select n from kept')).toEqual([{ n: 7 }]);
    });
    expect(livePostmaster(clusterFolder(folder))).toBeNull();
  });

  it('keeps values and statements out of its log', async () => {
    const log = join(folder, 'postgres', 'postgres.log');
    await withDatabase(async ({ url }) => {
      await ask(url, 'create table keyed (name text primary key)');
      await ask(url, `insert into keyed values ('plantedkey')`);
      for (const statement of [
        `insert into keyed values ('plantedkey')`,
        `select 'plantedvalue'::int`,
        `do $$ begin raise warning 'plantedwarning'; end $$`,
      ])
        await ask(url, statement).catch(() => undefined);
    });
    expect(readFileSync(log, 'utf8')).toContain('database system is ready');
    expect(readFileSync(log, 'utf8')).not.toContain('planted');
  });

  it('requires the password, which only its owner can read', async () => {
    expect(statSync(join(folder, 'postgres-password')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'postgres')).mode & 0o777).toBe(0o700);
    await withDatabase(async ({ url }) => {
      const wrong = new URL(url);
      wrong.password = 'guess';
      await expect(ask(wrong.href, 'select 1')).rejects.toThrow(/password authentication failed/);
      wrong.password = '';
      await expect(ask(wrong.href, 'select 1')).rejects.toThrow();
      const rules = await ask<{ auth_method: string }>(
        url,
        'select distinct auth_method from pg_hba_file_rules',
      );
      expect(rules).toEqual([{ auth_method: 'scram-sha-256' }]);
      const [settings] = await ask(
        url,
        `select current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
                current_setting('synchronous_commit') as commits, current_setting('fsync') as fsync`,
      );
      expect(settings).toEqual({ addresses: '127.0.0.1', sockets: '', commits: 'on', fsync: 'on' });
    });
  });

  it('restarts at the same address when it is killed', async () => {
    const events: string[] = [];
    const database = await startEmbedded({ folder, onEvent: (event) => events.push(event) });
    try {
      await ask(database.url, 'insert into kept values (8)');
      const before = database.pid;
      process.kill(before, 'SIGKILL');
      await expect.poll(() => events).toContain('restarted');
      expect(database.pid).not.toBe(before);
      expect(await ask(database.url, 'select n from kept order by n')).toEqual([{ n: 7 }, { n: 8 }]);
    } finally {
      await database.stop();
    }
  });

  it('retries until it starts', async () => {
    const events: string[] = [];
    const count = (event: string) => events.filter((name) => name === event).length;
    const database = await startEmbedded({ folder, retryMs: 20, onEvent: (event) => events.push(event) });
    const needed = join(clusterFolder(folder), 'global', 'pg_control');
    try {
      // Without this file every start fails, as on a full disk.
      renameSync(needed, `${needed}.away`);
      process.kill(database.pid, 'SIGKILL');
      await expect.poll(() => count('down')).toBeGreaterThan(6);
      renameSync(`${needed}.away`, needed);
      await expect.poll(() => count('restarted')).toBe(1);
      expect(await ask(database.url, 'select count(*)::int as kept from kept')).toEqual([{ kept: 2 }]);
      expect(events[0]).toBe('died');
    } finally {
      await database.stop();
    }
  });

  it('stops at once while it waits for a retry', async () => {
    const events: string[] = [];
    const onEvent = (event: string) => events.push(event);
    const database = await startEmbedded({ folder, retryMs: 600_000, onEvent });
    const needed = join(clusterFolder(folder), 'global', 'pg_control');
    renameSync(needed, `${needed}.away`);
    process.kill(database.pid, 'SIGKILL');
    await expect.poll(() => events).toContain('down');
    await database.stop();
    renameSync(`${needed}.away`, needed);
  });

  it.runIf(existsSync('/usr/bin/setpriv'))('stops with the process that started it', async () => {
    const { child, postgresPid } = await startElsewhere();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const isUp = () => isAlive({ pid: postgresPid, started: null });
    await expect.poll(isUp).toBe(false);
  });

  it('starts after the database and its server were both killed', async () => {
    const { child, postgresPid } = await startElsewhere();
    process.kill(postgresPid, 'SIGKILL');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await withDatabase(async ({ url }) => {
      expect(await ask(url, 'select count(*) as n from kept')).toEqual([{ n: 2 }]);
    });
  });

  it('starts despite a stale pid file that names another process', async () => {
    const file = join(clusterFolder(folder), 'postmaster.pid');
    const lines = [process.pid, clusterFolder(folder), 0, 5432, '', '127.0.0.1', '1 1', 'ready'];
    writeFileSync(file, `${lines.join('\n')}\n`);
    expect(readPostmaster(clusterFolder(folder))?.pid).toBe(process.pid);
    expect(livePostmaster(clusterFolder(folder))).toBeNull();
    await withDatabase(async ({ url }) => {
      expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    });
  });

  it('is found by commands on this machine only while it runs', async () => {
    await withDatabase(async ({ url }) => {
      expect(findRunningEmbedded(folder)).toBe(url);
    });
    expect(findRunningEmbedded(folder)).toBeNull();
  });

  it('reports a missing password file', async () => {
    const path = join(folder, 'postgres-password');
    const password = readFileSync(path, 'utf8');
    rmSync(path);
    await expect(startEmbedded({ folder })).rejects.toThrow(/postgres-password is missing/);
    writeFileSync(path, password, { mode: 0o600 });
  });

  it('refuses data of another major version', async () => {
    const path = join(clusterFolder(folder), 'PG_VERSION');
    const version = readFileSync(path, 'utf8');
    writeFileSync(path, '14\n');
    await expect(startEmbedded({ folder })).rejects.toThrow(/was written by PostgreSQL 14/);
    writeFileSync(path, version);
  });

  it.runIf(process.geteuid?.() === 0)('names the folder that its account cannot enter', async () => {
    const closed = mkdtempSync(join(tmpdir(), 'barograph-closed-'));
    try {
      await expect(startEmbedded({ folder: join(closed, 'data') })).rejects.toThrow(
        /cannot enter .*barograph-closed-/,
      );
    } finally {
      rmSync(closed, { recursive: true, force: true });
    }
  });
});
