/** The settings of a real OpenCode, and its runs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentOptions, COMPACT, findId, type Parent, RealAgent } from './real-agent';

export class OpencodeHome extends RealAgent {
  constructor(options: AgentOptions) {
    super(options, {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    });
    const folder = join(options.home, '.config', 'opencode');
    mkdirSync(folder, { recursive: true });
    const provider = {
      npm: '@ai-sdk/anthropic',
      name: 'scripted',
      options: { baseURL: `${options.modelUrl}/v1`, apiKey: 'key-of-a-scripted-server-0000' },
      models: { 'model-a': { name: 'Scripted', limit: { context: 200_000, output: 8_000 } } },
    };
    const settings = {
      autoupdate: false,
      share: 'disabled',
      model: 'scripted/model-a',
      small_model: 'scripted/model-a',
      permission: { bash: 'allow' },
      provider: { scripted: provider },
    };
    writeFileSync(join(folder, 'opencode.json'), JSON.stringify(settings));
  }

  async run(prompt: string, ...[way, id]: Parent): Promise<string> {
    if (prompt === COMPACT) return this.compact(id ?? '');
    const flags = [...(id === undefined ? [] : ['--session', id]), ...(way === 'fork' ? ['--fork'] : [])];
    const output = await this.finish(['run', '--format', 'json', ...flags, prompt]);
    return findId(output, /"sessionID":"([^"]+)"/);
  }

  /** Compact by the client's own API, as its interface does. */
  private async compact(id: string): Promise<string> {
    const program = this.start(['serve', '--port', '0']);
    await program.waitFor(/listening on http\S+\n/);
    const url = findId(program.stdout, /listening on (http\S+)/);
    const query = new URLSearchParams({ directory: this.options.work });
    const answer = await fetch(`${url}/session/${id}/summarize?${query}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ providerID: 'scripted', modelID: 'model-a' }),
    });
    if (!answer.ok) throw new Error(`OpenCode answers ${answer.status}: ${await answer.text()}`);
    await program.stop();
    return id;
  }
}
