/**
 * `/v1/logs`, `/v1/metrics` and `/v1/traces`: OTLP over HTTP. An answer has the encoding of its request, and follows the
 * commit. https://opentelemetry.io/docs/specs/otlp/
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { cleanText } from '../../core/agents/fields';
import type { Actor } from '../../core/identity/actor';
import { HEX_64, OTLP_KEY_PATH, OTLP_KEY_TEXT } from '../../core/settings/connection-file';
import { recordDeliveries } from '../../db/ingest/record-deliveries';
import { authorize } from '../auth/authorize';
import type { Endpoint, ServerContext } from '../http/endpoint';
import { createPlaces } from '../http/places';
import { createCommitPump } from '../ingest/commit-pump';
import { readBytes } from '../ingest/read-body';
import { type Encoding, encodeError, encodingOf } from './codec';
import { describeLeftOut } from './left-out';
import { TooManyMessages } from './limits';
import { type Found, SIGNALS, type Signal } from './signals';
import { createReportStore } from './store-reports';

/** Maximum size of a body, compressed and decompressed. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Maximum number of bodies that are read and decoded at the same time. */
const MAX_BODIES = 8;
/** Number of reasons listed in a partial success. Its count includes all rejected records. */
const MAX_REASONS = 5;
const PROJECT_HEADER = 'x-barograph-project';
/** `connect` sets this header if `barograph watch` reads the client's transcripts. */
const WATCHED_HEADER = 'x-barograph-watched';
const WITH_KEY = new RegExp(`^${OTLP_KEY_PATH}/([0-9a-f]{64})(/.*)$`);
const BY_KEY: Actor = { name: 'settings of an agent', grants: [{ rights: ['ingest'], project: null }] };
const decompress = promisify(gunzip);

class RequestRefused extends Error {
  override readonly name = 'RequestRefused';

  constructor(
    readonly status: number,
    reason: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(reason);
  }
}

interface Admission {
  signal: Signal;
  /** Whether the path has the key. Gemini CLI then cannot leave out its metrics, and prints each warning. */
  isKey: boolean;
  encoding: Encoding;
  actor: Actor;
}

/**
 * @param secret of `connection.json`. A request whose path contains the key derived from it needs no token.
 * @param maxBytes for tests
 */
