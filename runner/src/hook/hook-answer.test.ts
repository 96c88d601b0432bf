import {
  appendFileSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { readArchiveIndex } from '../archive/archive-index';
import {
  BuiltCommand,
  expectAnswer,
  IN_ANSWER,
  IN_WORKER,
  prepareHook,
  type RunOptions,
  runHook,
} from './testing/hook';

const used = prepareHook();

/** What the hook logs when it answers at its deadline, before its second process has ended. */
const LATER = 'WARNING barograph hook: archiving takes longer and continues in the background\n';

const run = (options: RunOptions = {}) => runHook(used.command, used.home, options);

describe('barograph hook', () => {
  it('archives the transcript, logs to standard error, and answers {} with exit code 0', async () => {
    const outcome = await run();
    expectAnswer(outcome);
    const [path] = used.home.archives();
    expect(readFileSync(path ?? '', 'utf8')).toBe(readFileSync(used.home.transcript, 'utf8'));
    expect(outcome.stderr).toBe(
      `INFO PreCompact: archived the transcript (trigger: auto) to ${path} (0.1 KB)\n` +
        'WARNING No server is known here, so the archive stays on this machine. `barograph connect` writes the data folder into the settings.\n',
    );
    const { entries } = await readArchiveIndex(join(used.home.folder, '.config', 'barograph'));
    expect(entries).toMatchObject([{ session: 'claude-code:-home-dev-harbour/1', trigger: 'auto' }]);
  });

  it('answers every real event of Claude Code, its SDK and Codex, and archives only at PreCompact', async () => {
    const folder = new URL('../../fixtures/hooks/', import.meta.url);
    const lines = readdirSync(folder).flatMap((file) =>
      readFileSync(new URL(file, folder), 'utf8').trim().split('\n'),
    );
    const seen = new Map<string, string>();
    for (const line of lines) {
      const { hook_event_name: event } = JSON.parse(line);
      if (seen.has(event)) continue;
      const here = JSON.stringify({ ...JSON.parse(line), transcript_path: used.home.transcript });
      const outcome = await run({ input: here });
      expectAnswer(outcome);
      seen.set(event, outcome.stderr);
    }
    expect([...seen.keys()]).toEqual(
      expect.arrayContaining(['PreCompact', 'PostCompact', 'SessionStart', 'Stop']),
    );
    expect([...seen].filter(([, said]) => said !== '').map(([event]) => event)).toEqual(['PreCompact']);
    expect(used.home.archives()).toHaveLength(1);
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \n '],
    ['garbage', 'PreCompact!'],
    ['half an object', '{"session_id":"1"'],
    ['a number', '7'],
    ['null', 'null'],
    ['a list', '[]'],
    ['bytes that are not text', Buffer.from([0xff, 0xfe, 0x00, 0x80])],
    ['a megabyte of opening brackets', '['.repeat(1_000_000)],
  ])('answers to %s on standard input', async (_, input) => {
    const outcome = await run({ input });
    expectAnswer(outcome);
    expect(outcome.stderr).toMatch(/^WARNING /);
    expect(used.home.archives()).toEqual([]);
  });

  it('answers any input of 50 MB', async () => {
    expectAnswer(await run({ input: Buffer.alloc(50_000_000, '{"') }));
    expectAnswer(await run({ input: used.home.payload({ custom_instructions: 'x'.repeat(50_000_000) }) }));
  });

  it('archives when its input is partly invalid UTF-8', async () => {
    const [head = '', tail = ''] = used.home.payload({ custom_instructions: 'HERE' }).split('HERE');
    expectAnswer(
      await run({ input: Buffer.concat([Buffer.from(head), Buffer.from([0xc3, 0x28]), Buffer.from(tail)]) }),
    );
    expect(used.home.archives()).toHaveLength(1);
  });

  it('answers when its input stays open, and archives once it is complete', async () => {
    const open = await run({ input: null, deadlines: ['answer'] });
    expectAnswer(open);
    expect(open.stderr).toBe(LATER);
    expectAnswer(await run({ input: [used.home.payload()] }));
    await used.home.untilQuiet();
    expect(used.home.archives()).toHaveLength(1);
  });

  it.each([['--foo'], ['--url'], ['--config-dir', 'relative'], ['--queue-dir='], ['-x', 'y'], ['--work']])(
    'answers, archives and warns when it is called with %s',
    async (...args) => {
      const outcome = await run({ args: ['hook', ...args] });
      expectAnswer(outcome);
      await used.home.untilQuiet();
      expect(used.home.archives()).toHaveLength(1);
      if (args[0] === '--foo') expect(outcome.stderr).toContain('has no option "--foo": it is ignored');
    },
  );

  it('warns about unknown settings and continues', async () => {
    const outcome = await run({ env: { BAROGRAPH_CONFIG_DRI: '/x', BAROGRAPH_URL: 'no address' } });
    expectAnswer(outcome);
    expect(used.home.archives()).toHaveLength(1);
    expect(outcome.stderr).toContain(
      'WARNING BAROGRAPH_CONFIG_DRI: there is no such setting. Did you mean BAROGRAPH_CONFIG_DIR? It is ignored.\n',
    );
    expect(outcome.stderr).toContain('WARNING BAROGRAPH_URL: "no address" is not an address of a server');
  });

  it('uses the folder of BAROGRAPH_CONFIG_DIR, --config-dir or XDG_CONFIG_HOME', async () => {
    const folder = (name: string) => join(used.home.folder, name);
    await run({ env: { BAROGRAPH_CONFIG_DIR: folder('a'), XDG_CONFIG_HOME: folder('x') } });
    await run({ args: ['hook', '--config-dir', folder('b')], env: { BAROGRAPH_CONFIG_DIR: folder('a') } });
    await run({ env: { XDG_CONFIG_HOME: folder('c') } });
    await run({ env: { XDG_CONFIG_HOME: 'relative' } });
    await used.home.untilQuiet();
    const count = async (config: string) => (await readArchiveIndex(folder(config))).entries.length;
    expect(await Promise.all(['a', 'b', 'c/barograph', '.config/barograph'].map(count))).toEqual([
      1, 1, 1, 1,
    ]);
  });

  it('answers if the home is not writable, and logs the failure', async () => {
    for (const HOME of ['/proc', '/dev/null', '/']) {
      // Root may write to `/`, so this case gets an explicit config folder.
      const env = HOME === '/' ? { HOME, BAROGRAPH_CONFIG_DIR: '/proc/barograph' } : { HOME };
      const outcome = await run({ env });
      expectAnswer(outcome);
      expect(outcome.stderr).toMatch(/^ERROR PreCompact: failed to archive the transcript/m);
    }
  });

  it('exits with 0 when its answer cannot be written', async () => {
    const closed = await run({
      onStart: ({ stdout, stderr }) => [stdout, stderr].map((stream) => stream?.destroy()),
    });
    expect(closed).toMatchObject({ code: 0, signal: null });
    expect(await run({ stdout: openSync('/dev/full', 'w') })).toMatchObject({ code: 0, signal: null });
    await used.home.untilQuiet();
    expect(used.home.archives()).toHaveLength(2);
  });

  it('answers before slow work has begun to archive, and archives later', async () => {
    const env = used.home.inject(`${IN_WORKER}${used.home.hold()}`);
    const outcome = await run({ env, deadlines: ['answer'] });
    expectAnswer(outcome);
    expect(outcome.stderr).toBe(LATER);
    expect(used.home.archives()).toEqual([]);
    used.home.release();
    await used.home.untilQuiet();
    expect(used.home.archives()).toHaveLength(1);
  });

  it('archives even if the time is up before the hook itself starts', async () => {
    const late = `${IN_ANSWER}Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);`;
    expectAnswer(await run({ env: used.home.inject(late), deadlines: ['answer'] }));
    await used.home.untilQuiet();
    expect(used.home.archives()).toHaveLength(1);
  });
});

it('answers with --no-wait while its second process is still starting', async () => {
  const env = used.home.inject(`${IN_WORKER}${used.home.hold()}`);
  const outcome = await run({ args: ['hook', '--no-wait'], env });
  expect(outcome).toMatchObject({ code: 0, stdout: '{}', stderr: '' });
  expect(used.home.archives()).toEqual([]);
  used.home.release();
  await used.home.untilQuiet();
  expect(used.home.archives()).toHaveLength(1);
});

it('names the error with --no-wait if its second process cannot start', async () => {
  const env = used.home.inject(
    `${IN_ANSWER}Object.defineProperty(process, 'execPath', { value: '/nowhere/node' });`,
  );
  const outcome = await run({ args: ['hook', '--no-wait'], env });
  expectAnswer(outcome);
  expect(outcome.stderr).toContain('ERROR barograph hook: spawn /nowhere/node ENOENT');
});

it.each([
  ['a compaction', 'compact_boundary', { type: 'system', subtype: 'compact_boundary', uuid: 'b1' }],
  ['a refusal', 'PreCompact hook', { type: 'system', content: 'Compaction blocked by a PreCompact hook' }],
])('archives the file as the hook found it, although %s precedes the copy', async (_, mark, outcome) => {
  const before = readFileSync(used.home.transcript, 'utf8');
  const env = used.home.inject(`${IN_WORKER}${used.home.hold()}`);
  expectAnswer(await run({ args: ['hook', '--no-wait'], env }));
  expect(used.home.archives()).toEqual([]);
  const line = { ...outcome, compactMetadata: { trigger: 'auto' }, timestamp: new Date().toISOString() };
  appendFileSync(used.home.transcript, `{"type":"mode"}\n${JSON.stringify(line)}\n`);
  used.home.release();
  await used.home.untilQuiet();
  const [path = ''] = used.home.archives();
  expect(readFileSync(path, 'utf8')).toBe(`${before}{"type":"mode"}\n`);
  expect(readFileSync(used.home.transcript, 'utf8')).toContain(mark);
});

describe('the settings that barograph connect writes', () => {
  it('run the hook at each event, with the paths, data folder and options of this machine', async () => {
    const args = ['connect', '--yes', '--no-watch', '--project', 'the harbour'];
    const env = { BAROGRAPH_TOKEN: 'bg_secret', BAROGRAPH_URL: 'http://127.0.0.1:9' };
    const printed = await run({ args, env, input: '' });
    expect(printed).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('BAROGRAPH_TOKEN is a secret'),
    });
    const settings = readFileSync(join(used.home.folder, '.claude', 'settings.json'), 'utf8');
    const { hooks } = JSON.parse(settings);
    expect(Object.keys(hooks)).toEqual([
      'PreCompact',
      'PostCompact',
      'SessionStart',
      'SessionEnd',
      'SubagentStop',
    ]);
    expect(settings).not.toContain('bg_secret');
    expect(hooks.PreCompact).toHaveLength(1);
    expect(hooks.PreCompact[0]).not.toHaveProperty('matcher');
    const [{ type, command: line }] = hooks.PreCompact[0].hooks;
    expect(type).toBe('command');
    expect(line).toContain(`BAROGRAPH_DATA_DIR=${join(used.home.folder, 'data')} `);
    expect(line).toContain('BAROGRAPH_URL=http://127.0.0.1:9 ');
    expect(line).toContain(`BAROGRAPH_PROJECT='the harbour' `);
    expect(line).toContain(`${used.command.cli} hook --no-wait || true`);
    // As a client runs it.
    const prefix = ['sh', '-c', line];
    expectAnswer(await run({ prefix }));
    await vi.waitFor(() => expect(used.home.archives()).toHaveLength(1));
    // Node exits on an unknown flag before any of our code runs.
    expect(await run({ prefix, env: { NODE_OPTIONS: '--no-such-flag' } })).toMatchObject({
      code: 0,
      stdout: '',
    });
    rmSync(used.home.archives()[0] ?? '');
  });
});

