import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type postgres from 'postgres';
import { connect } from '../../db/client';
import { startEmbedded } from '../../db/embedded/start-embedded';
import { openStream } from '../../db/ingest/open-stream';
import { recordDeliveries } from '../../db/ingest/record-deliveries';
import type { Delivery } from '../../db/ingest/types';
import { migrate } from '../../db/migrate';
import { projectFolder } from '../../scripts/lib/project-folder';

export type BenchDatabase = Awaited<ReturnType<typeof startBenchDatabase>>;

/** A new, empty database with the same durability settings as the database of `npm start`. */
export async function startBenchDatabase() {
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

export function openBenchStream(
  sql: postgres.Sql,
  project: string,
  runner: string,
  source: 'sdk' | 'transcript' = 'sdk',
) {
  return openStream(sql, { project, runner: { name: runner }, stream: randomUUID(), source });
}

/** Record items as the ingest does. @throws Error if an item is not stored */
export async function record(
  sql: postgres.Sql,
  deliveries: readonly Pick<Delivery, 'stream' | 'items'>[],
): Promise<void> {
  const now = Date.now();
  const received = deliveries.map((delivery) => ({ ...delivery, receivedAt: now, clockAgrees: true }));
  const { outcomes } = await recordDeliveries(sql, received, { now });
  if (outcomes.flat().some(({ outcome }) => outcome !== 'stored')) throw new Error('a turn was not stored');
}
