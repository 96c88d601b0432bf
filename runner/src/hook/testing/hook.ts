/**
 * For tests: the built command, run as a client runs its hook, with an empty environment, a temporary home and the
 * test's standard streams.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { boundaryLine } from '../../transcripts/testing/write-transcript';

const runner = fileURLToPath(new URL('../../../', import.meta.url));

export interface HookRun {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** From the start of the process to the end of its streams. */
  milliseconds: number;
}

export interface RunOptions {
  /** Standard input. null: open and empty. An array: its parts are written, and the input stays open. */
  input?: string | Buffer | null | [string];
  args?: string[];
  env?: Record<string, string>;
  /** Prefix of the command, as in `sh -c 'umask 000; exec "$@"' sh`. */
  prefix?: string[];
  /** Called once the process has answered. */
  onAnswer?(child: ChildProcess): void;
  /** Called when the process has started. */
  onStart?(child: ChildProcess): void;
  stdout?: number;
}

export class BuiltCommand {
  readonly folder = mkdtempSync(join(tmpdir(), 'hook-built-'));

  /** @param withPackages false: the package's dependencies are missing. */
  async build(withPackages = true): Promise<this> {
    await build({
      absWorkingDir: runner,
      entryPoints: { cli: 'src/cli/main.ts', archive: 'src/archive/index.ts' },
      outdir: this.folder,
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      external: ['uuid', 'zod'],
      mainFields: ['module', 'main'],
      chunkNames: 'shared-[hash]',
      logLevel: 'warning',
    });
    writeFileSync(join(this.folder, 'package.json'), '{"type":"module"}');
    if (withPackages) symlinkSync(join(runner, '../node_modules'), join(this.folder, 'node_modules'));
    // For tests as another account.
    chmodSync(this.folder, 0o755);
    return this;
  }

