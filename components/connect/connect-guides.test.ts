import { describe, expect, it } from 'vitest';
import { itemSchema } from '@/core/protocol/items';
import { hello } from '@/core/protocol/messages';
import { connectGuides } from './connect-guides';

const FACTS = {
  folderPrefix: "cd '/srv/my barograph' && ",
  dataPrefix: 'BAROGRAPH_DATA_DIR=/data ',
  origin: 'http://127.0.0.1:4680',
  stream: '6f1a1f5e-6d52-4a6c-9e0c-0d7f5a3b2c11',
  nowMs: 1_769_191_440_000,
};
const commandsOf = (id: string) =>
  connectGuides(FACTS).flatMap((guide) => (guide.id === id ? guide.steps.map(({ command }) => command) : []));

describe('the commands that connect a runner', () => {
  it('run from any folder and name a data folder other than the default', () => {
    expect(commandsOf('demo')[0]).toBe(
      "cd '/srv/my barograph' && BAROGRAPH_DATA_DIR=/data npx barograph demo",
    );
    expect(commandsOf('http')[0]).toContain('TOKEN=$(BAROGRAPH_DATA_DIR=/data npm run --silent token');
  });

  it('connect and import each client that has a format', () => {
    const ends = (id: string) => commandsOf(id).map((command) => command.replace(/^.* npx barograph /, ''));
    expect(ends('agents')).toEqual([
      'connect claude-code',
      'connect codex',
      'connect gemini-cli',
      'connect opencode',
    ]);
    expect(ends('import')).toEqual([
      'import ~/.claude/projects',
      'import ~/.codex',
      'import ~/.gemini/tmp',
      'import ~/.local/share/opencode/opencode.db',
    ]);
  });

  it('post messages that the protocol accepts, to this server', () => {
    const curl = commandsOf('http')[1] ?? '';
    expect(curl).toContain('curl http://127.0.0.1:4680/v1/ingest');
    const body: unknown = JSON.parse(/-d '([^']*)'/.exec(curl)?.[1] ?? '');
    expect(body).toHaveLength(2);
    for (const message of body as unknown[]) {
      expect(hello.or(itemSchema).safeParse(message)).toMatchObject({ success: true });
    }
  });
});
