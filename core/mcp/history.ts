/** What the tools of the Model Context Protocol read: transcripts on this machine, or the archives of a server. */
import type { TranscriptLost } from '../api/transcript-lost';

export type HistoryLoss = NonNullable<TranscriptLost['lost']>;

/** A request that cannot be answered. The agent reads the message. */
export class HistoryError extends Error {}

export interface HistoryHit {
  transcript: string;
  title: string | null;
  entry: number;
  /** ISO 8601; null: unknown. */
  at: string | null;
  excerpt: string;
}

export interface HistoryEntry {
  entry: number;
  kind: string;
  /** ISO 8601; null: unknown. */
  at: string | null;
  /** Secrets are masked. */
  text: string;
}

interface HistoryArchive {
  id: string;
  title: string;
  /** ISO 8601. */
  at: string;
  bytes: number | null;
}

/** A missing `transcript` means the newest one. */
export interface History {
  /** What the transcripts are, for the descriptions of the tools. */
  about: string;
  /** Lines of text. */
  status(asked: { session?: string | undefined }): Promise<string[]>;
  /** `note`: what was not searched. @throws HistoryError */
  search(asked: {
    query: string;
    transcript?: string | undefined;
    limit: number;
  }): Promise<{ hits: HistoryHit[]; note: string | null }>;
  /** @throws HistoryError */
  read(asked: { transcript: string; from: number; count: number }): Promise<{
    entries: HistoryEntry[];
    /** Number of entries of the transcript, if known. */
    total: number | null;
  }>;
  /** `compaction` counts from 1; default the last. Null: nothing was compacted. @throws HistoryError */
  lost(asked: {
    transcript?: string | undefined;
    compaction?: number | undefined;
  }): Promise<{ transcript: string; loss: HistoryLoss } | null>;
  /** Newest first. */
  archives(): Promise<HistoryArchive[]>;
}
