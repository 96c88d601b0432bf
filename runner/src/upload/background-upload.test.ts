import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { indexFile } from '../archive/archive-index';
import { FakeArchiveServer, type FakeArchiveServerOptions } from './testing/fake-archive-server';
import { UploadBench } from './testing/uploads';
import { BackgroundUpload } from './upload-pending';

let bench: UploadBench;
let server: FakeArchiveServer;
let background: BackgroundUpload;
let reported: string[];
beforeEach(() => {
  bench = new UploadBench();
  reported = [];
});
afterEach(async () => {
  await background.stop();
  bench.remove();
});

const timing = { lookMs: 20, baseMs: 10, capMs: 40, patienceMs: 10 };

async function begin(options: FakeArchiveServerOptions = {}) {
  server = await FakeArchiveServer.start(options);
  const { options: _, ...upload } = bench.uploadTo(server);
  background = new BackgroundUpload({
    ...upload,
    onOutcome: (_entry, { state }) => void reported.push(state),
    onProblem: (reason) => void reported.push(reason),
    timing,
  });
  background.wake();
}

const stored = (count: number) => vi.waitFor(() => expect(server.kept.stored.size).toBe(count));

describe('BackgroundUpload', () => {
  it('uploads pending archives and later ones of other processes', async () => {
    await bench.hook();
    await begin();
    await stored(1);
    await bench.hook();
    await stored(2);
    await vi.waitFor(() => expect(reported).toEqual(['stored', 'stored']));
  });

  it('resumes once the server has room again', async () => {
    await bench.hook();
    let isFull = true;
    await begin({
      onCall: () => (isFull ? { status: 503, body: { reason: 'The disk is full.' } } : undefined),
    });
    await vi.waitFor(() => expect(reported.length).toBeGreaterThan(2));
    expect(new Set(reported)).toEqual(new Set(['waiting']));
    isFull = false;
    await stored(1);
  });

  it('reports an unreadable index and recovers', async () => {
    await bench.hook();
    const index = indexFile(bench.config);
    const content = readFileSync(index);
    rmSync(index);
    mkdirSync(index);
    await begin();
    await vi.waitFor(() => expect(reported[0]).toContain('EISDIR'));
    rmdirSync(index);
    writeFileSync(index, content);
    await stored(1);
  });

  it('stops and leaves the archive pending', async () => {
    await bench.hook();
    await begin({ onCall: () => ({ status: 0, mute: true }) });
    await vi.waitFor(() => expect(server.calls).toHaveLength(1));
    await background.stop();
    expect((await bench.entries())[0]).toMatchObject({ upload: 'pending' });
    expect(reported).toEqual([]);
  });
});
