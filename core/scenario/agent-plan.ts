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

const TRANSCRIPT = { source: 'transcript', lens: 'snapshot', limitStated: 'never' } as const;
const SDK = { source: 'sdk', lens: 'snapshot', limitStated: 'session' } as const;
const CLAUDE_CODE = {
  ...TRANSCRIPT,
  client: 'claude-code',
  clientVersion: '2.1.330',
  model: 'claude-sonnet-4-5-20250929',
  limit: 200_000,
  whenFull: { kind: 'compact', at: 167_000 },
} as const;

export const CLIENTS = {
  claudeCode: CLAUDE_CODE,
  claudeCodeSmall: {
    ...CLAUDE_CODE,
    model: 'claude-haiku-4-5-20251001',
    limit: 150_000,
    limitStated: 'turn',
    whenFull: { kind: 'compact', at: 117_000 },
  },
  claudeCodeOld: {
    ...CLAUDE_CODE,
    clientVersion: '2.1.12',
    model: 'claude-opus-4-5-20251101',
    whenFull: { kind: 'compact', at: 155_000 },
  },
  codex: {
    ...TRANSCRIPT,
    client: 'codex',
    clientVersion: '0.169.0',
    model: 'gpt-5.4',
    limit: 258_400,
    limitStated: 'turn',
    whenFull: { kind: 'compact', at: 232_000 },
  },
  gemini: {
    ...TRANSCRIPT,
    client: 'gemini-cli',
    clientVersion: '0.23.0',
    model: 'gemini-2.5-pro',
    limit: 1_048_576,
    whenFull: { kind: 'compact', at: 734_000 },
  },
  orchestrator: {
    ...SDK,
    client: 'agent-sdk',
    clientVersion: '0.3.330',
    model: 'claude-sonnet-4-5-20250929',
    lens: 'cumulative',
    limit: 200_000,
    whenFull: { kind: 'restart', line: 0.9 },
  },
  sdkSnapshot: {
    ...SDK,
    client: 'openai-agents',
    clientVersion: '0.20.0',
    model: 'gpt-4o',
    limit: 128_000,
    whenFull: { kind: 'restart', line: 0.85 },
  },
  local: {
    ...SDK,
    client: 'workbench',
    clientVersion: '1.4.0',
    model: 'local-70b',
    limit: 131_072,
    whenFull: { kind: 'restart', line: 0.9 },
  },
} as const satisfies Record<string, ClientTraits>;

export type ClientName = keyof typeof CLIENTS;
