import type { LensName } from '../protocol/items';
import type { SourceName } from '../protocol/messages';

/** What one agent of a story is and what befalls it. */
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
  /** When its first step comes, milliseconds from the scenario's beginning. */
  startMs: number;
  /** Factor on all pauses: below 1 is hastier. */
  pace: number;
  /** What happens when the window fills. */
  whenFull:
    | { kind: 'compact'; at: number }
    | { kind: 'restart'; line: number }
    /** Nobody steps in: the limit is overshot, up to this share of it, and then the agent waits. */
    | { kind: 'overshoot'; upTo: number };
  /** Special events, each left out unless named. */
  habits: {
    /** Compacts by hand at this share of the limit. */
    compactsByHandAt?: number;
    /** A hook announces compactions and archives the transcript before them. */
    hooks?: 'archives' | 'archive fails';
    /** Chance, per turn, of sending out a sub-agent. */
    subAgents?: number;
    /** Chance, per turn, that the provider's cache has expired or that whole histories are read again. */
    cacheStorms?: number;
    /** The number of the turn, in each context, whose provider returns no usage. */
    losesUsageAtTurn?: number;
    /** Readings are estimates of the runner. */
    estimates?: boolean;
    /** The client says right after a compaction how large it believes the new context to be. */
    guessesAfterCompaction?: boolean;
    /** Chance, per turn, that the user rewinds. */
    rewinds?: number;
    /** Clears its context at this share of the limit. */
    clearsAt?: number;
    /** Chance, per turn, that the runner lost turns. */
    dropsTurns?: number;
    /** Falls silent then, milliseconds from the scenario's beginning. */
    silentFromMs?: number;
    /** Ends then, milliseconds from the scenario's beginning. */
    endsAtMs?: number;
  };
}
