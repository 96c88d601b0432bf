/**
 * What a transcript format must offer, so that each client's files join as one module.
 *
 * A format turns bytes of files into protocol items and knows nothing of sockets, queues or disks:
 * it says which session a file belongs to, and parses it line by line. Who reads the file, how far it
 * was read and where the items go is the business of `transcripts/`.
 */
import type { Item } from '../../../core/protocol/items';

type WithoutSeq<T> = T extends unknown ? Omit<T, 'seq'> : never;
/** An item before the queue gave it its seq. */
export type TranscriptItem = WithoutSeq<Item>;
export type TranscriptItemOf<T extends Item['type']> = Extract<TranscriptItem, { type: T }>;

/** Which session a file belongs to, told from its path and its first lines. */
export interface TranscriptIdentity {
  /** Session key. */
  session: string;
  /** The chain of the whole file; null: the main chain (or told line by line). */
  chain: string | null;
  /** The client's folder the agent worked in, where the file says it. */
  folder: string | null;
  /** Default project name. */
  project: string;
  /** The client's own session id, for finding siblings. */
  clientSessionId: string | null;
}

/** Knows which session a call was first seen in: copies in another session's file are inherited. */
export interface CallOwners {
  /** Session key that owns the call; claims it for `session` where nobody does. */
  claim(call: string, session: string): string;
}

export interface ParserOptions {
  identity: TranscriptIdentity;
  /** False: no titles, no prompts. */
  content: boolean;
  owners: CallOwners;
  /** Whether this file speaks for the session (title, client, branch). False for files of sub-agents beside a main file. */
  announces: boolean;
  /** Used where a line has no readable time, milliseconds. */
  fallbackAt: number;
  /** Whether a client session id found in the file is no other file's: only then is it an alias of this session. */
  isFree: (clientSessionId: string) => boolean;
  /** Session key that `/clear` left behind at the given time, where the caller can tell. */
  previousAt?: (at: number) => string | null;
  /** What `state()` returned for the lines before; absent for the first line. */
  state?: unknown;
}

/** What a file held besides items. All are counts of lines or values. */
export interface ParserCounts {
  lines: number;
  /** Lines with more than one JSON value. */
  glued: number;
  /** Remainders of lines that were no JSON; skipped. */
  undecodable: number;
  /** Messages the client made up itself; no calls. */
  synthetic: number;
  /** Copies of a sub-agent's messages in the main file; in no total. */
  echoes: number;
  /** Lines of one call that state another input or cache figure; the first stands. */
  usageConflicts: number;
  /** Calls whose usage was no whole number; left out. */
  invalid: number;
  /** Calls found (each once). */
  calls: number;
  /** Boundaries found. */
  compactions: number;
}

export interface TranscriptParser {
  /** One line without its line feed. Items come in the order they must be sent. */
  line(text: string): TranscriptItem[];
  /** The file ends here for now: gives out the call whose further lines were waited for. */
  settle(): TranscriptItem[];
  /** The next items announce the session again, as to a server that has not heard of it. */
  forgetAnnouncement(): void;
  /** Plain JSON; a parser created with it goes on where this one stands. */
  state(): unknown;
  readonly counts: Readonly<ParserCounts>;
  /** Time of the newest line, milliseconds; null before the first. */
  readonly lastAt: number | null;
  /** Some lines that were refused, for the summary: number of the line (from 1, in this run) and why. */
  readonly remarks: readonly { line: number; reason: string }[];
}

export interface TranscriptFormat {
  /** Name for people and state files. */
  readonly name: string;
  /** Whether a file's path can be one of this format's transcripts at all. */
  accepts(path: string): boolean;
  /** Null: the first lines show that it is none. `head` is the text of the file's beginning. */
  identify(path: string, head: string): TranscriptIdentity | null;
  createParser(options: ParserOptions): TranscriptParser;
}

/** Owners in memory alone: enough for one run over a set of files. */
export function createCallOwners(known: Map<string, string> = new Map()): CallOwners {
  return {
    claim(call, session) {
      const owner = known.get(call);
      if (owner !== undefined) return owner;
      known.set(call, session);
      return session;
    },
  };
}
