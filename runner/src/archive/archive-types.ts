/** An archive's entry in the index, and the session methods that report archives. */
import type { FieldsOf } from '../client/client-types';

/** `stored`: the copy exists. `skipped`: nothing to copy. `failed`: copying failed. */
export type ArchiveState = 'stored' | 'skipped' | 'failed';

/** Upload state of a copy. `none`: nothing to upload. */
export type UploadState = 'none' | 'pending' | 'done' | 'refused';

/**
 * `hook`: a copy of the transcript at the time of the hook. `completed`: the transcript including the compaction's own
 * line, which the client writes later. A completed version has no copy: its content is the start of `source`.
 */
export type ArchiveVersion = 'hook' | 'completed';

/** One attempt to archive a transcript: an entry of the index. */
export interface ArchiveEntry {
  /** UUID of this entry. */
  id: string;
  /** When the hook fired; without a hook, when the compaction happened or the file last changed. ISO 8601, UTC. */
  at: string;
  /** Whether the copy exists, or why not. */
  state: ArchiveState;
  /** Why archiving was skipped or failed; null for a stored archive. */
  reason: string | null;
  /** Session key; null if unknown. */
  session: string | null;
  /** The client's own session id, or `unknown`. */
  clientSessionId: string;
  /** `auto`, `manual`, another word of the client, or `unknown`. */
  trigger: string;
  /** The agent's folder; null if the client did not name it. */
  cwd: string | null;
  /** Absolute path of the repository; `unknown` if a recovered archive does not state it. */
  repo: string;
  /** Path of the transcript as the client gave it; null if the client gave none. */
  source: string | null;
  /** Absolute path of the copy; null for a completed version, and for an archive that is not stored. */
  archive: string | null;
  /** Size of the copy, or of the archived part of `source`; null unless stored. */
  bytes: number | null;
  /** Number of lines, including a last line without a line feed; null unless stored. */
  lines: number | null;
  /** 64 hexadecimal digits; null unless stored. */
  sha256: string | null;
  /** Which part of the transcript the archive contains. */
  asOf: ArchiveVersion;
  /** Whether the last server has the copy. */
  upload: UploadState;
  /** The session's project, if known. */
  project?: string;
  /** The client's own id of the compaction. A hook's archive has no such id until the compaction has happened. */
  boundary?: string;
  /** For a completed version: `id` of the hook's archive of the same compaction. */
  completes?: string;
  /** Why the upload waits or was refused; null once uploaded. */
  uploadReason?: string | null;
  /** The server's error code, such as `project_full`; null if the server gave none. */
  uploadCode?: string | null;
  /** Address of the last server that stored the archive. */
  uploadedTo?: string;
  /** Upload result by server id; an address could later belong to another server. */
  servers?: Readonly<Record<string, ServerNote>>;
  /** For a sub-agent's own file: the client's id for the sub-agent. */
  agent?: string;
  /** For a hook's archive: why the compaction did not happen. */
  uncompacted?: string;
  /** When `barograph archives prune` removed the copy. */
  prunedAt?: string;
  /** When the copy was found on disk without a line in the index. Fields that the file does not state are unknown. */
  recoveredAt?: string;
}

/** The result of an upload to one server. */
export interface ServerNote {
  /** `done`: the server has the archive. `refused`: the server refused it for good. */
  upload: 'done' | 'refused';
  /** The server's address at that time. */
  url: string;
  /** ISO 8601, UTC. */
  at: string;
}

/** Fields that change after an archive was made. */
export type ArchiveNote = Pick<
  ArchiveEntry,
  | 'project'
  | 'uploadReason'
  | 'uploadCode'
  | 'uploadedTo'
  | 'servers'
  | 'boundary'
  | 'uncompacted'
  | 'prunedAt'
>;

/** The server that a session is reported to. */
export interface ArchiveDestination {
  /** Address of the server. */
  url: string;
  /** Token of scope `ingest`. */
  token: string | null;
  /** The session's project. */
  project: string;
  /** False: no text written by users or models may be sent. */
  content: boolean;
}

/** The session methods that report archives; the client's `RunnerSession` has them. */
export interface ArchiveSession {
  /** The session's key. */
  readonly key: string;
  /** Where to upload archives. Without this method, archives stay local. */
  destination?(): ArchiveDestination;
  /** Reports the client's own id of the session, by which the server knows reports of other programs. */
  alias?(fields: FieldsOf<'session_alias'>): unknown;
  /**
   * Reports that a compaction began, happened or failed. `at` in milliseconds since the epoch, `chain` is a sub-agent's
   * id, `boundary` the client's id of the compaction.
   */
  compaction(fields: FieldsOf<'compaction'>): unknown;
  /**
   * Reports the result of archiving.
   * @param fields the result.
   */
  archive(fields: {
    /** Result of the attempt. */
    state: ArchiveState;
    /** Time of the attempt, milliseconds since the epoch. Default: now. */
    at?: number;
    /** What caused the compaction. */
    trigger?: 'auto' | 'manual';
    /** Why archiving was skipped or failed. */
    reason?: string;
    /** Path of the copy on this machine. */
    path?: string;
    /** Size of the archive in bytes. */
    bytes?: number;
    /** Number of lines. */
    lines?: number;
    /** SHA-256 of the archive, 64 hexadecimal digits. */
    sha256?: string;
    /** `id` of the archive, also used for its upload. */
    archive?: string;
    /** Which part of the transcript the archive contains. */
    version?: ArchiveVersion;
  }): unknown;
}
