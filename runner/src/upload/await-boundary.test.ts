import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { boundaryLine, callLine, promptLine } from '../transcripts/write-transcript';
import { awaitBoundary, type BoundaryPatience } from './await-boundary';
import { completeArchives } from './complete-archives';
import { SESSION, UploadBench } from './testing-uploads';

let bench: UploadBench;
let looked = 0;
beforeEach(() => {
  bench = new UploadBench();
});
afterEach(() => bench.remove());

const request = () => ({
  path: bench.transcript,
  after: readFileSync(bench.transcript).length,
  session: SESSION,
  clientSessionId: null,
  folder: '/home/dev/harbour',
  project: 'harbour',
  configFolder: bench.config,
  now: 0,
});
const wait = (patience: Partial<BoundaryPatience> = {}) =>
  awaitBoundary(request(), {
    patienceMs: 10_000,
    lookMs: 5,
    onLook: () => {
      looked += 1;
    },
    ...patience,
  });
/** Until it has looked at the file as it is now. */
async function looks(): Promise<void> {
  const before = looked;
  await vi.waitFor(() => expect(looked).toBeGreaterThan(before + 1));
}

describe('who waits for a compaction’s own line', () => {
  it('sees it come, after other lines, in pieces, and looks no further', async () => {
    const waiting = wait();
    bench.append(callLine('msg_1', 5));
    await looks();
    const line = boundaryLine('b1');
    bench.append(line.slice(0, 60));
    await looks();
    bench.append(line.slice(60, -1));
    await looks();
    bench.append('\n');
    const upTo = readFileSync(bench.transcript).length;
    bench.append(promptLine('after'));
    expect(await waiting).toMatchObject([{ boundary: 'b1', bytes: upTo }]);
  });

  it('gives up when none comes, and takes no other words for one', async () => {
    bench.append(boundaryLine('an earlier one'));
    const waiting = wait({ patienceMs: 60 });
    bench.append(promptLine('what is a compact_boundary?'));
    expect(await waiting).toEqual([]);
    expect(await bench.entries()).toEqual([]);
  });

  it('ends where somebody else was first', async () => {
    const mine = request();
    bench.append(boundaryLine('b1'));
    expect((await completeArchives(mine)).made).toHaveLength(1);
    expect(await awaitBoundary(mine, { patienceMs: 10_000, lookMs: 5 })).toEqual([]);
  });

  it.each<[string, (path: string) => void]>([
    ['goes away', (path) => rmSync(path)],
    ['is begun anew', (path) => writeFileSync(path, '')],
  ])('ends when the file %s', async (_what, change) => {
    const waiting = wait();
    change(bench.transcript);
    expect(await waiting).toEqual([]);
  });

  it('ends when asked', async () => {
    const ended = new AbortController();
    const waiting = wait({ signal: ended.signal });
    ended.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
  });

  it('finds a mark across the border of two looks', async () => {
    const waiting = wait();
    const line = boundaryLine('b1');
    const cut = line.indexOf('compact_boundary') + 5;
    appendFileSync(bench.transcript, line.slice(0, cut));
    await looks();
    appendFileSync(bench.transcript, line.slice(cut));
    expect(await waiting).toMatchObject([{ boundary: 'b1' }]);
  });
});
