/**
 * The production build with its own port, data folder and embedded Postgres. A stopped or killed server restarts on the
 * same port and folder.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  CONNECTION_FILE,
  type ConnectionFile,
  LAST_CONNECTION_FILE,
  parseConnectionFile,
} from '@/core/settings/connection-file';
import { findFreePort } from '@/core/testing/free-port';
import { projectFolder } from '@/scripts/lib/project-folder';
import { Program } from './program';
import { makeTempFolder, removeFolder } from './temp-folder';

/** Variables of a server that does not recognise repeated reports of a call. */
export const WITHOUT_DEDUPLICATION = {
  NODE_OPTIONS: `--import=${pathToFileURL(join(projectFolder, 'e2e/support/without-deduplication.mjs')).href}`,
};

/** pino's `error`: lines from this level on are faults of the product. */
const ERROR_LEVEL = 50;

export class BarographServer {
  /** All servers of this process, for their logs. */
  private static readonly started: BarographServer[] = [];

  readonly url: string;
  readonly dataFolder: string;
  /** HOME of the server and of the commands beside it. */
  readonly home: string;
  private running: Program | null = null;
  private log = '';

  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private readonly more: Readonly<Record<string, string>>,
  ) {
    this.url = `http://127.0.0.1:${port}`;
    this.dataFolder = join(folder, 'data');
    this.home = join(folder, 'home');
  }

  /** @param more further variables of its environment */
  static async start(name: string, more: Readonly<Record<string, string>> = {}): Promise<BarographServer> {
    const folder = makeTempFolder(name);
    for (;;) {
      const port = await findFreePort();
      const server = new BarographServer(folder, port, more);
      try {
        await server.start();
        BarographServer.started.push(server);
        return server;
      } catch (error) {
        // Another process has taken the port.
        if (!String(error).includes(`:${port} already`)) throw error;
      }
    }
  }

  static allLogLines(): string[] {
    return BarographServer.started.flatMap((server) => server.logLines());
  }

  /** The settings of commands on the server's machine. */
  get environment(): Record<string, string> {
    return { BAROGRAPH_DATA_DIR: this.dataFolder };
  }

  /** Address and tokens for commands on the server's machine. */
  get connection(): ConnectionFile {
    const file = join(this.dataFolder, CONNECTION_FILE);
    // A stopped server renames the file.
    const place = existsSync(file) ? file : join(this.dataFolder, LAST_CONNECTION_FILE);
    return parseConnectionFile(JSON.parse(readFileSync(place, 'utf8')));
  }

  get pid(): number | undefined {
    return this.running?.pid;
  }

  /** What the server printed when it became ready. */
  get welcome(): string {
    return this.running?.stdout ?? '';
  }

  async start(): Promise<void> {
    const main = join(projectFolder, 'dist', 'server', 'main.mjs');
    const program = new Program(process.execPath, ['--enable-source-maps', main], {
      home: this.home,
      environment: {
        ...this.environment,
        BAROGRAPH_PORT: String(this.port),
        BAROGRAPH_LOG_LEVEL: 'warn',
        ...this.more,
      },
    });
    this.running = program;
    await program.waitFor('Stop with Ctrl-C.');
  }

  /** Stop the server gracefully, as Ctrl-C does. */
  async stop(): Promise<void> {
    const { code } = await this.take().stop();
    if (code !== 0) throw new Error(`The server ended with ${code}.\n${this.log}`);
  }

  /** Kill the server with `kill -9`, but not its database. */
  async kill(): Promise<void> {
    await this.take().kill();
  }

  private logLines(): string[] {
    return `${this.log}${this.running?.stderr ?? ''}`.split('\n').filter(Boolean);
  }

  /** Lines of the server's log about errors, and about failures of an unknown kind. */
  faults(): string[] {
    return this.logLines().filter(
      (line) => levelOf(line) >= ERROR_LEVEL || line.includes('"fault":"unknown"'),
    );
  }

  /** Stop the server if it runs, and remove its data. */
  async remove(): Promise<void> {
    if (this.running !== null) await this.stop();
    removeFolder(this.folder);
  }

  private take(): Program {
    if (this.running === null) throw new Error('The server does not run.');
    const program = this.running;
    this.running = null;
    void program.ended.then(() => {
      this.log += program.stderr;
    });
    return program;
  }
}

/** A line without JSON counts as an error. */
function levelOf(line: string): number {
  try {
    const { level } = JSON.parse(line) as { level?: unknown };
    return typeof level === 'number' ? level : ERROR_LEVEL;
  } catch {
    return ERROR_LEVEL;
  }
}
