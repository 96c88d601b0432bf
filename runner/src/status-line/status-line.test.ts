import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FakeServer } from '../client/testing/fake-server';
import { prepareHook, runHook } from '../hook/testing/hook';

const ID = 'fd3b833d-7a4f-4017-a41e-19284a09c5b9';
const USAGE = {
  input_tokens: 12,
  output_tokens: 1000,
  cache_creation_input_tokens: 100_000,
  cache_read_input_tokens: 7,
};

/** As Claude Code 2.1.330 writes it. */
function status(usage: object | null) {
  return {
    session_id: ID,
    transcript_path: '/home/dev/.claude/projects/-home-dev-harbour/1.jsonl',
    cwd: '/home/dev/harbour',
    model: { id: 'claude-sonnet-4-5-20250929[1m]', display_name: 'Sonnet 4.5' },
    context_window: {
      total_input_tokens: 900_000,
      total_output_tokens: 1_000,
      context_window_size: 200_000,
      current_usage: usage,
      used_percentage: 50,
    },
  };
}

describe('the status line that barograph connect writes', () => {
  const used = prepareHook();
  const FORMER = 'printf "%s|%s" "$(wc -c)" "two  words"; exit 3 # mine';

  async function connectTo(url: string, former: string | null): Promise<string[]> {
    const file = join(used.home.folder, '.claude', 'settings.json');
    if (former !== null)
      writeFileSync(file, JSON.stringify({ statusLine: { type: 'command', command: former } }));
    const env = { BAROGRAPH_URL: url };
    const args = ['connect', 'claude-code', '--yes', '--no-watch', '--token', 'bg_status'];
    expect(await runHook(used.command, used.home, { args, env, input: '' })).toMatchObject({ code: 0 });
    return ['sh', '-c', JSON.parse(readFileSync(file, 'utf8')).statusLine.command];
  }

  async function serve(): Promise<FakeServer> {
    const server = await FakeServer.start();
    onTestFinished(() => server.stop());
    return server;
  }

  it('prints the former line, and reports each size of the last call once, with the window, and no size of 0', async () => {
    const server = await serve();
    const prefix = await connectTo(server.url, FORMER);
    const draw = async (input: string) => {
      const drawn = await runHook(used.command, used.home, { prefix, input });
      await used.home.untilQuiet();
      return drawn;
    };
    const input = `${JSON.stringify(status(USAGE))}\n\n`;
    const line = { code: 3, stdout: `${input.length}|two  words`, stderr: '' };
    expect(await draw(input)).toMatchObject(line);
    expect(await draw(input)).toMatchObject(line);
    const invalid = [
      status(null),
      status(Object.fromEntries(Object.keys(USAGE).map((name) => [name, 0]))),
      status({ ...USAGE, input_tokens: -1 }),
      { ...status(USAGE), session_id: '../x' },
    ];
    for (const each of [...invalid, 'x']) await draw(JSON.stringify(each));
    await draw(JSON.stringify(status({ ...USAGE, input_tokens: 20 })));
    expect(server.authorizations[0]).toBe('Bearer bg_status');
    expect(server.hellos[0]).toMatchObject({ source: 'hook', project: 'harbour', client: 'claude-code' });
    const about = {
      session: ID,
      limit: 200_000,
      limitSource: 'status_line',
      model: 'claude-sonnet-4-5-20250929',
    };
    expect(server.items).toMatchObject([
      { type: 'session_start', lens: 'snapshot', folder: '/home/dev/harbour' },
      { ...about, type: 'reading', contextTokens: 101_019, basis: 'total' },
      { ...about, type: 'reading', contextTokens: 101_027 },
    ]);
  });

  it('prints the former line if Barograph cannot start, and nothing without one', async () => {
    const env = { NODE_OPTIONS: '--no-such-flag' };
    const prefix = await connectTo('http://127.0.0.1:9', FORMER);
    const drawn = await runHook(used.command, used.home, { prefix, env, input: '{}' });
    expect(drawn).toMatchObject({ code: 3, stdout: '2|two  words', stderr: '' });
    writeFileSync(join(used.home.folder, '.claude', 'settings.json'), '{}');
    const bare = await connectTo('http://127.0.0.1:9', null);
    const empty = await runHook(used.command, used.home, {
      prefix: bare,
      input: JSON.stringify(status(USAGE)),
      deadlines: ['reading'],
    });
    expect(empty).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it.each(['', '  \n', '# none'])('prints nothing for the former command %j', async (former) => {
    const prefix = await connectTo('http://127.0.0.1:9', former);
    const drawn = await runHook(used.command, used.home, { prefix, input: '{}' });
    expect(drawn).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('ends after 20 seconds, even if a part of it never ends', async () => {
    // The timer of the limit fires at once, and no other timer, so the wait for the input never ends.
    const env = used.home.inject(`import { writeSync } from 'node:fs';
      const { setTimeout: original } = globalThis;
      globalThis.setTimeout = (run, ms, ...rest) => {
        if (ms !== 20_000) return original(() => undefined, 1e9);
        return original(() => { writeSync(2, 'limit'); run(...rest); }, 0);
      };`);
    const drawn = await runHook(used.command, used.home, { args: ['status-line'], env, input: null });
    expect(drawn).toMatchObject({ code: 0, stdout: '', stderr: 'limit' });
  });

  it('prints the former line while the server is away', async () => {
    const prefix = await connectTo('http://127.0.0.1:9', FORMER);
    const input = JSON.stringify(status(USAGE));
    const drawn = await runHook(used.command, used.home, { prefix, input });
    expect(drawn).toMatchObject({ code: 3, stdout: `${input.length}|two  words`, stderr: '' });
  });
});
