import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHUNK_BYTES } from '../../../core/transcript/limits';
import { digestFile } from '../archive/transcript-file';
import { ArchiveEndpoints, type UploadOptions } from './archive-server';
import { FakeArchiveServer, type FakeArchiveServerOptions } from './testing/fake-archive-server';
import { type LocalOffer, uploadArchive } from './upload-archive';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'upload-'));
  path = join(folder, 't.jsonl');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const serve = (options?: FakeArchiveServerOptions) => FakeArchiveServer.start(options);

/** An incompressible file of this many bytes, with some line feeds. */
function write(bytes: number): Buffer {
  const content = randomBytes(bytes);
  writeFileSync(path, content);
  return content;
}

async function contentOf(bytes?: number): Promise<LocalOffer> {
  return {
    archive: randomUUID(),
    project: 'harbour',
    session: 'claude-code:harbour/1',
    at: '2026-03-01T10:00:00.000Z',
    trigger: 'auto',
    version: 'hook',
    fileName: 't.jsonl',
    path,
    host: 'pier',
    ...(await digestFile(path, bytes)),
  };
}

const quick = { baseMs: 1, capMs: 5, patienceMs: 2_000 };
const upload = (content: LocalOffer, { url }: { url: string }, more: UploadOptions = {}) => {
  const options = { timing: quick, ...more };
  return uploadArchive(content, new ArchiveEndpoints({ url, token: 'bg_up' }, options), options);
};

describe('uploadArchive', () => {
  it.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES + 17])(
    'uploads a file of %i bytes',
    async (bytes) => {
      const written = write(bytes);
      const server = await serve();
      const content = await contentOf();
      const { id, sent, verifiedAt } = await upload(content, server);
      expect(server.content(id).equals(written)).toBe(true);
      expect(sent).toMatchObject({ bytes, chunks: Math.ceil(bytes / CHUNK_BYTES) });
      expect(verifiedAt).not.toBeNull();
      expect(new Set(server.calls.map(({ authorization }) => authorization))).toEqual(
        new Set(['Bearer bg_up']),
      );
    },
  );

  it('sends only new chunks of a file that grew', async () => {
    const written = write(2 * CHUNK_BYTES + 100);
    const server = await serve();
    const content = await contentOf();
    await upload(content, server);
    expect((await upload(content, server)).sent).toMatchObject({ chunks: 0, bytes: 0 });
    appendFileSync(path, 'more');
    const { id, sent } = await upload(await contentOf(), server);
    expect(sent).toMatchObject({ chunks: 1, bytes: 104 });
    expect(server.content(id).equals(Buffer.concat([written, Buffer.from('more')]))).toBe(true);
  });

  it('sends a repeated chunk once', async () => {
    const piece = randomBytes(CHUNK_BYTES);
    writeFileSync(path, Buffer.concat([piece, piece, piece]));
    const server = await serve();
    const { id, sent } = await upload(await contentOf(), server);
    expect(sent.chunks).toBe(1);
    expect(server.content(id)).toHaveLength(3 * CHUNK_BYTES);
  });

  it('resumes after the server was killed and restarted', async () => {
    const written = write(6 * CHUNK_BYTES + 5);
    let chunks = 0;
    let restarted: Promise<FakeArchiveServer> | undefined;
    const first = await serve({
      onCall({ kind }) {
        if (kind !== 'chunk') return undefined;
        chunks += 1;
        if (chunks !== 4) return undefined;
        restarted = first.stop().then(() => serve({ port: first.port, kept: first.kept }));
        return { status: 0, cut: true };
      },
    });
    const { id } = await upload(await contentOf(), first, { timing: { ...quick, patienceMs: 20_000 } });
    const second = await restarted;
    expect(second?.content(id).equals(written)).toBe(true);
    // Only chunks in flight when the server died were sent again.
    expect(first.count('chunk') + (second?.count('chunk') ?? 0)).toBeLessThanOrEqual(7 + 3);
  });

  it('resumes in another process', async () => {
    const written = write(5 * CHUNK_BYTES);
    const interrupted = new AbortController();
    const server = await serve();
    const content = await contentOf();
    const half = upload(content, server, {
      signal: interrupted.signal,
      onProgress: ({ bytes }) => {
        if (bytes >= 2 * CHUNK_BYTES) interrupted.abort(new Error('interrupted'));
      },
    });
    await expect(half).rejects.toThrow('interrupted');
    const had = server.kept.chunks.size;
    expect(had).toBeLessThan(5);
    const { id, sent } = await upload(content, server);
    expect(sent.chunks).toBe(5 - had);
    expect(server.content(id).equals(written)).toBe(true);
  });

  it('repeats the offer for a server that lost it', async () => {
    const written = write(2 * CHUNK_BYTES);
    const server = await serve({
      onCall(_call, calls) {
        if (calls === 2) server.kept.offers.clear();
        return undefined;
      },
    });
    const { id } = await upload(await contentOf(), server);
    expect(server.content(id).equals(written)).toBe(true);
    expect(server.count('offer')).toBe(2);
  });

  it('resends chunks that the server lost', async () => {
    const written = write(3 * CHUNK_BYTES);
    let isLost = false;
    const server = await serve({
      onCall({ kind }) {
        if (kind !== 'complete' || isLost) return undefined;
        isLost = true;
        server.kept.chunks.clear();
        return undefined;
      },
    });
    const { id, sent } = await upload(await contentOf(), server);
    expect(sent.chunks).toBe(6);
    expect(server.content(id).equals(written)).toBe(true);
  });
});

