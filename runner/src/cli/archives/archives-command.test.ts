import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { appendEntry, indexFile } from '../../archive/archive-index';
import type { FakeServer } from '../../client/testing/fake-server';
import { boundaryLine } from '../../transcripts/testing/write-transcript';
import { completeArchives } from '../../upload/complete-archives';
import type { FakeArchiveServer, FakeArchiveServerOptions } from '../../upload/testing/fake-archive-server';
import { SESSION, UploadBench } from '../../upload/testing/uploads';
import { runCli, serveBoth } from '../testing/run-cli';

let bench: UploadBench;
let archives: FakeArchiveServer;
let items: FakeServer;
beforeEach(async () => {
  bench = new UploadBench();
  vi.stubEnv('BAROGRAPH_DATA_DIR', bench.folder);
  vi.stubEnv('BAROGRAPH_CONFIG_DIR', bench.config);
  await serve();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await stop();
  bench.remove();
});

async function serve(options: FakeArchiveServerOptions = {}): Promise<void> {
  ({ archives, items } = await serveBoth(bench.folder, options));
}

async function stop(): Promise<void> {
  await items.stop();
  await archives.stop();
}

const run = (...args: string[]) => runCli(['archives', ...args]);
const faulty = (problem: string) => ({ code: 1, problems: expect.stringContaining(problem) });

/** The hook's archive and the completed archive of the same compaction. */
async function makeBoth() {
  const hook = await bench.hook();
  bench.append(boundaryLine('b1'));
  const made = await completeArchives({
    path: bench.transcript,
    session: SESSION,
    clientSessionId: null,
    folder: '/home/dev/harbour',
    project: 'harbour',
    configFolder: bench.config,
    now: 0,
  });
  const [completed] = made;
  if (completed === undefined || hook.archive === null) throw new Error('nothing was archived');
  return { hook: { ...hook, archive: hook.archive }, completed };
}