export function createOtlpEndpoint(
  context: ServerContext,
  secret: string,
  maxBytes = MAX_BODY_BYTES,
): Endpoint {
  const { sql, log, auth, budgets } = context;
  const key = HEX_64.test(secret) ? createHmac('sha256', secret).update(OTLP_KEY_TEXT).digest() : null;
  const pump = createCommitPump({
    record: (deliveries, options) => recordDeliveries(sql, deliveries, { now: Date.now(), ...options }),
    log,
    onCommit: context.storage.report,
  });
  const store = createReportStore(sql, pump, context.leftOut);
  const places = createPlaces(MAX_BODIES);

  async function admit(request: IncomingMessage, url: URL): Promise<Admission> {
    const [, given = '', path = url.pathname] = WITH_KEY.exec(url.pathname) ?? [];
    const signal = SIGNALS[path];
    if (!signal) throw new RequestRefused(404, 'No endpoint at this path.');
    if (request.method !== 'POST')
      throw new RequestRefused(405, 'Send telemetry by POST.', { Allow: 'POST' });
    const options = { request, url, rights: ['ingest'], allowPages: false } as const;
    const isKey = key !== null && given !== '' && timingSafeEqual(Buffer.from(given, 'hex'), key);
    const access = isKey ? ({ ok: true, actor: BY_KEY } as const) : await authorize(auth, options);
    if (!access.ok) {
      const { status, reason } = access;
      throw new RequestRefused(status, reason, status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {});
    }
    const encoding = encodingOf(request.headers['content-type']);
    if (!encoding) {
      throw new RequestRefused(415, 'The Content-Type must be application/x-protobuf or application/json.');
    }
    if (!pump.hasRoom()) throw overloaded(429, 'The server is busy.');
    return { signal, encoding, actor: access.actor, isKey };
  }

  async function take(request: IncomingMessage, url: URL): Promise<Buffer> {
    const { signal, encoding, actor, isKey } = await admit(request, url);
    const account = budgets.open(request, actor.name);
    const exceeded = account.exceeded();
    if (exceeded) throw overloaded(429, exceeded.reason, exceeded.retryAfterSeconds);
    const leave = places.take(actor.name);
    if (!leave) throw overloaded(429, `The server reads ${places.limit} at the same time.`);
    try {
      const body = await readPlain(request, maxBytes);
      const reading = readSignal(signal, body, encoding);
      const project = cleanText(request.headers[PROJECT_HEADER]);
      const isWatched = request.headers[WATCHED_HEADER] !== undefined;
      // After several compactions, the transcript has only the sum of these side calls. If OTLP lost one call, the sum
      // and the other calls would both count.
      const found = isWatched ? reading.found.filter((each) => !isSideCall(each)) : reading.found;
      account.charge('BYTES', body.length);
      account.charge('ITEMS', found.length);
      const sender = { actor, header: project, charge: account.charge };
      const { refused, unused } = await store.store({ ...reading, found }, sender, body.length);
      const rejected = [...reading.rejected, ...refused];
      const reasons = [
        ...rejected.slice(0, MAX_REASONS),
        ...(isKey ? [] : [reading.warning]),
        describeLeftOut(unused),
      ];
      return signal.answer(rejected.length, reasons.filter(Boolean).join('; '), encoding);
    } finally {
      leave();
    }
  }

  return {
    async handleRequest(request, response, url) {
      const encoding = encodingOf(request.headers['content-type']) ?? 'application/json';
      try {
        answer(response, 200, await take(request, url), encoding);
      } catch (error) {
        const refusal =
          error instanceof RequestRefused ? error : overloaded(503, 'The server cannot store data now.');
        if (refusal !== error)
          log.warn({ reason: String(error).slice(0, 300) }, 'telemetry could not be stored');
        for (const [name, value] of Object.entries(refusal.headers)) response.setHeader(name, value);
        answer(response, refusal.status, encodeError(refusal.message, encoding), encoding);
      }
    },
    close: () => pump.idle(),
  };
}

const isSideCall = ({ report: { client, facts } }: Found) =>
  client !== null && facts.type === 'turn' && facts.scope === 'side';

const overloaded = (status: 429 | 503, reason: string, retryAfterSeconds = 1) =>
  new RequestRefused(status, reason, { 'Retry-After': `${retryAfterSeconds}` });

async function readPlain(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const compression = request.headers['content-encoding'] ?? 'identity';
  if (compression !== 'identity' && compression !== 'gzip') {
    throw new RequestRefused(415, 'The Content-Encoding must be gzip or identity.');
  }
  const body = await readBytes(request, maxBytes);
  if (!body.ok) throw new RequestRefused(body.status, body.reason);
  if (compression === 'identity') return body.bytes;
  try {
    return await decompress(body.bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    if (isTooLarge)
      throw new RequestRefused(413, `A body may have at most ${maxBytes} bytes after decompression.`);
    throw new RequestRefused(400, 'The body is not valid gzip.');
  }
}

function readSignal(signal: Signal, body: Buffer, encoding: Encoding) {
  try {
    return signal.read(body, { encoding, now: Date.now() });
  } catch (error) {
    if (error instanceof TooManyMessages) throw new RequestRefused(413, error.message);
    const reason = error instanceof Error ? error.message : String(error);
    throw new RequestRefused(400, `The body cannot be decoded: ${reason.slice(0, 300)}`);
  }
}

function answer(response: ServerResponse, status: number, body: Buffer, encoding: Encoding): void {
  response.writeHead(status, {
    'Content-Type': encoding,
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
  });
  response.end(body);
}
