import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENTRY_KINDS } from '@/core/agents/entry';
import { pairOfEntry } from '@/core/transcript/pairs';
import { createTranscriptReader } from '@/core/transcript/transcript-reader';
import {
  type ConversationRow,
  entryOfLine,
  kindOf,
  prepareRawRows,
  prepareRows,
  rowOfEntry,
} from './prepare-rows';
import { outlineOf } from './testing/outline';

const NONE: ReadonlySet<string> = new Set();
const namesOf = (rows: readonly ConversationRow[]) =>
  rows.map(({ kind, entries, isInner }) => `${isInner ? '  ' : ''}${kind} ${entries.join(',')}`);
const side = (chain: number, kind: 'user' | 'assistant') => ({ kind, chain });
const RECORDS: Parameters<typeof outlineOf>[0] = [
  'record',
  'record',
  { kind: 'thinking', call: 0 },
  'record',
  { kind: 'assistant', call: 0 },
  'compaction',
];
const AGENTS = [
  side(0, 'user'),
  side(1, 'user'),
  side(2, 'user'),
  side(1, 'assistant'),
  side(0, 'assistant'),
  side(2, 'assistant'),
];

describe('a transcript as a conversation', () => {
  it.each<[string, Parameters<typeof outlineOf>[0], readonly string[], readonly string[]]>([
    [
      'puts what came of one call together, and each result with its call',
      [
        'user',
        { kind: 'thinking', call: 0 },
        { kind: 'assistant', call: 0 },
        { kind: 'tool_call', call: 0, pair: 4 },
        { kind: 'tool_result', pair: 3 },
        { kind: 'tool_call', call: 0, pair: null },
        { kind: 'assistant', call: 1 },
      ],
      [],
      ['message 0', 'message 1,2,3,5', 'message 6'],
    ],
    [
      'gives results and messages without a call their own rows',
      ['assistant', 'assistant', { kind: 'tool_result', pair: null }, 'system'],
      [],
      ['message 0', 'message 1', 'message 2', 'message 3'],
    ],
    [
      'folds records, which part no message',
      RECORDS,
      [],
      ['records 0,1', 'message 2,4', 'records 3', 'boundary 5'],
    ],
    [
      'opens records line by line',
      RECORDS,
      ['records 0'],
      ['records 0,1', 'raw 0', 'raw 1', 'message 2,4', 'records 3', 'boundary 5'],
    ],
    [
      'folds concurrent sub-agents, each by itself',
      AGENTS,
      [],
      ['message 0', 'side 1,3', 'side 2', 'message 4', 'side 5'],
    ],
    [
      'opens one sub-agent',
      AGENTS,
      ['side 1'],
      ['message 0', 'side 1,3', '  message 1', '  message 3', 'side 2', 'message 4', 'side 5'],
    ],
    ['shows unparsed entries raw', ['raw', 'raw', 'user'], [], ['raw 0', 'raw 1', 'message 2']],
    [
      'shows the file of a sub-agent unfolded',
      ['record', side(1, 'user'), side(1, 'assistant')],
      [],
      ['records 0', 'message 1', 'message 2'],
    ],
  ])('%s', (_, entries, open, rows) => {
    expect(namesOf(prepareRows(outlineOf(entries), new Set(open)))).toEqual(rows);
  });

  it('shows a text file by lines, blank ones included', () => {
    const text = outlineOf(Array.from({ length: 90 }, (_, line) => (line % 3 === 1 ? 'blank' : 'text')));
    const rows = prepareRows(text, NONE);
    expect(rows.every(({ kind }) => kind === 'lines')).toBe(true);
    expect(rows.flatMap(({ entries }) => entries)).toEqual(Array.from({ length: 90 }, (_, line) => line));
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
    const entry = fc.record({
      kind: fc.constantFrom(...ENTRY_KINDS.filter((kind) => kind !== 'text')),
      chain: fc.nat(2),
      call: fc.option(fc.nat(5)),
    });
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1 }), (entries) => {
        const outline = outlineOf(entries);
        const rows = prepareRows(outline, NONE).flatMap((row) => row.entries);
        // A sub-agent's blank lines lie in its fold.
        const shown = rows.filter((at) => kindOf(outline, at) !== 'blank');
        const wanted = entries.flatMap(({ kind }, at) => (kind === 'blank' ? [] : [at]));
        expect(shown.sort((a, b) => a - b)).toEqual(wanted);
        expect(prepareRawRows(outline)).toHaveLength(entries.length);
      }),
    );
  });

  it('finds the row of an entry: its own, its call’s, its fold, or the one before a blank line', () => {
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
    expect([2, 4, 5, 6].map((entry) => rowOfEntry(rows, outline, entry))).toEqual([1, 2, 2, 3]);
    const open = prepareRows(outline, new Set(['records 3']));
    expect(namesOf(open)[rowOfEntry(open, outline, 4)]).toBe('raw 4');
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
    expect(huge?.px).toBeLessThan(320);
    expect(boundary?.px).toBe(46);
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
