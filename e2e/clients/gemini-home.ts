/** The settings of a real Gemini CLI, and its runs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type AgentOptions, COMPACT, findId, type Parent, RealAgent } from './real-agent';
import { Terminal, until } from './terminal';

export class GeminiHome extends RealAgent {
  constructor(options: AgentOptions) {
    super(options, {
      GEMINI_API_KEY: 'key-of-a-scripted-server-0000',
      GOOGLE_GEMINI_BASE_URL: options.modelUrl,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    });
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

  async run(prompt: string, ...[way, id]: Parent): Promise<string> {
    if (way === 'fork') throw new Error('Gemini CLI has no forks.');
    const flags = id === undefined ? ['--yolo'] : ['--yolo', '--resume', id];
    if (prompt !== COMPACT)
      return findId(
        await this.finish([...flags, '--output-format', 'json', '--prompt', prompt]),
        /"session_id":\s*"([^"]+)"/,
      );
    // The client compacts by hand only in a terminal.
    const terminal = this.converse(Terminal, flags);
    // The client prints the resumed conversation, whose last answer is this text.
    const isRead = () => terminal.screen.includes('Typeyourmessage') && terminal.screen.includes('Done.');
    await until(isRead, 'prompt of Gemini CLI');
    // The client loses text that it receives before it has read the session, which takes long on a busy machine.
    while (!terminal.screen.includes(COMPACT)) {
      terminal.write(COMPACT);
      await wait(2_000);
    }
    terminal.write('\r');
    await until(() => terminal.screen.includes('compressedfrom'), 'compaction of Gemini CLI');
    await terminal.type('/quit');
    await terminal.ended;
    return id ?? '';
  }
}