describe('a server that is temporarily unavailable', () => {
  it.each([503, 500, 429])('is retried after %i, no sooner than Retry-After', async (status) => {
    write(10);
    const reasons: string[] = [];
    const began = performance.now();
    const server = await serve({
      onCall: (_call, calls) =>
        calls === 1
          ? { status, headers: { 'retry-after': '0.05' }, body: { reason: 'The disk is full.' } }
          : undefined,
    });
    await upload(await contentOf(), server, { onPause: (reason) => reasons.push(reason) });
    expect(reasons).toEqual(['The disk is full.']);
    expect(performance.now() - began).toBeGreaterThanOrEqual(49);
  });

  it('times out when it does not respond', async () => {
    write(10);
    const server = await serve({ onCall: () => ({ status: 0, mute: true }) });
    const timing = { ...quick, patienceMs: 0, callMs: 50 };
    await expect(upload(await contentOf(), server, { timing })).rejects.toMatchObject({
      kind: 'again',
      message: 'no answer within 0.05 s',
    });
  });
});

describe('a server that refuses', () => {
  it.each([
    [413, 'final'],
    [410, 'final'],
    [409, 'final'],
    [422, 'final'],
    [401, 'later'],
    [403, 'later'],
    [404, 'later'],
    [301, 'later'],
  ] as const)('is not asked again after %i, a failure of kind %s', async (status, kind) => {
    write(10);
    const server = await serve({ onCall: () => ({ status, body: { reason: 'No.' } }) });
    await expect(upload(await contentOf(), server)).rejects.toMatchObject({ kind, message: 'No.', status });
    expect(server.calls).toHaveLength(1);
  });

  it('cannot redirect the upload to another address', async () => {
    write(10);
    const other = await serve();
    const server = await serve({
      onCall: () => ({ status: 307, headers: { location: `${other.url}/v1/archives` } }),
    });
    await expect(upload(await contentOf(), server)).rejects.toMatchObject({ kind: 'later' });
    expect(other.calls).toEqual([]);
  });

  it('fails when it asks for unknown chunks', async () => {
    write(10);
    const server = await serve({
      onCall: () => ({
        status: 200,
        body: { archive: 'a', id: 'b', state: 'uploading', missing: ['0'.repeat(64)], verifiedAt: null },
      }),
    });
    await expect(upload(await contentOf(), server)).rejects.toMatchObject({ kind: 'later' });
  });

  it.each(['', '{}', '[]', 'null', '<html>'])('fails when it answers %j', async (body) => {
    write(10);
    const server = await serve({ onCall: () => ({ status: 200, body }) });
    await expect(upload(await contentOf(), server)).rejects.toMatchObject({ kind: 'later' });
  });
});

describe('a file that changes during the upload', () => {
  it('is refused when its bytes changed', async () => {
    write(3 * CHUNK_BYTES);
    const content = await contentOf();
    write(3 * CHUNK_BYTES);
    const server = await serve();
    await expect(upload(content, server)).rejects.toMatchObject({
      kind: 'final',
      message: 'the file changed after it was archived',
    });
    expect(server.kept.stored.size).toBe(0);
  });

  it('is uploaded up to its earlier end if it only grew', async () => {
    const written = write(CHUNK_BYTES + 5);
    const content = await contentOf();
    appendFileSync(path, 'later');
    const server = await serve();
    const { id } = await upload(content, server);
    expect(server.content(id).equals(written)).toBe(true);
    expect(content.sha256).toBe(createHash('sha256').update(written).digest('hex'));
  });
});
