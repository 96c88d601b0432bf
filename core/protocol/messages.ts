/**
 * Messages of protocol v1. A WebSocket frame is one message or an array of messages; the body of
 * `POST /v1/ingest` is an array that begins with a hello.
 */
import { z } from 'zod';
import { instant, key, label, seq } from './fields';
import type { ProtocolLimits } from './limits';

/**
 * Where the numbers come from, best first: `transcript` > `sdk` > `hook` > `otlp`. The best one
 * present owns a session's calls, the others enrich it.
 */
export const sourceName = z.enum(['transcript', 'sdk', 'hook', 'otlp']);
export type SourceName = z.infer<typeof sourceName>;

export const hello = z.object({
  type: z.literal('hello'),
  v: z.number(),
  /** Only where headers cannot be set; otherwise `Authorization: Bearer …`. Never in the URL. */
  token: z.string().max(200).optional(),
  project: key,
  runner: z.object({
    name: key,
    host: label.optional(),
    version: label.optional(),
  }),
  /** A random id made with each new queue: a lost queue that starts again at 1 is no resend. */
  stream: z.uuid(),
  source: sourceName.optional(),
  /**
   * The runner's clock at the hello: separates a clock that is off from items that waited in the queue
   * while the server was away.
   */
  now: instant.optional(),
});
export type Hello = z.infer<typeof hello>;

export const REFUSAL_CODES = [
  /** Not an object, or of no known type. */
  'invalid_message',
  /** A field is missing, of the wrong kind, too long, or out of range. */
  'invalid_field',
  /** A count that is no integer of at most 2^53−1 in size. */
  'invalid_count',
  /** A sum would exceed 2^53−1. */
  'sum_overflow',
  /** The same stream and seq came before with other content. */
  'seq_conflict',
  /** The same call came before with another input or cache figure. */
  'call_conflict',
  /** The session was deleted. */
  'session_deleted',
  /** Retention removed the session, or the month in which it began. */
  'retired',
  /** The server could not store this item, and only this one; its log says why. */
  'unstorable',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

const refusal = z.object({
  /** The item's seq, or null where it had none. */
  seq: seq.nullable(),
  /** Its index in the frame or body. */
  index: z.number().int(),
  /** One of REFUSAL_CODES; a reader accepts others too, because a version may gain some. */
  code: z.string(),
  /** Path of the field, as in `usage.input`; empty when it is the item as a whole. */
  field: z.string(),
  reason: z.string(),
});
export type Refusal = Omit<z.infer<typeof refusal>, 'code'> & { code: RefusalCode };

/** Inclusive range of seqs. */
export type SeqRange = [first: number, last: number];
const ranges = z.array(z.tuple([seq, seq]));
/** Limits that a server names; a reader takes the ones it knows and keeps its own for the rest. */
const limits = z.record(z.string(), z.number());

const welcome = z.object({
  type: z.literal('welcome'),
  v: z.number(),
  server: z.object({ name: z.string(), version: z.string(), epoch: z.string() }),
  limits,
  /** Seqs of this stream the server holds already: the runner may drop them. */
  received: ranges,
});
export type Welcome = Omit<z.infer<typeof welcome>, 'limits'> & { limits: ProtocolLimits };

/** Sent after the commit. What is in `settled` is durable or finally refused: drop it from the queue. */
const ack = z.object({
  type: z.literal('ack'),
  settled: ranges,
  /** Known before, from this stream or another; nothing changed. */
  duplicate: z.array(seq),
  /** Known before, and updated by this item. */
  amended: z.array(seq),
  refused: z.array(refusal),
});
export type Ack = Omit<z.infer<typeof ack>, 'refused'> & { refused: Refusal[] };

/** Sent before the server closes (WebSocket), or as the body of a status of 400 and above (HTTP). */
export const ERROR_CODES = [
  /** The frame or body is no JSON, or no message of this protocol. */
  'bad_message',
  /** No token, or one the server does not know. */
  'unauthorized',
  /** The token is in the URL, where logs keep it. */
  'token_in_url',
  /** The token lacks the scope. */
  'forbidden',
  /** The stream's id belongs to another runner or project: a copied queue. */
  'stream_taken',
  /** This protocol version is not spoken here. */
  'unsupported_version',
  /** The hello did not come in time. */
  'hello_timeout',
  /** A second hello on one connection. */
  'hello_twice',
  /** A frame or body beyond `maxFrameBytes` or `maxItemsPerFrame`. */
  'too_large',
  /** HTTP only: another method than GET or POST, or a body that is no plain JSON. */
  'method_not_allowed',
  'unsupported_media_type',
  /** The server cannot store at the moment. */
  'unavailable',
  /** The server stops. */
  'going_away',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

const errorMessage = z.object({
  type: z.literal('error'),
  /** One of ERROR_CODES; a reader accepts others too. */
  code: z.string(),
  field: z.string().optional(),
  reason: z.string(),
});
export type ErrorMessage = Omit<z.infer<typeof errorMessage>, 'code'> & { code: ErrorCode };

export const serverMessage = z.discriminatedUnion('type', [welcome, ack, errorMessage]);
export type ServerMessage = Welcome | Ack | ErrorMessage;
