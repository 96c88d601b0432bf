/** Runs programs in the background: as systemd user units, or as agents of launchd. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { locateProgram, type ProgramPlace } from '../settings';
import { SettingsProblem } from './edit-settings';
import { type Change, planFile } from './settings-files';

/** The service's file was written, but the service did not start. */
export class ServiceProblem extends SettingsProblem {}

type ServiceName = 'watch' | 'server';

/** A program that the system restarts after a failure, and starts when the account logs in. */
interface Service {
  name: ServiceName;
  description: string;
  /** Environment variables as `NAME=value`. */
  variables: readonly string[];
  command: readonly string[];
  /** File that receives the output; null: the system's log. */
  log: string | null;
}

interface Manager {
  place: ProgramPlace;
  /** The service's file in the folder of `place`. */
  fileOf(name: ServiceName): string;
  /** Arguments of a command that succeeds if this account may run services. */
  probe: string[];
  /** Arguments of the commands that start the service. The service runs if the last command succeeds. */
  start(name: ServiceName, file: string): string[][];
  stop(name: ServiceName, file: string): string[];
  write(service: Service): string;
}

const unitOf = (name: ServiceName) => `barograph-${name}.service`;
const labelOf = (name: ServiceName) => `dev.barograph.${name}`;
const TIMEOUT_MS = 20_000;

const MANAGERS: readonly Manager[] = [
  {
    place: { program: 'systemctl', variable: 'XDG_CONFIG_HOME', home: '.config' },
    fileOf: (name) => `systemd/user/${unitOf(name)}`,
    probe: ['--user', 'show-environment'],
    start: (name) => [
      ['--user', 'daemon-reload'],
      ['--user', 'enable', unitOf(name)],
      ['--user', 'restart', unitOf(name)],
    ],
    stop: (name) => ['--user', 'disable', '--now', unitOf(name)],
    write: ({ description, variables, command, log }) => `[Unit]
Description=Barograph: ${description}

[Service]
${variables.map((each) => `Environment=${quoted(each)}\n`).join('')}ExecStart=${command.map((word) => quoted(word).replaceAll('$', '$$$$')).join(' ')}
${log === null ? '' : `StandardOutput=append:${log.replaceAll('%', '%%')}\nStandardError=inherit\n`}Restart=on-failure
RestartSec=10

[Install]
WantedBy=default.target
`,
  },
  {
    place: { program: 'launchctl', variable: null, home: 'Library/LaunchAgents' },
    fileOf: (name) => `${labelOf(name)}.plist`,
    probe: ['list'],
    start: (name, file) => [
      ['unload', file],
      ['load', '-w', file],
      // `load` succeeds even if it loads nothing.
      ['list', labelOf(name)],
    ],
    stop: (_, file) => ['unload', '-w', file],
    write: ({ name, variables, command, log }) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${labelOf(name)}</string>
  <key>ProgramArguments</key>
  <array>${command.map((word) => `<string>${escapeXml(word)}</string>`).join('')}</array>
  <key>EnvironmentVariables</key>
  <dict>${variables.map(xmlVariable).join('')}</dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
${log === null ? '' : ['Out', 'Error'].map((name) => `  <key>Standard${name}Path</key><string>${escapeXml(log)}</string>\n`).join('')}  <key>ThrottleInterval</key><integer>10</integer>
</dict>
</plist>
`,
  },
];

const findManager = () => MANAGERS.find(({ place, probe }) => run(place.program, probe) === null);

/** Whether this system runs services for this account. */
export const runsServices = () => findManager() !== undefined;

/**
 * Plan the service's file. `apply` starts the service, and throws ServiceProblem if the service does not start.
 * @returns null if this system runs no services for this account
 * @throws SettingsProblem
 */
export function planService(service: Service): Change[] | null {
  const manager = findManager();
  if (manager === undefined) return null;
  const { place, start, write } = manager;
  const file = pathOf(manager, service.name);
  const finish = () => {
    const failures = start(service.name, file).map((args) => run(place.program, args));
    const last = failures.at(-1) ?? null;
    if (last === null) return;
    // If the file stayed, the next plan would contain no change, so it would not start the service.
    rmSync(file, { force: true });
    throw new ServiceProblem(`${place.program} did not start ${file}: ${last}`);
  };
  return planFile(file, write(service), { finish });
}

/**
 * Plan to stop the service and to remove its file.
 * @param log file that receives the service's output; null: any
 * @throws SettingsProblem
 */
export function planRemoval(name: ServiceName, log: string | null = null): Change[] {
  return MANAGERS.filter((manager) => hasService(pathOf(manager, name), log)).flatMap((manager) => {
    const file = pathOf(manager, name);
    return planFile(file, null, { save: () => run(manager.place.program, manager.stop(name, file)) });
  });
}

/**
 * Path of the service's file; null: this account has no such service.
 * @param log file that receives the service's output; null: any
 */
export function findService(name: ServiceName, log: string | null = null): string | null {
  return MANAGERS.map((manager) => pathOf(manager, name)).find((file) => hasService(file, log)) ?? null;
}

function hasService(file: string, log: string | null): boolean {
  if (!existsSync(file) || log === null) return existsSync(file);
  const text = readFileSync(file, 'utf8');
  return [`:${log.replaceAll('%', '%%')}\n`, `>${escapeXml(log)}<`].some((each) => text.includes(each));
}

const pathOf = ({ place, fileOf }: Manager, name: ServiceName) =>
  join(locateProgram(place).folder, fileOf(name));

/** @returns why the command failed; null: it succeeded */
function run(program: string, args: readonly string[]): string | null {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: TIMEOUT_MS });
  return status === 0 ? null : (error?.message ?? stderr.trim());
}

/** Quotes a word for a systemd unit. A line feed inside the word would begin another setting of the unit. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('%', '%%')}"`;
}

function xmlVariable(text: string): string {
  const [name = '', ...value] = text.split('=');
  return `<key>${name}</key><string>${escapeXml(value.join('='))}</string>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
