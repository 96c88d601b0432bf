import type { LensName } from '../protocol/items';
import type { SourceName } from '../protocol/messages';
import clients from './clients.json' with { type: 'json' };

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
  limit: number;
  /** Which item states the limit: the session's start, each turn, or no item. */
  limitStated: 'session' | 'turn' | 'never';
  folder: string;
  branch: string;
  /** Milliseconds from the start of the scenario, like all times here. */
  startMs: number;
  /** Factor on all pauses. Below 1: faster. */
  pace: number;
  whenFull:
    | { kind: 'compact'; at: number }
    | { kind: 'restart'; line: number }
    /** No restart. The context grows to this share of the limit, then the agent adds little. */
    | { kind: 'overshoot'; upTo: number };
  habits: {
    /** A person compacts at this share of the limit. */
    compactsByHandAt?: number;
    /** A hook announces each compaction and archives the transcript before it. */
    hooks?: 'archives' | 'archive fails';
    /** Chance per turn of starting a sub-agent. */
    subAgents?: number;
    /** Chance per turn of a cache storm: the cache expired or the whole history is read again. */
    cacheStorms?: number;
    /** In each context, the turn with this number has no usage. */
    losesUsageAtTurn?: number;
    estimates?: boolean;
    /** The client reports its estimate of the new context right after a compaction. */
    guessesAfterCompaction?: boolean;
    rewinds?: number;
    clearsAt?: number;
    dropsTurns?: number;
    /** Time of the last step. The agent then stops without ending the session. */
    silentFromMs?: number;
    endsAtMs?: number;
  };
}

type ClientTraits = Pick<
  AgentPlan,
  'source' | 'client' | 'clientVersion' | 'model' | 'lens' | 'limit' | 'limitStated' | 'whenFull'
>;

export type ClientName = keyof typeof clients;

export const CLIENTS = clients as Record<ClientName, ClientTraits>;
