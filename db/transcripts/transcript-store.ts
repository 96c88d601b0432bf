/**
 * Where the bytes of archived transcripts lie. `transcripts` says what there is; a store keeps files of chunks and
 * gives them back byte for byte. It is all that another place for them (an object store) would have to be.
 */
import type postgres from 'postgres';

/** A file that is about to be handed over. */
export interface NewFile {
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
  /** Makes the file known, in the caller's transaction and under the lock of its project. One that is known stays. */
  open(tx: postgres.TransactionSql, file: NewFile): Promise<void>;
  /** Chunks of the file that are not here, each once, in order. */
  findMissing(transcriptId: number, tx?: postgres.ISql): Promise<string[]>;
  /**
   * Keeps a chunk; one that is here stays as it is. Only bytes whose hash was checked may come here.
   * @returns false: the file is not known (any more), or has no such chunk.
   */
  put(transcriptId: number, sha256: string, bytes: Buffer): Promise<boolean>;
  /**
   * The original bytes `[from, to)`, a chunk at a time; each was hashed again on the way.
   * @param transcriptId `transcripts.id`
   * @throws TranscriptGoneError when the file is not here, or was deleted meanwhile
   * @throws ChunkDamagedError when a chunk is missing or not what it was, and a second look said so too. It is taken
   *   out then, so that it can be sent again, and every archive that has it is marked `damaged`
   * @throws what else kept it from reading: that says nothing about the bytes
   */
  read(transcriptId: number, from?: number, to?: number): AsyncIterable<Buffer>;
  /**
   * What changes whenever the file's list of chunks (`parts`) or a row of one of them (`chunks`) is written: as long as
   * it is the same, so are the bytes, but for damage below the database. Costs no look at the bytes. Null: not here.
   */
  stamp(transcriptId: number, tx?: postgres.ISql): Promise<FileStamp | null>;
  /** Lets chunks that begin like a longer chunk of the same place in the session's other files share its bytes. */
  shareBeginnings(transcriptId: number): Promise<void>;
  /** Does what takes time of a removal that is about to come, without any lock. It may be left out. */
  prepareRemove(transcriptId: number): Promise<void>;
  /** Removes the file and every chunk that no other file of the project has, in the caller's transaction and under the lock of its project. */
  remove(tx: postgres.TransactionSql, transcriptId: number): Promise<void>;
  /** What a project takes on disk, compressed, in bytes. */
  measure(projectId: number, tx?: postgres.ISql): Promise<number>;
}

export class TranscriptGoneError extends Error {
  override readonly name = 'TranscriptGoneError';
  constructor() {
    super('the transcript is not stored here, or was deleted');
  }
}

export class ChunkDamagedError extends Error {
  override readonly name = 'ChunkDamagedError';
  /** @param sha256 of the chunk, hexadecimal */
  constructor(readonly sha256: string) {
    super(`the stored chunk ${sha256} is missing or damaged`);
  }
}

/** The lock under which files of a project begin, and end. It is taken before any session's. */
export async function lockProject(tx: postgres.TransactionSql, projectId: number): Promise<void> {
  await tx`select from projects where id = ${projectId} for no key update`;
}
