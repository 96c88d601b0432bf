import { describe, expect, it } from 'vitest';
import { ENTRY_KINDS } from '@/core/agents/entry';
import { fc } from '@/core/testing/property-runs';
import { pairOfEntry } from '@/core/transcript/pairs';
import { createTranscriptReader } from '@/core/transcript/transcript-reader';
import { entryOfLine } from './find-place';
import { type ConversationRow, kindOf, prepareRawRows, prepareRows, rowOfEntry } from './prepare-rows';
import { outlineOf } from './testing/outline';

const NONE: ReadonlySet<string> = new Set();
const namesOf = (rows: readonly ConversationRow[]) =>
  rows.map(({ kind, entries, isInner }) => `${isInner ? '  ' : ''}${kind} ${entries.join(',')}`);
const repeat = (kind: string, count: number) => Array(count).fill(kind).join(' ');
const RECORDS = 'record record thinking:0 record assistant:0 compaction';
const AGENTS = 'user user@1 user@2 assistant@1 assistant assistant@2';

describe('a transcript as a conversation', () => {
  it.each([
    [
      'puts the entries of one call together, and each result with its call',
      'user thinking:0 assistant:0 tool_call:0>4 tool_result>3 tool_call:0 assistant:1',
      '',
      'message 0 | message 1,2,3,5 | message 6',
    ],
    [
      'gives results and messages without a call their own rows',
      'assistant assistant tool_result system',
      '',
      'message 0 | message 1 | message 2 | message 3',
    ],
    ['hides records, without splitting a message', RECORDS, '', 'message 2,4 | boundary 5'],
    ['shows a record that a link leads to', RECORDS, '0', 'raw 0 | message 2,4 | boundary 5'],
    [
      'folds each of several concurrent sub-agents',
      AGENTS,
      '',
      'message 0 | side 1,3 | side 2 | message 4 | side 5',
    ],
    [
      'opens one sub-agent',
      AGENTS,
      'side 1',
      'message 0 | side 1,3 |   message 1 |   message 3 | side 2 | message 4 | side 5',
    ],
    ['shows unparsed entries raw', 'raw raw user', '', 'raw 0 | raw 1 | message 2'],
    ['shows the file of a sub-agent unfolded', 'record user@1 assistant@1', '', 'message 1 | message 2'],
  ])('%s', (_, sketch, open, rows) => {
    expect(namesOf(prepareRows(outlineOf(sketch), new Set([open]))).join(' | ')).toBe(rows);
  });

  it('shows a text file by lines, blank ones included', () => {
    const rows = prepareRows(outlineOf(repeat('text blank text', 30)), NONE);
    expect(rows.every(({ kind }) => kind === 'lines')).toBe(true);
    expect(rows.flatMap(({ entries }) => entries)).toEqual(Array.from({ length: 90 }, (_, line) => line));
  });

  it('splits a call of many lines into rows of at most 60', () => {
    const rows = prepareRows(outlineOf(repeat('assistant:0', 1_000)), NONE);
    expect(Math.max(...rows.map(({ entries }) => entries.length))).toBe(60);
    expect(rows.flatMap(({ entries }) => entries)).toHaveLength(1_000);
  });

  it('keeps every part of an entry, for any ids, order and lines of calls and results', () => {
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

  it('keeps every entry except records and blank lines for any file', () => {
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
        const shown = rows.filter((at) => !/^(blank|record)$/.test(kindOf(outline, at)));
        const wanted = entries.flatMap(({ kind }, at) => (/^(blank|record)$/.test(kind) ? [] : [at]));
        expect(shown.sort((a, b) => a - b)).toEqual(wanted);
        expect(prepareRawRows(outline)).toHaveLength(entries.length);
      }),
    );
  });

  it('finds the row of an entry: its own, its call’s, its fold’s, or the row before a record or blank line', () => {
    const outline = outlineOf('user tool_call:0>2 tool_result>1 record record blank user');
    const rows = prepareRows(outline, NONE);
    expect([2, 4, 5, 6].map((entry) => rowOfEntry(rows, outline, entry))).toEqual([1, 1, 1, 2]);
    const open = prepareRows(outline, new Set(['4']));
    expect(namesOf(open)[rowOfEntry(open, outline, 4)]).toBe('raw 4');
  });

  it('finds the first entry of a line', () => {
    const outline = outlineOf(repeat('user', 4));
    outline.columns.line = [0, 2, 2, 5];
    expect([0, 1, 2, 3, 5, 6].map((line) => entryOfLine(outline, line))).toEqual([0, 1, 1, 3, 3, null]);
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
