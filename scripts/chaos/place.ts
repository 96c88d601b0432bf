/** A durable PostgreSQL, and on it a database of its own with server processes for each fault. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type postgres from 'postgres';
import { grantAccess, serverUrlOf } from '../../db/access';
import { connect } from '../../db/client';
import { type EmbeddedDatabase, startEmbedded } from '../../db/embedded/start-embedded';
import { migrate } from '../../db/migrate';
import { makeTempFolder } from '../../e2e/support/temp-folder';
import { makeToken, type ServerProcess, startServerProcess } from '../../e2e/wire/start-server-process';
import { Load, type LoadOptions } from './load';
import { CannotRunError } from './until';

export interface Place {
  folder: string;
  /** Of PostgreSQL. */
  pid(): number;
  url: string;
  sql: postgres.Sql;
  token: string;
  /** Start a server; `port` of an earlier one, so that runners find it again. */
  serve(port?: number, databaseUrl?: string, settings?: Record<string, string>): Promise<ServerProcess>;
  load(
    servers: readonly Pick<ServerProcess, 'url'>[],
    options: Pick<LoadOptions, 'runners' | 'seed' | 'clockOf'> & Partial<Pick<LoadOptions, 'token'>>,
  ): Load;
  close(): Promise<void>;
}

export interface Cluster {
  folder: string;
  database: EmbeddedDatabase;
  close(): Promise<void>;
}

const runMount = (...[program = '', ...args]: string[]) =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0;

/** Bring a database to this version. */
export async function prepare(url: string): Promise<void> {
  await migrate(url, fileURLToPath(new URL('../../db/migrations', import.meta.url)));
  await grantAccess(url, serverUrlOf(url));
}

/** @param diskMegabytes size of a file system for the database alone, which only root can mount */
export async function openCluster(diskMegabytes?: number): Promise<Cluster> {
  const folder = makeTempFolder('chaos');
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o711 });
  const options = `size=${diskMegabytes}m,mode=0711`;
  const isMounted =
    diskMegabytes !== undefined && runMount('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', data);
  if (diskMegabytes !== undefined && !isMounted) {
    rmSync(folder, { recursive: true });
    throw new CannotRunError('needs root to mount a file system');
  }
  const database = await startEmbedded({ folder: data, retryMs: 100 });
  await prepare(database.url);
  return {
    folder,
    database,
    async close() {
      await database.stop();
      if (isMounted) runMount('umount', '-l', data);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Copy the prepared database of a cluster. */
export async function openPlace({ folder: home, database }: Cluster, name: string): Promise<Place> {
  const folder = join(home, name);
  mkdirSync(folder);
  const copied = new URL(database.url);
  copied.pathname = '/postgres';
  const admin = connect(copied.href, 1);
  await admin`create database ${admin(name)} template barograph`;
  await admin.end();
  copied.pathname = `/${name}`;
  const url = copied.href;
  const sql = connect(url, 2, { applicationName: 'barograph-chaos' });
  const token = await makeToken(sql);
  const servers: ServerProcess[] = [];
  const loads: Load[] = [];
  return {
    folder,
    pid: () => database.pid,
    url,
    sql,
    token,
    async serve(port?: number, databaseUrl = url, settings = {}) {
      const server = await startServerProcess(databaseUrl, port, true, settings);
      servers.push(server);
      return server;
    },
    load(from, options) {
      const urls = from.map((server) => server.url);
      const load = new Load({ urls, token, folder: join(folder, 'queues'), ...options });
      loads.push(load);
      return load;
    },
    async close() {
      await Promise.all(loads.map((load) => load.close()));
      await Promise.all(servers.map((server) => server.kill()));
      await sql.end({ timeout: 5 });
    },
  };
}
