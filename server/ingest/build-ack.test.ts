import { expect, it } from 'vitest';
import { sortItems } from './build-ack';

it('takes items with clean names, and a title of spaces as absent', () => {
  const start = { type: 'session_start', seq: 1, session: 's', at: 0, title: '\u202eFix it' };
  const turn = { type: 'turn', seq: 2, session: 's', at: 0, model: 'opus\u200b', usage: { input: 1 } };
  const { items } = sortItems([start, { ...start, seq: 3, title: ' \u3164' }, turn], 0);
  expect(items).toMatchObject([{ title: 'Fix it' }, { seq: 3 }, { model: 'opus' }]);
  expect(items[1]).not.toHaveProperty('title');
});
