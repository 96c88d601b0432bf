import { VERSION } from '../version';
import type { Command, Option } from './command';

const EXAMPLES = `Examples:
  barograph import ~/.claude/projects    bring in everything Claude Code recorded on this machine
  barograph watch                        follow Claude Code on this machine, live
  barograph demo                         play a lively fleet to look at
  barograph doctor                       see what is reachable and what is queued`;

export function formatHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2;
  const list = commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`).join('\n');
  return `Barograph ${VERSION}: the context pressure of agent fleets, recorded live.

usage: barograph COMMAND [OPTIONS]

Commands:
${list}

${EXAMPLES}

\`barograph help COMMAND\` says more about one. On the server's machine address and token are found by
themselves; elsewhere set BAROGRAPH_URL and BAROGRAPH_TOKEN, or give --url and --token.`;
}

export function formatCommandHelp(command: Command): string {
  const options: [string, Option][] = [
    ...Object.entries(command.options),
    ['help', { type: 'boolean', short: 'h', help: 'show this' }],
  ];
  const heads = options.map(([name, { value, short }]) => {
    const long = `--${name}${value === undefined ? '' : ` ${value}`}`;
    return short === undefined ? long : `${long}, -${short}`;
  });
  const width = Math.max(...heads.map((head) => head.length)) + 2;
  const list = options
    .map(([, { help }], index) => `  ${(heads[index] ?? '').padEnd(width)}${help}`)
    .join('\n');
  return `usage: ${command.usage}\n\n${command.details}\n\nOptions:\n${list}`;
}
