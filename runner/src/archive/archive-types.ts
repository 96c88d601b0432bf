/** What is known of an archive, and who is told of it. */

/** `stored`: the copy lies under its name. `skipped`: there was nothing to copy. `failed`: the copy did not work. */
export type ArchiveState = 'stored' | 'skipped' | 'failed';

/** Where a copy stands on its way to a server. `none`: there is nothing to bring. */
export type UploadState = 'none' | 'pending' | 'done' | 'refused';

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
  /** Absolute path of the copy; null unless stored. */
  archive: string | null;
  /** Of the copy; null unless stored. */
  bytes: number | null;
  /** Lines of the copy, a last one without line feed included; null unless stored. */
  lines: number | null;
  /** 64 hexadecimal digits, of the copy; null unless stored. */
  sha256: string | null;
  /** Taken when the hook fired: lines that the client wrote later are not in it. */
  asOf: 'hook';
  /** How far its way to a server is. */
  upload: UploadState;
}

/** What a session needs to be told of an archive; `RunnerSession` of the client is one. */
export interface ArchiveSession {
  /** The session's key. */
  readonly key: string;
  /** A compaction is about to begin; `at` in milliseconds since the epoch, `chain` a sub-agent's id. */
  compaction(fields: { trigger: 'auto' | 'manual'; state: 'pending'; at?: number; chain?: string }): unknown;
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
  }): unknown;
}
