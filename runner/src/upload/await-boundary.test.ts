import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { boundaryLine, callLine, promptLine } from '../transcripts/testing/write-transcript';
import { awaitBoundary, type BoundaryPatience } from './await-boundary';
import { completeArchives } from './complete-archives';
import { SESSION, UploadBench } from './testing/uploads';

let bench: UploadBench;
let looked = 0;
const line = (fields: Record<string, unknown>) => `${JSON.stringify(fields)}\n`;
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
/** Wait until `awaitBoundary` has read the current file. */
async function looks(): Promise<void> {
  const before = looked;
  await vi.waitFor(() => expect(looked).toBeGreaterThan(before + 1));
}

/** Expects that the compaction happened and has the only archive of the index. */
async function completed(waiting: ReturnType<typeof awaitBoundary>, archive: object): Promise<void> {
  expect(await waiting).toMatchObject({ type: 'compacted', boundary: { id: 'b1' } });
  expect(await bench.entries()).toMatchObject([archive]);
}

describe('awaitBoundary', () => {
  it('finds a boundary line that is written in pieces after other lines', async () => {
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
    await completed(waiting, { boundary: 'b1', bytes: upTo });
  });

  it('gives up after `patienceMs`, and ignores similar lines', async () => {
    bench.append(boundaryLine('an earlier one'));
    const waiting = wait({ patienceMs: 60 });
    bench.append(promptLine('what is a compact_boundary?'));
    expect(await waiting).toEqual({ type: 'open', reason: 'no compaction followed its hook' });
    expect(await bench.entries()).toEqual([]);
  });

  it('ends when another process has already recorded the boundary', async () => {
    const mine = request();
    bench.append(boundaryLine('b1'));
    expect(await completeArchives(mine)).toHaveLength(1);
    await completed(awaitBoundary(mine, { patienceMs: 10_000, lookMs: 5 }), { boundary: 'b1' });
  });

  it.each<[string, (path: string) => void]>([
    ['goes away', (path) => rmSync(path)],
    ['is truncated', (path) => writeFileSync(path, '')],
  ])('ends when the file %s', async (_what, change) => {
    const waiting = wait();
    change(bench.transcript);
    expect(await waiting).toMatchObject({ type: 'failed', reason: expect.stringContaining('was deleted') });
  });

  it("reports a refusal by another hook only if the client's own line states the refusal", async () => {
    const refusal = 'Compaction blocked by PreCompact hook: not before the tests are green';
    const waiting = wait();
    bench.append(promptLine(refusal));
    bench.append(
      line({
        type: 'assistant',
        message: { model: 'claude-sonnet-4-5', content: [{ type: 'text', text: refusal }] },
      }),
    );
    await looks();
    bench.append(
      line({
        type: 'system',
        subtype: 'local_command',
        content: `<local-command-stderr>${refusal}</local-command-stderr>`,
      }),
    );
    expect(await waiting).toEqual({ type: 'blocked', reason: 'another hook refused it', message: refusal });
  });

  it.each([
    {
      type: 'assistant',
      message: { model: '<synthetic>', content: 'Compaction blocked by a PreCompact hook' },
    },
    {
      type: 'user',
      message: { content: '<local-command-stdout>blocked by PreCompact hook</local-command-stdout>' },
    },
  ])("recognizes a refusal in the client's line of type $type", async (fields) => {
    const waiting = wait();
    bench.append(line(fields));
    expect(await waiting).toMatchObject({ type: 'blocked' });
  });

  it('adds nothing to the index when uploads are off', async () => {
    const waiting = awaitBoundary({ ...request(), isNoted: false }, { patienceMs: 10_000, lookMs: 5 });
    bench.append(boundaryLine('b1'));
    expect(await waiting).toMatchObject({ type: 'compacted', boundary: { id: 'b1' } });
    expect(await bench.entries()).toEqual([]);
  });

  it('starts in the middle of a line', async () => {
    const half = boundaryLine('b1');
    bench.append(half.slice(0, 90));
    const waiting = wait();
    await looks();
    bench.append(half.slice(90));
    await completed(waiting, { boundary: 'b1' });
  });
});
