/**
 * Messages of protocol v1. A WebSocket frame is one message or an array of messages; the body of `POST /v1/ingest` is
 * an array that starts with a hello.
 */
import * as z from 'zod';
import { COMMAND_ACTIONS, type CommandAction } from './commands';
import { atMost, instant, key, label, seq, text } from './fields';
import type { ProtocolLimits } from './limits';

/** Sources, best first. Each figure of a call comes from the best source that reports the figure. */
export const sourceName = z.enum(['transcript', 'sdk', 'hook', 'otlp']);
/** Where a runner gets its numbers from. */
export type SourceName = z.infer<typeof sourceName>;

/** Where a runner found the project, best first: its settings, the session's folder, the name of a file's folder. */
export const projectSource = z.enum(['setting', 'folder', 'name']);
export type ProjectSource = z.infer<typeof projectSource>;

export const hello = z.object({
  type: z.literal('hello'),
  v: z.number(),
  /** Only for clients that cannot set the header `Authorization: Bearer …`. Never in the URL. */
  token: atMost(z.string(), 200).optional(),
  project: key,
  projectSource: projectSource.optional(),
  /** The agent program that assigned the items' session ids. Absent: the runner's own keys, unique in the project. */
  client: atMost(key, 100).optional(),
  runner: z.object({
    name: key,
    host: label.optional(),
    version: label.optional(),
  }),
  /** A random id of the queue. A new queue starts at seq 1 again, so it needs a new id. */
  stream: z.uuid(),
  source: sourceName.optional(),
  /** The runner's clock at the hello, which distinguishes a wrong clock from items that waited in the queue. */
  now: instant.optional(),
  /** Undelivered items in the runner's queue. */
  queued: z.int().min(0).optional(),
  /** What operators may ask of this runner. Absent: nothing. */
  commands: z.array(z.enum(COMMAND_ACTIONS)).max(COMMAND_ACTIONS.length).optional(),
});
export type Hello = z.infer<typeof hello>;

/** PROTOCOL.md explains these codes. */
export const REFUSAL_CODES = [
  'invalid_message',
  'invalid_field',
  'invalid_count',
  'sum_overflow',
  'seq_conflict',
  'call_conflict',
  'session_deleted',
  'retired',
  'not_yours',
  'unstorable',
] as const;
/** Why the server refused an item. */
export type RefusalCode = (typeof REFUSAL_CODES)[number];

const refusal = z.object({
  seq: seq.nullable(),
  index: z.number().int(),
  /** One of REFUSAL_CODES. A reader accepts other codes, because later servers may add some. */
  code: z.string(),
  /** Path of the field, as in `usage.input`. Empty: the item as a whole. */
  field: z.string(),
  reason: z.string(),
});
export type Refusal = Omit<z.infer<typeof refusal>, 'code'> & { code: RefusalCode };

/** Inclusive range of seqs. */
export type SeqRange = [first: number, last: number];
const ranges = z.array(z.tuple([seq, seq]));
const limits = z.record(z.string(), z.number());

const welcome = z.object({
  type: z.literal('welcome'),
  v: z.number(),
  server: z.object({ name: z.string(), version: z.string(), epoch: z.string() }),
  limits,
  /** Settled seqs of this stream: the runner can drop these items. */
  received: ranges,
});
export type Welcome = Omit<z.infer<typeof welcome>, 'limits'> & { limits: ProtocolLimits };

/** Sent after the commit. Items in `settled` are durable or finally refused: remove them from the queue. */
const ack = z.object({
  type: z.literal('ack'),
  settled: ranges,
  duplicate: z.array(seq),
  amended: z.array(seq),
  refused: z.array(refusal),
});
export type Ack = Omit<z.infer<typeof ack>, 'refused'> & { refused: Refusal[] };

/** PROTOCOL.md explains these codes. */
export const ERROR_CODES = [
  'bad_message',
  'unauthorized',
  'token_in_url',
  'forbidden',
  'not_yours',
  'stream_taken',
  'unsupported_version',
  'hello_timeout',
  'hello_twice',
  'too_large',
  'method_not_allowed',
  'unsupported_media_type',
  'rate_limited',
  'unavailable',
  'going_away',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Codes of refusals before a request reaches its endpoint. PROTOCOL.md explains those of `/v1/ingest`. */
export const GATE_CODES = [
  'bad_host',
  'bad_target',
  'bad_handshake',
  'plain_http',
  'foreign_origin',
  'not_found',
  'foreign_host',
  'internal',
  'starting',
  'stopping',
  'disk_full',
  'out_of_memory',
  'limit_exceeded',
] as const;
export type GateCode = (typeof GATE_CODES)[number];

/** Sent before the server closes a WebSocket, or as the body of an HTTP status of 400 and above. */
const errorMessage = z.object({
  type: z.literal('error'),
  code: z.string(),
  field: z.string().optional(),
  reason: z.string(),
});
export type ErrorMessage = Omit<z.infer<typeof errorMessage>, 'code'> & { code: ErrorCode };

/** A command of an operator. The server repeats it until the runner has reported `done` or `refused`. */
const command = z.object({
  type: z.literal('command'),
  id: z.string(),
  /** As the runner's items name it. */
  session: key,
  /** One of COMMAND_ACTIONS. A reader refuses other actions, because later servers may add some. */
  action: z.string(),
  /** Message for the agent. */
  text: text.optional(),
  /** Why the operator sends it. */
  reason: label.optional(),
  expiresAt: instant,
});
export type CommandMessage = Omit<z.infer<typeof command>, 'action'> & { action: CommandAction };

export const serverMessage = z.discriminatedUnion('type', [welcome, ack, command, errorMessage]);
export type ServerMessage = Welcome | Ack | CommandMessage | ErrorMessage;
