import { describe, expect, it } from 'vitest';
import { ENTRY_KINDS } from '../agents/entry';
import { formatOfName } from '../agents/registry';
import { formatOfEntry } from './read-entry';
import {
  answered,
  boundary,
  readAll,
  said,
  split,
  summary,
  toBytes,
  toLines,
  toolResult,
  toolUse,
} from './testing-transcripts';

const kindsIn = (outline: { columns: { kind: number[] } }) =>
  outline.columns.kind.map((kind) => ENTRY_KINDS[kind]);
const codex = (type: string, payload: object, more: object = {}) => ({
  timestamp: '2026-03-01T10:00:00.000Z',
  type,
  payload,
  ...more,
});
const tokens = (total: number, last: object, window = 258_400) =>
  codex('event_msg', {
    type: 'token_count',
    info: {
      total_token_usage: { total_tokens: total },
      last_token_usage: last,
      model_context_window: window,
    },
  });

describe('A Claude Code transcript', () => {
  it('counts the lines of one message as one call, with the figures of its last line', () => {
    const { outline } = readAll(
      toLines([
        said('go'),
        answered({ type: 'thinking', thinking: 'hm' }, { call: 'm1', input: 900, output: 1 }),
        answered({ type: 'text', text: 'yes' }, { call: 'm1', input: 900, output: 40 }),
      ]),
    );
    expect(outline.calls).toEqual([
      expect.objectContaining({ entry: 1, input: 900, output: 40, contextTokens: 940, chain: 0 }),
    ]);
    expect(outline.columns.call).toEqual([null, 0, 0]);
    expect(kindsIn(outline)).toEqual(['user', 'thinking', 'assistant']);
  });

  it('keeps synthetic messages without counting them', () => {
    const { outline } = readAll(
      toLines([answered({ type: 'text', text: 'API Error' }, { model: '<synthetic>' })]),
    );
    expect(outline.calls).toEqual([]);
    expect(kindsIn(outline)).toEqual(['assistant']);
  });

  it('knows no context size between a compaction and the next call', () => {
    const { outline } = readAll(
      toLines([
        answered({ type: 'text', text: 'a' }, { call: 'a', input: 9_000 }),
        boundary(),
        summary('What was done.'),
        answered({ type: 'text', text: 'b' }, { call: 'b', input: 2_000 }),
      ]),
    );
    expect(outline.columns.standing).toEqual([0, null, null, 1]);
    expect(outline.compactions).toEqual([
      expect.objectContaining({ entry: 1, summary: 2, trigger: 'auto', preTokens: 5_000 }),
    ]);
  });

  it('puts a sub-agent on its own chain, linked to the call that started it', () => {
    const echo = {
      type: 'progress',
      uuid: 'e',
      parentToolUseID: 'task',
      data: {
        type: 'agent_progress',
        agentId: 'harbour',
        message: {
          type: 'assistant',
          message: { id: 'x', content: [{ type: 'text', text: 'looking' }], usage: { input_tokens: 50_000 } },
        },
      },
    };
    const { outline, entries } = readAll(
      toLines([
        answered(toolUse('task', 'Task', { description: 'Look' }), { call: 'm', input: 1_000 }),
        echo,
        toolResult('task', [{ type: 'text', text: 'found' }], { toolUseResult: { agentId: 'harbour' } }),
      ]),
    );
    expect(outline.chains).toEqual([
      expect.objectContaining({ key: 'main', entries: 2 }),
      { key: 'harbour', call: 0, entry: 1, entries: 1 },
    ]);
    expect(entries[1]?.kind).toBe('assistant');
    expect(outline.columns.standing).toEqual([0, 1, 0]);
  });

  it('pairs several calls of one line with their results, in any order', () => {
    const both = {
      ...(answered({}, {}) as object),
      message: { id: 'm', content: [toolUse('a', 'Read', {}), toolUse('b', 'Read', {})] },
    };
    const { outline } = readAll(toLines([toolResult('b', 'early'), both, toolResult('a', 'late')]));
    expect(outline.columns.pair).toEqual([1, [2, 0], 1]);
  });

  it('keeps lines of unknown types as records with the client’s name', () => {
    const { entries } = readAll(toLines([{ type: 'tide-table', uuid: 'x' }, { hello: 1 }]));
    expect(entries.map(({ kind, name }) => [kind, name])).toEqual([
      ['record', 'tide-table'],
      ['record', null],
    ]);
  });

  it('shows only images of the four safe types, and no linked images', () => {
    const image = (source: object) => ({ type: 'image', source });
    const { entries } = readAll(
      toLines([
        said('x', {
          message: {
            role: 'user',
            content: [
              image({ type: 'base64', media_type: 'image/png', data: 'aGk=' }),
              image({ type: 'base64', media_type: 'image/svg+xml', data: 'aGk=' }),
              image({ type: 'base64', media_type: 'image/png', data: '"><script>' }),
              image({ type: 'url', url: 'https://example.com/a.png' }),
            ],
          },
        }),
      ]),
    );
    expect(entries[0]?.blocks.map((block) => ('mediaType' in block ? block.mediaType : block.type))).toEqual([
      'image/png',
      null,
      null,
      'other',
    ]);
  });
});

