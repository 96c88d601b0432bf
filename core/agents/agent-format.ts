/** The transcript format of one client. Import and watch read items, the viewer reads entries, archives read signs. */
import type { Item } from '../protocol/items';
import type { Boundary, ReadEntry } from './entry';
import type { Fields } from './fields';

type WithoutSeq<T> = T extends unknown ? Omit<T, 'seq'> : never;
export type TranscriptItem = WithoutSeq<Item>;
export type TranscriptItemOf<T extends Item['type']> = Extract<TranscriptItem, { type: T }>;

/** The session of a file, derived from its path and first lines. */
export interface TranscriptIdentity {
  session: string;
  chain: string | null;
  folder: string | null;
  project: string;
  clientSessionId: string | null;
}

/** Maps each line's record to the first session with that record. Copies in other sessions' files are inherited. */
export interface CallOwners {
  /** Returns the key of the session that owns the record. If the record has no owner, `session` becomes its owner. */
  claim(record: string, session: string): string;
}

export interface ParserOptions {
  identity: TranscriptIdentity;
  /** False: no titles. */
  content: boolean;
  owners: CallOwners;
  /** Whether this file describes the session (title, client, branch). False for sub-agents that have a main file. */
  announces: boolean;
  fallbackAt: number;
  /** Whether only this file has this client session id. Only then does the id become an alias of the session. */
  isFree: (clientSessionId: string) => boolean;
  /** Key of the session that ended with a clear at the given time, if the caller can find it. */
  previousAt?: (at: number) => string | null;
  /** Result of `state()` after the previous lines. Absent: the parser starts at the first line. */
  state?: unknown;
}

export interface ParserCounts {
  /** Lines that end with text that is not JSON. That text is skipped. */
  undecodable: number;
  /** Messages that the client wrote itself, which are not calls. */
  synthetic: number;
  /** Lines that contradict the input or cache count of their call's earlier lines. The first count is kept. */
  usageConflicts: number;
  /** Skipped calls without an id or with an invalid usage. */
  invalid: number;
  calls: number;
  compactions: number;
}

export interface TranscriptParser {
  /** @param text a line of a file, the whole current document, or a line that the query of a database returns */
  line(text: string): TranscriptItem[];
  /** Called at the current end of the file. Returns the calls that were held for further lines. */
  settle(): TranscriptItem[];
  /** Announce the session again with the next items. */
  forgetAnnouncement(): void;
  /** Plain JSON. A new parser with this state continues at this line. */
  state(): unknown;
  readonly counts: Readonly<ParserCounts>;
  /** Time of the newest line, milliseconds; null before the first. */
  readonly lastAt: number | null;
  /** How long to wait for further lines before `settle`, milliseconds; absent or 0: as long as for other files. */
  readonly holdMs?: number;
}

export interface LineSigns {
  boundary: Boundary;
  summary: string;
  refusal: string;
}

interface SignReader<Sign> {
  /** ASCII text that every line with this sign contains. A byte search for this text avoids parsing other lines. */
  mark: string;
  read(line: Fields): Sign | null;
}

/**
 * The kind of a source: a file of appended lines, one JSON document that the client writes whole after each change, or
 * one session in a SQLite database, which is polled. The path of such a session is `<file>#<id>`.
 */
type SourceKind = 'lines' | 'document' | 'database';

/** The columns of each table. */
export type DatabaseSchema = ReadonlyMap<string, ReadonlySet<string>>;

export interface DatabaseFormat {
  /** @returns the queries (null: the client's tables are unknown), and which tables are unknown and what to do; else null */
  queriesFor(schema: DatabaseSchema): { queries: DatabaseQueries | null; problem: string | null };
  /** Why a line cannot be read; null if it can. SQLite versions differ in what they return for JSON. */
  findFault(line: string): string | null;
}

export interface DatabaseQueries {
  /** For each session, selects `id`, `changed` (a time in milliseconds) and `head`, the text for `identify`. */
  sessions: string;
  /** Selects `line` and `changed` of the rows of `:session` that changed at or after `:since`. Lines may repeat. */
  lines: string;
  /** Selects `line` of all rows of `:session` up to the compaction `:boundary`, in order. The viewer reads these lines. */
  transcript: string;
}

export interface AgentFormat<Name extends string = string> {
  readonly name: Name;
  acceptsPath(path: string): boolean;
  readsAs(path: string): SourceKind;
  /** Present if the sources are databases. */
  readonly database?: DatabaseFormat;
  /** Null: the start of the file (`head`) is not in this format. */
  identify(path: string, head: string): TranscriptIdentity | null;
  /**
   * Session key of the file with this path; null if the key depends on the content.
   * @param id the client's own id of the session, if it is known
   */
  sessionKeyOf(path: string, id: string | null): string | null;
  /** Path of the file that contains the session's folder. Absent: the transcript states the folder. */
  folderFileOf?(path: string): string;
  isLine(line: Fields): boolean;
  readEntry(line: Fields): ReadEntry;
  createParser(options: ParserOptions): TranscriptParser;
  /** Path of the main file, given the folder of the sub-agents' files. Absent: each session is one file. */
  mainFileOf?(folder: string): string;
  /** Field that holds the time of a line. */
  readonly timeField: string;
  /** Text that each call contains. */
  readonly callMark: string;
  readonly signs: { readonly [Name in keyof LineSigns]?: SignReader<LineSigns[Name]> };
}

export interface Client {
  name: string;
  names: RegExp;
  label: string;
  /** Command that reopens a session; the session's id is appended. */
  resume?: string;
  /** What the client does after a refused turn, if known. */
  afterRefusal?: string;
  /** Where watch looks for files: `folders` in the directory named by `variable`, else in `~/<home>`. */
  transcripts?: { variable: string; home: string; folders: readonly [main: string, ...others: string[]] };
  /** Variable with the project's folder, set for hooks. */
  projectVariable?: string;
  /** Barograph's names of the client's own hook events. A name applies only to events with one of the triggers. */
  hookEvents?: Readonly<Record<string, { event: string; triggers: readonly string[] }>>;
  /** Prefix of the chain ids of summary requests. */
  summaryChain?: string;
  /** The client compacts when fewer tokens than this are free in the window. Null: unknown for this version. */
  compactionReserve?(version: string | null): number | null;
  /**
   * Share of the window at which the client compacts. The client counts the results that the next call adds, so the last
   * reading is below this point, and observed compactions take precedence.
   */
  compactionShare?: number;
  /** Share of the model's window that the client states as its window. Default: 1. */
  statedShare?: number;
}
