import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findService, planRemoval, planService } from './services';

const { PATH } = process.env;
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'services-'));
  mkdirSync(join(home, 'bin'));
  vi.stubEnv('XDG_CONFIG_HOME', undefined);
  vi.stubEnv('HOME', home);
  vi.stubEnv('PATH', join(home, 'bin'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Starts the server's service with a manager that always succeeds. @returns the text of the service's file */
function startService(manager: string): string {
  writeFileSync(join(home, 'bin', manager), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  const changes = planService({
    name: 'server',
    description: 'server and dashboard',
    variables: ['BAROGRAPH_PORT=4681\nUser=root'],
    command: [process.execPath, 'main.mjs', '--started-by-up'],
    log: join(home, '50 % & more', 'server.log'),
  });
  for (const change of changes ?? []) change.apply();
  return readFileSync(findService('server') ?? '', 'utf8');
}

describe('the service of the server', () => {
  it('is a systemd unit that writes to the log file, restarts after a failure, and can be removed', () => {
    const text = startService('systemctl');
    expect(text).toContain(`StandardOutput=append:${home}/50 %% & more/server.log\n`);
    expect(text).toContain('Restart=on-failure\n');
    expect(text).toContain('Environment="BAROGRAPH_PORT=4681\\nUser=root"\n');
    const unit = findService('server') ?? '';
    if (existsSync('/usr/bin/systemd-analyze')) {
      const { status, stderr } = spawnSync('/usr/bin/systemd-analyze', ['verify', '--user', unit], {
        encoding: 'utf8',
        env: { HOME: home, PATH: '/usr/bin:/bin', XDG_RUNTIME_DIR: home, NODE_ENV: 'test' },
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    }
    for (const change of planRemoval('server')) change.apply();
    expect([existsSync(unit), findService('server')]).toEqual([false, null]);
  });

  it.each(['systemctl', 'launchctl'])('of %s belongs to the data folder with its log', (manager) => {
    startService(manager);
    const own = join(home, '50 % & more', 'server.log');
    expect(findService('server', own)).not.toBeNull();
    for (const change of planRemoval('server', join(home, 'server.log'))) change.apply();
    expect([findService('server', join(home, 'server.log')), findService('server', own)]).toEqual([
      null,
      findService('server'),
    ]);
  });

  it('is a launchd agent that writes to the log file', () => {
    expect(startService('launchctl')).toContain('50 % &amp; more/server.log</string>');
    const script =
      'import plistlib, sys; p = plistlib.load(open(sys.argv[1], "rb")); print(p["StandardErrorPath"], p["KeepAlive"], p["Label"])';
    vi.stubEnv('PATH', PATH);
    const python = spawnSync('python3', ['-c', script, findService('server') ?? ''], { encoding: 'utf8' });
    const shown = `${home}/50 % & more/server.log {'SuccessfulExit': False} dev.barograph.server\n`;
    if (python.error === undefined) expect(python.stdout).toBe(shown);
  });

  it('is not planned if no service manager answers', () => {
    expect(
      planService({ name: 'server', description: '', variables: [], command: ['x'], log: null }),
    ).toBeNull();
  });
});
