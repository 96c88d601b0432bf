/** Runs `barograph watch` in the background: as a systemd user unit, or as an agent of launchd. */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { locateProgram, type ProgramPlace } from '../settings';
import type { OwnCommand } from './client-commands';
import { SettingsProblem } from './edit-settings';
import { type Change, planFile } from './settings-files';

/** Agents are connected, but the service does not run. */
export class ServiceProblem extends SettingsProblem {}

interface Manager {
  place: ProgramPlace;
  /** The service's file in the folder of `place`. */
  name: string;
  /** Arguments of a command that succeeds if this account may run services. */
  probe: string[];
  /** The last command must succeed. */
  start(file: string): string[][];
  stop(file: string): string[];
  write(command: OwnCommand): string;
}

const UNIT = 'barograph-watch.service';
const LABEL = 'dev.barograph.watch';
const TIMEOUT_MS = 20_000;

const MANAGERS: readonly Manager[] = [
  {
    place: { program: 'systemctl', variable: 'XDG_CONFIG_HOME', home: '.config' },
    name: `systemd/user/${UNIT}`,
    probe: ['--user', 'show-environment'],
    start: () => [
      ['--user', 'daemon-reload'],
      ['--user', 'enable', UNIT],
      ['--user', 'restart', UNIT],
    ],
    stop: () => ['--user', 'disable', '--now', UNIT],
    write: ({ variables, node, entry }) => `[Unit]
Description=Barograph: transcripts of agents on this machine

[Service]
${variables.map((each) => `Environment=${quoted(each)}\n`).join('')}ExecStart=${[node, entry, 'watch'].map((word) => quoted(word).replaceAll('$', '$$$$')).join(' ')}
Restart=always
RestartSec=10

[Install]
WantedBy=default.target
`,
  },
  {
    place: { program: 'launchctl', variable: null, home: 'Library/LaunchAgents' },
    name: `${LABEL}.plist`,
    probe: ['list'],
    start: (file) => [
      ['unload', file],
      ['load', '-w', file],
      // `load` succeeds even if it loads nothing.
      ['list', LABEL],
    ],
    stop: (file) => ['unload', '-w', file],
    write: ({ variables, node, entry }) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>${[node, entry, 'watch'].map((word) => `<string>${escapeXml(word)}</string>`).join('')}</array>
  <key>EnvironmentVariables</key>
  <dict>${variables.map(xmlVariable).join('')}</dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
  <key>ThrottleInterval</key><integer>10</integer>
</dict>
</plist>
`,
  },
];

/** `apply` throws ServiceProblem if the service does not start. @returns null if this system runs no services for this account. @throws SettingsProblem */
export function planService(command: OwnCommand): Change[] | null {
  const manager = MANAGERS.find(({ place, probe }) => run(place.program, probe) === null);
  if (manager === undefined) return null;
  const { place, start, write } = manager;
  const file = fileOf(manager);
  const finish = () => {
    const failures = start(file).map((args) => run(place.program, args));
    const last = failures.at(-1) ?? null;
    if (last === null) return;
    // Otherwise the next `connect` would find the file and start nothing.
    rmSync(file, { force: true });
    throw new ServiceProblem(`Agents are connected, but ${place.program} did not start ${file}: ${last}`);
  };
  return planFile(file, write(command), { finish });
}

/** @throws SettingsProblem */
export function planRemoval(): Change[] {
  return MANAGERS.filter((manager) => existsSync(fileOf(manager))).flatMap((manager) => {
    const file = fileOf(manager);
    return planFile(file, null, { save: () => run(manager.place.program, manager.stop(file)) });
  });
}

const fileOf = ({ place, name }: Manager) => join(locateProgram(place).folder, name);

/** @returns why the command failed; null: it succeeded */
function run(program: string, args: readonly string[]): string | null {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: TIMEOUT_MS });
  return status === 0 ? null : (error?.message ?? stderr.trim());
}

/** Quotes a word for a systemd unit. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`;
}

function xmlVariable(text: string): string {
  const [name = '', ...value] = text.split('=');
  return `<key>${name}</key><string>${escapeXml(value.join('='))}</string>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
