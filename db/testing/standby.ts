/** For tests: an embedded PostgreSQL with a streaming replica of it. Owns both and their folder. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../core/testing/free-port';
import { grantAccess, serverUrlOf } from '../access';
import { connect } from '../client';
import { chooseAccount, own, spawnAs } from '../embedded/account';
import { prepareBinaries } from '../embedded/binaries';
import { clusterFolder } from '../embedded/create-cluster';
import { startEmbedded } from '../embedded/start-embedded';
import { migrate } from '../migrate';

export async function startWithStandby() {
  const root = mkdtempSync(join(tmpdir(), 'barograph-standby-'));
  chmodSync(root, 0o711);
  const folder = join(root, 'primary');
  const copy = join(root, 'standby');
  const account = await chooseAccount();
  const empty = await startEmbedded({ folder, durable: false, maxConnections: 50 });
  await migrate(empty.url, fileURLToPath(new URL('../migrations', import.meta.url)));
  await grantAccess(empty.url, serverUrlOf(empty.url));
  await empty.stop();
  spawnSync('cp', ['-a', clusterFolder(folder), copy]);

  const primary = await startEmbedded({ folder, durable: false, maxConnections: 50 });
  const { hostname, port, username, password } = new URL(primary.url);
  appendFileSync(
    join(clusterFolder(folder), 'pg_hba.conf'),
    'host replication all 127.0.0.1/32 scram-sha-256\n',
  );
  const admin = connect(primary.url, 1);
  await admin`select pg_reload_conf()`;
  const signal = join(copy, 'standby.signal');
  writeFileSync(signal, '');
  own(account, signal);
  const binaries = await prepareBinaries(account, join(folder, 'postgres-binaries'));
  const standbyUrl = new URL(serverUrlOf(primary.url));
  standbyUrl.port = String(await findFreePort());
  const settings = {
    port: standbyUrl.port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 50,
    primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
    fsync: 'off',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawnAs(account, binaries.postgres, ['-D', copy, ...flags], 'ignore');
  const ended = once(child, 'exit');
  const ownerUrl = Object.assign(new URL(primary.url), { port: standbyUrl.port }).href;
  const owner = connect(ownerUrl, 1);
  while (child.exitCode === null) {
    const isUp = await owner`select 1`.then(
      () => true,
      () => false,
    );
    if (isUp) break;
    await rest(50);
  }
  const stopStandby = async () => {
    child.kill('SIGINT');
    await ended;
  };
  return {
    /** Of the owner. */
    primaryUrl: primary.url,
    /** Of the server's role. */
    standbyUrl: standbyUrl.href,
    /** Let the replica replay the log of the primary, or hold it back. */
    pause: () => owner`select pg_wal_replay_pause()`,
    resume: () => owner`select pg_wal_replay_resume()`,
    stopStandby,
    async stop(): Promise<void> {
      await Promise.all([owner, admin].map((client) => client.end({ timeout: 1 })));
      await stopStandby();
      await primary.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
