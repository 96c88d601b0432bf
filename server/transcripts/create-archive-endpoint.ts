/**
 * `/v1/archives`: uploads of transcripts by runners. An offer lists the chunks; the answer names the missing chunks.
 * Chunks follow in any order. `complete` reads the whole file back and hashes it. All progress is in the database, so
 * any process can continue an upload, also after a crash.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type postgres from 'postgres';
import { type ArchiveProgress, archiveOffer } from '../../core/api/transcripts';
import { type Actor, projectsOf } from '../../core/identity/actor';
import { judgeFault } from '../../db/judge-fault';
import { limitReads } from '../../db/queries/limit-reads';
import { completeArchive } from '../../db/transcripts/complete-archive';
import { noteTrouble } from '../../db/transcripts/end-transcript';
import { IntakeRefusal } from '../../db/transcripts/intake-limits';
import { offerArchive } from '../../db/transcripts/offer-archive';
import { findExpectedChunk, receiveChunk } from '../../db/transcripts/receive-chunk';
import { authorize, findForeign } from '../auth/authorize';
import { answerJson, describeOutage } from '../http/answers';
import { describeError } from '../http/create-http-server';
import type { Endpoint, ServerContext } from '../http/endpoint';
import { createPlaces } from '../http/places';
import { readBody } from '../ingest/read-body';
import { readChunk } from './read-chunk';
import { startStoreWorker } from './store-worker';

const PREFIX = '/v1/archives';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SHA256 = /^[0-9a-f]{64}$/;
/** Room for the chunk hashes of a file of 64 GiB. */
const MAX_OFFER_BYTES = 8 * 1024 * 1024;
/** Maximum number of offers and chunks that are read at the same time. A chunk takes about 3 MiB of memory. */
const MAX_BODIES = 16;
/** `Retry-After`, seconds. */
const BUSY_SECONDS = 1;
const AWAY_SECONDS = 3;
const FULL_SECONDS = 30;

/** Without `archive`: an offer. With `sha256`: a chunk. Otherwise: the completion of an upload. */
interface Target {
  archive?: string;
  sha256?: string;
}

/** `gone`: the peer disconnected. `kept`: success without a body. */
type Answer = ArchiveProgress | 'kept' | 'gone';

