/** The unit for systemd, checked by its own tool. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from './lib/project-folder';

const UNIT = join(projectFolder, 'deploy/systemd/barograph.service');

describe('deployment', () => {
  const hasSystemd = spawnSync('systemd-analyze', ['--version'], { stdio: 'ignore' }).status === 0;
  it.skipIf(!hasSystemd)('has a unit that systemd accepts', () => {
    const { stderr } = spawnSync('systemd-analyze', ['verify', UNIT], {
      encoding: 'utf8',
    });
    // The program and the account exist only after the installation.
    expect(
      stderr
        .split('\n')
        .filter((line) => line.includes('barograph.service:') && !line.includes('not executable')),
    ).toEqual([]);
  });
});
