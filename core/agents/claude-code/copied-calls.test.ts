import { expect, it } from 'vitest';
import { createCallOwners } from '../testing/measure-sessions';
import { createParser } from './items';

const usage = { input_tokens: 5, output_tokens: 20, cache_read_input_tokens: 900 };

/** Reads files of one call each, in order, and returns which calls are inherited. */
function readAll(files: { session: string; uuid: string }[]) {
  const owners = createCallOwners();
  return files.map(({ session, uuid }) => {
    const identity = { session, chain: null, folder: null, project: 'harbour', clientSessionId: session };
    const options = { content: true, announces: true, fallbackAt: 0, isFree: () => true };
    const parser = createParser({ identity, owners, ...options });
    const message = { id: 'msg_1', model: 'claude-sonnet-4-5', role: 'assistant', content: [], usage };
    const timestamp = '2026-11-23T12:00:00.000Z';
    const items = [
      ...parser.line(JSON.stringify({ type: 'assistant', uuid, timestamp, message })),
      ...parser.settle(),
    ];
    return items.flatMap((item) => {
      if (item.type === 'session_start')
        return item.forkedFrom === undefined ? [] : [`forked from ${item.forkedFrom}`];
      return item.type === 'turn' ? [item.inherited === true ? 'inherited' : 'own'] : [];
    });
  });
}

it('counts calls with equal ids in unrelated sessions', () => {
  const files = [
    { session: 'a', uuid: '00000000-0000-4000-8000-000000000001' },
    { session: 'b', uuid: '00000000-0000-4000-8000-000000000002' },
  ];
  expect(readAll(files)).toEqual([['own'], ['own']]);
});

it('marks a copy of the same line as inherited from the first session', () => {
  const uuid = '00000000-0000-4000-8000-000000000001';
  const files = [
    { session: 'a', uuid },
    { session: 'b', uuid },
  ];
  expect(readAll(files)).toEqual([['own'], ['forked from a', 'inherited']]);
});
