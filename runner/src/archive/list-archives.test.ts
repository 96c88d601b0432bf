import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArchiveIndexError, appendEntry, indexFile, noteReported, readArchiveIndex } from './archive-index';
import { listArchives, recoverIndex } from './list-archives';
import { prepareArchiveBench } from './testing/archive-bench';

const used = prepareArchiveBench();
const IDS = [1, 2, 3, 4].map((digit) => `33333333-3333-4333-8333-33333333333${digit}`);

/** Four archives of a repository, a minute apart. */
async function archiveFour() {
  for (const [minute, id] of IDS.entries()) {
    const now = () => Date.UTC(2026, 10, 22, 1, minute, 12, 7);
    await used.bench.hook({ now })(used.bench.input({ session_id: id }));
  }
  const { config } = used.bench;
  return { config, index: indexFile(config), before: (await readArchiveIndex(config)).entries };
}

const lost = () => ({ unreadable: 0, recovered: 0 });
const DAMAGES: [string, (index: string) => void, ReturnType<typeof lost>][] = [
  ['is missing', rmSync, { unreadable: 0, recovered: 4 }],
  ['is empty', (index) => writeFileSync(index, ''), { unreadable: 0, recovered: 4 }],
  [
    'has a block of NUL bytes',
    (index) => writeFileSync(index, readFileSync(index).fill(0, 500, 1100)),
    { unreadable: 1, recovered: 2 },
  ],
  [
    'is cut in the middle of a line',
    (index) => writeFileSync(index, readFileSync(index).subarray(0, 700)),
    { unreadable: 1, recovered: 3 },
  ],
];

describe('archives without a readable line in the index', () => {
  it.each(DAMAGES)('are listed if the index %s', async (_what, damage, expected) => {
    const { config, index, before } = await archiveFour();
    damage(index);
    expect(await readArchiveIndex(config)).not.toMatchObject({ entries: before });
    expect(await recoverIndex(config)).toMatchObject(expected);
    const listed = (await listArchives(config)).reverse();
    expect(listed).toHaveLength(4);
    for (const [number, entry] of before.entries()) {
      const { id, state, clientSessionId, cwd, repo, archive, bytes, lines, sha256 } = entry;
      const known = { id, state, clientSessionId, repo, archive, bytes, lines, sha256, upload: 'pending' };
      expect(listed[number]).toMatchObject({ ...known, at: expect.stringMatching(/^2026-11-22T01:0\d:12/) });
      if (listed[number]?.recoveredAt === undefined) continue;
      expect(listed[number]).toMatchObject({
        trigger: 'unknown',
        source: null,
        cwd,
        session: `claude-code:${clientSessionId}`,
      });
    }
    // The damage is reported until it is confirmed, and found archives are added once.
    const text = readFileSync(index, 'utf8');
    expect(await recoverIndex(config)).toMatchObject(expected);
    expect(readFileSync(index, 'utf8')).toBe(text);
    await noteReported(config);
    expect(await recoverIndex(config)).toMatchObject(lost());
  });

  it('are added once by processes at the same time, and yield to the line of their hook', async () => {
    const { config, index, before } = await archiveFour();
    rmSync(index);
    await Promise.all([recoverIndex(config), recoverIndex(config), recoverIndex(config)]);
    expect(await readArchiveIndex(config)).toMatchObject({ entries: { length: 4 }, recovered: 4 });
    for (const entry of before) await appendEntry(config, entry);
    expect(await recoverIndex(config)).toEqual({ entries: expect.arrayContaining(before), ...lost() });
    const text = readFileSync(index, 'utf8');
    writeFileSync(index, text.split('\n').reverse().join('\n'));
    expect((await recoverIndex(config)).entries).toEqual(expect.arrayContaining(before));
  });

  it('are found after a folder was in the place of the index', async () => {
    const { config } = used.bench;
    mkdirSync(indexFile(config), { recursive: true });
    expect(await used.bench.hook()(used.bench.input())).toEqual({});
    expect(used.bench.names()).toHaveLength(1);
    await expect(listArchives(config)).rejects.toThrow(ArchiveIndexError);
    await expect(listArchives(config)).rejects.toThrow(indexFile(config));
    rmSync(indexFile(config), { recursive: true });
    expect(await listArchives(config)).toMatchObject([{ clientSessionId: 's1', isThere: true }]);
  });

  it('state their sub-agent; other files and reserved names are left out', async () => {
    const { config, archives } = used.bench;
    mkdirSync(archives, { recursive: true });
    const line = `${JSON.stringify({ type: 'user', sessionId: IDS[0], cwd: '/home/dev/harbour/src' })}\n`;
    const write = (name: string, text: string) => writeFileSync(join(archives, name), text);
    write(`${IDS[0]}_agent-a1_20261122_015412-2_transcript.jsonl`, line);
    write('unknown_20261122_015413_transcript.txt', 'text');
    write('b_20261122_015414_transcript.jsonl', '');
    write('notes.txt', 'mine');
    mkdirSync(join(archives, 'c_20261122_015415_transcript.jsonl'));
    const unknown = { cwd: null, repo: 'unknown', session: null, clientSessionId: 'unknown' };
    expect(
      (await listArchives(config)).map(({ archive, ...entry }) => ({
        ...entry,
        name: basename(archive ?? ''),
      })),
    ).toMatchObject([
      { ...unknown, at: '2026-11-22T01:54:13.000Z', trigger: 'unknown', asOf: 'hook' },
      {
        session: `claude-code:${IDS[0]}`,
        agent: 'a1',
        cwd: '/home/dev/harbour/src',
        repo: '/home/dev/harbour',
      },
    ]);
  });

  it('are not those of a folder that was moved', async () => {
    const { config } = await archiveFour();
    renameSync(config, `${config}-moved`);
    expect(await recoverIndex(`${config}-moved`)).toMatchObject({ entries: { length: 4 }, ...lost() });
  });
});