describe('barograph archives', () => {
  it('lists archives, newest first, with version, size and state', async () => {
    const { hook } = await makeBoth();
    await appendEntry(bench.config, { ...hook, id: 'x', uploadReason: 'The disk is full.' });
    const { code, lines } = await run('list');
    expect(code).toBe(0);
    const [head, first, second, third, summary] = lines.split('\n');
    expect(head).toMatch(/^WHEN \(UTC\) +SESSION +TRIGGER +VERSION +SIZE +STATE$/);
    expect(first).toMatch(/ +auto +hook +\d+ bytes +pending: The disk is full.$/);
    expect(second).toMatch(/^2026-03-01 10:00:01 +claude-code:\S+ +auto +completed +\S+ \S+ +pending$/);
    expect(third).toMatch(/ hook +\d+ bytes +pending$/);
    expect(summary).toMatch(/^3 archives: 0 on the server, 3 pending, 0 refused; 2 copies here \(/);
  });

  it('lists archives as JSON, filtered by session', async () => {
    expect((await run('list')).lines).toBe('No archives on this machine.');
    const { hook } = await makeBoth();
    const parsed = JSON.parse((await run('list', '--json')).lines) as { id: string; isThere: boolean }[];
    expect(parsed).toMatchObject([{ asOf: 'completed' }, { id: hook.id, asOf: 'hook', isThere: true }]);
    expect(JSON.parse((await run('list', '--json', '--session', 'another')).lines)).toEqual([]);
  });

  it('replaces control characters in names', async () => {
    const entry = await bench.hook();
    await appendEntry(bench.config, { ...entry, id: 'x', session: 'a\u001b[2Jb\nc' });
    const { lines } = await run();
    expect(lines).toContain('a\ufffd[2Jb\ufffdc');
    expect(lines).not.toContain('\u001b');
  });

  it('rejects unknown actions, and options of another action', async () => {
    const unknown = 'barograph archives takes list, upload, verify, prune, not "remove".';
    expect(await run('remove')).toMatchObject({ code: 2, problems: unknown });
    const foreign = '--yes belongs to barograph archives prune.';
    expect(await run('list', '--yes')).toMatchObject({ code: 2, problems: foreign });
    expect((await run('prune')).code).toBe(2);
    expect((await run('prune', '--older-than', 'soon')).problems).toContain('takes a number');
  });
});

describe('barograph archives upload', () => {
  it('uploads pending archives', async () => {
    const { hook, completed } = await makeBoth();
    const done = await run('upload');
    expect([done.code, done.lines]).toEqual([0, expect.stringContaining('Uploaded 2 archives')]);
    expect([...archives.kept.stored].sort()).toEqual([hook.id, completed.id].sort());
    expect(await run('upload')).toMatchObject({ code: 0, lines: 'Nothing is pending.' });
    expect((await run()).lines).toContain('on server');
  });

  it('retries refused archives with --again', async () => {
    await stop();
    await serve({ onCall: () => ({ status: 413, body: { reason: 'harbour is full.' } }) });
    await bench.hook();
    expect(await run('upload')).toMatchObject(faulty('harbour is full.'));
    expect((await run()).lines).toContain('refused: harbour is full.');
    expect(items.items).toMatchObject([{ type: 'archive', state: 'failed' }]);
    await stop();
    await serve();
    expect((await run('upload')).lines).toBe('Nothing is pending.');
    expect((await run('upload', '--again')).code).toBe(0);
    expect(archives.kept.stored.size).toBe(1);
  });
});

describe('barograph archives verify', () => {
  it('finds no fault in intact copies, local or on the server', async () => {
    await makeBoth();
    await run('upload');
    const lines = '2 archives: 2 intact here, 2 complete on the server, 0 faults.';
    expect(await run('verify')).toEqual({ code: 0, lines, problems: '' });
  });

  it('reports changed, missing and lost copies', async () => {
    const { hook } = await makeBoth();
    await run('upload');
    appendFileSync(hook.archive, 'x');
    expect(await run('verify')).toMatchObject(faulty('its file changed after it was archived'));
    rmSync(hook.archive);
    expect((await run('verify')).problems).toContain(`its file is missing: ${hook.archive}`);
    archives.kept.offers.delete(hook.id);
    expect(await run('verify')).toMatchObject(faulty('the server does not have it'));
  });

  it('marks an archive for another upload if the server lost it', async () => {
    const { hook, completed } = await makeBoth();
    await run('upload');
    archives.kept.stored.clear();
    archives.kept.chunks.clear();
    rmSync(hook.archive);
    const { code, problems } = await run('verify');
    expect(code).toBe(1);
    expect(problems.split('\n').sort()).toEqual([
      expect.stringMatching(/ at the hook: the server does not have it: one of its chunks is missing there$/),
      expect.stringMatching(/ completed: .* missing there; barograph archives upload sends it again$/),
    ]);
    expect(await run('upload')).toMatchObject({ code: 0 });
    expect([...archives.kept.stored]).toEqual([completed?.id]);
  });
});

describe('barograph archives with a damaged index', () => {
  const damage = '1 unreadable line, 2 archives without a line, found on disk';

  async function makeDamaged() {
    const made = [
      await bench.hook(),
      await bench.hook(1_772_359_202_000),
      await bench.hook(1_772_359_203_000),
    ];
    await run('upload');
    const lines = readFileSync(indexFile(bench.config), 'utf8').split('\n');
    writeFileSync(indexFile(bench.config), `${lines[0]}\n${'\0'.repeat(400)}\n`);
    return made.map(({ id }) => id);
  }

  it('lists found archives, and reports the damage until verify has counted it as faults', async () => {
    await makeDamaged();
    const { code, lines, problems } = await run('list');
    expect([code, problems]).toEqual([0, `The index of archives is damaged: ${damage}.`]);
    expect(lines).toMatch(/unknown +hook +\d+ bytes +pending; found on disk\n/);
    expect(lines).toContain('3 archives: ');
    const doctor = await runCli(['doctor']);
    expect(doctor).toMatchObject({
      code: 1,
      lines: expect.stringContaining(
        `✗ archives    3 archives, 3 not uploaded yet; the index is damaged: ${damage}`,
      ),
    });
    const faults = '3 archives: 3 intact here, 0 complete on the server, 3 faults.';
    expect(await run('verify')).toMatchObject({
      code: 1,
      lines: faults,
      problems: expect.stringContaining(damage),
    });
    const none = '3 archives: 3 intact here, 0 complete on the server, 0 faults.';
    expect(await run('verify')).toEqual({ code: 0, lines: none, problems: '' });
    expect((await runCli(['doctor'])).lines).toContain('✓ archives    3 archives');
  });

  it('offers found archives under their ids, so the server recognises them', async () => {
    const ids = await makeDamaged();
    expect((await run('upload')).lines).toMatch(/^Uploaded 3 archives \(.*, 0 bytes of them new/);
    expect([...archives.kept.stored].sort()).toEqual(ids.sort());
  });

  it('explains a folder in its place, with exit code 1', async () => {
    mkdirSync(indexFile(bench.config), { recursive: true });
    const problems = expect.stringMatching(
      /^The index of archives \S+index\.jsonl cannot be read \(EISDIR.*\.$/,
    );
    for (const action of ['list', 'verify', 'upload']) {
      expect(await run(action)).toEqual({ code: 1, lines: '', problems });
    }
    const { code, lines } = await runCli(['doctor']);
    expect([code, lines]).toEqual([
      1,
      expect.stringMatching(/✗ archives +The index of archives \S+ cannot be read \(EISDIR/),
    ]);
  });
});

describe('barograph archives prune', () => {
  it('shows what it would remove, and removes it with --yes', async () => {
    const { hook } = await makeBoth();
    await run('upload');
    const shown = await run('prune', '--uploaded');
    expect(shown.lines).toContain(`would remove: ${hook.archive}`);
    expect(shown.lines).toContain('Nothing was removed');
    expect(existsSync(hook.archive)).toBe(true);
    expect((await run('prune', '--uploaded', '--yes')).lines).toContain('Removed 1 copy');
    expect(existsSync(hook.archive)).toBe(false);
    expect((await run()).lines).toContain('pruned ');
    expect(await run('verify')).toMatchObject({ code: 0 });
    expect(existsSync(bench.transcript)).toBe(true);
  });

  it('keeps archives that no server has, unless forced', async () => {
    const hook = await bench.hook();
    const { lines, problems } = await run('prune', '--older-than', '1', '--yes');
    expect(problems).toBe(`kept: ${hook.archive}: no server has it`);
    expect(lines).toContain('kept 1');
    expect(existsSync(hook.archive ?? '')).toBe(true);
    await run('prune', '--older-than', '1', '--yes', '--force');
    expect(existsSync(hook.archive ?? '')).toBe(false);
  });

  it.each<[string, () => Promise<unknown> | unknown, string]>([
    ['lost it', () => archives.kept.stored.clear(), 'the server does not have it'],
    ['cannot be asked', () => archives.stop(), 'the server could not be asked'],
    ['is not known', () => rmSync(join(bench.folder, 'connection.json')), 'no server is known'],
  ])('keeps an uploaded copy if the server %s', async (_what, lose, reason) => {
    const { hook } = await makeBoth();
    await run('upload');
    if (reason.includes('does not')) archives.kept.chunks.clear();
    await lose();
    expect((await run('prune', '--uploaded', '--yes')).problems).toContain(reason);
    expect(existsSync(hook.archive)).toBe(true);
  });

  it('keeps changed copies and recent copies', async () => {
    const { hook } = await makeBoth();
    await run('upload');
    expect((await run('prune', '--older-than', '35000', '--yes')).lines).toContain('Removed 0 copies');
    appendFileSync(hook.archive, 'x');
    expect((await run('prune', '--uploaded', '--yes')).problems).toContain('changed after it was archived');
    expect(existsSync(hook.archive)).toBe(true);
  });

  it('removes only files inside the archive folders', async () => {
    const entry = await bench.hook();
    const precious = join(bench.folder, 'precious.txt');
    writeFileSync(precious, readFileSync(entry.archive ?? ''));
    rmSync(indexFile(bench.config));
    await appendEntry(bench.config, { ...entry, archive: precious, upload: 'done' });
    expect((await run('prune', '--uploaded', '--yes', '--force')).lines).toContain('Removed 0 copies');
    expect(existsSync(precious)).toBe(true);
  });
});
