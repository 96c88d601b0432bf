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
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { boundaryLine } from '../../transcripts/testing/write-transcript';

const runner = fileURLToPath(new URL('../../../', import.meta.url));

/** Deadlines of the command that a busy machine misses, by the file that has them. Each matches up to its number. */
const DEADLINES = {
  answer: { file: 'hook/answer-hook.ts', before: 'DEADLINE_MS = ' },
  compaction: { file: 'hook/report-hook.ts', before: 'PreCompact: { patienceMs: ' },
  delivery: { file: 'hook/report-hook.ts', before: 'DELIVER_MS = ' },
  note: { file: 'cli/main.ts', before: 'RECALL_MS = ' },
  reading: { file: 'status-line/report-status-line.ts', before: 'DELIVER_MS = ' },
};
export type Deadline = keyof typeof DEADLINES;
/** Longer than a test may take: a process that waits for its deadline fails the test. */
const NEVER_MS = 600_000;
/** Names the deadlines that a process keeps; without it, they are `NEVER_MS`. */
const KEPT_DEADLINES = 'KEPT_DEADLINES';

const longDeadlines: Plugin = {
  name: 'long deadlines',
  setup({ onLoad }) {
    const all = Object.entries(DEADLINES);
    for (const file of new Set(all.map(([, deadline]) => deadline.file))) {
      onLoad({ filter: new RegExp(`/src/${file}$`) }, ({ path }) => {
        let contents = readFileSync(path, 'utf8');
        for (const [name, { before }] of all.filter(([, deadline]) => deadline.file === file)) {
          const at = contents.indexOf(before) + before.length;
          const [limit = ''] = /^[\d_]+/.exec(contents.slice(at)) ?? [];
          if (at < before.length || limit === '') throw new Error(`${file} has no number after "${before}"`);
          const isKept = `process.env.${KEPT_DEADLINES}?.split(',').includes('${name}')`;
          contents = `${contents.slice(0, at)}(${isKept} ? ${limit} : ${NEVER_MS})${contents.slice(at + limit.length)}`;
        }
        return { contents, loader: 'ts' };
      });
    }
  },
};

export interface HookRun {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  /** Standard input. null: open and empty. An array: its parts are written, and the input stays open. */
  input?: string | Buffer | null | [string];
  args?: string[];
  env?: Record<string, string>;
  /** The deadlines that the command keeps, for a test of the deadline. Default: none. */
  deadlines?: readonly Deadline[];
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
      plugins: [longDeadlines],
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

  /** Code that stops a process until `release`. It goes into `inject`. */
  hold(): string {
    const file = join(this.folder, 'held');
    writeFileSync(file, '');
    return `{
      const { existsSync } = await import('node:fs');
      const cell = new Int32Array(new SharedArrayBuffer(4));
      while (existsSync('${file}')) Atomics.wait(cell, 0, 0, 20);
    }`;
  }

  release(): void {
    rmSync(join(this.folder, 'held'));
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

  /** Also ends processes that still wait, as for a compaction or a server. */
  async remove(): Promise<void> {
    for (const pid of this.processes()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
    await this.untilQuiet();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /**
   * Waits until no process works for this home, because the hook leaves one running. Returns at once where the system
   * lists no processes.
   */
  async untilQuiet(): Promise<void> {
    while (this.processes().length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  private processes(): number[] {
    return list('/proc')
      .filter((pid) => /^\d+$/.test(pid) && this.isOurs(pid))
      .map(Number);
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
  });
  afterAll(() => used.command.remove());
  beforeEach(() => {
    used.home = new HookHome();
  });
  afterEach(() => used.home.remove());
  return used;
}

export async function runHook(
  command: BuiltCommand,
  home: HookHome,
  options: RunOptions = {},
): Promise<HookRun> {
  const { input = home.payload(), args = ['hook'], env = {}, prefix = [] } = options;
  const [file = '', ...rest] = [...prefix, process.execPath, command.cli, ...args];
  const kept = { [KEPT_DEADLINES]: (options.deadlines ?? []).join() };
  const child = spawn(file, rest, {
    env: { ...home.env, ...kept, ...env } as unknown as NodeJS.ProcessEnv,
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
  return { ...run, code, signal };
}

/** Expect an answer that lets the compaction proceed. */
export function expectAnswer({ code, signal, stdout }: HookRun): void {
  expect({ code, signal, stdout }).toEqual({ code: 0, signal: null, stdout: '{}' });
}

/** Conditions for injected code that select one of the two processes. */
export const IN_WORKER = 'if (process.send) ';
export const IN_ANSWER = 'if (!process.send) ';

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
