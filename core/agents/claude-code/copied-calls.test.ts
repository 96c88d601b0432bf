import { expect, it } from 'vitest';
import { createCallOwners } from '../testing/measure-sessions';
import { createParser } from './items';

const usage = { input_tokens: 5, output_tokens: 20, cache_read_input_tokens: 900 };

interface CopiedFile {
  session: string;
  uuid: string;
  /** Further fields of each line. */
  more?: object;
  advisor?: boolean;
  /** Whether the client wrote the lines again without the further fields, and then made a call. */
  again?: boolean;
}

/** An advisor's call. */
const iterations = [
  { type: 'advisor_message', model: 'claude-opus-4-5', input_tokens: 70, output_tokens: 4 },
];

/** Reads files of one compaction and one call each, in order. Returns what they report, and which calls are inherited. */
function readAll(files: CopiedFile[]) {
  const owners = createCallOwners();
  return files.map(({ session, uuid, more, advisor, again }) => {
    const identity = { session, chain: null, folder: null, project: 'harbour', clientSessionId: session };
    const options = { content: true, announces: true, fallbackAt: 0, isFree: () => true };
    const parser = createParser({ identity, owners, ...options });
    const message = { id: 'msg_1', model: 'claude-sonnet-4-5', role: 'assistant', content: [] };
    const spent = { ...message, usage: advisor ? { ...usage, iterations } : usage };
    const timestamp = '2026-11-23T12:00:00.000Z';
    const lines = (fields?: object) => [
      { type: 'system', subtype: 'compact_boundary', uuid: `b-${uuid}`, timestamp, ...fields },
      { type: 'assistant', uuid, timestamp, message: spent, ...fields },
    ];
    const next = { ...message, id: 'msg_2', usage };
    const own = {
      type: 'assistant',
      uuid: `n-${uuid}`,
      timestamp: '2026-11-23T12:05:00.000Z',
      message: next,
    };
    const items = [...lines(more), ...(again ? [...lines(), own] : [])].flatMap((line) =>
      parser.line(JSON.stringify(line)),
    );
    items.push(...parser.settle());
    return items.flatMap((item) => {
      if (item.type === 'session_start')
        return item.forkedFrom === undefined ? [] : [`forked from ${item.forkedFrom}`];
      if (item.type === 'compaction') return ['compaction'];
      return item.type === 'turn' ? [item.inherited === true ? 'inherited' : 'own'] : [];
    });
  });
}

const uuid = '00000000-0000-4000-8000-000000000001';
const own = ['compaction', 'own'];

it('reports calls with equal ids and compactions of unrelated sessions', () => {
  const files = [
    { session: 'a', uuid },
    { session: 'b', uuid: '00000000-0000-4000-8000-000000000002' },
  ];
  expect(readAll(files)).toEqual([own, own]);
});

it('marks a copy of the same line as inherited from the first session, and leaves out the copied compaction', () => {
  const files = [
    { session: 'a', uuid },
    { session: 'b', uuid },
  ];
  expect(readAll(files)).toEqual([own, ['forked from a', 'inherited']]);
});

it('leaves out the compaction in a line that is marked as forked, also before the parent is read', () => {
  const files = [
    { session: 'b', uuid, more: { forkedFrom: { sessionId: 'a', messageUuid: uuid } } },
    { session: 'a', uuid },
  ];
  expect(readAll(files)).toEqual([['forked from a', 'inherited'], own]);
});

it('marks the calls of the advisors in a copied line as inherited', () => {
  const files = [
    { session: 'a', uuid, advisor: true },
    { session: 'b', uuid, advisor: true },
  ];
  expect(readAll(files)).toEqual([
    ['compaction', 'own', 'own'],
    ['forked from a', 'inherited', 'inherited'],
  ]);
});

it('leaves out marked lines that the client wrote again without the mark, and counts the calls after them', () => {
  const forked = { session: 'b', uuid, more: { forkedFrom: { sessionId: 'a', messageUuid: uuid } } };
  expect(readAll([{ ...forked, again: true }])).toEqual([['forked from a', 'inherited', 'own']]);
});
