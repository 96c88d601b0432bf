import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Create a folder that other accounts can enter, because the embedded Postgres may run as another account. */
export function makeTempFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `barograph-e2e-${name}-`));
  chmodSync(folder, 0o755);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
