/** The settings of a real Codex, and its runs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentOptions, COMPACT, findId, type Parent, RealAgent } from './real-agent';
import { Conversation, until } from './terminal';

const FLAGS = [
  '--json',
  '--skip-git-repo-check',
  '--dangerously-bypass-approvals-and-sandbox',
  '--dangerously-bypass-hook-trust',
];

export class CodexHome extends RealAgent {
  constructor(options: AgentOptions) {
    super(options);
    const { home, modelUrl } = options;
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
    ];
    writeFileSync(join(folder, 'config.toml'), settings.join('\n'));
  }

  async run(prompt: string, ...parent: Parent): Promise<string> {
    const [, id = ''] = parent;
    if (prompt === COMPACT) return this.compact(id);
    const output = await this.finish(['exec', ...parent, ...FLAGS, prompt]);
    return findId(output, /"thread_id":"([^"]+)"/);
  }

  /** Compact by the protocol of the client's editor extension. */
  private async compact(threadId: string): Promise<string> {
    const client = this.converse(Conversation, ['app-server']);
    const send = (message: object) => client.write(`${JSON.stringify(message)}\n`);
    const ask = async (id: number, method: string, params: object) => {
      send({ id, method, params });
      await until(() => client.printed.includes(`"id":${id},"result"`), `answer to ${method}`);
    };
    await ask(1, 'initialize', {
      clientInfo: { name: 'test', title: null, version: '1' },
      capabilities: null,
    });
    send({ method: 'initialized' });
    await ask(2, 'thread/resume', { threadId });
    await ask(3, 'thread/compact/start', { threadId });
    await until(() => client.printed.includes('"turn/completed"'), 'compaction of Codex');
    await client.close();
    return threadId;
  }
}
