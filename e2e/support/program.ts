/** A program of the product as a separate process with a clean environment. The caller must end the process. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { projectFolder } from '@/scripts/lib/project-folder';

/** This Node and the system's commands. */
export const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;

export interface ProgramOptions {
  /** HOME of the process. */
  home: string;
  environment?: Record<string, string>;
  folder?: string;
}

export interface Ended {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

export class Program {
  readonly ended: Promise<Ended>;
  private readonly child: ChildProcessByStdio<null, Readable, Readable>;
  private printed = '';
  private complained = '';
  private end: Ended | null = null;
  private readonly listeners = new Set<() => void>();

  constructor(file: string, args: readonly string[], options: ProgramOptions) {
    this.child = spawn(file, [...args], {
      cwd: options.folder ?? projectFolder,
      env: environmentOf(options),
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, so that a signal also ends the children of a shell.
      detached: true,
    });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.printed += text;
      this.notify();
    });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.complained += text;
      this.notify();
    });
    this.ended = new Promise((resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('close', (code, signal) => {
        this.end = { code, signal };
        this.notify();
        resolve(this.end);
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get stdout(): string {
    return this.printed;
  }

  get stderr(): string {
    return this.complained;
  }

  /** @throws Error with the whole output if the program ends first, or after the timeout */
  async waitFor(text: string | RegExp, timeoutMs = 180_000): Promise<void> {
    const said = () => (typeof text === 'string' ? this.printed.includes(text) : text.test(this.printed));
    await new Promise<void>((resolve, reject) => {
      const settle = (why: string | null) => {
        clearTimeout(timer);
        this.listeners.delete(look);
        if (why === null) resolve();
        else reject(new Error(`${why} without "${text}".\n${this.printed}\n${this.complained}`));
      };
      const look = () => {
        if (said()) settle(null);
        else if (this.end !== null) settle(`It ended (${this.end.code ?? this.end.signal})`);
      };
      const timer = setTimeout(() => settle(`${timeoutMs} ms passed`), timeoutMs);
      this.listeners.add(look);
      look();
    });
  }

  /** Kills only this process, as a crash does. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** Signals the process and its children. */
  signal(name: NodeJS.Signals): void {
    if (this.end !== null) return;
    try {
      process.kill(-this.pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** Ends the process as Ctrl-C does. */
  async stop(): Promise<Ended> {
    this.signal('SIGINT');
    return this.ended;
  }

  private notify(): void {
    for (const listener of [...this.listeners]) listener();
  }
}

/** Next's types require NODE_ENV, which the programs must not get. */
function environmentOf({ home, environment }: ProgramOptions): NodeJS.ProcessEnv {
  const variables: Record<string, string> = { PATH, HOME: home, LANG: 'C.UTF-8', ...environment };
  return variables as NodeJS.ProcessEnv;
}

export function runLine(line: string, options: ProgramOptions): Program {
  return new Program('/bin/sh', ['-c', line], options);
}
