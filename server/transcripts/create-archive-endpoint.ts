/**
 * `/v1/archives`: runners upload transcripts here. An offer lists the chunks and is answered with those that are
 * missing, chunks follow in any order, and `complete` reads the whole back and hashes it. All progress is in the
 * database, so another process, or this one after a crash, continues an upload.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { archiveOffer, CHUNK_BYTES } from '../../core/api/transcripts';
import { completeArchive } from '../../db/transcripts/complete-archive';
import { noteTrouble } from '../../db/transcripts/fail-upload';
import { createStoredMeter } from '../../db/transcripts/intake-limits';
import { type IntakeResult, offerArchive } from '../../db/transcripts/offer-archive';
import { createPostgresStore } from '../../db/transcripts/postgres-store';
import { createReadBacks } from '../../db/transcripts/read-back';
import { findExpectedChunk, receiveChunk } from '../../db/transcripts/receive-chunk';
import { createAuthenticator } from '../auth/authenticator';
import { authorize } from '../auth/authorize';
import { answerJson } from '../http/answers';
import { describeError } from '../http/create-http-server';
import type { Endpoint, ServerContext } from '../http/endpoint';
import { readBody } from '../ingest/read-body';
import { startHealWorker } from './heal-worker';
import { readChunk } from './read-chunk';
import { answerRefusal, BUSY, type ChunkRefusal, describeTrouble, GOING_AWAY } from './refusals';
import { startRetentionWorker } from './retention-worker';

const PREFIX = '/v1/archives';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SHA256 = /^[0-9a-f]{64}$/;
/** Names of the chunks of 64 GiB. */
const MAX_OFFER_BYTES = 8 * 1024 * 1024;
/** Chunks in work at one time; each takes about 3 MiB of memory. */
const MAX_CHUNKS_AT_ONCE = 16;

type Target =
  | { type: 'offer' }
  | { type: 'chunk'; archive: string; sha256: string }
  | { type: 'complete'; archive: string };

