/** What a program sees of the runner client. */
import type { Item, ItemOf, ItemType } from '../../../core/protocol/items';
import type { SeqRange, SourceName } from '../../../core/protocol/messages';
import type { Connect } from './connect-websocket';
import type { ConnectionTiming, DownReason } from './connection-state';

/** A moment: milliseconds since the epoch, or a Date. Absent: now. */
export type Moment = number | Date;

type OmitEach<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
/** An item as a program hands it over: the client gives it its seq, and the time where it has none. */
export type ItemInput = OmitEach<Item, 'seq' | 'at'> & { at?: Moment | undefined };
/** The fields of one kind of item, without what the session knows. */
export type FieldsOf<T extends ItemType> = Omit<ItemOf<T>, 'type' | 'seq' | 'session' | 'at'> & {
  at?: Moment | undefined;
};

/** The item's seq in the runner's stream, or null: it was refused, and `onRefused` says why. */
export type HandOver = number | null;

/** Where the client writes its few lines: `console`, winston and most others as they are. */
export interface ClientLogger {
  /** What is worth knowing: connected, delivered what an earlier process left. */
  info(message: string, fields?: Record<string, unknown>): void;
  /** What somebody should look at: a full queue, a refused token. */
  warn(message: string, fields?: Record<string, unknown>): void;
}

/** What the client is doing about its server. */
export type ClientState =
  | { status: 'connecting' }
  | { status: 'connected'; server: { name: string; version: string } }
  /** Items wait in the queue; nothing is lost. `retryAt` in milliseconds since the epoch. */
  | { status: 'waiting'; reason: DownReason; detail: string; retryAt: number }
  | { status: 'closed' };

/** An item that will not be stored: by the client's own check, or by the server for good. */
export interface RefusedItem {
  /** Null: it was refused before it had one. */
  seq: number | null;
  session: string | null;
  type: string | null;
  /** One of the protocol's refusal codes, or `client_closed`. */
  code: string;
  /** Path of the field, as in `usage.input`; empty when it is the item as a whole. */
  field: string;
  reason: string;
}

/** Where everything stands that was handed over to this client. Counts are of items. */
export interface ClientStats {
  state: ClientState;
  /** Id of the stream, made with each new queue. */
  stream: string;
  /** Items handed over and not yet acknowledged, and the bytes they take on disk. */
  queued: number;
  queuedBytes: number;
  /** Since the client was made. `acknowledged` includes duplicates and amendments. */
  acknowledged: number;
  duplicates: number;
  amended: number;
  refused: number;
  /** Dropped because the queue was full; a gap tells the server. */
  dropped: number;
  /** False: the queue could not be written, and what came since lies in memory alone. */
  durable: boolean;
  /** Queues left by dead processes that are being drained, and the items in them. */
  adopted: { queues: number; items: number };
}

/** What a flush left behind. */
export interface FlushResult {
  /** Whether everything handed over before the call is acknowledged or refused for good. */
  delivered: boolean;
  /** Seqs handed over and not acknowledged: they stay in the queue on disk and are sent by the next client. */
  outstanding: SeqRange[];
  /** How many they are. */
  queued: number;
  /** Refused since the last flush (the first 1000 of them). */
  refused: RefusedItem[];
}

