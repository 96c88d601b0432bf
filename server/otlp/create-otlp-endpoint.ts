/**
 * `/v1/logs`, `/v1/metrics` and `/v1/traces`: OTLP over HTTP. An answer has the encoding of its request, and follows the
 * commit. https://opentelemetry.io/docs/specs/otlp/
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { cleanText } from '../../core/agents/fields';
import { recordDeliveries } from '../../db/ingest/record-deliveries';
import { createAuthenticator } from '../auth/authenticator';
import { type Authorization, authorize } from '../auth/authorize';
import type { Endpoint, ServerContext } from '../http/endpoint';
import { createCommitPump } from '../ingest/commit-pump';
import { readBytes } from '../ingest/read-body';
import { type Encoding, encodeError, encodingOf } from './codec';
import { TooManyMessages } from './limits';
import { type Found, SIGNALS, type Signal } from './signals';
import { createReportStore } from './store-reports';

/** Maximum size of a body, compressed and decompressed. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Maximum number of bodies that are read and decoded at the same time. */
const MAX_BODIES = 8;
const RETRY_AFTER_SECONDS = '1';
/** Number of reasons listed in a partial success. Its count includes all rejected records. */
const MAX_REASONS = 5;
const PROJECT_HEADER = 'x-barograph-project';
/** `connect` sets this header if `barograph watch` reads the client's transcripts. */
const WATCHED_HEADER = 'x-barograph-watched';
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
  encoding: Encoding;
  access: Extract<Authorization, { ok: true }>;
}

/** @param maxBytes for tests */
export function createOtlpEndpoint(context: ServerContext, maxBytes = MAX_BODY_BYTES): Endpoint {
  const { sql, log } = context;
  const authenticator = createAuthenticator(sql);
  const pump = createCommitPump({
    record: (deliveries) => recordDeliveries(sql, deliveries, { now: Date.now() }),
    log,
  });
  const store = createReportStore(sql, pump);
  let bodies = 0;

  async function admit(request: IncomingMessage, url: URL): Promise<Admission> {
    const signal = SIGNALS[url.pathname];
    if (!signal) throw new RequestRefused(404, 'No endpoint at this path.');
    if (request.method !== 'POST')
      throw new RequestRefused(405, 'Send telemetry by POST.', { Allow: 'POST' });
    const options = { headers: request.headers, url, scopes: ['ingest'], allowSameOrigin: false } as const;
    const authorization = await authorize(authenticator, options);
    if (!authorization.ok) {
      const { status, reason } = authorization;
      throw new RequestRefused(status, reason, status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {});
    }
    const encoding = encodingOf(request.headers['content-type']);
    if (!encoding) {
      throw new RequestRefused(415, 'The Content-Type must be application/x-protobuf or application/json.');
    }
    if (bodies >= MAX_BODIES || !pump.hasRoom()) throw overloaded(429, 'The server is busy.');
    return { signal, encoding, access: authorization };
  }

  async function take(request: IncomingMessage, url: URL): Promise<Buffer> {
    const { signal, encoding, access } = await admit(request, url);
    bodies += 1;
    try {
      const body = await readPlain(request, maxBytes);
      const reading = readSignal(signal, body, encoding);
      const project = cleanText(request.headers[PROJECT_HEADER]);
      const isWatched = request.headers[WATCHED_HEADER] !== undefined;
      // After several compactions, the transcript has only the sum of these side calls. If OTLP lost one call, the sum
      // and the other calls would both count.
      const found = isWatched ? reading.found.filter((each) => !isSideCall(each)) : reading.found;
      const refused = await store.store(found, { ...access, header: project }, body.length);
      const rejected = [...reading.rejected, ...refused];
      const reasons = [...rejected.slice(0, MAX_REASONS), ...(reading.warning ? [reading.warning] : [])];
      return signal.answer(rejected.length, reasons.join('; '), encoding);
    } finally {
      bodies -= 1;
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

const overloaded = (status: 429 | 503, reason: string) =>
  new RequestRefused(status, reason, { 'Retry-After': RETRY_AFTER_SECONDS });

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