/** The endpoint with its workers for retention and healing. */
export function createArchiveEndpoint(
  context: Pick<ServerContext, 'sql' | 'log' | 'changes'>,
  options: { retentionIntervalMs?: number } = {},
): Endpoint {
  const { sql, log, changes } = context;
  const authenticator = createAuthenticator(sql);
  const store = createPostgresStore(sql);
  const retention = startRetentionWorker({
    sql,
    store,
    log,
    onCommitted: (touched) => changes.publish([touched]),
    ...(options.retentionIntervalMs !== undefined && { intervalMs: options.retentionIntervalMs }),
  });
  const ending = new AbortController();
  const heal = startHealWorker({ sql, store, log, signal: ending.signal });
  const readBacks = createReadBacks(store);
  const meter = createStoredMeter(store);
  let chunksAtOnce = 0;
  const atWork = new Set<Promise<void>>();

  function answer(res: ServerResponse, result: IntakeResult): void {
    if (result.touched) changes.publish([result.touched]);
    if (result.type === 'taken') answerJson(res, 200, result.progress);
    else answerRefusal(res, result.refusal);
  }

  async function complete(archive: string): Promise<IntakeResult> {
    const result = await completeArchive(sql, store, archive, { signal: ending.signal, readBacks });
    // Its chunks may be those that a damaged archive lacks.
    if (result.type === 'taken' && result.progress.state === 'stored') heal.wake();
    return result;
  }

  async function takeOffer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readBody(req, MAX_OFFER_BYTES).catch(() => null);
    if (body === null) return;
    if (!body.ok) {
      const { status, code, reason } = body;
      return refuseUnread(req, res, { status: status === 413 ? 413 : status, code, field: '', reason });
    }
    const offer = archiveOffer.safeParse(parseJson(body.text));
    if (!offer.success) {
      const issue = offer.error.issues[0];
      const keys = issue?.code === 'unrecognized_keys' ? issue.keys : [];
      const field = [...(issue?.path ?? []), ...keys.slice(0, 1)].map(String).join('.').slice(0, 200);
      const reason = issue?.message ?? 'is not valid';
      return answerRefusal(res, { status: 400, code: 'invalid_field', field, reason });
    }
    const result = await offerArchive(sql, store, offer.data);
    const isStored = result.type === 'taken' && result.progress.state === 'stored';
    answer(res, isStored ? await complete(offer.data.archive) : result);
  }

  async function takeChunk(
    req: IncomingMessage,
    res: ServerResponse,
    { archive, sha256 }: { archive: string; sha256: string },
  ): Promise<void> {
    const expected = await findExpectedChunk(sql, archive, sha256);
    if (expected.type === 'refused') return refuseUnread(req, res, expected.refusal);
    if (expected.type === 'kept') {
      // Resent after a lost answer: the body is skipped.
      req.resume();
      res.writeHead(204).end();
      return;
    }
    const body = await readChunk(req, expected.bytes);
    if (body.type === 'broken') return;
    if (body.type === 'refused') return refuseUnread(req, res, body.refusal);
    const chunk = {
      transcriptId: expected.transcriptId,
      expected: expected.bytes,
      sha256,
      bytes: body.bytes,
    };
    const refusal = await receiveChunk(sql, store, chunk, meter);
    if (refusal) answerRefusal(res, refusal);
    else res.writeHead(204).end();
  }

  async function take(req: IncomingMessage, res: ServerResponse, target: Target): Promise<void> {
    switch (target.type) {
      case 'offer':
        return takeOffer(req, res);
      case 'complete':
        req.resume();
        return answer(res, await complete(target.archive));
      case 'chunk':
        if (chunksAtOnce >= MAX_CHUNKS_AT_ONCE) return refuseUnread(req, res, BUSY.refusal, BUSY.retryAfter);
        chunksAtOnce += 1;
        try {
          return await takeChunk(req, res, target);
        } finally {
          chunksAtOnce -= 1;
        }
    }
  }

  async function handle(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
    const target = findTarget(url.pathname);
    try {
      const access = await authorize(authenticator, {
        headers: req.headers,
        url,
        scope: 'ingest',
        allowSameOrigin: false,
      });
      if (!access.ok) return refuseUnread(req, res, { ...access, field: '' });
      if (!target) {
        const reason = `Unknown path. Known are ${PREFIX}, ${PREFIX}/ARCHIVE/chunks/SHA256 and ${PREFIX}/ARCHIVE/complete.`;
        return refuseUnread(req, res, { status: 404, code: 'not_found', field: '', reason });
      }
      const method = target.type === 'chunk' ? 'PUT' : 'POST';
      if (req.method !== method) {
        res.setHeader('Allow', method);
        const reason = `This path accepts ${method} only.`;
        return refuseUnread(req, res, { status: 405, code: 'method_not_allowed', field: '', reason });
      }
      await take(req, res, target);
    } catch (error) {
      const trouble = ending.signal.aborted ? GOING_AWAY : describeTrouble(error);
      if (!trouble) throw error;
      log.warn(
        { err: describeError(error), path: url.pathname },
        'a transcript upload failed; the runner will retry',
      );
      refuseUnread(req, res, trouble.refusal, trouble.retryAfter);
      if (!target || target.type === 'offer' || ending.signal.aborted) return;
      await noteTrouble(sql, target.archive, `${trouble.cause} The runner retries.`).catch(() => undefined);
    }
  }

  return {
    async handleRequest(req, res, url) {
      const work = handle(req, res, url);
      const settled = work.catch(() => undefined).finally(() => atWork.delete(settled));
      atWork.add(settled);
      await work;
    },
    async close() {
      ending.abort();
      await Promise.all([retention.close(), heal.close(), ...atWork]);
    },
  };
}

/** Null: unknown path. */
function findTarget(pathname: string): Target | null {
  const [archive, word, sha256, ...rest] = pathname.slice(PREFIX.length).split('/').slice(1);
  if (archive === undefined) return { type: 'offer' };
  if (!UUID.test(archive) || rest.length > 0) return null;
  if (word === 'complete' && sha256 === undefined) return { type: 'complete', archive };
  if (word === 'chunks' && sha256 !== undefined && SHA256.test(sha256))
    return { type: 'chunk', archive, sha256 };
  return null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An unwanted body is read up to this size, so that its sender gets the answer. */
const MAX_DRAINED_BYTES = 2 * CHUNK_BYTES;

/** Refuse before the body is read; after a long body the connection is closed. */
function refuseUnread(
  req: IncomingMessage,
  res: ServerResponse,
  refusal: ChunkRefusal,
  retryAfter?: number,
): void {
  if (Number(req.headers['content-length'] ?? Number.NaN) <= MAX_DRAINED_BYTES) req.resume();
  else if (!res.headersSent) res.setHeader('Connection', 'close');
  answerRefusal(res, refusal, retryAfter);
}
