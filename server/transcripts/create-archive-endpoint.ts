/**
 * `/v1/archives`: where runners hand transcripts over. An offer says what is coming and answers what is missing,
 * chunks come one by one in any order, and the end has the whole read back and hashed. Nothing is held between
 * requests: what is stored is the progress, so that another process, or this one after a crash, goes on with it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ArchiveOffer, archiveOffer, CHUNK_BYTES } from '../../core/api/transcripts';
import { completeArchive } from '../../db/transcripts/complete-archive';
import { noteTrouble } from '../../db/transcripts/fail-upload';
import { type IntakeResult, offerArchive } from '../../db/transcripts/offer-archive';
import { createPostgresStore } from '../../db/transcripts/postgres-store';
import { createReadBacks } from '../../db/transcripts/read-back';
import { findExpectedChunk, receiveChunk } from '../../db/transcripts/receive-chunk';
import { createStoredMeter } from '../../db/transcripts/stored-meter';
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
/** Chunks that are unpacked, packed and stored at one time; each holds some 3 MiB. */
const MAX_CHUNKS_AT_ONCE = 16;

/** As far as it is known what a request is about. */
interface ArchiveRequest {
  archive: string | null;
  /** What it offers; null: it offers nothing, or nothing that could be read. */
  offer: ArchiveOffer | null;
  /** Something of it was written: what held it up is over. */
  cameIn: boolean;
}

type Target =
  | { type: 'offer' }
  | { type: 'chunk'; archive: string; sha256: string }
  | { type: 'complete'; archive: string };

/** The endpoint, and the workers that apply retention and heal what is damaged. */
export function createArchiveEndpoint(
  context: Pick<ServerContext, 'sql' | 'log' | 'changes' | 'heldUp'>,
  options: { retentionIntervalMs?: number } = {},
): Endpoint {
  const { sql, log, changes, heldUp } = context;
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
    // What came with it may be what others lack.
    if (result.type === 'taken' && result.progress.state === 'stored') heal.wake();
    return result;
  }

  async function takeOffer(
    req: IncomingMessage,
    res: ServerResponse,
    request: ArchiveRequest,
  ): Promise<void> {
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
    request.archive = offer.data.archive;
    request.offer = offer.data;
    const result = await offerArchive(sql, store, offer.data);
    const isStored = result.type === 'taken' && result.progress.state === 'stored';
    // Also one that is refused for good: that is what its row says from here on.
    request.cameIn = heldUp.isOffer(offer.data.archive);
    answer(res, isStored ? await complete(offer.data.archive) : result);
  }

  /** @returns whether it was written. */
  async function takeChunk(
    req: IncomingMessage,
    res: ServerResponse,
    { archive, sha256 }: { archive: string; sha256: string },
  ): Promise<boolean> {
    const expected = await findExpectedChunk(sql, archive, sha256);
    if (expected.type === 'refused') {
      refuseUnread(req, res, expected.refusal);
      return false;
    }
    if (expected.type === 'kept') {
      // Sent again after an answer that was lost: what is here need not be read.
      req.resume();
      res.writeHead(204).end();
      return false;
    }
    const body = await readChunk(req, expected.bytes);
    if (body.type === 'broken') return false;
    if (body.type === 'refused') {
      refuseUnread(req, res, body.refusal);
      return false;
    }
    const chunk = {
      transcriptId: expected.transcriptId,
      expected: expected.bytes,
      sha256,
      bytes: body.bytes,
    };
    const refusal = await receiveChunk(sql, store, chunk, meter);
    if (refusal) answerRefusal(res, refusal);
    else res.writeHead(204).end();
    return refusal === null;
  }

  async function take(
    req: IncomingMessage,
    res: ServerResponse,
    target: Target,
    request: ArchiveRequest,
  ): Promise<void> {
    switch (target.type) {
      case 'offer':
        return takeOffer(req, res, request);
      case 'complete': {
        req.resume();
        const result = await complete(target.archive);
        request.cameIn = result.type === 'taken' && result.progress.state === 'stored';
        return answer(res, result);
      }
      case 'chunk':
        if (chunksAtOnce >= MAX_CHUNKS_AT_ONCE) return refuseUnread(req, res, BUSY.refusal, BUSY.retryAfter);
        chunksAtOnce += 1;
        try {
          request.cameIn = await takeChunk(req, res, target);
          return;
        } finally {
          chunksAtOnce -= 1;
        }
    }
  }

  async function handle(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
    const target = findTarget(url.pathname);
    const request: ArchiveRequest = {
      archive: target && target.type !== 'offer' ? target.archive : null,
      offer: null,
      cameIn: false,
    };
    try {
      const access = await authorize(authenticator, {
        headers: req.headers,
        url,
        scope: 'ingest',
        allowSameOrigin: false,
      });
      if (!access.ok) return refuseUnread(req, res, { ...access, field: '' });
      if (!target) {
        const reason = `There is nothing at this path: ${PREFIX}, and below it ARCHIVE/chunks/SHA256 and ARCHIVE/complete.`;
        return refuseUnread(req, res, { status: 404, code: 'not_found', field: '', reason });
      }
      const method = target.type === 'chunk' ? 'PUT' : 'POST';
      if (req.method !== method) {
        res.setHeader('Allow', method);
        const reason = `This path takes ${method}.`;
        return refuseUnread(req, res, { status: 405, code: 'method_not_allowed', field: '', reason });
      }
      await take(req, res, target, request);
      if (request.archive !== null && request.cameIn) heldUp.end(request.archive);
    } catch (error) {
      const trouble = ending.signal.aborted ? GOING_AWAY : describeTrouble(error);
      if (!trouble) throw error;
      log.warn(
        { err: describeError(error), path: url.pathname },
        'a transcript could not be taken in; the runner comes again',
      );
      refuseUnread(req, res, trouble.refusal, trouble.retryAfter);
      if (request.archive === null || ending.signal.aborted) return;
      heldUp.add(request.archive, request.offer, trouble.cause);
      await noteTrouble(sql, request.archive, `${trouble.cause} The runner comes again.`).catch(
        () => undefined,
      );
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

/** Null: there is nothing at this path. */
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

/** What of a body that is not wanted is still read, so that its sender hears the answer. */
const MAX_DRAINED_BYTES = 2 * CHUNK_BYTES;

/** Before the body was read, or in the middle of it. After a long one the connection cannot be used again. */
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
