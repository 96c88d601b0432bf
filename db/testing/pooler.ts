/** For tests: PgBouncer in transaction mode, Debian's package. Owns the process and its folder. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { findFreePort } from '../../core/testing/free-port';
import { connect } from '../client';
import { findDebianProgram } from './debian-program';

// scripts/chaos imports it from here.

export const pgbouncer = findDebianProgram('pgbouncer', 'usr/sbin/pgbouncer');

/** @param connections to PostgreSQL */
export async function startPooler(databaseUrl: string, connections: number) {
  const target = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'barograph-pooler-'));
  const url = new URL(databaseUrl);
  url.port = String(await findFreePort());
  writeFileSync(join(folder, 'users'), `"${target.username}" "${target.password}"\n`);
  writeFileSync(
    join(folder, 'ini'),
    `[databases]
* = host=${target.hostname} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${url.port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users')}
pool_mode = transaction
default_pool_size = ${connections}
`,
  );
  // PgBouncer refuses to run as root.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) spawnSync('chown', ['-R', 'nobody', folder]);
  const child = spawn(pgbouncer ?? '', [...(isRoot ? ['-u', 'nobody'] : []), join(folder, 'ini')], {
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const pooler = {
    url: url.href,
    async stop(): Promise<void> {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  while (child.exitCode === null) {
    const sql = connect(url.href, 1, { directUrl: databaseUrl });
    const isUp = await sql`select 1`.then(
      () => true,
      () => false,
    );
    await sql.end({ timeout: 1 });
    if (isUp) return pooler;
    await rest(50);
  }
  await pooler.stop();
  throw new Error('PgBouncer does not start.');
}
