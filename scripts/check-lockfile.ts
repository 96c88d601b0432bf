/**
 * Every package that a locked package names in `optionalDependencies` must be in package-lock.json itself.
 *
 * npm silently leaves out a platform's binary that the registry does not have yet, and `npm ci` then fails
 * on that platform, or a build finds no binary.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { finish, isMain } from './lib/check';
import { projectFolder } from './lib/project-folder';

interface LockedPackage {
  optionalDependencies?: Record<string, string>;
}

/** Sentences, one a missing package. */
export function findMissingOptionals(lock: { packages: Record<string, LockedPackage> }): string[] {
  const places = Object.keys(lock.packages);
  const names = new Set(places.map((place) => place.slice(place.lastIndexOf('node_modules/') + 13)));
  return places.flatMap((place) =>
    Object.keys(lock.packages[place]?.optionalDependencies ?? {})
      .filter((name) => !names.has(name))
      .map((name) => `package-lock.json lacks ${name}, an optional dependency of ${place || 'the project'}.`),
  );
}

if (isMain(import.meta.url)) {
  const text = readFileSync(join(projectFolder, 'package-lock.json'), 'utf8');
  finish('lock file', findMissingOptionals(JSON.parse(text)));
}