it('archives a transcript of 100 MB whole', async () => {
  const line = `${JSON.stringify({ type: 'assistant', text: 'x'.repeat(2_000) })}\n`;
  used.home.fill(line.repeat(Math.ceil(100_000_000 / line.length)));
  expectAnswer(await run());
  const { entries } = await readArchiveIndex(join(used.home.folder, '.config', 'barograph'));
  const bytes = statSync(used.home.transcript).size;
  expect(entries).toMatchObject([{ bytes }]);
  expect(used.home.archives().map((path) => statSync(path).size)).toEqual([bytes]);
});

/** Code that runs in the answering process, right after the answer. */
const afterAnswer = (code: string) => `${IN_ANSWER}{
  const { write } = process.stdout;
  process.stdout.write = (...rest) => {
    setImmediate(() => { ${code} });
    return write.apply(process.stdout, rest);
  };
}`;

describe('barograph hook answers', () => {
  it.each([
    ['an uncaught exception', afterAnswer(`throw new Error('crash');`)],
    ['an unhandled rejection', afterAnswer(`Promise.reject(new Error('crash'));`)],
    ['an exit with code 2', afterAnswer('process.exit(2);')],
    ['an exit code of 2', afterAnswer('setInterval(() => { process.exitCode = 2; }, 1);')],
    ['an exception in the worker', `${IN_WORKER}throw new Error('crash');`],
    ['an abort of the worker', `${IN_WORKER}process.abort();`],
    ['a kill of the worker', `${IN_WORKER}process.kill(process.pid, 'SIGKILL');`],
    ['an exit of the worker with code 2', `${IN_WORKER}process.exit(2);`],
    [
      'memory exhausted in the worker',
      `${IN_WORKER}{ const all = []; for (;;) all.push(new Array(1e6).fill(all.length)); }`,
    ],
    [
      'a worker that cannot be started',
      `${IN_ANSWER}Object.defineProperty(process, 'execPath', { value: '/nowhere/node' });`,
    ],
  ])('despite %s', async (name, code) => {
    const memory = name.startsWith('memory') ? ' --max-old-space-size=40' : '';
    const env = used.home.inject(code);
    expectAnswer(await run({ env: { NODE_OPTIONS: `${env.NODE_OPTIONS}${memory}` } }));
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('despite %s while it waits', async (signal) => {
    const env = used.home.inject(`${IN_WORKER}${used.home.hold()}`);
    expectAnswer(await run({ env, onAnswer: (child) => child.kill(signal) }));
  });

  it('despite SIGTERM to both processes, and archives', async () => {
    const env = used.home.inject(`${IN_WORKER}{
      const { on } = process;
      process.on = function (event, ...rest) {
        if (event === 'SIGTERM') {
          // On a busy machine the first process has ended by then, and has another parent's id.
          setImmediate(() => {
            if (process.connected) process.kill(process.ppid, 'SIGTERM');
            process.kill(process.pid, 'SIGTERM');
          });
        }
        return on.call(this, event, ...rest);
      };
    }`);
    expectAnswer(await run({ env }));
    await used.home.untilQuiet();
    expect(used.home.archives()).toHaveLength(1);
  });

  it('without its packages, and archives', async () => {
    const bare = await new BuiltCommand().build(false);
    try {
      const outcome = await runHook(bare, used.home, {
        env: { BAROGRAPH_URL: 'http://127.0.0.1:9', BAROGRAPH_TOKEN: 't' },
      });
      expectAnswer(outcome);
      expect(used.home.archives()).toHaveLength(1);
    } finally {
      bare.remove();
    }
  });

  it('despite missing or truncated files of the command', async () => {
    const broken = await new BuiltCommand().build();
    try {
      const shared = readdirSync(broken.folder).filter((name) => name.startsWith('shared-'));
      for (const name of shared) writeFileSync(join(broken.folder, name), 'export const torn = ');
      expectAnswer(await runHook(broken, used.home));
      for (const name of shared) unlinkSync(join(broken.folder, name));
      expectAnswer(await runHook(broken, used.home));
    } finally {
      broken.remove();
    }
  });

  it('in a deleted working folder', async () => {
    const gone = join(used.home.folder, 'gone');
    const prefix = ['sh', '-c', `mkdir ${gone}; cd ${gone}; rmdir ${gone}; exec "$@"`, 'sh'];
    expectAnswer(await run({ prefix, input: used.home.payload({ cwd: null }) }));
    expect(used.home.archives()).toHaveLength(1);
  });
});
