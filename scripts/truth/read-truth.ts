import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { addTotals } from '../../core/accounting/counts';
import type { Totals } from '../../core/accounting/types';
import type { MeasuredContext } from '../../core/agents/testing/measure-sessions';
import type { Expected } from './measure-by-api';
import { codexTruth } from './read-codex-truth';
import { geminiTruth } from './read-gemini-truth';

const sums = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_input_tokens: z.number(),
  cache_creation_input_tokens: z.number(),
});

/** The truth of one file of Claude Code: independently computed numbers, with their own field names. */
const claudeCodeTruth = z.object({
  format: z.literal('claude-code-jsonl'),
  file: z.string(),
  api_calls_main: z.number(),
  api_calls_side: z.number(),
  totals_main: sums,
  totals_side: sums,
  compactions: z.array(
    z.object({
      trigger: z.string(),
      pre_tokens: z.number().nullable(),
      post_tokens: z.number().nullable(),
    }),
  ),
  contexts: z.array(
    z.object({
      api_calls: z.number(),
      cumulative: sums,
      peak_occupancy: z.number(),
      last_occupancy: z.number().nullable(),
    }),
  ),
  peak_occupancy: z.number(),
  final_occupancy: z.number().nullable(),
  peak_occupancy_side: z.number(),
  final_occupancy_side_by_agent: z.record(z.string(), z.number()),
});
export type ClaudeCodeTruth = z.infer<typeof claudeCodeTruth>;

const truthFile = z.discriminatedUnion('format', [claudeCodeTruth, codexTruth, geminiTruth]);
export type TruthFile = z.infer<typeof truthFile>;

const FORMATS = truthFile.options.map(({ shape }) => String(shape.format.value));

/** Truth by the name of the transcript file; other formats are skipped. */
export async function readTruth(folder: string): Promise<Map<string, TruthFile>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const found = new Map<string, TruthFile>();
  for (const name of names) {
    const raw: unknown = JSON.parse(await readFile(join(folder, name), 'utf8'));
    const format = z.object({ format: z.string() }).parse(raw);
    if (!FORMATS.includes(format.format)) continue;
    const truth = truthFile.parse(raw);
    found.set(truth.file, truth);
  }
  return found;
}

/**
 * Find the truth of a transcript. The name in the truth ends with the transcript's path below the folder, with `__` for
 * each separator. The folders that begin the path may be missing in the name.
 */
export function findTruth(
  truths: ReadonlyMap<string, TruthFile>,
  relativePath: string,
): TruthFile | undefined {
  const parts = relativePath.split(/[\\/]/);
  for (let first = 0; first < parts.length; first += 1) {
    const flat = parts.slice(first).join('__');
    for (const [file, truth] of truths) if (file === flat || file.endsWith(`__${flat}`)) return truth;
  }
  return undefined;
}

/**
 * Expected numbers of a session: the truth of its main file, and the truth of each sub-agent's file as a chain. A side
 * call (the compaction's own request) counts in the chain's sums and changes no reading.
 */
export function expectSession(main: ClaudeCodeTruth, agents: ReadonlyMap<string, ClaudeCodeTruth>): Expected {
  const chains: Record<string, MeasuredContext> = {};
  let side = totalsOf(main.api_calls_side, main.totals_side);
  for (const [chain, truth] of agents) {
    const totals = totalsOf(truth.api_calls_side, truth.totals_side);
    const isRequest = chain.startsWith('acompact-');
    side = addTotals(side, totals);
    chains[chain] = {
      ...totals,
      peak: isRequest ? null : truth.peak_occupancy_side,
      last: isRequest ? null : (truth.final_occupancy_side_by_agent[chain] ?? null),
    };
  }
  return {
    main: totalsOf(main.api_calls_main, main.totals_main),
    side,
    peak: main.peak_occupancy,
    last: main.final_occupancy,
    contexts: main.contexts.map((context) => ({
      ...totalsOf(context.api_calls, context.cumulative),
      peak: context.last_occupancy === null ? null : context.peak_occupancy,
      last: context.last_occupancy,
    })),
    compactions: main.compactions.map(({ trigger, pre_tokens, post_tokens }) => ({
      trigger,
      preTokens: pre_tokens,
      postTokens: post_tokens,
    })),
    chains,
  };
}

function totalsOf(calls: number, from: z.infer<typeof sums>): Totals {
  return {
    calls,
    input: from.input_tokens,
    output: from.output_tokens,
    cacheRead: from.cache_read_input_tokens,
    cacheCreation: from.cache_creation_input_tokens,
  };
}
