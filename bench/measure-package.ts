/** Megabytes of `barograph-server`, as npm packs and unpacks it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packServer } from '../scripts/lib/pack-server';
import type { Figure } from './lib/figures';

export async function measurePackage(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'barograph-package-'));
  try {
    packServer(folder);
    const packed = sizeOf(folder);
    const [name = ''] = readdirSync(folder);
    execFileSync('tar', ['-xzf', name], { cwd: folder });
    return [
      { name: 'Package of the server, to download', value: packed, unit: 'MB' },
      { name: 'Package of the server, installed', value: sizeOf(join(folder, 'package')), unit: 'MB' },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0) / 1e6;
}
