import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type postgres from 'postgres';
import { connect } from '../../db/client';
import { startEmbedded } from '../../db/embedded/start-embedded';
import { migrate } from '../../db/migrate';
import { projectFolder } from '../../scripts/lib/project-folder';

export interface BenchDatabase {
  url: string;
  sql: postgres.Sql;
  /** Of Postgres. */
  pid: number;
  stop(): Promise<void>;
}

/** A new, empty database with the durability of the one that `npm start` uses. */
export async function startBenchDatabase(): Promise<BenchDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'barograph-bench-'));
  chmodSync(folder, 0o711);
  const embedded = await startEmbedded({ folder, database: 'barograph' });
  const sql = connect(embedded.url, 4, { applicationName: 'barograph-bench' });
  await migrate(embedded.url, join(projectFolder, 'db', 'migrations'));
  return {
    url: embedded.url,
    sql,
    pid: embedded.pid,
    async stop() {
      await sql.end({ timeout: 5 });
      await embedded.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
