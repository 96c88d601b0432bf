import type { LensName } from '../protocol/items';
import type { SourceName } from '../protocol/messages';

export interface AgentPlan {
  key: string;
  title: string;
  project: string;
  stream: string;
  runner: { name: string; host: string; version: string };
  source: SourceName;
  client: string;
  clientVersion: string;
  model: string;
  lens: LensName;
  /** Context window, tokens. */
  limit: number;
  /** How the window becomes known: by the session, with each turn, or not at all (the model table, or nothing). */
  limitStated: 'session' | 'turn' | 'never';
  folder: string;
  branch: string;
  /** Time of its first step, milliseconds from the start of the scenario. */
  startMs: number;
  /** Factor on all pauses; below 1 is faster. */
  pace: number;
  whenFull:
    | { kind: 'compact'; at: number }
    | { kind: 'restart'; line: number }
    /** No restart: the limit is overshot up to this share, then the agent waits. */
    | { kind: 'overshoot'; upTo: number };
  habits: {
    /** Compacts by hand at this share of the limit. */
    compactsByHandAt?: number;
    /** A hook announces compactions and archives the transcript before them. */
    hooks?: 'archives' | 'archive fails';
    /** Chance per turn of starting a sub-agent. */
    subAgents?: number;
    /** Chance per turn of a cache storm: the cache expired or the whole history is read again. */
    cacheStorms?: number;
    /** The number of the turn, in each context, whose provider returns no usage. */
    losesUsageAtTurn?: number;
    /** Readings are estimates of the runner. */
    estimates?: boolean;
    /** The client reports its estimate of the new context right after a compaction. */
    guessesAfterCompaction?: boolean;
    rewinds?: number;
    /** Clears its context at this share of the limit. */
    clearsAt?: number;
    /** Chance, per turn, that the runner lost turns. */
    dropsTurns?: number;
    /** Time of its last step without an end, milliseconds from the start of the scenario. */
    silentFromMs?: number;
    /** Time of its end, milliseconds from the start of the scenario. */
    endsAtMs?: number;
  };
}