/** What `createClient` takes. Nothing is read from the environment. */
export interface ClientOptions {
  /** The server: `http://127.0.0.1:4680`, https, ws or wss, with or without a base path. */
  url: string;
  /** A token of scope `ingest`; null where the server asks for none. */
  token: string | null;
  /**
   * The secret of this machine's `connection.json`, as `findServer()` gives it: the server has to prove that it knows it
   * before it is sent token or item. Null or absent: whoever answers at `url` is taken for the server.
   */
  secret?: string | null;
  /** Name of the project that the sessions belong to: where lines and limits are set. */
  project: string;
  /** Who reports: shown beside each session. */
  runner: { name: string; host?: string; version?: string };
  /** Where the numbers come from. Default `sdk`. */
  source?: SourceName;
  /** Folder for the durable queue; made with mode 0700. Several processes may share it. */
  queueFolder: string;
  /** False: titles and checkpoints are left out before anything touches the disk. Default true. */
  content?: boolean;
  /** Bytes the queue may take on disk. Default 64 MiB, at least 1 MiB. */
  maxQueueBytes?: number;
  /** Called at each change of state, synchronously. */
  onState?(state: ClientState): void;
  /** Called for each item that will not be stored, synchronously. */
  onRefused?(refused: RefusedItem): void;
  /** Default: none. */
  logger?: ClientLogger;
  /** For tests: randomness, clock (milliseconds since the epoch), socket and waiting times. @internal */
  random?(): number;
  /** @internal */
  now?(): number;
  /** @internal */
  connect?: Connect;
  /** @internal */
  timing?: Partial<ConnectionTiming>;
}

/** Where a session is reported to. A function gives it, so that no log of a session shows the token. */
export interface SessionDestination {
  url: string;
  token: string | null;
  project: string;
  /** Whether titles and other texts are sent. */
  content: boolean;
}

/**
 * One session, to report to. No method throws: each returns the item's seq, or null where it was refused. Counts are
 * tokens, times milliseconds since the epoch or a Date.
 */
export interface RunnerSession {
  /** The runner's own id of the session. */
  readonly key: string;
  /** The server that this session is reported to, and as what: for who hands its archives over. */
  destination(): SessionDestination;
  /** Tells more about the session, or about it anew: title, model, limit, lens, folder … */
  start(fields?: FieldsOf<'session_start'>): HandOver;
  /** What this call or turn spent (deltas), and the context's size after it where it is known. */
  turn(fields: FieldsOf<'turn'>): HandOver;
  /** The context's size, stated by the provider or the client. */
  reading(fields: FieldsOf<'reading'>): HandOver;
  /** The context was given up and a fresh one begins. */
  restart(fields?: FieldsOf<'restart'>): HandOver;
  /** The client summarises its context in place. */
  compaction(fields: FieldsOf<'compaction'>): HandOver;
  /** The context was emptied: a boundary. */
  clear(fields?: FieldsOf<'clear'>): HandOver;
  /** Messages were taken out of the context, which goes on: no boundary. */
  compress(fields: FieldsOf<'compress'>): HandOver;
  /** Another id under which a client knows this session. */
  alias(fields: FieldsOf<'session_alias'>): HandOver;
  /** A transcript was archived, or could not be. */
  archive(fields: FieldsOf<'archive'>): HandOver;
  /** Items that were lost before they reached this client. */
  gap(fields: FieldsOf<'gap'>): HandOver;
  /** The session ended. A later turn reopens it. */
  end(fields?: FieldsOf<'session_end'>): HandOver;
}

/**
 * Hands telemetry over to a server. Every hand-over is synchronous, costs one append to a file, and never
 * throws: what cannot be taken is reported to `onRefused`. An open client does not keep its process alive;
 * `flush`, `drain` and `close` do, while they run.
 */
export interface BarographClient {
  /** A handle for the session of that key. With `start`, also reports that it starts. */
  session(key: string, start?: FieldsOf<'session_start'>): RunnerSession;
  /** Hands over an item of any session, as the protocol has it. */
  send(item: ItemInput): HandOver;
  /**
   * Resolves once everything handed over is acknowledged, or after the time, and says what was not.
   * @param timeoutMs default 10 000.
   */
  flush(timeoutMs?: number): Promise<FlushResult>;
  /**
   * Resolves once at most so many bytes are queued: what a bulk import waits for between files, so that it
   * does not overrun its own queue. Resolves false after the time, and when the client is closed.
   */
  drain(maxBytes: number, timeoutMs?: number): Promise<boolean>;
  /** Flushes for at most the time (default 5 000 ms), then lets go of socket and folder. */
  close(timeoutMs?: number): Promise<FlushResult>;
  /** What was handed over so far, and where it stands. */
  stats(): ClientStats;
}
