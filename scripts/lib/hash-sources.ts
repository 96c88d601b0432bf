import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from './list-files';

/** What a build depends on. */
const folders = ['app', 'components', 'core', 'db', 'runner', 'server', 'public'];
const files = [
  'next.config.mjs',
  'postcss.config.mjs',
  'tsconfig.json',
  'package-lock.json',
  'scripts/build.ts',
];

/** One hash over the names and contents of all sources of a build; tests do not count. */
export function hashSources(root: string): string {
  const hash = createHash('sha256').update(process.version);
  const paths = [
    ...files,
    ...folders
      .filter((folder) => existsSync(join(root, folder)))
      .flatMap((folder) => listFiles(root, folder)),
  ];
  for (const path of paths) {
    if (/\.test\.tsx?$/.test(path) || !existsSync(join(root, path))) continue;
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  }
  return hash.digest('hex');
}
