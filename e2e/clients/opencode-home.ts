/** The settings of a real OpenCode, and its runs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentOptions, RealAgent } from './real-agent';

export class OpencodeHome extends RealAgent {
  constructor(options: AgentOptions) {
    super(options);
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

  /**
   * Run one prompt.
   * @param flags `--session ID` to continue that session, with `--fork` to fork it
   * @returns the client's id of the session
   * @throws Error if the client fails
   */
  run(prompt: string, ...flags: string[]): Promise<string> {
    return this.start(['run', '--format', 'json', ...flags, prompt], /"sessionID":"([^"]+)"/, {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    });
  }
}
