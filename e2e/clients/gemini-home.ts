/** The settings of a real Gemini CLI, and its runs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentOptions, RealAgent } from './real-agent';

export class GeminiHome extends RealAgent {
  constructor(options: AgentOptions) {
    super(options);
    const folder = join(options.home, '.gemini');
    mkdirSync(folder, { recursive: true });
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      // The client compacts above 104 858 tokens.
      model: { name: 'gemini-2.5-pro', compressionThreshold: 0.1 },
    };
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings));
  }

  /**
   * Run one prompt.
   * @param resumes continue the newest session
   * @returns the client's id of the session
   * @throws Error if the client fails
   */
  run(prompt: string, resumes = false): Promise<string> {
    const flags = ['--yolo', '--output-format', 'json', '--prompt', prompt];
    return this.start([...(resumes ? ['--resume', 'latest'] : []), ...flags], /"session_id":\s*"([^"]+)"/, {
      GEMINI_API_KEY: 'key-of-a-scripted-server-0000',
      GOOGLE_GEMINI_BASE_URL: this.options.modelUrl,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    });
  }
}
