import { readdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  BuiltCommand,
  expectAnswer,
  HookHome,
  IN_ANSWER,
  IN_WORKER,
  type RunOptions,
  runHook,
} from './testing/hook';

let command: BuiltCommand;
let home: HookHome;

beforeAll(async () => {
  command = await new BuiltCommand().build();
}, 60_000);
afterAll(() => command.remove());
beforeEach(() => {
  home = new HookHome();
});
afterEach(() => home.remove(), 30_000);

const run = (options: RunOptions = {}) => runHook(command, home, options);

/** In the process that answers, right after it did. */
const afterAnswer = (code: string) => `${IN_ANSWER}{
  const { write } = process.stdout;
  process.stdout.write = (...rest) => {
    setImmediate(() => { ${code} });
    return write.apply(process.stdout, rest);
  };
}`;

describe('no crash of barograph hook reaches its client:', () => {
  it.each([
    ['an uncaught exception', afterAnswer(`throw new Error('crash');`)],
    ['an unhandled rejection', afterAnswer(`Promise.reject(new Error('crash'));`)],
    ['an exit with code 2', afterAnswer('process.exit(2);')],
    ['an exit code of 2', afterAnswer('setInterval(() => { process.exitCode = 2; }, 1);')],
    ['an exception in the process that works', `${IN_WORKER}throw new Error('crash');`],
    ['an abort of the process that works', `${IN_WORKER}process.abort();`],
    ['a kill of the process that works', `${IN_WORKER}process.kill(process.pid, 'SIGKILL');`],
    ['an exit with code 2 of the process that works', `${IN_WORKER}process.exit(2);`],
    [
      'memory that runs out in the process that works',
      `${IN_WORKER}{ const all = []; for (;;) all.push(new Array(1e6).fill(all.length)); }`,
    ],
    [
      'a process that cannot be started',
      `${IN_ANSWER}Object.defineProperty(process, 'execPath', { value: '/nowhere/node' });`,
    ],
  ])('%s', async (name, code) => {
    const memory = name.startsWith('memory') ? ' --max-old-space-size=40' : '';
    const env = home.inject(code);
    expectAnswer(await run({ env: { NODE_OPTIONS: `${env.NODE_OPTIONS}${memory}` } }));
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s while it waits', async (signal) => {
    expectAnswer(await run({ input: null, onAnswer: (child) => child.kill(signal) }));
  });

  it('SIGTERM to both of its processes at work', async () => {
    const env = home.inject(`${IN_WORKER}{
      const { on } = process;
      process.on = function (event, ...rest) {
        if (event === 'SIGTERM') {
          setImmediate(() => { for (const pid of [process.ppid, process.pid]) process.kill(pid, 'SIGTERM'); });
        }
        return on.call(this, event, ...rest);
      };
    }`);
    expectAnswer(await run({ env }));
    await home.untilQuiet();
    expect(home.archives()).toHaveLength(1);
  });

  it('packages that are missing: the archive is made', async () => {
    const bare = await new BuiltCommand().build(false);
    try {
      const outcome = await runHook(bare, home, {
        env: { BAROGRAPH_URL: 'http://127.0.0.1:9', BAROGRAPH_TOKEN: 't' },
      });
      expectAnswer(outcome);
      expect(home.archives()).toHaveLength(1);
      await home.untilQuiet();
    } finally {
      bare.remove();
    }
  });

  it('files of its own that are missing or torn', async () => {
    const broken = await new BuiltCommand().build();
    try {
      const shared = readdirSync(broken.folder).filter((name) => name.startsWith('shared-'));
      for (const name of shared) writeFileSync(join(broken.folder, name), 'export const torn = ');
      expectAnswer(await runHook(broken, home));
      for (const name of shared) unlinkSync(join(broken.folder, name));
      expectAnswer(await runHook(broken, home));
    } finally {
      broken.remove();
    }
  });

  it('a working folder that is gone', async () => {
    const gone = join(home.folder, 'gone');
    const prefix = ['sh', '-c', `mkdir ${gone}; cd ${gone}; rmdir ${gone}; exec "$@"`, 'sh'];
    expectAnswer(await run({ prefix, input: home.payload({ cwd: null }) }));
    expect(home.archives()).toHaveLength(1);
  });
});