describe('A Codex rollout', () => {
  const item = (payload: object, more: object = {}) => codex('response_item', payload, more);
  const words = (role: string, text: string, more: object = {}) =>
    item({ type: 'message', role, content: [{ type: 'output_text', text }] }, more);

  it('assigns a report to the items before it, ignores repeated reports, and subtracts cached input', () => {
    const usage = { input_tokens: 900, cached_input_tokens: 600, output_tokens: 100, total_tokens: 1_000 };
    const { outline } = readAll(
      toLines([words('user', 'go'), words('assistant', 'yes'), tokens(1_000, usage), tokens(1_000, usage)]),
      'codex',
    );
    expect(outline.calls).toEqual([
      expect.objectContaining({ entry: 1, input: 300, cacheRead: 600, output: 100, contextTokens: 1_000 }),
    ]);
    expect(outline.columns.call).toEqual([null, 0, null, null]);
    expect(outline.window).toBe(258_400);
  });

  it('prefers records of single responses, and excludes the summary’s own call from the context', () => {
    const record = (total: number) =>
      codex('token_usage_record', {
        response_id: `r${total}`,
        usage: { input_tokens: total, total_tokens: total },
      });
    const { outline } = readAll(
      toLines([
        words('assistant', 'a'),
        record(5_000),
        tokens(5_000, { input_tokens: 5_000, total_tokens: 5_000 }),
        words('assistant', 'the summary', { metadata: { compaction_output: true } }),
        record(6_000),
      ]),
      'codex',
    );
    expect(outline.calls.map(({ contextTokens, isSide }) => [contextTokens, isSide])).toEqual([
      [5_000, false],
      [6_000, true],
    ]);
    expect(outline.columns.standing.at(-1)).toBe(0);
  });

  it('excludes the record that a compaction names as its own call', () => {
    const record = (id: string, total: number) =>
      codex('token_usage_record', {
        response_id: id,
        usage: { input_tokens: total, total_tokens: total },
      });
    const { outline, losses } = readAll(
      toLines([
        words('assistant', 'a'),
        record('r1', 5_000),
        record('r2', 6_000),
        codex('compacted', { message: '', compaction_response_id: 'r2', replacement_history: [] }),
        record('r3', 1_000),
      ]),
      'codex',
    );
    expect(outline.calls.map(({ contextTokens, isSide }) => [contextTokens, isSide])).toEqual([
      [5_000, false],
      [6_000, true],
      [1_000, false],
    ]);
    expect(losses[0]?.tokens.before).toBe(5_000);
  });

  it('has the compaction’s summary, and the estimate of kept tokens unless the estimate exceeds the window', () => {
    const compacted = codex('compacted', { message: 'Summary.', replacement_history: [] });
    const zeros = (total: number) => tokens(1, { input_tokens: 0, output_tokens: 0, total_tokens: total });
    expect(readAll(toLines([compacted, zeros(6_000)]), 'codex').outline.compactions).toEqual([
      expect.objectContaining({ entry: 0, summary: 0, postTokens: 6_000 }),
    ]);
    expect(
      readAll(toLines([compacted, zeros(940_499)]), 'codex').outline.compactions[0]?.postTokens,
    ).toBeNull();
  });

  it('pairs calls with outputs, and shows arguments as JSON or text', () => {
    const { outline, entries } = readAll(
      toLines([
        item({ type: 'function_call', name: 'exec', call_id: 'c', arguments: '{"cmd":"ls -la"}' }),
        item({ type: 'function_call_output', call_id: 'c', output: 'total 7' }),
        item({ type: 'custom_tool_call', name: 'apply_patch', call_id: 'd', input: '*** Begin Patch' }),
      ]),
      'codex',
    );
    expect(outline.columns.pair).toEqual([1, 0, null]);
    expect(entries[0]?.blocks[0]).toMatchObject({ label: 'ls -la', isJson: true });
    expect(entries[2]?.blocks[0]).toMatchObject({ text: '*** Begin Patch', isJson: false });
  });
});

describe('The format of a file', () => {
  const formatOf = (line: unknown) => formatOfEntry(split(toBytes(toLines([line])))[0] as never);
  it('is detected by its lines, else by its name', () => {
    expect(formatOf(said('x'))).toBe('claude-code');
    expect(formatOf(codex('session_meta', {}))).toBe('codex');
    expect(formatOf({ a: 1 })).toBeNull();
    expect(formatOf('# Notes')).toBeNull();
    expect(formatOfName('a.JSONL')).toBe('claude-code');
    expect(formatOfName('notes.md')).toBe('text');
  });

  it('is text if it is not detected, with one entry per line', () => {
    const { entries } = readAll('# Notes\r\n\r\nTide.', 'text');
    expect(entries.map(({ kind }) => kind)).toEqual(['text', 'blank', 'text']);
    expect(entries[0]?.blocks).toEqual([{ type: 'text', text: '# Notes' }]);
  });
});
