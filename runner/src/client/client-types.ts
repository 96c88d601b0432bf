/** Public types of the runner client. */

import type { CommandAction } from '../../../core/protocol/commands';
import type { Composition, Item, ItemOf, ItemType } from '../../../core/protocol/items';
import type { CommandMessage, ProjectSource, SeqRange, SourceName } from '../../../core/protocol/messages';
import type { Logger } from '../logger';
import type { UsageCounts } from '../usage/read-usage';

/** A moment: milliseconds since the epoch, or a Date. Absent: now. */
export type Moment = number | Date;

type OmitEach<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
/** An item as a program sends it. The client adds the seq, and a time if the item has none. */
export type ItemInput = OmitEach<Item, 'seq' | 'at'> & { at?: Moment | undefined };
/** The fields of one kind of item, without those of the session. */
export type FieldsOf<T extends ItemType> = Omit<ItemOf<T>, 'type' | 'seq' | 'session' | 'at'> & {
  at?: Moment | undefined;
};

/** Tokens of one call or turn, such as `readUsage` returns. An absent count is unknown. */
export type TokenUsage = { [Name in keyof UsageCounts]?: number | undefined };
/** What a context contains, as `ContextTracker.composition` returns it. */
export type ContextComposition = Omit<Composition, 'compression'> & {
  /** What a compression to `target`, a share of the limit, would remove. */
  compression?:
    | (Omit<NonNullable<Composition['compression']>, 'targetPercent'> & { target: number })
    | undefined;
};
/** The fields of a turn. `usage: null` or absent: the provider reported none. */
export type TurnFields = Omit<FieldsOf<'turn'>, 'usage' | 'composition'> & {
  usage?: TokenUsage | null | undefined;
  composition?: ContextComposition | undefined;
};

/** The item's seq in the runner's stream; null if it was refused, see `onRefused`. */
export type HandOver = number | null;

/** A logger, such as `console` or winston. `info`: normal events. `warn`: problems, such as a refused token. */
export type ClientLogger = Pick<Logger, 'info' | 'warn'>;

/** Why the connection is down. */
export type DownReason =
  /** No answer, or the connection was lost. */
  | 'unreachable'
  /** The server cannot store now, or is stopping. */
  | 'unavailable'
  /** The token is missing, unknown, revoked, or lacks the scope. */
  | 'unauthorized'
  /** The server speaks another version of the protocol. */
  | 'unsupported_version'
  /** The server could not read a frame. The client then sends items one by one to find the invalid item. */
  | 'bad_message';

/** The state of the connection. */
export type ClientState =
  | { status: 'connecting' }
  | { status: 'connected'; server: { name: string; version: string } }
  /** The connection is down. The next attempt is at `retryAt`, milliseconds since the epoch. */
  | { status: 'waiting'; reason: DownReason; detail: string; retryAt: number }
  | { status: 'closed' };

/** An item that will not be stored: refused by the client's check or by the server. */
export interface RefusedItem {
  /** Null: the item was refused before it got a seq. */
  seq: number | null;
  /** The session's key; null if the item has none. */
  session: string | null;
  /** Type of the item; null if the item has none. */
  type: string | null;
  /** One of the protocol's refusal codes, or `client_closed`. */
  code: string;
  /** Path of the field, as in `usage.input`; empty for the whole item. */
  field: string;
  /** A sentence for people. */
  reason: string;
}

/** State of a client, and counts of items since the client was created. */
export interface ClientStats {
  /** What the client does now. */
  state: ClientState;
  /** Id of the stream, new for each queue. */
  stream: string;
  /** Items that are not acknowledged. */
  queued: number;
  /** Size of the queue in bytes, as `maxQueueBytes` limits it. */
  queuedBytes: number;
  /** Includes duplicates and amendments. */
  acknowledged: number;
  /** Items that the server already had. */
  duplicates: number;
  /** Items that completed an earlier item on the server. */
  amended: number;
  /** Items that the client or the server refused. */
  refused: number;
  /** Items dropped because the queue was full; the server gets gaps instead. */
  dropped: number;
  /** False: the queue could not be written, and later items are in memory only. */
  durable: boolean;
  /** Number of dead processes' queues that this client drains, and of the items in those queues. */
  adopted: {
    /** Number of queues. */
    queues: number;
    /** Items in those queues. */
    items: number;
  };
}

/** Result of a flush. */
export interface FlushResult {
  /** Whether all earlier items are acknowledged or refused. */
  delivered: boolean;
  /** Seqs that are not acknowledged, empty if `delivered`. Their items stay in the queue for the next client. */
  outstanding: SeqRange[];
  /** Number of items in the queue, including those sent after the flush started. */
  queued: number;
  /** The first 1000 items that were refused since the last flush. */
  refused: RefusedItem[];
}

/** A command of an operator. `text` is the message of `say`, `reason` is why the operator sent the command. */
export type RunnerCommand = Pick<CommandMessage, 'id' | 'action' | 'text' | 'reason' | 'expiresAt'>;

