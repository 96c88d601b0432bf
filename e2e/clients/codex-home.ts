/** The settings of a real Codex, and its runs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectionFile } from '@/core/settings/connection-file';
import { type AgentOptions, RealAgent } from './real-agent';

interface CodexOptions extends AgentOptions {
  connection: ConnectionFile;
}

const FLAGS = [
  '--json',
  '--skip-git-repo-check',
  '--dangerously-bypass-approvals-and-sandbox',
  '--dangerously-bypass-hook-trust',
];

export class CodexHome extends RealAgent<CodexOptions> {
  constructor(options: CodexOptions) {
    super(options);
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
  exec(prompt: string, ...parent: ['resume' | 'fork', string] | []): Promise<string> {
    return this.start(['exec', ...parent, ...FLAGS, prompt], /"thread_id":"([^"]+)"/);
  }
}
