import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENTRY_KINDS } from '@/core/agents/entry';
import { pairOfEntry } from '@/core/transcript/pairs';
import { createTranscriptReader } from '@/core/transcript/transcript-reader';
import {
  type ConversationRow,
  entryOfLine,
  estimateRow,
  foldOfEntry,
  kindOf,
  prepareRawRows,
  prepareRows,
  rowOfEntry,
} from './prepare-rows';
import { outlineOf } from './testing/outline';

const NONE: ReadonlySet<number> = new Set();
const namesOf = (rows: readonly ConversationRow[]) =>
  rows.map(({ kind, entries, depth }) => `${'  '.repeat(depth)}${kind} ${entries.join(',')}`);

describe('a transcript as a conversation', () => {
  it('puts what came of one call together, and each result with its call', () => {
    const outline = outlineOf([
      'user',
      { kind: 'thinking', call: 0 },
      { kind: 'assistant', call: 0 },
      { kind: 'tool_call', call: 0, pair: 4 },
      { kind: 'tool_result', pair: 3 },
      { kind: 'tool_call', call: 0, pair: null },
      { kind: 'assistant', call: 1 },
      'user',
    ]);
    expect(namesOf(prepareRows(outline, NONE))).toEqual([
      'message 0',
      'message 1,2,3,5',
      'message 6',
      'message 7',
    ]);
  });

  it('gives results and messages without a call their own rows', () => {
    const outline = outlineOf(['assistant', 'assistant', { kind: 'tool_result', pair: null }, 'system']);
    expect(namesOf(prepareRows(outline, NONE))).toEqual(['message 0', 'message 1', 'message 2', 'message 3']);
  });

  it('folds the bookkeeping, which parts no message, and opens it line by line', () => {
    const outline = outlineOf([
      'record',
      'record',
      { kind: 'thinking', call: 0 },
      'record',
      { kind: 'assistant', call: 0 },
      'compaction',
      'summary',
    ]);
    expect(namesOf(prepareRows(outline, NONE))).toEqual([
      'records 0,1',
      'message 2,4',
      'records 3',
      'boundary 5',
      'message 6',
    ]);
    expect(namesOf(prepareRows(outline, new Set([0])))).toEqual([
      'records 0,1',
      'raw 0',
      'raw 1',
      'message 2,4',
      'records 3',
      'boundary 5',
      'message 6',
    ]);
  });

  it('folds sub-agents in, each by itself also where they write at the same time', () => {
    const side = (chain: number, kind: 'user' | 'assistant') => ({ kind, chain });
    const outline = outlineOf([
      'user',
      side(1, 'user'),
      side(2, 'user'),
      side(1, 'assistant'),
      'assistant',
      side(2, 'assistant'),
    ]);
    expect(namesOf(prepareRows(outline, NONE))).toEqual([
      'message 0',
      'side 1,3',
      'side 2',
      'message 4',
      'side 5',
    ]);
    expect(namesOf(prepareRows(outline, new Set([1])))).toEqual([
      'message 0',
      'side 1,3',
      '  message 1',
      '  message 3',
      'side 2',
      'message 4',
      'side 5',
    ]);
  });

  it('shows unparsed entries raw, and a text file by lines', () => {
    const outline = outlineOf(['raw', 'raw', 'user']);
    expect(namesOf(prepareRows(outline, NONE))).toEqual(['raw 0', 'raw 1', 'message 2']);
    const text = outlineOf(Array.from({ length: 90 }, (_, line) => (line % 3 === 1 ? 'blank' : 'text')));
    const rows = prepareRows(text, NONE);
    expect(rows.every(({ kind }) => kind === 'lines')).toBe(true);
    expect(rows.flatMap(({ entries }) => entries)).toEqual(Array.from({ length: 90 }, (_, line) => line));
  });

  it('shows the file of a sub-agent unfolded: it is the conversation there', () => {
    const side = (kind: 'user' | 'assistant') => ({ kind, chain: 1 });
    const chains = [
      { key: 'main', call: null, entry: 0, entries: 1 },
      { key: 'a1', call: null, entry: 1, entries: 3 },
    ];
    const outline = outlineOf(['record', side('user'), side('assistant'), side('user')], { chains });
    expect(namesOf(prepareRows(outline, NONE))).toEqual(['records 0', 'message 1', 'message 2', 'message 3']);
  });

  it('parts a call of very many lines into rows that a page can hold', () => {
    const outline = outlineOf(Array.from({ length: 1_000 }, () => ({ kind: 'assistant' as const, call: 0 })));
    const rows = prepareRows(outline, NONE);
    expect(Math.max(...rows.map(({ entries }) => entries.length))).toBeLessThanOrEqual(60);
    expect(rows.flatMap(({ entries }) => entries)).toHaveLength(1_000);
  });

  it('loses no part of an entry: calls and results of any ids, in any order, alone or several in one line', () => {
    const ids = fc.constantFrom('t1', 't2', 't3');
    const block = fc.oneof(
      ids.map((id) => ({ type: 'tool_use', id, name: 'Read', input: {} })),
      ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })),
      fc.constant({ type: 'text', text: 'words' }),
    );
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant'),
      content: fc.array(block, { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
        const { entries, outline } = readMessages(messages);
        const shown = new Set<string>();
        for (const row of prepareRows(outline, NONE)) {
          for (const entry of row.entries) {
            entries[entry]?.blocks.forEach((part, place) => {
              // A result is drawn at its call.
              if (
                part.type === 'tool_result' &&
                part.call !== null &&
                kindOf(outline, entry) === 'tool_result'
              )
                return;
              shown.add(`${entry} ${place}`);
              if (part.type !== 'tool_call' || part.result === null) return;
              const answer = entries[part.result]?.blocks.findIndex(
                (other) => other.type === 'tool_result' && other.callId === part.callId,
              );
              shown.add(`${part.result} ${answer}`);
            });
          }
        }
        const all = entries.flatMap(({ blocks }, entry) => blocks.map((_, place) => `${entry} ${place}`));
        expect(all.filter((part) => !shown.has(part))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('loses no entry but blank lines, whatever is in the file', () => {
    const kinds = [
      'user',
      'record',
      'raw',
      'thinking',
      'tool_call',
      'compaction',
      'blank',
      'summary',
    ] as const;
    let seed = 7;
    const pick = (most: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % most;
    };
    const outline = outlineOf(
      Array.from({ length: 600 }, () => ({
        kind: kinds[pick(kinds.length)] ?? 'raw',
        chain: pick(3),
        call: pick(4) === 0 ? null : pick(5),
      })),
    );
    // A sub-agent's blank lines lie in its fold.
    const shown = prepareRows(outline, NONE)
      .flatMap(({ entries }) => entries)
      .filter((entry) => outline.columns.kind[entry] !== 11);
    const wanted = outline.columns.kind.flatMap((kind, entry) => (kind === 11 ? [] : [entry]));
    expect(shown.sort((a, b) => a - b)).toEqual(wanted);
    expect(prepareRawRows(outline)).toHaveLength(600);
  });

  it('finds the row of an entry, of a result its call, and the fold that hides it', () => {
    const outline = outlineOf([
      'user',
      { kind: 'tool_call', call: 0, pair: 2 },
      { kind: 'tool_result', pair: 1 },
      'record',
      'record',
      'blank',
      'user',
    ]);
    const rows = prepareRows(outline, NONE);
    expect(rowOfEntry(rows, outline, 2)).toBe(1);
    expect(rowOfEntry(rows, outline, 4)).toBe(2);
    expect(foldOfEntry(rows, 4)).toBe(3);
    expect(foldOfEntry(rows, 1)).toBeNull();
    const open = prepareRows(outline, new Set([3]));
    expect(namesOf(open)[rowOfEntry(open, outline, 4)]).toBe('raw 4');
    expect(foldOfEntry(open, 4)).toBeNull();
    expect(rowOfEntry(rows, outline, 5)).toBe(2);
    expect(rowOfEntry(rows, outline, 6)).toBe(3);
  });

  it('finds the entry of a line, also where a line holds two', () => {
    const outline = outlineOf([
      { kind: 'user', line: 0 },
      { kind: 'user', line: 2 },
      { kind: 'user', line: 2 },
      { kind: 'user', line: 5 },
    ]);
    expect([0, 1, 2, 3, 5, 6].map((line) => entryOfLine(outline, line))).toEqual([0, 1, 1, 3, 3, null]);
  });

  it('guesses heights that stay within what a folded message takes', () => {
    const outline = outlineOf([{ kind: 'assistant', bytes: 90_000_000 }, 'compaction']);
    const [huge, boundary] = prepareRows(outline, NONE);
    expect(huge && estimateRow(huge, outline)).toBeLessThan(320);
    expect(boundary && estimateRow(boundary, outline)).toBe(46);
  });
});

/** Messages as the server sends them: blocks with their pairs, and the outline. */
function readMessages(messages: readonly { role: string; content: readonly object[] }[]) {
  const reader = createTranscriptReader('claude-code');
  const read = messages.map((message, line) => {
    const bytes = new TextEncoder().encode(JSON.stringify({ type: message.role, message }));
    return reader.take({ line, from: line, to: line + 1, bytes }).entry;
  });
  const { columns } = reader.finish().outline;
  const outline = outlineOf(
    columns.kind.map((kind, entry) => ({
      kind: ENTRY_KINDS[kind] ?? 'raw',
      pair: pairOfEntry(ENTRY_KINDS[kind], columns.pair[entry]),
    })),
  );
  const entries = read.map(({ blocks }, entry) => {
    const pair = columns.pair[entry];
    let tools = 0;
    return {
      blocks: blocks.map((block) => {
        if (block.type !== 'tool_call' && block.type !== 'tool_result') return { type: 'other' as const };
        const other = Array.isArray(pair) ? (pair[tools] ?? null) : (pair ?? null);
        tools += 1;
        const { callId } = block;
        return block.type === 'tool_call'
          ? { type: block.type, callId, result: other }
          : { type: block.type, callId, call: other };
      }),
    };
  });
  return { entries, outline };
}
