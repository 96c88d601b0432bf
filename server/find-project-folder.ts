/** Where the project lies, from its sources and from the bundle in `dist/` alike. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ProjectFolder {
  path: string;
  version: string;
}

/** @throws when no folder above `from` is the project's. */
export function findProjectFolder(from: string): ProjectFolder {
  for (let path = dirname(fileURLToPath(from)); ; path = dirname(path)) {
    const manifest = readManifest(join(path, 'package.json'));
    if (manifest?.name === 'barograph-server') return { path, version: manifest.version ?? '0.0.0' };
    if (path === dirname(path)) throw new Error('package.json of barograph-server was not found.');
  }
}

function readManifest(path: string): { name?: string; version?: string } | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as { name?: string; version?: string };
  } catch {
    return null;
  }
}
