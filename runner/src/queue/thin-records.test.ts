import { expect, test } from 'vitest';
import { thinRecords } from './thin-records';

let seq = 0;
function item(type: string, session: string, fields: object = {}) {
  seq += 1;
  return { seq, json: JSON.stringify({ type, seq, session, at: seq * 1000, ...fields }) };
}
const shown = (records: Array<{ json: string }>) =>
  records.map(({ json }) => {
    const { type, seq: at, session, chain, from, to, count } = JSON.parse(json);
    return type === 'gap' ? { type, seq: at, session, chain, from, to, count } : { type, seq: at, session };
  });

test('replaces turns by one gap per session and chain', () => {
  seq = 0;
  const records = ['a', 'b', 'ax', 'a', 'b'].map(([session = '', chain]) => item('turn', session, { chain }));
  expect(thinRecords(records).dropped).toBe(5);
  expect(shown(thinRecords(records).records)).toEqual([
    { type: 'gap', seq: 3, session: 'a', chain: 'x', from: 3, to: 3, count: 1 },
    { type: 'gap', seq: 4, session: 'a', from: 1, to: 4, count: 2 },
    { type: 'gap', seq: 5, session: 'b', from: 2, to: 5, count: 2 },
  ]);
});

test('keeps boundaries, with a gap in each context that lost items', () => {
  seq = 0;
  const confirmed = { trigger: 'auto', state: 'confirmed' };
  const start = [item('session_start', 'a', { title: 'T' }), item('turn', 'a')];
  const records = [...start, item('compaction', 'a', confirmed), item('turn', 'a'), item('turn', 'a')];
  expect(shown(thinRecords(records).records)).toEqual([
    { type: 'session_start', seq: 1, session: 'a' },
    { type: 'gap', seq: 2, session: 'a', from: 2, to: 2, count: 1 },
    { type: 'compaction', seq: 3, session: 'a' },
    { type: 'gap', seq: 5, session: 'a', from: 4, to: 5, count: 2 },
  ]);
});

test('adds up gaps and counts nothing twice', () => {
  seq = 0;
  const first = thinRecords([item('turn', 'a'), item('turn', 'a')]);
  const second = thinRecords([...first.records, item('turn', 'a')]);
  expect(second.dropped).toBe(1);
  expect(shown(second.records)).toEqual([{ type: 'gap', seq: 3, session: 'a', from: 1, to: 3, count: 3 }]);
});

test('drops the checkpoint of a kept restart', () => {
  seq = 0;
  const [record] = thinRecords([item('restart', 'a', { checkpoint: 'long', continuation: 1 })]).records;
  expect(record?.json).not.toContain('long');
  expect(record?.json).toContain('continuation');
});
