/** Short transcripts, as clients wrote them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ENTRY_KINDS } from '../agents/entry';
import { createContentsReading, type Segment } from './contents-reading';

/** @param chunk bytes per chunk */
async function readFile(name: string, chunk = 1_000_000) {
  const bytes = readFileSync(new URL(name, new URL('./fixtures/', import.meta.url)));
  const reading = createContentsReading(name);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, n) =>
    bytes.subarray(n * chunk, (n + 1) * chunk),
  );
  for (const part of chunks) await reading.scan(part);
  const segments: Segment[] = [];
  for (const part of chunks) segments.push(...(await reading.read(part)));
  const last = await reading.finish();
  const { format, outline, losses } = last.contents;
  const kinds: Record<string, number> = {};
  for (const number of outline.columns.kind) {
    const kind = ENTRY_KINDS[number] ?? 'none';
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  const texts = [...segments, ...last.segments].flatMap(({ pieces }) => pieces.map(({ text }) => text));
  return { format, outline, losses, kinds, texts: texts.join('\n'), bytes: bytes.length };
}

describe('A transcript of Claude Code 2.1.330 with a compaction by hand', async () => {
  const { format, outline, losses, kinds, texts, bytes } = await readFile('claude-code-manual-compact.jsonl');

  it('is read completely: no line is unknown, and every message has its kind', () => {
    expect(format).toBe('claude-code');
    expect([outline.entries, outline.lines, outline.bytes]).toEqual([49, 49, bytes]);
    expect(kinds).toEqual({ record: 25, user: 8, system: 11, assistant: 3, compaction: 1, summary: 1 });
    expect(outline.calls).toHaveLength(3);
    expect(outline.calls.every(({ contextTokens }) => contextTokens > 0)).toBe(true);
  });

  it('has its compaction with the client’s sizes and the dropped entries', () => {
    expect(outline.compactions).toMatchObject([{ trigger: 'manual', preTokens: 120_709, postTokens: 2_700 }]);
    const [loss] = losses;
    expect(loss?.gone.messages).toBe(3);
    expect(loss?.kept.messages).toBe(1);
    expect(loss?.summary?.characters).toBeGreaterThan(0);
    expect(texts).toContain(loss?.summary?.text.slice(0, 40));
  });
});

describe('A sub-agent’s own file of Claude Code', () => {
  it('is one chain besides the main chain, and is linked to its call', async () => {
    const { outline, kinds } = await readFile('claude-code-subagent.jsonl');
    expect(kinds).toEqual({ user: 1, system: 5, record: 1, assistant: 1 });
    expect(outline.chains).toHaveLength(2);
    expect(outline.calls.map(({ chain }) => chain)).toEqual([1]);
  });
});

describe('A rollout of Codex 0.169.0 with two automatic compactions', async () => {
  const { format, outline, losses, kinds } = await readFile('codex-auto-compact.jsonl');

  it('is read completely, with a tool call and its result', () => {
    expect(format).toBe('codex');
    expect(outline.entries).toBe(74);
    expect(kinds).toEqual({
      record: 55,
      system: 2,
      user: 6,
      assistant: 7,
      tool_call: 1,
      tool_result: 1,
      compaction: 2,
    });
    const call = outline.columns.kind.indexOf(ENTRY_KINDS.indexOf('tool_call'));
    const result = outline.columns.kind.indexOf(ENTRY_KINDS.indexOf('tool_result'));
    expect([outline.columns.pair[call], outline.columns.pair[result]]).toEqual([result, call]);
  });

  it('has both compactions, with the kept tokens as the client counts them', () => {
    expect(outline.compactions.map(({ postTokens }) => postTokens)).toEqual([6_088, 6_090]);
    expect(losses.map(({ gone, kept }) => [gone.messages, kept.messages])).toEqual([
      [7, 2],
      [3, 1],
    ]);
    expect(losses[0]).toMatchObject({ toolsTotal: 1, toolsNotNamedTotal: 1 });
  });
});

describe('A document that an older Gemini CLI writes whole', async () => {
  const folder = '../../agents/gemini/fixtures/document/tmp/7e8989f7/chats';
  const file = `${folder}/session-2026-03-01T10-00-f7633853.json`;
  const { format, outline, kinds, texts, bytes } = await readFile(file);

  it('has an entry for each message, and the entries of one chunk', async () => {
    expect(format).toBe('gemini-cli');
    expect(kinds).toEqual({ record: 1, user: 1, assistant: 3, system: 1 });
    expect(outline.columns.line).toEqual([0, 6, 12, 50, 56, 72]);
    expect([outline.lines, outline.bytes, outline.messages]).toEqual([90, bytes, 4]);
    expect(outline.calls.map(({ contextTokens }) => contextTokens)).toEqual([12_465, 12_452]);
    expect(texts).toContain('run_shell_command');
    expect((await readFile(file, 1)).outline).toEqual(outline);
  });

  it('pairs a tool call with its result', () => {
    expect(outline.columns.pair[2]).toEqual([2, 2]);
  });
});

describe('A session of Gemini CLI', async () => {
  const folder = '../../agents/gemini/fixtures/rewrites/tmp/harbour/chats';
  const { format, outline, losses, kinds, texts } = await readFile(
    `${folder}/session-2026-03-01T10-00-0f7f3534.jsonl`,
  );

  it('shows a message that the client wrote again only once, with its tool call and result', () => {
    expect(format).toBe('gemini-cli');
    expect(kinds).toMatchObject({ user: 4, assistant: 5, compaction: 1 });
    expect(kinds.raw).toBeUndefined();
    expect(outline.calls.map(({ contextTokens }) => contextTokens)).toEqual([
      8_150, 9_200, 12_400, 4_050, 4_160,
    ]);
    expect(texts).toContain('run_shell_command');
  });

  it('lists its repeated compaction once, with the summary and the dropped messages', () => {
    expect(outline.compactions).toHaveLength(1);
    expect(losses[0]?.summary?.text).toContain('Boats are painted.');
    expect(losses[0]?.gone.messages).toBeGreaterThan(0);
  });
});
