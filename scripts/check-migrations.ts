import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectFolder } from './lib/project-folder';

const migrations = join(projectFolder, 'db', 'migrations');

/** Differences between the schema and its SQL migrations: what `drizzle-kit generate` adds to a copy of them. */
export function findDrift(): string[] {
  // Within the project: drizzle-kit takes relative folders only.
  const copy = mkdtempSync(join(projectFolder, 'test-results', 'migrations-'));
  try {
    cpSync(migrations, copy, { recursive: true });
    const tool = join(projectFolder, 'node_modules', 'drizzle-kit', 'bin.cjs');
    const places = ['--schema=./db/schema/index.ts', `--out=${relative(projectFolder, copy)}`];
    const args = [tool, 'generate', '--dialect=postgresql', '--casing=snake_case', ...places];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: projectFolder,
      encoding: 'utf8',
    });
    if (status !== 0) return [`drizzle-kit generate failed: ${stdout}${stderr}`];
    const known = new Set(readdirSync(migrations));
    return readdirSync(copy)
      .filter((name) => !known.has(name))
      .map(
        (name) =>
          `The schema has changes without a migration; run npm run migrations. They are:\n${readFileSync(join(copy, name), 'utf8')}`,
      );
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
