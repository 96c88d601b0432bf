import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readArchiveIndex } from './archive-index';
import { listArchives } from './list-archives';
import { createPreCompactHook, preCompactHooks } from './precompact-hook';
import { LINES, modeOf, prepareArchiveBench } from './testing/archive-bench';

const used = prepareArchiveBench();

const input = (fields?: Record<string, unknown>) => used.bench.input(fields);

/** A fixed time: all archives get the same second in their name. */
const at = Date.UTC(2026, 10, 22, 1, 54, 12, 345);
const now = () => at;

describe('the PreCompact hook', () => {
  it("archives the whole transcript below the repository's key", async () => {
    const { bench } = used;
    expect(await bench.hook({ now })(input())).toEqual({});
    expect(bench.archives).toMatch(/\/config\/runs\/-home-dev-harbour-[0-9a-f]{8}\/archives$/);
    expect(bench.names()).toEqual(['s1_20261122_015412_transcript.jsonl']);
    const path = join(bench.archives, 's1_20261122_015412_transcript.jsonl');
    expect(readFileSync(path, 'utf8')).toBe(LINES);
  });

  it('creates the archive folder and its parents', async () => {
    const { bench } = used;
    const configDir = join(bench.folder, 'not', 'there', 'yet');
    await bench.hook({ configDir })(input());
    const [entry] = await listArchives(configDir);
    expect(entry).toMatchObject({ state: 'stored', isThere: true });
  });

  it('gives folders mode 700 and files mode 600, even if they had wider modes', async () => {
    const { bench } = used;
    mkdirSync(bench.archives, { recursive: true });
    for (const folder of [bench.config, bench.archives]) chmodSync(folder, 0o777);
    const path = bench.write('t.jsonl');
    chmodSync(path, 0o644);
    await bench.hook({ now })(input());
    expect(modeOf(join(bench.archives, 's1_20261122_015412_transcript.jsonl'))).toBe('600');
    for (const folder of [bench.archives, join(bench.archives, '..'), join(bench.config, 'runs')]) {
      expect(modeOf(folder)).toBe('700');
    }
    // A given folder keeps its mode; only new folders and files in it are private.
    expect(modeOf(bench.config)).toBe('777');
  });

  it.each([
    ['t.jsonl', '.jsonl'],
    ['t.md', '.md'],
    ['t.txt', '.txt'],
    ['transcript', '.txt'],
  ])('keeps the extension of %s as %s', async (name, extension) => {
    const { bench } = used;
    await bench.hook({ now })(input({ transcript_path: bench.write(name) }));
    expect(bench.names()).toEqual([`s1_20261122_015412_transcript${extension}`]);
  });

  it('treats both triggers alike', async () => {
    const { bench } = used;
    const hook = bench.hook();
    for (const trigger of ['auto', 'manual']) expect(await hook(input({ trigger }))).toEqual({});
    const { entries } = await readArchiveIndex(bench.config);
    expect(entries).toMatchObject([
      { state: 'stored', trigger: 'auto' },
      { state: 'stored', trigger: 'manual' },
    ]);
    expect(bench.levels()).toEqual(['info', 'info']);
  });

  it('adds a number to the names of further archives within the same second', async () => {
    const { bench } = used;
    for (let n = 0; n < 4; n += 1) await bench.hook({ now })(input());
    const [first, second, third, fourth] = bench
      .names()
      .sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    expect([first, second, third]).toEqual([
      's1_20261122_015412_transcript.jsonl',
      's1_20261122_015412-2_transcript.jsonl',
      's1_20261122_015412-3_transcript.jsonl',
    ]);
    expect(fourth).toMatch(/^s1_20261122_015412-\d+_transcript\.jsonl$/);
  });

  it('keeps all older archives', async () => {
    const { bench } = used;
    for (let n = 0; n < 3; n += 1) await bench.hook({ now: () => at - n * 86_400_000 })(input());
    const older = bench.names();
    const longAgo = new Date(0);
    for (const name of older) utimesSync(join(bench.archives, name), longAgo, longAgo);
    await bench.hook({ now: () => at + 1_000 })(input());
    expect(bench.names()).toEqual(expect.arrayContaining(older));
    expect(bench.names()).toHaveLength(4);
  });

  it('warns about a missing transcript, and lets the compaction proceed', async () => {
    const { bench } = used;
    expect(await bench.hook()(input({ transcript_path: '/nowhere/t.jsonl' }))).toEqual({});
    expect(await bench.hook()(input({ transcript_path: `${bench.write('file')}/t.jsonl` }))).toEqual({});
    expect(bench.levels()).toEqual(['warn', 'warn']);
    expect(bench.lines[0]?.message).toBe(
      'PreCompact: nothing archived for session s1 (trigger: auto), the transcript is not there: /nowhere/t.jsonl',
    );
    expect(existsSync(bench.archives)).toBe(false);
  });

  it.each([[undefined], [''], ['  '], [null], [7n], [{}]])(
    'warns if transcript_path is %s, and lets the compaction proceed',
    async (path) => {
      const { bench } = used;
      expect(await bench.hook()(input({ transcript_path: path }))).toEqual({});
      expect(bench.lines).toMatchObject([
        {
          level: 'warn',
          message:
            'PreCompact: nothing archived for session s1 (trigger: auto), no transcript_path was given',
        },
      ]);
    },
  );

  it('logs an error when copying fails, and lets the compaction proceed', async () => {
    const { bench } = used;
    const configDir = bench.write('a-file');
    expect(await bench.hook({ configDir })(input())).toEqual({});
    expect(bench.levels()).toEqual(['error', 'warn']);
    expect(bench.lines[0]?.message).toMatch(
      /^PreCompact: failed to archive the transcript .*t\.jsonl.*ENOTDIR/,
    );
  });

  it('logs trigger, path and size in KB of the archive', async () => {
    const { bench } = used;
    await bench.hook({ now })(input({ transcript_path: bench.write('t.jsonl', 'x'.repeat(2_560)) }));
    const path = join(bench.archives, 's1_20261122_015412_transcript.jsonl');
    expect(bench.lines).toEqual([
      {
        level: 'info',
        message: `PreCompact: archived the transcript (trigger: auto) to ${path} (2.5 KB)`,
        fields: expect.objectContaining({ trigger: 'auto', archive: path, bytes: 2_560 }),
      },
    ]);
  });

  it('logs one line, whatever characters the names contain', async () => {
    const { bench } = used;
    await bench.hook()(input({ transcript_path: '/no\nERROR forged', session_id: 'a\u001b[2Jb' }));
    expect(bench.lines[0]?.message).not.toMatch(/\p{Cc}/u);
    expect(bench.lines[0]?.message).toContain('"/no\\nERROR forged"');
  });

  it.each([undefined, null, 7, 'text', [], {}, () => undefined])('answers {} to %s', async (anything) => {
    expect(await used.bench.hook()(anything)).toEqual({});
    const { entries } = await readArchiveIndex(used.bench.config);
    expect(entries).toMatchObject([{ clientSessionId: 'unknown', trigger: 'unknown', state: 'skipped' }]);
  });

  it('uses the folder in the input if no repository is given, else the folder of the process', async () => {
    const { bench } = used;
    const { config: configDir, logger } = bench;
    await createPreCompactHook({ configDir, logger })(input({ cwd: '/home/dev/pier' }));
    await createPreCompactHook({ configDir, logger })(input({ cwd: undefined }));
    const { entries } = await readArchiveIndex(configDir);
    expect(entries.map(({ repo }) => repo)).toEqual(['/home/dev/pier', process.cwd()]);
  });

  it('finds a transcript by a path relative to the agent’s folder, and through a link', async () => {
    const { bench } = used;
    symlinkSync(bench.write('real.jsonl'), join(bench.folder, 'link.jsonl'));
    const hook = bench.hook();
    await hook(input({ transcript_path: 'real.jsonl', cwd: bench.folder }));
    await hook(input({ transcript_path: join(bench.folder, 'link.jsonl') }));
    expect((await readArchiveIndex(bench.config)).entries.map(({ state }) => state)).toEqual([
      'stored',
      'stored',
    ]);
  });

  it('removes old partial copies of killed processes', async () => {
    const { bench } = used;
    const partials = join(bench.archives, '.partial');
    mkdirSync(partials, { recursive: true });
    for (const name of ['old', 'young']) writeFileSync(join(partials, name), 'half');
    utimesSync(join(partials, 'old'), new Date(0), new Date(0));
    await bench.hook()(input());
    expect(readdirSync(partials)).toEqual(['young']);
  });

  it('continues copying in the background after the timeout', async () => {
    const { bench } = used;
    const path = bench.write('t.jsonl', 'x'.repeat(8_000_000));
    const hook = bench.hook({ timeoutMs: 0 });
    expect(await hook(input({ transcript_path: path }))).toEqual({});
    expect(bench.lines).toMatchObject([
      { level: 'warn', message: expect.stringContaining('continues in the background') },
    ]);
    await expect.poll(() => bench.levels().at(-1)).toBe('info');
    expect((await listArchives(bench.config))[0]).toMatchObject({ bytes: 8_000_000, isThere: true });
  });

  it('ignores a logger that throws', async () => {
    const fail = () => {
      throw new Error('the log is full');
    };
    const logger = { debug: fail, info: fail, warn: fail, error: fail };
    expect(await used.bench.hook({ logger })(input())).toEqual({});
    expect(await used.bench.hook({ logger })(null)).toEqual({});
    expect(used.bench.names()).toHaveLength(1);
  });
});

describe('the PreCompact hook, registered', () => {
  it("has the key PreCompact and the SDK's signature", async () => {
    const { bench } = used;
    const hooks = preCompactHooks({ repoPath: bench.repo, configDir: bench.config, logger: bench.logger });
    expect(Object.keys(hooks)).toEqual(['PreCompact']);
    // Call every callback of every matcher as the SDK does: with input, tool id and signal.
    const { signal } = new AbortController();
    const answers = hooks.PreCompact.flatMap((matcher) =>
      matcher.hooks.map((hook) => hook(input(), undefined, { signal })),
    );
    expect(await Promise.all(answers)).toEqual([{}]);
    expect(bench.names()).toHaveLength(1);
  });
});
