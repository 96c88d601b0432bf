import type { AgentPlan } from './agent-plan';

type ClientTraits = Pick<
  AgentPlan,
  'source' | 'client' | 'clientVersion' | 'model' | 'lens' | 'limit' | 'limitStated' | 'whenFull'
>;

export const CLIENTS = {
  claudeCode: {
    source: 'transcript',
    client: 'claude-code',
    clientVersion: '2.1.330',
    model: 'claude-sonnet-4-5-20250929',
    lens: 'snapshot',
    limit: 200_000,
    limitStated: 'never',
    whenFull: { kind: 'compact', at: 167_000 },
  },
  claudeCodeSmall: {
    source: 'transcript',
    client: 'claude-code',
    clientVersion: '2.1.330',
    model: 'claude-haiku-4-5-20251001',
    lens: 'snapshot',
    limit: 150_000,
    limitStated: 'turn',
    whenFull: { kind: 'compact', at: 117_000 },
  },
  claudeCodeOld: {
    source: 'transcript',
    client: 'claude-code',
    clientVersion: '2.1.12',
    model: 'claude-opus-4-5-20251101',
    lens: 'snapshot',
    limit: 200_000,
    limitStated: 'never',
    whenFull: { kind: 'compact', at: 155_000 },
  },
  codex: {
    source: 'transcript',
    client: 'codex',
    clientVersion: '0.169.0',
    model: 'gpt-5.4',
    lens: 'snapshot',
    limit: 258_400,
    limitStated: 'turn',
    whenFull: { kind: 'compact', at: 232_000 },
  },
  gemini: {
    source: 'transcript',
    client: 'gemini-cli',
    clientVersion: '0.23.0',
    model: 'gemini-2.5-pro',
    lens: 'snapshot',
    limit: 1_048_576,
    limitStated: 'never',
    whenFull: { kind: 'compact', at: 734_000 },
  },
  orchestrator: {
    source: 'sdk',
    client: 'agent-sdk',
    clientVersion: '0.3.330',
    model: 'claude-sonnet-4-5-20250929',
    lens: 'cumulative',
    limit: 200_000,
    limitStated: 'session',
    whenFull: { kind: 'restart', line: 0.9 },
  },
  sdkSnapshot: {
    source: 'sdk',
    client: 'openai-agents',
    clientVersion: '0.20.0',
    model: 'gpt-4o',
    lens: 'snapshot',
    limit: 128_000,
    limitStated: 'session',
    whenFull: { kind: 'restart', line: 0.85 },
  },
  local: {
    source: 'sdk',
    client: 'workbench',
    clientVersion: '1.4.0',
    model: 'local-70b',
    lens: 'snapshot',
    limit: 131_072,
    limitStated: 'session',
    whenFull: { kind: 'restart', line: 0.9 },
  },
} as const satisfies Record<string, ClientTraits>;

export type ClientName = keyof typeof CLIENTS;
