/** Asks an agent's own program whether it reads its settings. */
import { spawnSync } from 'node:child_process';

/** A command of an agent that needs neither a log-in nor a network. */
export interface ClientCheck {
  args: readonly string[];
  /** The lines of the output that name what the agent does not read, each with a file. */
  read(output: string): string[];
}

/** Lists problems of the settings as `- FILE › path: reason`. Claude Code ignores single hooks, or else the whole file. */
export const claudeDoctor: ClientCheck = {
  args: ['doctor'],
  read: (output) =>
    (/^Invalid settings\n((?:- .*\n?)+)/m.exec(output)?.[1] ?? '')
      .split('\n')
      .flatMap((line) => (/^- (?!.* ignored\b)/.test(line) ? [line.slice(2)] : [])),
};

/** Fails with the place of the error if the configuration is not valid. */
export const codexFeatures: ClientCheck = {
  args: ['features', 'list'],
  read: (output) => /^ *\d+: (\/.*:\d+:\d+: .*)$/m.exec(output)?.slice(1) ?? [],
};

/** The longest wait for an answer. A later answer, or none, states no problem. */
const TIMEOUT_MS = 10_000;

/** @returns what the agent's program says against the given files; empty also if it cannot be asked. */
export function askClient(
  executable: string,
  { args, read }: ClientCheck,
  files: readonly string[],
): string[] {
  const { stdout, stderr } = spawnSync(executable, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  return read(`${stdout ?? ''}\n${stderr ?? ''}`).filter((line) =>
    files.some((file) => line.startsWith(file)),
  );
}
