/** What `npm ci` installs: only what the lock file pins, and only approved install scripts. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectFolder } from './lib/project-folder';

interface LockedPackage {
  link?: boolean;
  optional?: boolean;
  version?: string;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
}
const read = (name: string) => JSON.parse(readFileSync(join(projectFolder, name), 'utf8'));
const { packages } = read('package-lock.json') as { packages: Record<string, LockedPackage> };
const installed = Object.entries(packages).filter(([place]) => place.includes('node_modules/'));
const nameOf = (place: string) => place.slice(place.lastIndexOf('node_modules/') + 13);

it('pins every package by a hash, from the registry', () => {
  const open = installed.filter(
    ([, { link, integrity, resolved }]) =>
      link !== true &&
      !(
        integrity?.startsWith('sha512-') && (resolved ?? 'https://registry.npmjs.org/').startsWith('https://')
      ),
  );
  expect(open).toEqual([]);
});

it('runs only approved install scripts', () => {
  const names = installed
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([place]) => nameOf(place));
  expect([...new Set(names)].sort()).toEqual(Object.keys(read('package.json').allowScripts).sort());
  expect(readFileSync(join(projectFolder, '.npmrc'), 'utf8')).toContain('strict-allow-scripts=true');
});

it('lists every package in the bill of materials', () => {
  const bill = JSON.parse(
    execFileSync('npm', ['run', '--silent', 'sbom'], {
      cwd: projectFolder,
      maxBuffer: 64 * 1024 * 1024,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const listed = new Set(bill.components.map(({ purl }: { purl: string }) => decodeURIComponent(purl)));
  const missing = installed.filter(
    ([place, { link, optional, version }]) =>
      !link && !optional && !listed.has(`pkg:npm/${nameOf(place)}@${version}`),
  );
  expect(missing.map(([place]) => place)).toEqual([]);
});
