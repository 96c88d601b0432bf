import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { indexFile } from '../archive/archive-index';
import { archiveIdOf } from '../archive/archive-names';
import type { ArchiveEntry } from '../archive/archive-types';
import { boundaryLine, SESSION_ID } from '../transcripts/testing/write-transcript';
import { type CompletionRequest, completeArchives } from './complete-archives';
import { FakeArchiveServer, type FakeArchiveServerOptions } from './testing/fake-archive-server';
import { SESSION, UploadBench } from './testing/uploads';
import type { EntryOutcome } from './upload-entry';
import { uploadPending } from './upload-pending';

let bench: UploadBench;
beforeEach(() => {
  bench = new UploadBench();
});
afterEach(() => {
  bench.remove();
});

const serve = (options?: FakeArchiveServerOptions) => FakeArchiveServer.start(options);

const complete = async (request: Partial<CompletionRequest> = {}) => {
  return completeArchives({
    path: bench.transcript,
    session: SESSION,
    clientSessionId: 'c1',
    folder: '/home/dev/harbour',
    project: 'harbour',
    configFolder: bench.config,
    now: 0,
    ...request,
  });
};

const entryOf = async (id: string) => (await bench.entries()).find((entry) => entry.id === id);

describe('uploadPending', () => {
  it('uploads the copy that the hook made, and records the archive as done', async () => {
    const entry = await bench.hook();
    const before = readFileSync(bench.transcript);
    bench.append(boundaryLine('b1'));
    const server = await serve();
    expect(await uploadPending(bench.uploadTo(server))).toMatchObject({
      stored: 1,
      refused: 0,
      waiting: 0,
      bytes: before.length,
      sentBytes: before.length,
    });
    expect(server.content(entry.id).equals(before)).toBe(true);
    expect(server.kept.offers.get(entry.id)).toMatchObject({
      version: 'hook',
      session: SESSION_ID,
      client: 'claude-code',
      project: 'harbour',
      trigger: 'auto',
      at: entry.at,
      fileName: '11111111-1111-4111-8111-111111111111.jsonl',
      path: entry.archive,
      host: 'pier',
      lines: 1,
    });
    expect(await entryOf(entry.id)).toMatchObject({
      upload: 'done',
      uploadedTo: server.url,
      uploadReason: null,
      project: 'harbour',
    });
    expect(await uploadPending(bench.uploadTo(server))).toMatchObject({ stored: 0, waiting: 0 });
  });

  it('records each completed archive once, with the same id in every process', async () => {
    bench.append(boundaryLine('b1') + boundaryLine('b2', 'manual', '2026-03-01T11:00:00.000Z'));
    const made = await complete();
    expect(made.map(({ id }) => id)).toEqual(['b1', 'b2'].map((b) => archiveIdOf('harbour', SESSION, b)));
    expect(made[1]).toMatchObject({ at: '2026-03-01T11:00:00.000Z', trigger: 'manual' });
    expect(made[0]?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await complete()).toEqual([]);
    expect(await bench.entries()).toHaveLength(2);
  });

  it('keeps archives pending, with the reason, until a server answers', async () => {
    const first = await bench.hook();
    await bench.hook();
    const server = await serve();
    await server.stop();
    const waiting = await uploadPending(bench.uploadTo(server));
    expect(waiting).toMatchObject({ stored: 0, waiting: 2, reason: expect.stringContaining('ECONNREFUSED') });
    expect(await entryOf(first.id)).toMatchObject({
      upload: 'pending',
      uploadReason: expect.stringContaining('ECONNREFUSED'),
    });
    const back = await serve({ port: server.port, kept: server.kept });
    expect(await uploadPending(bench.uploadTo(back))).toMatchObject({ stored: 2, waiting: 0 });
    expect(await entryOf(first.id)).toMatchObject({ upload: 'done', uploadReason: null });
  });

  it("stops at the first archive while the server's disk is full", async () => {
    await bench.hook();
    await bench.hook();
    const server = await serve({
      onCall: ({ kind }) =>
        kind === 'chunk' ? { status: 503, body: { reason: 'The disk is full.' } } : undefined,
    });
    expect(await uploadPending(bench.uploadTo(server))).toMatchObject({
      waiting: 2,
      reason: 'The disk is full.',
    });
    expect(server.count('offer')).toBe(1);
  });

  it('records a refusal with the reason, and tries the next archive', async () => {
    const first = await bench.hook();
    const second = await bench.hook();
    const server = await serve({
      onCall: ({ body }) =>
        body.includes(first.id)
          ? { status: 413, body: { code: 'too_large', reason: 'harbour keeps at most 1 GB.' } }
          : undefined,
    });
    const outcomes: [string, EntryOutcome][] = [];
    const summary = await uploadPending({
      ...bench.uploadTo(server),
      onOutcome: ({ id }, outcome) => {
        outcomes.push([id, outcome]);
      },
    });
    expect(summary).toMatchObject({ stored: 1, refused: 1 });
    expect(outcomes).toMatchObject([
      [first.id, { state: 'refused', reason: 'harbour keeps at most 1 GB.', project: 'harbour' }],
      [second.id, { state: 'stored' }],
    ]);
    expect(await entryOf(first.id)).toMatchObject({
      upload: 'refused',
      uploadReason: 'harbour keeps at most 1 GB.',
    });
    expect(await uploadPending(bench.uploadTo(server))).toMatchObject({ stored: 0, refused: 0 });
  });

  it.each<[string, (entry: ArchiveEntry) => void, string]>([
    ['deleted', ({ archive }) => rmSync(archive ?? ''), 'the file was deleted before it was uploaded'],
    [
      'changed',
      ({ archive }) => writeFileSync(archive ?? '', 'x'.repeat(statSync(archive ?? '').size)),
      'the file changed after it was archived',
    ],
    ['cut', ({ archive }) => writeFileSync(archive ?? '', ''), 'the file changed after it was archived'],
  ])('refuses a copy that was %s meanwhile, without sending it', async (_how, change, reason) => {
    const entry = await bench.hook();
    change(entry);
    const server = await serve();
    expect(await uploadPending(bench.uploadTo(server))).toMatchObject({ refused: 1 });
    expect(await entryOf(entry.id)).toMatchObject({ upload: 'refused', uploadReason: reason });
    expect(server.calls).toEqual([]);
  });

  it('resends no bytes when the index lost the record of an upload', async () => {
    const entry = await bench.hook();
    const server = await serve();
    const index = readFileSync(indexFile(bench.config));
    expect(await uploadPending(bench.uploadTo(server))).toMatchObject({ stored: 1 });
    // After a full disk, the index lacks the line of the upload.
    writeFileSync(indexFile(bench.config), index);
    expect(await uploadPending(bench.uploadTo(server))).toMatchObject({ stored: 1, sentBytes: 0 });
    expect(await entryOf(entry.id)).toMatchObject({ upload: 'done' });
  });
});
