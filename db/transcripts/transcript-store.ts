/** The interface of a store of transcript bytes; another one, such as an object store, would implement it too. */
import type postgres from 'postgres';

/** A file to be uploaded. */
interface NewFile {
  projectId: number;
  /** `transcripts.id`. */
  transcriptId: number;
  bytes: number;
  /** SHA-256 of each chunk in order, hexadecimal; each chunk `CHUNK_BYTES` long but the last. */
  chunks: readonly string[];
}

export interface FileStamp {
  parts: string;
  chunks: string;
}

export interface TranscriptStore {
  /** Add the file unless it exists. The caller's transaction holds the project's lock. */
  open(tx: postgres.TransactionSql, file: NewFile): Promise<void>;
  /** Missing chunks of the file, each once, in order. */
  findMissing(transcriptId: number, tx?: postgres.ISql): Promise<string[]>;
  /**
   * Store a chunk unless it exists. The caller has checked its hash.
   * @returns false: the file is unknown or deleted, or has no such chunk
   */
  put(transcriptId: number, sha256: string, bytes: Buffer): Promise<boolean>;
  /**
   * The original bytes `[from, to)`, chunk by chunk, each verified by its hash.
   * @param transcriptId `transcripts.id`
   * @throws TranscriptGoneError when the file does not exist, or was deleted meanwhile
   * @throws ChunkDamagedError when a chunk is missing or corrupt, also on a second read. It is removed, so that it can
   *   be uploaded again, and every archive that has it is marked `damaged`
   * @throws other read errors, which prove nothing about the bytes
   */
  read(transcriptId: number, from?: number, to?: number): AsyncIterable<Buffer>;
  /**
   * Changes whenever the file's list of chunks (`parts`) or one of their rows (`chunks`) is written, so that an equal
   * stamp means equal bytes, except for damage below the database. Cheap. Null: no such file.
   */
  stamp(transcriptId: number, tx?: postgres.ISql): Promise<FileStamp | null>;
  /** Remove the file and chunks that no other file of the project has. The caller's transaction holds the project's lock. */
  remove(tx: postgres.TransactionSql, transcriptId: number): Promise<void>;
  /** Compressed bytes of a project on disk. */
  measure(projectId: number, tx?: postgres.ISql): Promise<number>;
}

export class TranscriptGoneError extends Error {
  override readonly name = 'TranscriptGoneError';
  constructor() {
    super('the transcript is not stored, or was deleted');
  }
}

export class ChunkDamagedError extends Error {
  override readonly name = 'ChunkDamagedError';
  /** @param sha256 of the chunk, hexadecimal */
  constructor(readonly sha256: string) {
    super(`the stored chunk ${sha256} is missing or damaged`);
  }
}

/** The lock for adding and removing a project's files; taken before any session's. */
export async function lockProject(tx: postgres.TransactionSql, projectId: number): Promise<void> {
  await tx`select from projects where id = ${projectId} for no key update`;
}
