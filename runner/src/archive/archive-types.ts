/** What is known of an archive, and who is told of it. */

/** `stored`: the copy lies under its name. `skipped`: there was nothing to copy. `failed`: the copy did not work. */
export type ArchiveState = 'stored' | 'skipped' | 'failed';

/** Where a copy stands on its way to a server. `none`: there is nothing to bring. */
export type UploadState = 'none' | 'pending' | 'done' | 'refused';

/**
 * `hook`: byte for byte the transcript as it was when the hook fired, in a copy of our own. `completed`: the same file
 * up to and with the compaction's own line, which the client writes later; its bytes are the first ones of `source`.
 */
export type ArchiveVersion = 'hook' | 'completed';

/** One try to archive a transcript: a line of the index. */
export interface ArchiveEntry {
  /** UUID of this entry. */
  id: string;
  /** When the hook asked for it: ISO 8601, UTC. */
  at: string;
  /** What became of it. */
  state: ArchiveState;
  /** Why it was skipped or failed; null for a stored one. */
  reason: string | null;
  /** Session key under which the session is reported; null where none can be told. */
  session: string | null;
  /** The client's own session id; `unknown` where it gave none. */
  clientSessionId: string;
  /** `auto`, `manual`, or what else the client said; `unknown` where it said nothing. */
  trigger: string;
  /** The agent's folder, as the client said; null where it did not. */
  cwd: string | null;
  /** Absolute path of the repository whose key names the folder. */
  repo: string;
  /** The transcript, as the client named it; null where it did not. */
  source: string | null;
  /** Absolute path of the copy; null unless stored, and of a completed one. */
  archive: string | null;
  /** Of the copy, or of that part of `source`; null unless stored. */
  bytes: number | null;
  /** Lines of the copy, a last one without line feed included; null unless stored. */
  lines: number | null;
  /** 64 hexadecimal digits, of the copy; null unless stored. */
  sha256: string | null;
  /** Which of the two versions it is. */
  asOf: ArchiveVersion;
  /** How far its way to a server is. */
  upload: UploadState;
  /** Project its session joins, where somebody found out. */
  project?: string;
  /** Of a completed one: the client's own id of the compaction. */
  boundary?: string;
  /** Of a completed one: `id` of the archive that the hook made of the same compaction. */
  completes?: string;
  /** Why it waits or was refused; null once it was handed over. */
  uploadReason?: string | null;
  /** The server's word for why it waits, as `project_full`; null where it gave none. */
  uploadCode?: string | null;
  /** Address of the server that had it last. */
  uploadedTo?: string;
  /** What became of it at each server that says who it is, by the server's id: an address may be another server's by now. */
  servers?: Readonly<Record<string, ServerNote>>;
  /** Of the file of a sub-agent: its id, as the client names it. */
  agent?: string;
  /** Of a hook's archive whose compaction never came: what is known of why. */
  uncompacted?: string;
  /** When its local copy was removed by `barograph archives prune`. */
  prunedAt?: string;
}

/** What became of an archive at one server. */
export interface ServerNote {
  upload: 'done' | 'refused';
  /** Address the server had then. */
  url: string;
  /** ISO 8601, UTC. */
  at: string;
}

/** What is noted of an archive after it was made. */
export type ArchiveNote = Pick<
  ArchiveEntry,
  'project' | 'uploadReason' | 'uploadCode' | 'uploadedTo' | 'servers' | 'uncompacted' | 'prunedAt'
>;

/** The server that a session is reported to. */
export interface ArchiveDestination {
  url: string;
  /** Token of scope `ingest`. */
  token: string | null;
  /** Project that the session joins. */
  project: string;
  /** False: nothing that people or models wrote may leave. */
  content: boolean;
}

/** What a session needs to be told of an archive; `RunnerSession` of the client is one. */
export interface ArchiveSession {
  /** The session's key. */
  readonly key: string;
  /** Where its archives may be handed over; without it they are not. */
  destination?(): ArchiveDestination;
  /** A compaction is about to begin, or never came; `at` in milliseconds since the epoch, `chain` a sub-agent's id. */
  compaction(fields: {
    trigger: 'auto' | 'manual';
    state: 'pending' | 'blocked' | 'failed';
    at?: number;
    chain?: string;
    reason?: string;
  }): unknown;
  /** What became of its archive; `path` is the copy's, on this machine. */
  archive(fields: {
    state: ArchiveState;
    at?: number;
    trigger?: 'auto' | 'manual';
    reason?: string;
    path?: string;
    bytes?: number;
    lines?: number;
    sha256?: string;
    /** `id` of the archive: a copy that is handed over carries it, too. */
    archive?: string;
    version?: ArchiveVersion;
  }): unknown;
}
