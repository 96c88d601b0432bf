/** The settings of a real Codex, and its runs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectionFile } from '@/core/settings/connection-file';
import { Program } from '../support/program';

interface CodexHomeOptions {
  /** HOME and working folder of the client. */
  home: string;
  work: string;
  /** The program of Codex. */
  codex: string;
  modelUrl: string;
  environment: Record<string, string>;
  connection: ConnectionFile;
}

const FLAGS = [
  '--json',
  '--skip-git-repo-check',
  '--dangerously-bypass-approvals-and-sandbox',
  '--dangerously-bypass-hook-trust',
];

export class CodexHome {
  private readonly running = new Set<Program>();

  constructor(private readonly options: CodexHomeOptions) {
    const { home, modelUrl, connection } = options;
    const headers = `{ Authorization = "Bearer ${connection.ingestToken}" }`;
    const folder = join(home, '.codex');
    mkdirSync(folder, { recursive: true });
    const settings = [
      'model = "gpt-5.2-codex"',
      'model_provider = "scripted"',
      'model_context_window = 200000',
      'model_auto_compact_token_limit = 100000',
      'check_for_update_on_startup = false',
      '[analytics]',
      'enabled = false',
      '[features]',
      'multi_agent = true',
      '[model_providers.scripted]',
      'name = "scripted"',
      `base_url = "${modelUrl}/v1"`,
      'wire_api = "responses"',
      '[otel]',
      `exporter = { otlp-http = { endpoint = "${connection.url}/v1/logs", protocol = "binary", headers = ${headers} } }`,
    ];
    writeFileSync(join(folder, 'config.toml'), settings.join('\n'));
  }

  /**
   * Run one prompt.
   * @param parent the thread to resume or to fork
   * @returns the client's id of the thread
   * @throws Error if the client fails
   */
  async exec(prompt: string, ...parent: ['resume' | 'fork', string] | []): Promise<string> {
    const { home, work: folder, codex, environment } = this.options;
    // No proxy listens on this port, so every request to another machine fails.
    const proxy = { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' };
    const program = new Program(codex, ['exec', ...parent, ...FLAGS, prompt], {
      home,
      folder,
      environment: { ...environment, ...proxy },
    });
    this.running.add(program);
    const { code, signal } = await program.ended;
    this.running.delete(program);
    const thread = /"thread_id":"([^"]+)"/.exec(program.stdout)?.[1];
    if (code !== 0 || thread === undefined)
      throw new Error(`codex ended (${code ?? signal}): ${program.stdout}${program.stderr}`);
    return thread;
  }

  /** End the clients that a failed scenario left. */
  stop(): void {
    for (const program of this.running) program.signal('SIGKILL');
  }
}