  get cli(): string {
    return join(this.folder, 'cli.js');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A new home for each test, with a transcript of Claude Code. */
export class HookHome {
  readonly folder = mkdtempSync(join(tmpdir(), 'hook-home-'));
  readonly transcript = join(this.folder, '.claude', 'projects', '-home-dev-harbour', '1.jsonl');
  readonly runs = join(this.folder, '.config', 'barograph', 'runs');

  constructor() {
    chmodSync(this.folder, 0o755);
    mkdirSync(join(this.transcript, '..'), { recursive: true });
    this.fill(`${JSON.stringify({ type: 'user', sessionId: '1', cwd: '/home/dev/harbour' })}\n`);
  }

  fill(content: string | Buffer): void {
    writeFileSync(this.transcript, content);
  }

  payload(fields: Record<string, unknown> = {}): string {
    return JSON.stringify({
      session_id: '1',
      transcript_path: this.transcript,
      cwd: '/home/dev/harbour',
      hook_event_name: 'PreCompact',
      trigger: 'auto',
      custom_instructions: null,
      ...fields,
    });
  }

  get env(): Record<string, string> {
    return { PATH: '/usr/bin:/bin', HOME: this.folder, BAROGRAPH_DATA_DIR: join(this.folder, 'data') };
  }

  /** Preloads a module before the command. @returns the environment for it. */
  inject(code: string): { NODE_OPTIONS: string } {
    const file = join(this.folder, 'injected.mjs');
    writeFileSync(file, code);
    return { NODE_OPTIONS: `--import=${file}` };
  }

  /** Absolute paths of all complete archives. */
  archives(): string[] {
    const found: string[] = [];
    for (const key of list(this.runs)) {
      for (const name of list(join(this.runs, key, 'archives'))) {
        if (!name.startsWith('.')) found.push(join(this.runs, key, 'archives', name));
      }
    }
    return found;
  }

  /** Writes the boundary line that the hook's process waits for. Resolves when that process has ended. */
  async compact(boundary = 'b1'): Promise<void> {
    appendFileSync(this.transcript, boundaryLine(boundary));
    await this.untilQuiet();
  }

  async remove(): Promise<void> {
    // Ends processes that wait for a compaction.
    rmSync(this.transcript, { force: true });
    await this.untilQuiet();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /**
   * Waits until no process works for this home, because the hook leaves one running. Returns at once where the system
   * lists no processes.
   */
  async untilQuiet(): Promise<void> {
    while (list('/proc').some((pid) => /^\d+$/.test(pid) && this.isOurs(pid))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  private isOurs(pid: string): boolean {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(this.folder);
    } catch {
      return false;
    }
  }
}

/** The built command for all tests of a file, and a new home for each test. */
export function prepareHook(): { command: BuiltCommand; home: HookHome } {
  const used = { command: new BuiltCommand(), home: null as unknown as HookHome };
  beforeAll(async () => {
    await used.command.build();
  }, 60_000);
  afterAll(() => used.command.remove());
  beforeEach(() => {
    used.home = new HookHome();
  });
  afterEach(() => used.home.remove(), 30_000);
  return used;
}

export async function runHook(
  command: BuiltCommand,
  home: HookHome,
  options: RunOptions = {},
): Promise<HookRun> {
  const { input = home.payload(), args = ['hook'], env = {}, prefix = [] } = options;
  const [file = '', ...rest] = [...prefix, process.execPath, command.cli, ...args];
  const startedAt = performance.now();
  const child = spawn(file, rest, {
    env: { ...home.env, ...env } as NodeJS.ProcessEnv,
    cwd: home.folder,
    stdio: ['pipe', options.stdout ?? 'pipe', 'pipe'],
  });
  options.onStart?.(child);
  const run = { stdout: '', stderr: '' };
  child.stdout?.on('data', (text) => {
    if (run.stdout === '') options.onAnswer?.(child);
    run.stdout += text;
  });
  child.stderr?.on('data', (text) => {
    run.stderr += text;
  });
  // The hook may close the pipe before the end.
  child.stdin?.on('error', () => undefined);
  if (Array.isArray(input)) child.stdin?.write(input[0]);
  else if (input !== null) child.stdin?.end(input);
  const [code, signal] = await once(child, 'close');
  child.stdin?.destroy();
  return { ...run, code, signal, milliseconds: performance.now() - startedAt };
}

/**
 * Longest time to an answer: the hook's deadline of 1.5 seconds, and the delays of a busy machine. Less than the 10
 * seconds that a hook without a deadline waits for its input.
 */
export const ANSWER_MS = 8_000;

/** Expect an answer that lets the compaction proceed. */
export function expectAnswer({ code, signal, stdout, milliseconds }: HookRun): void {
  expect({ code, signal, stdout }).toEqual({ code: 0, signal: null, stdout: '{}' });
  expect(milliseconds).toBeLessThan(ANSWER_MS);
}

/** Conditions for injected code that select one of the two processes. */
export const IN_WORKER = 'if (process.send) ';
export const IN_ANSWER = 'if (!process.send) ';

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/**
 * Median processor time of the answering process beyond an empty program of Node, in milliseconds. The wall clock would
 * also measure the tests beside this one.
 */
export async function costOf(command: BuiltCommand, home: HookHome, options: RunOptions): Promise<number> {
  const env = home.inject(`${IN_ANSWER}{
    const { writeSync } = await import('node:fs');
    process.on('exit', () => {
      const { user, system } = process.cpuUsage();
      writeSync(2, '\\ncost ' + (user + system) / 1000);
    });
  }`);
  const read = ({ stderr }: HookRun) => Number(/\ncost (\S+)/.exec(stderr)?.[1]);
  const node = { cli: '-e' } as BuiltCommand;
  const [bare, hooks]: [number[], number[]] = [[], []];
  for (let i = 0; i < 9; i += 1) {
    bare.push(read(await runHook(node, home, { ...options, args: ['process.stdin.resume()'], env })));
    hooks.push(read(await runHook(command, home, { ...options, env })));
    await home.untilQuiet();
  }
  expect(median(bare)).toBeGreaterThan(10);
  return median(hooks) - median(bare);
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