/** The endpoint, with its worker for retention and repair. */
export function createArchiveEndpoint({
  sql,
  log,
  auth,
  budgets,
}: Pick<ServerContext, 'sql' | 'log' | 'auth' | 'budgets'>): Endpoint {
  const ending = new AbortController();
  const worker = startStoreWorker({ sql, log }, ending.signal);
  const completing = new Map<string, Promise<ArchiveProgress>>();
  const places = createPlaces(MAX_BODIES);
  const atWork = new Set<Promise<void>>();

  /** A client for the archives of the caller's projects. */
  const clientOf = (actor: Actor) => limitReads(sql, projectsOf(actor, ['archive']));

  /** Concurrent calls for the same archive share one verification. */
  function complete(actor: Actor, archive: string): Promise<ArchiveProgress> {
    const key = JSON.stringify([archive, projectsOf(actor, ['archive'])]);
    const running =
      completing.get(key) ??
      completeArchive(clientOf(actor), archive, ending.signal).finally(() => completing.delete(key));
    completing.set(key, running);
    return running;
  }

  async function takeOffer(req: IncomingMessage, actor: Actor): Promise<Answer> {
    const body = await readBody(req, MAX_OFFER_BYTES).catch(() => null);
    if (body === null) return 'gone';
    if (!body.ok) throw new IntakeRefusal(body.status, body.code, '', body.reason);
    const offer = archiveOffer.safeParse(parseJson(body.text));
    if (!offer.success) {
      const issue = offer.error.issues[0];
      const keys = issue?.code === 'unrecognized_keys' ? issue.keys : [];
      const field = [...(issue?.path ?? []), ...keys.slice(0, 1)].map(String).join('.').slice(0, 200);
      throw new IntakeRefusal(400, 'invalid_field', field, issue?.message ?? 'is not valid');
    }
    const foreign = findForeign(actor, 'archive', offer.data.project);
    if (foreign !== null) throw new IntakeRefusal(403, 'not_yours', 'project', foreign);
    const progress = await offerArchive(
      sql,
      offer.data,
      projectsOf(actor, ['archive']) !== null,
      budgets.limits.OPEN_OFFERS,
    );
    return progress.state === 'stored' ? complete(actor, offer.data.archive) : progress;
  }

  async function takeChunk(
    req: IncomingMessage,
    actor: Actor,
    archive: string,
    sha256: string,
  ): Promise<Answer> {
    const expected = await findExpectedChunk(clientOf(actor), archive, sha256);
    const bytes = expected && (await readChunk(req, expected.bytes));
    if (bytes === 'gone') return bytes;
    // The chunk was resent after a lost answer, so its body is skipped.
    if (bytes === null) req.resume();
    else if (expected) await receiveChunk(sql, expected, bytes);
    return 'kept';
  }

  async function take(req: IncomingMessage, actor: Actor, { archive, sha256 }: Target): Promise<Answer> {
    if (archive !== undefined && sha256 === undefined) {
      req.resume();
      return complete(actor, archive);
    }
    const leave = places.take(actor.name);
    if (!leave) {
      const reason = `The server reads ${places.limit} at the same time; retry in a moment.`;
      throw new IntakeRefusal(503, 'busy', '', reason, BUSY_SECONDS);
    }
    try {
      if (archive === undefined || sha256 === undefined) return await takeOffer(req, actor);
      return await takeChunk(req, actor, archive, sha256);
    } finally {
      leave();
    }
  }

  /** The answer to a failure of the store, which the runner must retry. @throws other errors: bugs */
  function explainFailure(error: unknown): { refusal: IntakeRefusal; cause: string } {
    if (ending.signal.aborted) {
      const reason = 'The server is stopping; chunks it has are kept.';
      return { refusal: new IntakeRefusal(503, 'going_away', '', reason, AWAY_SECONDS), cause: '' };
    }
    const outage = describeOutage(error);
    // A lock timeout or serialization failure.
    if (!outage && judgeFault(error) !== 'transient') throw error;
    const cause = outage?.reason ?? 'The server cannot reach its database at the moment';
    const refusal =
      outage && outage.code !== 'unavailable'
        ? new IntakeRefusal(507, outage.code, '', `${cause}; send this again later.`, FULL_SECONDS)
        : new IntakeRefusal(503, 'unavailable', '', `${cause}.`, AWAY_SECONDS);
    return { refusal, cause };
  }

  async function handle(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
    const target = findTarget(url.pathname);
    let client: postgres.Sql | null = null;
    try {
      const access = await authorize(auth, {
        request: req,
        url,
        rights: ['archive'],
        allowPages: false,
      });
      if (!access.ok) throw new IntakeRefusal(access.status, access.code, '', access.reason);
      client = clientOf(access.actor);
      if (!target) {
        const reason = `Unknown path. Known are ${PREFIX}, ${PREFIX}/ARCHIVE/chunks/SHA256 and ${PREFIX}/ARCHIVE/complete.`;
        throw new IntakeRefusal(404, 'not_found', '', reason);
      }
      const method = target.sha256 === undefined ? 'POST' : 'PUT';
      if (req.method !== method) {
        res.setHeader('Allow', method);
        throw new IntakeRefusal(405, 'method_not_allowed', '', `This path accepts ${method} only.`);
      }
      const account = budgets.open(req, access.actor.name);
      const exceeded = account.exceeded();
      if (exceeded)
        throw new IntakeRefusal(429, 'rate_limited', '', exceeded.reason, exceeded.retryAfterSeconds);
      if (target.archive === undefined) account.charge('OFFERS', 1);
      const startedAt = performance.now();
      const answer = await take(req, access.actor, target).finally(() => {
        // The time of other requests waits for their bodies.
        if (method === 'POST') account.charge('ARCHIVE_MS', performance.now() - startedAt);
      });
      if (answer === 'kept') res.writeHead(204).end();
      else if (answer !== 'gone') answerJson(res, 200, answer);
    } catch (error) {
      if (error instanceof IntakeRefusal) return refuse(res, error);
      const { refusal, cause } = explainFailure(error);
      const fields = { err: describeError(error), path: url.pathname };
      log.warn(fields, 'a transcript upload failed; the runner will retry');
      refuse(res, refusal);
      if (target?.archive === undefined || client === null || cause === '') return;
      await noteTrouble(client, target.archive, `${cause}. The runner retries.`).catch(() => undefined);
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
      await Promise.all([worker.close(), ...atWork]);
    },
  };
}

/** Null: unknown path. */
function findTarget(pathname: string): Target | null {
  const [archive, word, sha256, ...rest] = pathname.slice(PREFIX.length).split('/').slice(1);
  if (archive === undefined) return {};
  if (!UUID.test(archive) || rest.length > 0) return null;
  if (word === 'complete' && sha256 === undefined) return { archive };
  return word === 'chunks' && sha256 !== undefined && SHA256.test(sha256) ? { archive, sha256 } : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refuse(res: ServerResponse, refusal: IntakeRefusal): void {
  const { status, code, field, message, retryAfter } = refusal;
  if (retryAfter !== null) res.setHeader('Retry-After', String(retryAfter));
  if (status === 401) res.setHeader('WWW-Authenticate', 'Bearer');
  answerJson(res, status, { type: 'error', code, field, reason: message });
}
