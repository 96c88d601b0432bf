import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { indexFile, noteUpload, readArchiveIndex } from './archive-index';
import { type ArchiveFilter, listArchives } from './list-archives';
import { LINES, modeOf, prepareArchiveBench } from './testing/archive-bench';
import { verifyArchive } from './verify-archive';

const used = prepareArchiveBench();

async function archiveOne(clientSessionId = 's1', repoPath?: string) {
  const hook = used.bench.hook(repoPath === undefined ? {} : { repoPath });
  await hook({ session_id: clientSessionId, transcript_path: used.bench.write('t.jsonl'), trigger: 'auto' });
}

const entries = async () => (await readArchiveIndex(used.bench.config)).entries;

describe('the index of archives', () => {
  it('has an entry per archive, with a pending upload', async () => {
    const { bench } = used;
    const now = Date.UTC(2026, 10, 22, 1, 54, 12, 7);
    const input = { session_id: 's1', transcript_path: bench.write('t.jsonl'), cwd: '/home/dev/harbour' };
    await bench.hook({ now: () => now })({ ...input, trigger: 'manual' });
    const [entry] = await entries();
    expect(entry).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: '2026-11-22T01:54:12.007Z',
      state: 'stored',
      reason: null,
      session: expect.stringMatching(/^claude-code:archive-\w+\/t$/),
      clientSessionId: 's1',
      trigger: 'manual',
      cwd: '/home/dev/harbour',
      repo: '/home/dev/harbour',
      source: input.transcript_path,
      archive: `${bench.archives}/s1_20261122_015412_transcript.jsonl`,
      bytes: LINES.length,
      lines: 2,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      asOf: 'hook',
      upload: 'pending',
    });
  });

  it('lists skipped and failed archives with the reason', async () => {
    const { bench } = used;
    await bench.hook()({ session_id: 'a' });
    await bench.hook()({ session_id: 'b', transcript_path: '/dev/null' });
    expect(await entries()).toMatchObject([
      { state: 'skipped', reason: 'no transcript_path was given', upload: 'none', archive: null },
      { state: 'failed', reason: expect.stringContaining('not a file'), upload: 'none', sha256: null },
    ]);
  });

  it('is empty if it does not exist', async () => {
    expect(await readArchiveIndex(used.bench.config)).toEqual({ entries: [], unreadable: 0, recovered: 0 });
    expect(await listArchives(used.bench.config)).toEqual([]);
  });

  it('is private even if it existed with another mode', async () => {
    await archiveOne();
    chmodSync(indexFile(used.bench.config), 0o644);
    chmodSync(dirname(indexFile(used.bench.config)), 0o755);
    await archiveOne();
    expect(modeOf(indexFile(used.bench.config))).toBe('600');
    expect(modeOf(dirname(indexFile(used.bench.config)))).toBe('700');
  });

  it('loses only an incomplete line', async () => {
    await archiveOne('before');
    appendFileSync(indexFile(used.bench.config), '{"v":1,"id":"torn","at":"2026-');
    expect((await readArchiveIndex(used.bench.config)).unreadable).toBe(1);
    await archiveOne('after');
    const index = await readArchiveIndex(used.bench.config);
    expect(index.entries.map((entry) => entry.clientSessionId)).toEqual(['before', 'after']);
    expect(index.unreadable).toBe(1);
  });

  it('skips blank and invalid lines, and lines of a later format', async () => {
    await archiveOne();
    const lines = [
      '',
      'garbage',
      'null',
      '[]',
      '{"v":2,"id":"x"}',
      '{"v":1}',
      '{"v":1,"id":"n","upload":"done"}',
    ];
    appendFileSync(indexFile(used.bench.config), `${lines.join('\n')}\n`);
    const index = await readArchiveIndex(used.bench.config);
    expect(index.entries).toHaveLength(1);
    expect(index.unreadable).toBe(6);
  });

  it('records upload states by appending', async () => {
    await archiveOne('a');
    await archiveOne('b');
    const [first] = await entries();
    const before = readFileSync(indexFile(used.bench.config), 'utf8');
    await noteUpload(used.bench.config, first?.id ?? '', 'done');
    expect((await entries()).map((entry) => [entry.clientSessionId, entry.upload])).toEqual([
      ['a', 'done'],
      ['b', 'pending'],
    ]);
    expect(readFileSync(indexFile(used.bench.config), 'utf8').startsWith(before)).toBe(true);
    const pending = await listArchives(used.bench.config, { upload: 'pending' });
    expect(pending).toMatchObject([{ clientSessionId: 'b' }]);
  });

  it('causes only a warning when it cannot be written', async () => {
    const { bench } = used;
    mkdirSync(indexFile(bench.config), { recursive: true });
    await archiveOne();
    expect(bench.names()).toHaveLength(1);
    expect(bench.levels()).toEqual(['info', 'warn']);
    await expect(readArchiveIndex(bench.config)).rejects.toThrow('EISDIR');
  });
});

describe('the list of archives', () => {
  it('is newest first, and filtered by repository, session or state', async () => {
    const { config } = used.bench;
    await archiveOne('a');
    await archiveOne('b', '/home/dev/other');
    await used.bench.hook()({ session_id: 'c' });
    const ids = async (filter?: ArchiveFilter) =>
      (await listArchives(config, filter)).map((entry) => entry.clientSessionId);
    expect(await ids()).toEqual(['c', 'b', 'a']);
    expect(await ids({ repoPath: '/home/dev/other/' })).toEqual(['b']);
    expect(await ids({ session: 'a' })).toEqual(['a']);
    expect(await ids({ session: (await entries())[0]?.session ?? '' })).toEqual(['b', 'a']);
    expect(await ids({ state: 'skipped' })).toEqual(['c']);
  });

  it('shows missing copies', async () => {
    await archiveOne('a');
    await archiveOne('b');
    const [newest] = await listArchives(used.bench.config);
    rmSync(newest?.archive ?? '');
    expect((await listArchives(used.bench.config)).map((entry) => entry.isThere)).toEqual([false, true]);
  });
});

describe('a stored archive', () => {
  it('is verified by its hash', async () => {
    await archiveOne();
    const [entry] = await entries();
    if (entry?.archive == null) throw new Error('nothing stored');
    expect(await verifyArchive(entry)).toBe('intact');
    writeFileSync(entry.archive, `x${readFileSync(entry.archive, 'utf8').slice(1)}`);
    expect(await verifyArchive(entry)).toBe('changed');
    rmSync(entry.archive);
    expect(await verifyArchive(entry)).toBe('missing');
    mkdirSync(entry.archive);
    expect(await verifyArchive(entry)).toBe('unreadable');
    expect(await verifyArchive({ ...entry, archive: null })).toBe('missing');
  });
});
