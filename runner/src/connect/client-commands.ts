/** The commands and addresses that `barograph connect` writes into the settings of agents. */

import { createHmac } from 'node:crypto';
import { OTLP_KEY_PATH, OTLP_KEY_TEXT } from '../../../core/settings/connection-file';
import { httpAddress } from '../proof/prove-server';

/** Every command begins with a variable of Barograph, because `connect` always writes the data folder. */
const OURS = /^BAROGRAPH_\w+=/;
const REPORT = ' status-line; } >/dev/null 2>&1 &';
/** The `x` keeps line ends, which a shell removes from the end of a substitution. */
const READ = `barograph_in=$(cat; printf x); { printf %s "\${barograph_in%x}" | `;

/** A shell command that runs Barograph with the variables of this shell. */
export interface OwnCommand {
  /** As `NAME=value`. */
  variables: readonly string[];
  node: string;
  entry: string;
}

/** Line for an agent's hook. A missing Node does not fail the hook. */
export function hookLine(command: OwnCommand): string {
  return `${commandLine(command, 'hook', '--no-wait')} || true`;
}

/** Programs of the hooks that give an agent text of Barograph: after a compaction, and before it. */
export type TextHook = 'recall-hook' | 'warn-hook';

export const textHookLine = (command: OwnCommand, name: TextHook): string =>
  `${commandLine(command, name)} || true`;

/** Whether an agent's settings have these hooks, which a later `connect` keeps. */
export const hasTextHook = (settings: string | null, name: TextHook) =>
  settings?.includes(` ${name} || true`) === true;

export function isOurHook(command: unknown): boolean {
  return (
    typeof command === 'string' &&
    OURS.test(command) &&
    / ((recall|warn)-)?hook (.* )?\|\| true$/s.test(command)
  );
}

/** The command that prints the headers for OTLP. It ends with the address. */
export function headersHelper(command: OwnCommand, endpoint: string, isWatched: boolean): string {
  return commandLine(command, 'otlp-headers', ...(isWatched ? ['--watched'] : []), endpoint);
}

/** The address in a `headersHelper`; null: another program's command. */
export function helperEndpoint(command: unknown): string | null {
  if (typeof command !== 'string' || !OURS.test(command)) return null;
  return / otlp-headers (?:--watched )?(\S+)$/.exec(command)?.[1] ?? null;
}

/** Base address for OTLP that contains the server's key, for agents that cannot send a header. */
export const keyAddress = (url: string, secret: string) =>
  httpAddress(url, `${OTLP_KEY_PATH}/${createHmac('sha256', secret).update(OTLP_KEY_TEXT).digest('hex')}`);

export const isKeyAddress = (value: unknown): value is string =>
  typeof value === 'string' && /\/v1\/otlp\/[0-9a-f]{64}$/.test(value);

/** The value that a command of Barograph gives a variable; null: the command does not set the variable. */
export function variableIn(command: string, name: string): string | null {
  const [, value] = new RegExp(`(?:^| )${name}=('(?:[^']|'\\\\'')*'|\\S+)`).exec(command) ?? [];
  return value?.startsWith("'") ? value.slice(1, -1).replaceAll(`'\\''`, "'") : (value ?? null);
}

/** The command that reports the status line's input. `wrapStatusLine` adds the user's own command. */
export function statusLineReport(command: OwnCommand): string {
  return `${READ}${commandLine(command, 'status-line')}; } >/dev/null 2>&1 &`;
}

/**
 * The shell hands a copy of the input to Barograph in the background, so that the former command prints its line at once,
 * even if Barograph fails. The command `:` does nothing; a shell refuses a group without a command.
 */
export function wrapStatusLine(report: string, former: string | null): string {
  return former === null ? report : `${report} printf %s "\${barograph_in%x}" | { :\n${former}\n}`;
}

export function isOurStatusLine(command: unknown): command is string {
  return typeof command === 'string' && command.startsWith(READ) && command.includes(REPORT);
}

/** The user's own command; null: the user had none. */
export function formerStatusLine(command: string): string | null {
  const rest = command.slice(command.indexOf(REPORT) + REPORT.length);
  return /^ printf %s "\$\{barograph_in%x\}" \| \{ :\n([\s\S]*)\n\}$/.exec(rest)?.[1] ?? null;
}

export function commandLine({ variables, node, entry }: OwnCommand, ...args: string[]): string {
  return [...variables, node, entry, ...args].map(quote).join(' ');
}

/** Quote for a POSIX shell, in which agents run commands. */
function quote(text: string): string {
  const [name = ''] = /^[A-Z_]+=/.exec(text) ?? [];
  const rest = text.slice(name.length);
  return name + (/^[\w@%+=:,./-]+$/.test(rest) ? rest : `'${rest.replaceAll("'", `'\\''`)}'`);
}
