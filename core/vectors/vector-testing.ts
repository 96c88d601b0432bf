/** Shapes of the vector files that core's own tests read. `README.md` explains them. */

interface Totals {
  input: number;
  output: number;
  cacheRead: number;
}

export interface UsageStep {
  op: 'addTurn' | 'reset' | 'disableTracking';
  input?: unknown;
  output?: unknown;
  cacheRead?: unknown;
  expect: {
    totals: Totals;
    tracking: boolean;
    pressure: number[];
    refused?: { code: string; field: string };
  };
}

export interface ThresholdStep {
  op: 'result' | 'restart';
  usage?: Record<string, number> | null;
  expect: { totals: Totals; tracking: boolean; pressure: number; error: Record<string, unknown> | null };
}

export interface SnapshotStep {
  op: 'call' | 'boundary';
  kind?: 'restart' | 'clear' | 'compaction';
  scope?: 'main' | 'side';
  totalTokens?: number | null;
  /** Estimated tokens of all text. */
  estimate?: number | null;
  expect: { contextTokens: number | null; basis: string | null; pressure: number | null };
}

export interface TrackerEvent {
  type: 'stateChanged' | 'approachingRedline' | 'redlined' | 'cleared' | 'compressed';
  from?: string;
  to?: string;
}

export interface TrackerStep {
  op: 'addMessage' | 'clear' | 'compressToThreshold' | 'suggestions' | 'composition';
  expect: { used: number; state: string; events: TrackerEvent[] };
}

export interface StateExpectation {
  pressure: number | null;
  percent: number | null;
  state: string;
  concerning: boolean;
  needsReset: boolean;
  tokensRemaining?: number;
  tokensUntilWarning?: number;
  tokensUntilRestart?: number;
  hasRoomFor?: { tokens: number; expect: boolean }[];
  lines?: { line: number; tokensAt: number; tokensUntil: number }[];
}

export interface VectorCase<Given, Step = never, Expect = unknown> {
  name: string;
  given: Given;
  steps: Step[];
  expect: Expect;
}

/** The cases of a vector file, with the type that the test expects. */
export function casesOf<Case>(document: { cases: readonly unknown[] }): Case[] {
  return document.cases as Case[];
}
