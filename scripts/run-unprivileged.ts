/**
 * If root runs this program, it repeats the skippable tests under an unprivileged account. So a test that is skipped
 * only for ordinary users needs an allowed reason too. Writes test-results/unprivileged.json.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFiles } from './lib/list-files';
import { projectFolder } from './lib/project-folder';

/** The uid and gid of `nobody` on Linux. */
const ACCOUNT = 65_534;
const MAY_SKIP = /\.(skip|skipIf|runIf)\(/;

const asAccount = ['--reuid', String(ACCOUNT), '--regid', String(ACCOUNT), '--clear-groups', '--'];

/** Reason not to run the tests as another account; undefined if they should run. */
function findObstacle(): string | undefined {
  if (process.geteuid?.() !== 0) return 'this run is not root, so the ordinary run is unprivileged already';
  const { error, status } = spawnSync('setpriv', [
    ...asAccount,
    process.execPath,
    '--eval',
    `require('node:fs').readFileSync(${JSON.stringify(join(projectFolder, 'package.json'))})`,
  ]);
  if (error !== undefined) return 'setpriv (util-linux) is missing';
  return status === 0 ? undefined : `uid ${ACCOUNT} cannot run Node or read ${projectFolder}`;
}

function main(): number {
  const obstacle = findObstacle();
  if (obstacle !== undefined) {
    process.stdout.write(`No unprivileged run: ${obstacle}.\n`);
    return 0;
  }
  const tests = listFiles(projectFolder, '').filter(
    (path) => /\.test\.tsx?$/.test(path) && MAY_SKIP.test(readFileSync(join(projectFolder, path), 'utf8')),
  );
  const home = mkdtempSync(join(tmpdir(), 'barograph-unprivileged-'));
  chmodSync(home, 0o700);
  chownSync(home, ACCOUNT, ACCOUNT);
  const report = join(home, 'report.json');
  // The bundles of the processes that tests start (runner/testing/bundle-script.ts).
  const scripts = join(projectFolder, `test-results/scripts-${ACCOUNT}`);
  mkdirSync(scripts, { recursive: true });
  chownSync(scripts, ACCOUNT, ACCOUNT);
  const vitest = join(projectFolder, 'node_modules/vitest/vitest.mjs');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const options = [...reporters, '--configLoader=runner', '--cache=false'];
    const projects = ['--project', 'unit', '--project', 'db'];
    spawnSync('setpriv', [...asAccount, process.execPath, vitest, 'run', ...projects, ...tests, ...options], {
      cwd: projectFolder,
      env: { ...process.env, HOME: home, TMPDIR: home },
      stdio: 'inherit',
    });
    const target = join(projectFolder, 'test-results/unprivileged.json');
    if (existsSync(report)) copyFileSync(report, target);
    return existsSync(report) ? 0 : 1;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

process.exitCode = main();