/** Options of `createClient`. Nothing is read from the environment. */
export interface ClientOptions {
  /** Address of the server, such as `http://127.0.0.1:4680`; also https, ws or wss, with or without a base path. */
  url: string;
  /** A token of scope `ingest`; null if the server requires none. */
  token: string | null;
  /**
   * The secret in this machine's `connection.json`, as `findServer()` returns it. The server must prove that it knows
   * the secret before anything is sent. Null or absent: the address is trusted.
   */
  secret?: string | null;
  /** Name of the sessions' project. */
  project: string;
  /** How the program knows the project of a client's sessions. Default `setting`. */
  projectSource?: ProjectSource | undefined;
  /**
   * The agent program, such as `claude-code`, if the sessions' keys are its own session ids. A session is then the same
   * in every project. Keys may begin with the client's name and a colon. Default: none; keys are
   * unique in their project only.
   */
  client?: string | undefined;
  /** The runner's name, shown with each session. */
  runner: {
    /** Name of the runner. */
    name: string;
    /** Name of the machine. Default: not shown. */
    host?: string;
    /** Version of the runner. Default: not shown. */
    version?: string;
  };
  /** Source of the numbers. Default `sdk`. */
  source?: SourceName;
  /** Folder of the durable queue, created with mode 0700. Processes may share it. */
  queueFolder: string;
  /**
   * What operators may ask of this program's sessions. Default: nothing. `runWithRestarts` carries out `restart` and
   * `stop`, and with agents that keep their conversation also `checkpoint` and `say`.
   */
  commands?: readonly CommandAction[] | undefined;
  /** Takes the commands for sessions without a handler of their own (`RunnerSession.onCommand`). */
  onCommand?(session: string, command: RunnerCommand): void;
  /** False: titles, checkpoints and prompts are never stored or sent. Default true. */
  content?: boolean;
  /** Size limit of the queue in bytes. Default 64 MiB, at least 1 MiB. */
  maxQueueBytes?: number;
  /** Called synchronously at each change of state. */
  onState?(state: ClientState): void;
  /** Called synchronously for each refused item. */
  onRefused?(refused: RefusedItem): void;
  /** Default: none. */
  logger?: ClientLogger;
  /** Clock (milliseconds since the epoch) and timing; for tests. @internal */
  now?(): number;
  /** @internal */
  timing?: Partial<Record<'baseMs' | 'capMs' | 'slowMs' | 'patienceMs', number>>;
}

/** `ClientOptions`, also without the fields that `findServer()` returns, which is null if no server is known. */
export type ClientSettings = Omit<ClientOptions, 'url' | 'token' | 'queueFolder'> &
  Partial<Pick<ClientOptions, 'url' | 'token' | 'queueFolder'>>;

/** Where a session is reported. A function returns this object, so that logging a session does not print the token. */
export interface SessionDestination extends Pick<ClientOptions, 'url' | 'token' | 'project' | 'queueFolder'> {
  /** Whether titles and other texts are sent. */
  content: boolean;
}

/**
 * One session. No method throws: each returns the item's seq, or null if it was refused. Counts are tokens, times
 * milliseconds since the epoch or a Date.
 */
export interface RunnerSession {
  /** The runner's own id of the session. */
  readonly key: string;
  /** Where this session is reported, for uploads of its archives. */
  destination(): SessionDestination;
  /** Describe the session: title, model, limit, lens, folder … */
  start(fields?: FieldsOf<'session_start'>): HandOver;
  /** Report the deltas of one call or turn and, if known, the context's size afterwards. */
  turn(fields: TurnFields): HandOver;
  /** @deprecated Use `inputTokens`, `outputTokens`, `cacheReadTokens` and `cacheCreationTokens`. @hidden */
  turn(fields: FieldsOf<'turn'>): HandOver;
  /** Report the context's size as the provider or client states it. */
  reading(fields: FieldsOf<'reading'>): HandOver;
  /** Report that a fresh context replaced the old one. */
  restart(fields?: FieldsOf<'restart'>): HandOver;
  /** Report that the client compacts its context. */
  compaction(fields: FieldsOf<'compaction'>): HandOver;
  /** Report that the context was emptied, which is a boundary. */
  clear(fields?: FieldsOf<'clear'>): HandOver;
  /** Report that messages were removed from the context, which is no boundary. */
  compress(fields: FieldsOf<'compress'>): HandOver;
  /** Report another id of this session at a client. */
  alias(fields: FieldsOf<'session_alias'>): HandOver;
  /** Report the result of archiving a transcript. */
  archive(fields: FieldsOf<'archive'>): HandOver;
  /** Report that items were lost before they reached this client. */
  gap(fields: FieldsOf<'gap'>): HandOver;
  /** Report what became of a command. */
  command(fields: FieldsOf<'command_state'>): HandOver;
  /**
   * Take the commands of operators for this session; a later handler replaces an earlier one. The client reports that it
   * received a command. The handler reports `done` or `refused` with `command`.
   * @returns a function that stops taking commands: later ones are refused.
   */
  onCommand(handle: (command: RunnerCommand) => void): () => void;
  /** Report that the session ended. A later turn reopens the session. */
  end(fields?: FieldsOf<'session_end'>): HandOver;
}

/**
 * Delivers telemetry to a server. Sending is synchronous, appends once to a file, and never throws: refused items go to
 * `onRefused`. An open client does not keep its process alive, except while `flush`, `drain` or `close` runs.
 */
export interface BarographClient {
  /** Create a handle for a session. With `start`, also report the session's start. */
  session(key: string, start?: FieldsOf<'session_start'>): RunnerSession;
  /** Send an item of any session, as in the protocol. */
  send(item: ItemInput): HandOver;
  /**
   * Wait until all items are acknowledged, or until the timeout.
   * @param timeoutMs longest wait, milliseconds. Default 10 000.
   */
  flush(timeoutMs?: number): Promise<FlushResult>;
  /**
   * Wait until the queue is small enough, for example between the files of a bulk import. Resolves false after the
   * timeout, and when the client is closed.
   * @param maxBytes size of the queue, bytes.
   * @param timeoutMs longest wait, milliseconds. Default 60 000.
   */
  drain(maxBytes: number, timeoutMs?: number): Promise<boolean>;
  /**
   * Flush, then release the socket and the queue.
   * @param timeoutMs longest wait, milliseconds. Default 5 000.
   */
  close(timeoutMs?: number): Promise<FlushResult>;
  /** Current state and counts. */
  stats(): ClientStats;
}
