import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

/** Gives a program a terminal, and ends when the program ends. */
const IN_TERMINAL =
  'import pty, sys; pty.spawn(["sh", "-c", "stty rows 50 cols 150; exec \\"$@\\"", "sh", *sys.argv[1:]])';

interface Place {
  folder: string;
  /** The whole environment of the program. */
  variables: Record<string, string>;
}

/** A program that reads its input while it runs. */
export class Conversation {
  readonly ended: Promise<unknown>;
  /** Standard output and errors. */
  printed = '';
  private readonly child: ChildProcessWithoutNullStreams;

  constructor(program: string, args: readonly string[], { folder, variables }: Place) {
    this.child = spawn(program, args, { cwd: folder, env: variables as NodeJS.ProcessEnv });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.printed += text;
      });
    this.ended = new Promise((done) => this.child.once('close', done));
  }

  write(text: string): void {
    this.child.stdin.write(text);
  }

  /** End the input. */
  close(): Promise<unknown> {
    this.child.stdin.end();
    return this.ended;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}

/** An interactive program in a terminal. */
export class Terminal extends Conversation {
  constructor(program: string, args: readonly string[], place: Place) {
    super('python3', ['-c', IN_TERMINAL, program, ...args], place);
  }

  /** The printed text without control sequences and white space. Cursor moves may replace white space. */
  get screen(): string {
    return stripVTControlCharacters(this.printed).replace(/\s+/g, '');
  }

  async type(line: string): Promise<void> {
    this.write(line);
    // If the text and its Return key arrive together, the client treats them as pasted text.
    await wait(800);
    this.write('\r');
  }
}

/** @throws Error if nothing happens within a minute */
export async function until(isMet: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isMet()); await wait(50))
    if (Date.now() > end) throw new Error(`No ${what} within 60 s.`);
}
