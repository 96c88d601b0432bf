/** Vitest global setup of the `db` project: one embedded Postgres per run, and a migrated template in it. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { grantAccess, serverUrlOf } from '../access';
import { connect } from '../client';
import { startEmbedded } from '../embedded/start-embedded';
import { migrate } from '../migrate';

/** Cloned by `createTestDatabase()`; nothing connects to it after this setup. */
const TEMPLATE_DATABASE = 'barograph_template';

declare module 'vitest' {
  export interface ProvidedContext {
    testDatabase: { adminUrl: string; template: string };
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'barograph-test-'));
  chmodSync(folder, 0o711);
  const embedded = await startEmbedded({
    folder,
    database: TEMPLATE_DATABASE,
    durable: false,
    maxConnections: 300,
  });
  const stop = async () => {
    await embedded.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await migrate(embedded.url, fileURLToPath(new URL('../migrations', import.meta.url)));
    await grantAccess(embedded.url, serverUrlOf(embedded.url));
    const adminUrl = new URL(embedded.url);
    adminUrl.pathname = '/postgres';
    const admin = connect(adminUrl.href, 1);
    await admin`alter database ${admin(TEMPLATE_DATABASE)} is_template true`;
    await admin.end();
    project.provide('testDatabase', { adminUrl: adminUrl.href, template: TEMPLATE_DATABASE });
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}
