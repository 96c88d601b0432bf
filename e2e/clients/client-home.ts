/** The home folder of a real Claude Code, and its processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { ConnectionFile } from '@/core/settings/connection-file';
import { PATH, Program } from '../support/program';

const KEY = 'key-of-a-scripted-server-0000';
/** The user's own status line, which `barograph connect` keeps. */
export const STATUS_LINE = 'my-own-status-line';
/** Gives the client's program a terminal, and ends when the program ends. */
const IN_TERMINAL =
  'import pty, sys; pty.spawn(["sh", "-c", "stty rows 50 cols 150; exec \\"$@\\"", "sh", *sys.argv[1:]])';

interface ClientHomeOptions {
  folder: string;
  /** The program of Claude Code. */
  claude: string;
  modelUrl: string;
  environment: Record<string, string>;
  connection: ConnectionFile;
}

export class ClientHome {
  readonly home: string;
  /** The folder in which the client works. */
  readonly work: string;
  private readonly terminals: ChildProcess[] = [];
  private readonly programs: Program[] = [];
  private readonly claude: string;
  private readonly environment: Record<string, string>;

  constructor({ folder, claude, modelUrl, environment, connection }: ClientHomeOptions) {
    this.claude = claude;
    this.home = join(folder, 'home');
    this.work = join(folder, 'work');
    for (const each of [join(this.home, '.claude', 'projects'), this.work])
      mkdirSync(each, { recursive: true });
    const statusLine = { type: 'command', command: `echo ${STATUS_LINE}` };
    writeFileSync(join(this.home, '.claude', 'settings.json'), JSON.stringify({ statusLine }));
    const answered = {
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
      projects: { [this.work]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    };
    writeFileSync(join(this.home, '.claude.json'), JSON.stringify(answered));
    this.environment = {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_MODEL: 'claude-sonnet-4-5-20250929',
      // Without this setting, version 2.1.330 compacts only at the limit.
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: '150000',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      // No proxy listens on this port, so every request to another machine fails.
      HTTPS_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: '127.0.0.1',
      TERM: 'xterm-256color',
      CLAUDE_CODE_ENABLE_TELEMETRY: '1',
      OTEL_LOGS_EXPORTER: 'otlp',
      OTEL_LOGS_EXPORT_INTERVAL: '500',
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_ENDPOINT: connection.url,
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer ${connection.ingestToken}`,
      ...environment,
    };
  }

  /** The whole environment of the client. */
  get variables(): Record<string, string> {
    return { PATH, HOME: this.home, LANG: 'C.UTF-8', ...this.environment };
  }

  start(args: readonly string[]): Program {
    const { home, work: folder, environment } = this;
    const flags = ['--allowedTools=Bash,Task,Agent', ...args];
    const program = new Program(this.claude, flags, { home, folder, environment });
    this.programs.push(program);
    return program;
  }

  /** Run one prompt in print mode. @throws Error if the client fails */
  async print(prompt: string, args: readonly string[]): Promise<void> {
    const program = this.start(['-p', prompt, ...args]);
    const { code, signal } = await program.ended;
    if (code !== 0) throw new Error(`claude ended (${code ?? signal}): ${program.stdout}${program.stderr}`);
  }

  open(args: readonly string[]): Terminal {
    const command = ['-c', IN_TERMINAL, this.claude, '--allowedTools=Bash', ...args];
    const env = this.variables as NodeJS.ProcessEnv;
    const child = spawn('python3', command, { cwd: this.work, env });
    this.terminals.push(child);
    return new Terminal(child);
  }

  /** End the clients that a failed scenario left. */
  stop(): void {
    for (const child of this.terminals) child.kill('SIGKILL');
    for (const program of this.programs) program.signal('SIGKILL');
  }
}

/** An interactive client. */
class Terminal {
  readonly ended: Promise<unknown>;
  private printed = '';

  constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.printed += text;
      });
    this.ended = new Promise((done) => child.once('close', done));
  }

  /** The printed text without control sequences and white space. Cursor moves may replace white space. */
  get screen(): string {
    return stripVTControlCharacters(this.printed).replace(/\s+/g, '');
  }

  async type(line: string): Promise<void> {
    this.child.stdin?.write(line);
    // If the text and its Return key arrive together, the client treats them as pasted text.
    await new Promise((done) => setTimeout(done, 400));
    this.child.stdin?.write('\r');
  }
}
