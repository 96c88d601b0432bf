/** For tests: streams that agents wrote (`runner/fixtures/streams`), and the sums that the streams state. */
import { readFileSync } from 'node:fs';

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape.
type Recorded = any;

export function readStream(name: string): Recorded[] {
  const file = new URL(`../../../fixtures/${name}.jsonl`, import.meta.url);
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

export interface RecordedStream {
  name: string;
  /** Sums of input without cached tokens, output, and cache reads. */
  sums: number[];
  /** Size of the context after the last call, tokens; null: the stream does not state single calls. */
  size: number | null;
}

export const addUp = (rows: number[][]): number[] =>
  rows.reduce((a, b) => a.map((value, index) => value + (b[index] ?? 0)), [0, 0, 0]);
const codexCounts = (usage: Recorded): number[] => [
  usage.input_tokens - usage.cached_input_tokens,
  usage.output_tokens,
  usage.cached_input_tokens,
];

/** The results of Claude Code state the sums of the main loop. */
export const CLAUDE_STREAMS: readonly RecordedStream[] = [
  ['claude-agent-sdk/query-stream', 22_541],
  ['streams/claude-code-turn', 120_709],
  ['streams/claude-code-sub-agent', 60_528],
  ['streams/claude-code-manual-compact', null],
  ['streams/claude-code-auto-compact', 24_627],
].map(([name, size]) => {
  const results = readStream(String(name)).filter(({ type }) => type === 'result');
  const counts = results.map(({ usage }) => [
    usage.input_tokens,
    usage.output_tokens,
    usage.cache_read_input_tokens,
  ]);
  return { name: String(name), sums: addUp(counts), size: size as number | null };
});

export const OTHER_STREAMS: readonly RecordedStream[] = [
  {
    // Each process states the totals of its thread.
    name: 'streams/codex-exec',
    sums: codexCounts(readStream('streams/codex-exec').at(-1).usage),
    size: null,
  },
  {
    name: 'streams/codex-rollout',
    sums: codexCounts(readStream('streams/codex-rollout').at(-1).payload.info.total_token_usage),
    size: 16_060,
  },
  {
    name: 'streams/opencode',
    sums: addUp(
      readStream('streams/opencode')
        .filter(({ type }) => type === 'step_finish')
        .map(({ part: { tokens } }) => [tokens.input, tokens.output, tokens.cache.read]),
    ),
    size: 9_438,
  },
  { name: 'streams/openai-agents', sums: [1_300, 90, 2_100], size: null },
];
